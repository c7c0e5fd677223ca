package kgobalancer

import (
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// leader takes turn after turn in one group and keeps the last plan.
type leader struct {
	t       *testing.T
	kgo     kgo.GroupBalancer
	led     Leading
	topics  map[string]int32
	said    func(id string) wire.Subscription
	version int16
}

func newLeader(t *testing.T, strategy holdfast.Assignor) *leader {
	l := &leader{t: t, topics: map[string]int32{"t": 6}, version: 3}
	l.kgo = New(strategy, Options{OnPlan: func(led Leading) { l.led = led }})
	l.said = func(string) wire.Subscription {
		return wire.Subscription{Topics: []string{"t"}, Generation: -1}
	}
	return l
}

// turn leads a generation of these members.
func (l *leader) turn(generation int32, ids ...string) []kmsg.SyncGroupRequestGroupAssignment {
	l.t.Helper()
	var all []said
	for _, id := range ids {
		all = append(all, said{id: id, subscription: l.said(id), version: l.version})
	}
	return leadInfo(l.t, l.kgo, members(l.t, all...), l.topics,
		kgo.BalanceInfo{Group: "g", Generation: generation, LeaderID: ids[0]})
}

// told is what the client does when the sync of its generation succeeds.
func (l *leader) told() {
	l.t.Helper()
	if _, err := l.kgo.ParseSyncAssignment(nil); err != nil {
		l.t.Fatal(err)
	}
}

func (l *leader) expect(what string, want holdfast.Causes) {
	l.t.Helper()
	if got := l.led.Plan.Causes(); got != want {
		l.t.Errorf("%s: causes %+v, want %+v", what, got, want)
	}
}

// Range members say nothing of what they had; the leader knows it from the
// generation before.
func TestHistoryOfMembersWithoutClaims(t *testing.T) {
	l := newLeader(t, holdfast.Range)
	l.turn(1, "a", "b")
	l.expect("first", holdfast.Causes{Unowned: 6})
	l.told()
	check(t, "joined", text(t, l.turn(2, "a", "b", "c")), "a: t[0 1]; b: t[2 3]; c: t[4 5]")
	l.expect("joined", holdfast.Causes{Shed: 3}) // 2 of a's, 4 and 5 of b's; b keeps 3
	l.told()
	check(t, "left", text(t, l.turn(3, "a", "c")), "a: t[0 1 2]; c: t[3 4 5]")
	l.expect("left", holdfast.Causes{Orphaned: 2})
}

// What a leader was told is gone counts as gone only if nobody else led between,
// and only what the group was really told counts.
func TestHistoryHasLimits(t *testing.T) {
	l := newLeader(t, holdfast.Range)
	l.turn(1, "a", "b")
	l.told()
	l.turn(3, "a")
	l.expect("another led generation 2", holdfast.Causes{Unowned: 6})
	l.told()
	l.turn(4, "a", "b")
	l.turn(5, "a", "b", "c") // The sync of generation 4 failed: a still has all.
	l.expect("a failed sync", holdfast.Causes{Shed: 4})
	l.told()
	l.turn(6, "a", "b", "c")
	l.expect("nothing changed", holdfast.Causes{})
}

// A cooperative group says itself what it has; the leader only knows who left.
func TestHistoryOfDeparted(t *testing.T) {
	for _, strategy := range []holdfast.Assignor{holdfast.Sticky, holdfast.CooperativeSticky} {
		l := newLeader(t, strategy)
		l.turn(1, "a", "b", "c")
		l.told()
		l.said = func(id string) wire.Subscription {
			owned := owns(map[string][]int32{"a": {0, 3}, "b": {1, 4}}[id]...)
			s := wire.Subscription{Topics: []string{"t"}, Generation: 1,
				UserData: stickyData(t, 1, 1, owned)}
			if strategy.Name() == cooperative {
				s.Owned = owned
			}
			return s
		}
		check(t, strategy.Name(), text(t, l.turn(2, "a", "b")), "a: t[0 2 3]; b: t[1 4 5]")
		l.expect(strategy.Name(), holdfast.Causes{Orphaned: 2})
		for _, m := range l.led.Plan.Moves() {
			if m.From != "c" {
				t.Errorf("%s: %+v, want it from c", strategy.Name(), m)
			}
		}
	}
}

// The topics of the generation before may have been others.
func TestHistoryOfOtherTopics(t *testing.T) {
	l := newLeader(t, holdfast.RoundRobin)
	l.topics = map[string]int32{"t": 6, "u": 3}
	l.said = func(string) wire.Subscription {
		return wire.Subscription{Topics: []string{"t", "u"}, Generation: -1}
	}
	l.turn(1, "a", "b", "c")
	l.told()
	l.topics = map[string]int32{"t": 4}
	l.turn(2, "a", "b")
	l.expect("a topic is gone and one is smaller", holdfast.Causes{Shed: 1, Orphaned: 1})
}
