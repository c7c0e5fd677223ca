package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
)

const sec = time.Second

var (
	coop  = []holdfast.Assignor{holdfast.CooperativeSticky}
	eager = []holdfast.Assignor{holdfast.Range}
)

// twelve is a group of members A, B, .. on one topic of twelve partitions.
func twelve(members int, list []holdfast.Assignor, events ...Event) Scenario {
	s := Scenario{Topics: []holdfast.Topic{{Name: "orders", Partitions: 12}}, Strategies: list,
		Events: events, Timing: Timing{Revoke: 50 * time.Millisecond, Restore: 2 * sec}}
	for i := range members {
		s.Members = append(s.Members, Member{ID: string(rune('A' + i))})
	}
	return s
}

func run(t *testing.T, s Scenario) *Report {
	t.Helper()
	r, err := Run(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		t.Errorf("violation at %v of %s: %s", v.At, v.Check, v.Detail)
	}
	return r
}

// bytes is a report as bytes, to compare two of them.
func bytes(t *testing.T, r *Report) string {
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A member joins: one rebalance among eager members, which stops the world; two
// among cooperative ones, which does not.
func TestScaleOut(t *testing.T) {
	join := Event{At: 30 * sec, Kind: Join, Join: Member{ID: "C"}}
	e, c := run(t, twelve(2, eager, join)), run(t, twelve(2, coop, join))
	if len(e.Rebalances) != 2 || len(c.Rebalances) != 3 {
		t.Fatalf("eager %d, cooperative %d rebalances", len(e.Rebalances), len(c.Rebalances))
	}
	if e.Totals.StopTheWorld < sec || c.Totals.StopTheWorld != 0 {
		t.Errorf("the world stops for %v and %v", e.Totals.StopTheWorld, c.Totals.StopTheWorld)
	}
	first, second := c.Rebalances[1], c.Rebalances[2]
	all, some := e.Rebalances[1].LostPartitionSeconds,
		first.LostPartitionSeconds+second.LostPartitionSeconds
	if all < 1.5*some {
		t.Errorf("eager loses %.1f partition-seconds, cooperative %.1f", all, some)
	}
	if first.Moved != 0 || first.Withheld.Len() != 4 || second.Moved != 4 ||
		second.Causes.Shed != 4 || second.Withheld.Len() != 0 {
		t.Errorf("rounds %+v and %+v", first, second)
	}
	for _, r := range first.Revoked {
		if r.Partitions.Len() != 2 {
			t.Errorf("%s gave up %v", r.Member, r.Partitions)
		}
	}
	if got := e.Rebalances[1].Revoked; len(got) != 2 || got[0].Partitions.Len() != 6 {
		t.Errorf("eager members gave up %v", got)
	}
}

// A static member that is back within its session costs no rebalance, and its
// partitions stand still while it is away. A dynamic one costs three.
func TestRestart(t *testing.T) {
	restart := Event{At: 30 * sec, Kind: Restart, Member: "B", Down: 8 * sec}
	static := twelve(3, coop, restart)
	for i := range static.Members {
		static.Members[i].InstanceID = fmt.Sprint("pod-", i)
	}
	static.Timing.Restore = 0
	r := run(t, static)
	if len(r.Rebalances) != 1 {
		t.Errorf("a static restart: %d rebalances", len(r.Rebalances))
	}
	// Four partitions: gone for 8 s after 4 * 50 ms of giving up, and some network.
	if lost := r.Totals.Lost; lost.Stopped < 32.8 || lost.Stopped > 33 || lost.Unowned != 0 {
		t.Errorf("a static restart loses %+v", lost)
	}
	if r := run(t, twelve(3, coop, restart)); len(r.Rebalances) != 4 {
		t.Errorf("a dynamic restart: %d rebalances", len(r.Rebalances)-1)
	}
}

// A crash is noticed when the session is over; until then its partitions have an
// owner that does nothing.
func TestCrash(t *testing.T) {
	s := twelve(3, coop, Event{At: 30 * sec, Kind: Crash, Member: "B"})
	s.Timing.Restore = 0
	r := run(t, s)
	b := r.Rebalances[1]
	if b.Start < 72*sec || b.Start > 75*sec || b.Cause != "session of B expires" {
		t.Errorf("the crash is noticed at %v: %s", b.Start, b.Cause)
	}
	if lost := r.Totals.Lost.Stopped; lost < 4*(b.Start-30*sec).Seconds() {
		t.Errorf("%v partition-seconds stopped", lost)
	}
	if b.Causes.Orphaned != 4 {
		t.Errorf("causes %+v", b.Causes)
	}
	crashed := 0
	for _, l := range r.Lanes {
		for _, i := range l.Intervals {
			if i.State == Crashed {
				crashed++
				if l.Member != "B" || i.From != 30*sec || i.To < b.Start {
					t.Errorf("lane %+v", l)
				}
			}
		}
	}
	if crashed != 4 {
		t.Errorf("%d crashed lanes", crashed)
	}
}

// From range to cooperative-sticky in one bounce the first member that is
// restarted is refused; in two bounces nobody is.
func TestUpgrade(t *testing.T) {
	wrong := twelve(3, eager, Event{At: 30 * sec, Kind: RollingUpgrade, Strategies: coop,
		Down: 8 * sec, Every: time.Minute})
	r := run(t, wrong)
	if len(r.Refused) != 2 || r.Refused[0].Member != "A" || r.Refused[1].Member != "B" ||
		r.Refused[0].Error != group.InconsistentGroupProtocol.String() {
		t.Errorf("refused: %+v", r.Refused)
	}
	both := []holdfast.Assignor{holdfast.CooperativeSticky, holdfast.Range}
	right := twelve(3, eager,
		Event{At: 30 * sec, Kind: RollingUpgrade, Strategies: both, Down: 8 * sec, Every: time.Minute},
		Event{At: 330 * sec, Kind: RollingUpgrade, Strategies: coop, Down: 8 * sec, Every: time.Minute})
	r = run(t, right)
	if len(r.Refused) != 0 {
		t.Errorf("refused: %+v", r.Refused)
	}
	last := r.Rebalances[len(r.Rebalances)-1]
	if last.Strategy != "cooperative-sticky" || last.Protocol != "cooperative" {
		t.Errorf("ends with %s, %s", last.Strategy, last.Protocol)
	}
	mixed := 0
	for _, b := range r.Rebalances {
		if b.Protocol == "mixed" {
			mixed++
		}
	}
	if mixed == 0 {
		t.Error("no rebalance with members of both kinds")
	}
}

// An application that stops polling leaves after max.poll.interval.ms.
func TestStall(t *testing.T) {
	s := twelve(2, coop, Event{At: 60 * sec, Kind: Stall, Member: "A", For: 6 * time.Minute})
	r := run(t, s)
	b := r.Rebalances[1]
	if b.Start < 359*sec || b.Start > 361*sec || b.Cause != "A does not poll" {
		t.Errorf("at %v: %s", b.Start, b.Cause)
	}
	if len(r.Rebalances) != 4 || r.Totals.Lost.Stopped < 6*299 {
		t.Errorf("%d rebalances, %+v lost", len(r.Rebalances), r.Totals.Lost)
	}
}

// More partitions are seen when the leader next fetches its metadata, and have no
// owner until then.
func TestTopicGrowth(t *testing.T) {
	s := twelve(2, coop, Event{At: 100 * sec, Kind: ChangeTopic,
		Topic: holdfast.Topic{Name: "orders", Partitions: 18}})
	s.Timing.Restore = 0
	r := run(t, s)
	b := r.Rebalances[1]
	if b.Start != 300*sec+102*time.Millisecond && (b.Start < 300*sec || b.Start > 304*sec) {
		t.Errorf("seen at %v", b.Start)
	}
	if lost := r.Totals.Lost.Unowned; lost < 6*200 || lost > 6*204 || b.Causes.Unowned != 6 {
		t.Errorf("%v partition-seconds unowned, causes %+v", lost, b.Causes)
	}
	for _, f := range r.Final {
		if f.Partitions.Len() != 9 {
			t.Errorf("%s ends with %v", f.Member, f.Partitions)
		}
	}
}

// Lanes are without gaps and overlaps in what one member does with one partition,
// and what they add up to is what the totals say.
func TestLanesAddUp(t *testing.T) {
	for seed := range uint64(200) {
		s := Random(seed)
		s.NoLanes = false
		r, err := Run(s)
		if err != nil {
			t.Fatal(err)
		}
		restoring := 0.0
		for _, l := range r.Lanes {
			last := Time(-1)
			for _, i := range l.Intervals {
				if i.From < last || i.To <= i.From {
					t.Fatalf("seed %d: %s %s[%d]: %+v", seed, l.Member, l.Topic, l.Partition, l.Intervals)
				}
				last = i.To
				if i.State == Restoring {
					restoring += (i.To - i.From).Seconds()
				}
			}
		}
		if restoring+1e-6 < r.Totals.Lost.Restoring {
			t.Errorf("seed %d: %.6f partition-seconds of restoring in lanes, %.6f in the totals",
				seed, restoring, r.Totals.Lost.Restoring)
		}
	}
}

// The same seed gives the same bytes.
func TestRunTwice(t *testing.T) {
	for seed := range uint64(100) {
		s := Random(seed)
		s.NoLanes, s.Trace = false, true
		a, errA := Run(s)
		b, errB := Run(s)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if bytes(t, a) != bytes(t, b) {
			t.Errorf("seed %d: two runs differ, first in %s", seed,
				firstDifference(a.Trace, b.Trace))
		}
	}
}

// Heartbeats that change nothing can be left out: the report is the same.
func TestQuietHeartbeats(t *testing.T) {
	saved := 0
	for seed := range uint64(300) {
		s := Random(seed)
		s.NoLanes, s.Trace, s.Faults = false, true, Faults{}
		a, errA := Run(s)
		s.broken.playHeartbeats = true
		b, errB := Run(s)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		saved += b.Totals.Events - a.Totals.Events
		difference := firstDifference(b.Trace, a.Trace)
		a.Totals.Events, b.Totals.Events = 0, 0
		a.Trace, b.Trace = nil, nil // Of two things at one time either may come first.
		if !reflect.DeepEqual(a, b) {
			t.Errorf("seed %d: the reports differ, the traces first in %s", seed, difference)
		}
	}
	if saved < 5000 {
		t.Errorf("only %d events saved", saved)
	}
}

// firstDifference shows the first lines that differ.
func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d:\n%s\n%s", i, a[i], b[i])
		}
	}
	return "their length"
}

func TestCheckScenario(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Scenario)
		want   error
	}{
		{"nobody", func(s *Scenario) { s.Events[0].Member = "X" }, ErrNoMember},
		{"left", func(s *Scenario) {
			s.Events = append(s.Events, Event{At: 60 * sec, Kind: Leave, Member: "A"},
				Event{At: 61 * sec, Kind: Stall, Member: "A"})
		}, ErrNoMember},
		{"twice", func(s *Scenario) {
			s.Events[0] = Event{Kind: Join, Join: Member{ID: "A"}}
		}, ErrMemberThere},
		{"kind", func(s *Scenario) { s.Events[0].Kind = "explode" }, ErrKind},
		{"time", func(s *Scenario) { s.Events[0].At = -1 }, ErrTime},
		{"loss", func(s *Scenario) { s.Faults.Loss = 1.5 }, ErrProbability},
		{"protocol", func(s *Scenario) { s.Protocol = "new" }, ErrProtocol},
		{"assignor", func(s *Scenario) { s.ServerAssignor = "sticky" }, ErrAssignor},
		{"list", func(s *Scenario) { s.Strategies = append(coop, coop...) }, ErrStrategyList},
		{"name", func(s *Scenario) { s.Events[0] = Event{Kind: Join} }, ErrNoName},
		{"topic", func(s *Scenario) { s.Topics = append(s.Topics, s.Topics...) }, holdfast.ErrTwice},
	} {
		s := twelve(2, coop, Event{At: 30 * sec, Kind: Crash, Member: "B"})
		c.change(&s)
		if _, err := Run(s); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	// Events may be given in any order.
	s := twelve(1, coop, Event{At: 60 * sec, Kind: Leave, Member: "B"},
		Event{At: 30 * sec, Kind: Join, Join: Member{ID: "B"}})
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}
