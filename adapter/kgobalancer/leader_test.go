package kgobalancer

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// said is what one member of a test group says.
type said struct {
	id, instance string
	subscription wire.Subscription
	version      int16
	bytes        []byte // instead of a subscription
}

func (s said) member(t testing.TB) kmsg.JoinGroupResponseMember {
	t.Helper()
	m := kmsg.JoinGroupResponseMember{MemberID: s.id, ProtocolMetadata: s.bytes}
	if s.instance != "" {
		m.InstanceID = &s.instance
	}
	if s.bytes == nil {
		var err error
		m.ProtocolMetadata, err = wire.AppendSubscription(nil, s.version, &s.subscription)
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func members(t testing.TB, all ...said) []kmsg.JoinGroupResponseMember {
	t.Helper()
	list := make([]kmsg.JoinGroupResponseMember, len(all))
	for i := range all {
		list[i] = all[i].member(t)
	}
	return list
}

// lead lets a balancer take a leader's turn and returns its answers.
func lead(
	t testing.TB, b kgo.GroupBalancer, members []kmsg.JoinGroupResponseMember,
	topics map[string]int32,
) []kmsg.SyncGroupRequestGroupAssignment {
	t.Helper()
	return leadInfo(t, b, members, topics, kgo.BalanceInfo{})
}

func leadInfo(
	t testing.TB, b kgo.GroupBalancer, members []kmsg.JoinGroupResponseMember,
	topics map[string]int32, info kgo.BalanceInfo,
) []kmsg.SyncGroupRequestGroupAssignment {
	t.Helper()
	mb, _, err := b.MemberBalancer(members)
	if err != nil {
		t.Fatal(err)
	}
	if mb, ok := mb.(kgo.GroupMemberBalancerInfo); ok {
		mb.SetBalanceInfo(info)
	}
	into, err := mb.(kgo.GroupMemberBalancerOrError).BalanceOrError(topics)
	if err != nil {
		t.Fatal(err)
	}
	return into.IntoSyncAssignment()
}

// text writes answers as "a: t[0 1]; b: -", read with franz-go's own decoder.
func text(t testing.TB, answers []kmsg.SyncGroupRequestGroupAssignment) string {
	t.Helper()
	var parts []string
	for _, a := range answers {
		var assigned []string
		topics, err := kgo.ParseConsumerSyncAssignment(a.MemberAssignment)
		if err != nil {
			t.Fatalf("member %q: %v in %x", a.MemberID, err, a.MemberAssignment)
		}
		for _, topic := range slices.Sorted(maps.Keys(topics)) {
			assigned = append(assigned, fmt.Sprint(topic, topics[topic]))
		}
		if len(assigned) == 0 {
			assigned = []string{"-"}
		}
		parts = append(parts, a.MemberID+": "+strings.Join(assigned, " "))
	}
	return strings.Join(parts, "; ")
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// owns lists partitions of topic "t".
func owns(partitions ...int32) []holdfast.TopicPartitions {
	return []holdfast.TopicPartitions{{Topic: "t", Partitions: partitions}}
}

func stickyData(
	t testing.TB, version int16, generation int32, owned []holdfast.TopicPartitions,
) []byte {
	t.Helper()
	data, err := wire.AppendSticky(nil, version, &wire.Sticky{Owned: owned, Generation: generation})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var t9 = map[string]int32{"t": 9}

func TestStickyReadsClaimsFromUserData(t *testing.T) {
	sub := func(version int16, owned []holdfast.TopicPartitions) wire.Subscription {
		// The owned partitions beside the user data are no claims under sticky.
		return wire.Subscription{Topics: []string{"t"}, Owned: owns(0, 1, 2), Generation: 9,
			UserData: stickyData(t, version, 7, owned)}
	}
	group := members(t,
		said{id: "X", subscription: sub(1, owns(3, 4, 5, 6)), version: 3},
		said{id: "Y", subscription: sub(0, owns(7, 8)), version: 0},
		said{id: "Z", subscription: wire.Subscription{Topics: []string{"t"}}, version: 1})
	check(t, "answers", text(t, lead(t, New(holdfast.Sticky, Options{}), group, t9)),
		"X: t[3 4 5]; Y: t[2 7 8]; Z: t[0 1 6]")
}

func TestCooperativeWithholds(t *testing.T) {
	sub := func(owned []holdfast.TopicPartitions, generation int32) wire.Subscription {
		return wire.Subscription{Topics: []string{"t"}, Owned: owned, Generation: generation,
			UserData: wire.AppendCooperative(nil, generation)}
	}
	b := New(holdfast.CooperativeSticky, Options{})
	check(t, "round one", text(t, lead(t, b, members(t,
		said{id: "X", subscription: sub(owns(3, 4, 5, 6), 7), version: 3},
		said{id: "Y", subscription: sub(owns(7, 8), 7), version: 2},
		said{id: "Z", subscription: sub(nil, -1), version: 3}), t9)),
		"X: t[3 4 5]; Y: t[2 7 8]; Z: t[0 1]")
	check(t, "round two", text(t, lead(t, b, members(t,
		said{id: "X", subscription: sub(owns(3, 4, 5), 8), version: 3},
		said{id: "Y", subscription: sub(owns(2, 7, 8), 8), version: 3},
		said{id: "Z", subscription: sub(owns(0, 1), 8), version: 3}), t9)),
		"X: t[3 4 5]; Y: t[2 7 8]; Z: t[0 1 6]")
}

// A version 1 subscription has no field for a generation; old Java clients write
// it into the user data. Here it decides who keeps partition 0.
func TestCooperativeGenerationFromUserData(t *testing.T) {
	old := wire.Subscription{Topics: []string{"t"}, Owned: owns(0),
		UserData: wire.AppendCooperative(nil, 5)}
	other := old
	other.UserData = wire.AppendCooperative(nil, 4)
	check(t, "answers", text(t, lead(t, New(holdfast.CooperativeSticky, Options{}), members(t,
		said{id: "a", subscription: other, version: 1},
		said{id: "b", subscription: old, version: 1}), map[string]int32{"t": 2})),
		"a: t[1]; b: t[0]")
}

// Range and roundrobin order static members before dynamic ones.
func TestInstanceIDs(t *testing.T) {
	sub := wire.Subscription{Topics: []string{"t"}, Generation: -1}
	group := members(t, said{id: "a", subscription: sub, version: 3},
		said{id: "z", instance: "pod-0", subscription: sub, version: 3})
	three := map[string]int32{"t": 3}
	check(t, "range", text(t, lead(t, New(holdfast.Range, Options{}), group, three)),
		"a: t[2]; z: t[0 1]")
	check(t, "roundrobin", text(t, lead(t, New(holdfast.RoundRobin, Options{}), group, three)),
		"a: t[1]; z: t[0 2]")
}

func TestMemberListedTwice(t *testing.T) {
	sub := wire.Subscription{Topics: []string{"t"}, Generation: -1}
	more := wire.Subscription{Topics: []string{"t", "u"}, Generation: -1}
	twice := members(t, said{id: "a", subscription: sub, version: 3},
		said{id: "b", subscription: more, version: 3}, said{id: "b", subscription: sub, version: 3},
		said{id: "a", subscription: sub, version: 3}, said{id: "a", subscription: sub, version: 3})
	topics := map[string]int32{"t": 2, "u": 1}
	for _, strategy := range holdfast.Strategies() {
		var led Leading
		b := New(strategy, Options{OnPlan: func(l Leading) { led = l }})
		got := text(t, lead(t, b, twice, topics))
		check(t, strategy.Name(), got, "a: t[0]; b: t[1]")
		var warned []string
		for _, w := range led.Warnings {
			warned = append(warned, w.Member+" "+string(w.ID))
		}
		check(t, "warnings", strings.Join(warned, ", "), "a member-twice, a member-twice, b member-twice")
		slices.Reverse(twice)
		check(t, strategy.Name()+" reversed", text(t, lead(t, b, twice, topics)), got)
	}
}

// Whatever one member says, the others are answered as if it had said less.
func TestOddBytes(t *testing.T) {
	long := func(tail string) []byte { // topic "t", then tail
		data, err := hex.DecodeString("0003" + "00000001" + "000174" + tail)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	cases := []struct {
		name, cooperative, sticky string
		bytes                     []byte
		warning                   wire.WarningID
	}{
		{"nothing", "a: t[0 1 2 3]; odd: -", "", []byte{}, Unreadable},
		{"random", "a: t[0 1 2 3]; odd: -", "", []byte("what is this?"), Unreadable},
		{"topics that lie", "a: t[0 1 2 3]; odd: -", "",
			[]byte{0, 3, 0x7f, 0xff, 0xff, 0xff}, Unreadable},
		{"topics alone", "a: t[0 1]; odd: t[2 3]", "", long(""), wire.UserDataMissing},
		{"version 1 without owned", "a: t[0 1]; odd: t[2 3]", "",
			append([]byte{0, 1}, long("ffffffff")[2:]...), wire.OwnedMissing},
		{"trailing bytes", "a: t[0 1]; odd: t[2 3]", "",
			long("ffffffff" + "00000000" + "ffffffff" + "ffff" + "c0ffee"), wire.TrailingBytes},
		{"damaged claims", "a: t[0 1]; odd: t[2 3]", "",
			long("ffffffff" + "00000001" + "000174" + "7fffffff" + "00000000"), wire.OwnedDamaged},
		{"foreign user data", "a: t[0 1]; odd: t[2 3]", "foreign",
			long("00000003" + "abcdef" + "00000000" + "ffffffff" + "ffff"), wire.ForeignUserData},
	}
	for _, c := range cases {
		for _, strategy := range []holdfast.Assignor{holdfast.Sticky, holdfast.CooperativeSticky} {
			var led Leading
			b := New(strategy, Options{OnPlan: func(l Leading) { led = l }})
			a := wire.Subscription{Topics: []string{"t"}, Owned: owns(0, 1), Generation: 3,
				UserData: stickyData(t, 1, 3, owns(0, 1))}
			got := text(t, lead(t, b, members(t, said{id: "a", subscription: a, version: 3},
				said{id: "odd", bytes: c.bytes}), map[string]int32{"t": 4}))
			check(t, c.name+", "+strategy.Name(), got, c.cooperative)
			// Under cooperative-sticky user data only stands in for a generation, and
			// a member without claims has no use for one.
			if c.sticky != "" && strategy.Name() != "sticky" {
				continue
			}
			if !slices.ContainsFunc(led.Warnings, func(w Warning) bool {
				return w.Member == "odd" && w.ID == c.warning
			}) {
				t.Errorf("%s, %s: warnings %v, want %s", c.name, strategy.Name(), led.Warnings, c.warning)
			}
		}
	}
}

// A member that gets nothing is told so in bytes that every client can read.
func TestEmptyAssignment(t *testing.T) {
	sub := wire.Subscription{Topics: []string{"t"}, Generation: -1}
	for _, strategy := range holdfast.Strategies() {
		answers := lead(t, New(strategy, Options{}), members(t,
			said{id: "a", subscription: sub, version: 3}, said{id: "b", subscription: sub, version: 3},
			said{id: "c", subscription: wire.Subscription{}, version: 3}), map[string]int32{"t": 1})
		check(t, strategy.Name(), text(t, answers), "a: t[0]; b: -; c: -")
		for _, a := range answers[1:] {
			check(t, a.MemberID, hex.EncodeToString(a.MemberAssignment), "0000"+"00000000"+"ffffffff")
		}
	}
}

// Topics that nobody subscribes to or that the client does not know are nobody's.
func TestUnknownTopics(t *testing.T) {
	group := members(t, said{id: "a", version: 3,
		subscription: wire.Subscription{Topics: []string{"gone", "t"}, Generation: -1}})
	b := New(holdfast.Sticky, Options{})
	counts := map[string]int32{"t": 2, "foreign": 7}
	check(t, "answers", text(t, lead(t, b, group, counts)), "a: t[0 1]")
	_, topics, err := b.MemberBalancer(group)
	if err != nil || !maps.Equal(topics, map[string]struct{}{"gone": {}, "t": {}}) {
		t.Errorf("topics %v, error %v", topics, err)
	}
}

func TestGroupThatCannotBeUsed(t *testing.T) {
	mb, _, err := New(holdfast.Range, Options{}).MemberBalancer(members(t, said{id: "a", version: 0,
		subscription: wire.Subscription{Topics: []string{"t"}}}))
	if err != nil {
		t.Fatal(err)
	}
	huge := map[string]int32{"t": holdfast.MaxPartitions + 1}
	_, err = mb.(kgo.GroupMemberBalancerOrError).BalanceOrError(huge)
	if !errors.Is(err, holdfast.ErrPartitionCount) {
		t.Errorf("error %v, want %v", err, holdfast.ErrPartitionCount)
	}
	if into := mb.Balance(huge); into != nil {
		t.Errorf("Balance returned %v", into)
	}
}

// The bytes of the answers depend on nothing but what the members say.
func TestSameAnswersOnRepetition(t *testing.T) {
	const seed = 20261130
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 50 {
		group, topics := randomGroup(t, rng)
		for _, strategy := range holdfast.Strategies() {
			first := New(strategy, Options{})
			want := lead(t, first, group, topics)
			// The leader's memory of this turn explains moves and decides nothing.
			info := kgo.BalanceInfo{Group: "g", Generation: 1}
			leadInfo(t, first, group, topics, info)
			if _, err := first.ParseSyncAssignment(want[0].MemberAssignment); err != nil {
				t.Fatal(err)
			}
			info.Generation++
			shuffled := slices.Clone(group)
			rng.Shuffle(len(shuffled), func(i, j int) {
				shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
			})
			got := leadInfo(t, first, shuffled, topics, info)
			again := lead(t, New(strategy, Options{}), shuffled, topics)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(again, want) {
				t.Fatalf("seed %d, group %d, %s: answers differ\n%s\n%s\n%s", seed, round,
					strategy.Name(), text(t, want), text(t, got), text(t, again))
			}
		}
	}
}

// randomGroup draws a group whose members say all sorts of things.
func randomGroup(t testing.TB, rng *rand.Rand) ([]kmsg.JoinGroupResponseMember, map[string]int32) {
	topics := make(map[string]int32)
	var names []string
	for i := range 1 + rng.IntN(4) {
		names = append(names, fmt.Sprintf("t%d", i))
		topics[names[i]] = int32(rng.IntN(7))
	}
	var group []said
	for i := range 1 + rng.IntN(6) {
		s := said{id: fmt.Sprintf("m%d", i), version: int16(rng.IntN(4))}
		if rng.IntN(3) == 0 {
			s.instance = fmt.Sprintf("i%d", rng.IntN(9))
		}
		var owned []holdfast.TopicPartitions
		for _, name := range names {
			if rng.IntN(3) > 0 {
				s.subscription.Topics = append(s.subscription.Topics, name)
			}
			if n := rng.IntN(4); n > 0 {
				partitions := make([]int32, n)
				for k := range partitions {
					partitions[k] = int32(rng.IntN(9) - 1)
				}
				owned = append(owned, holdfast.TopicPartitions{Topic: name, Partitions: partitions})
			}
		}
		generation := int32(rng.IntN(4) - 1)
		s.subscription.Owned, s.subscription.Generation = owned, generation
		s.subscription.UserData = stickyData(t, int16(rng.IntN(2)), generation, owned)
		group = append(group, s)
	}
	return members(t, group...), topics
}

// Answers are a division: complete, disjoint and within the subscriptions.
func TestAnswersAreADivision(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 200 {
		group, topics := randomGroup(t, rng)
		for _, strategy := range holdfast.Strategies() {
			owners := make(map[string]map[int32]string)
			read := make(map[string]bool)
			subscribed := make(map[string][]string)
			for _, m := range group {
				s, _, err := wire.DecodeSubscription(m.ProtocolMetadata)
				if err != nil {
					t.Fatal(err)
				}
				subscribed[m.MemberID] = s.Topics
				for _, topic := range s.Topics {
					read[topic] = true
				}
			}
			var led Leading
			b := New(strategy, Options{OnPlan: func(l Leading) { led = l }})
			for _, a := range lead(t, b, group, topics) {
				assigned, err := kgo.ParseConsumerSyncAssignment(a.MemberAssignment)
				if err != nil {
					t.Fatal(err)
				}
				for topic, partitions := range assigned {
					if owners[topic] == nil {
						owners[topic] = make(map[int32]string)
					}
					for _, p := range partitions {
						if owners[topic][p] != "" || p < 0 || p >= topics[topic] ||
							!slices.Contains(subscribed[a.MemberID], topic) {
							t.Fatalf("seed %d, group %d, %s: %s may not have %s %d",
								seed, round, strategy.Name(), a.MemberID, topic, p)
						}
						owners[topic][p] = a.MemberID
					}
				}
			}
			withheld := 0
			if rounds := led.Plan.Rounds(); len(rounds) > 0 {
				withheld = len(rounds[0].Withheld())
			}
			want := -withheld
			for topic, n := range topics {
				if read[topic] {
					want += int(n)
				}
			}
			got := 0
			for _, partitions := range owners {
				got += len(partitions)
			}
			if got != want {
				t.Fatalf("seed %d, group %d, %s: %d partitions assigned, want %d",
					seed, round, strategy.Name(), got, want)
			}
		}
	}
}

func TestLogging(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "took" {
				return slog.Attr{}
			}
			return a
		}}))
	group := members(t, said{id: "X", subscription: wire.Subscription{Topics: []string{"t"},
		Owned: owns(0, 1), Generation: 4}, version: 3})
	for i := range 12 {
		group = append(group, kmsg.JoinGroupResponseMember{MemberID: fmt.Sprintf("odd%02d", i)})
	}
	leadInfo(t, New(holdfast.CooperativeSticky, Options{Logger: logger}), group,
		map[string]int32{"t": 3}, kgo.BalanceInfo{Group: "orders", Generation: 5, LeaderID: "X"})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 12 {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
	if want := `level=WARN msg="a member's bytes are odd" group=orders member=odd00 ` +
		`warning="unreadable: subscription: byte 0: version: `; !strings.HasPrefix(lines[0], want) {
		t.Errorf("first line %s, want %s..", lines[0], want)
	}
	check(t, "more", lines[10], `level=WARN msg="more members' bytes are odd" group=orders `+
		`warnings=2 strategy=cooperative-sticky`)
	check(t, "plan", lines[11], `level=INFO msg="led a rebalance" group=orders generation=5 leader=X `+
		`members=13 moved=1 kept=2 shed=0 orphaned=0 unsubscribed=0 contested=0 unowned=1 withheld=0 `+
		`strategy=cooperative-sticky`)
}
