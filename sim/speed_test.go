//go:build unix

package sim

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
)

// rolling is a rolling restart of all members, one every 30 s.
func rolling(members, partitions int, strategy holdfast.Assignor) Scenario {
	s := Scenario{Strategies: []holdfast.Assignor{strategy}, NoLanes: true,
		Topics: []holdfast.Topic{{Name: "orders", Partitions: partitions}},
		Events: []Event{{At: time.Minute, Kind: RollingRestart, Down: 8 * sec, Every: 30 * sec}}}
	for i := range members {
		s.Members = append(s.Members, Member{ID: fmt.Sprintf("m%03d", i)})
	}
	return s
}

// day is 24 hours of a group in which a member restarts every seven minutes.
func day(members int) Scenario {
	s := rolling(members, 10*members, holdfast.CooperativeSticky)
	s.Events, s.Until = nil, 24*time.Hour
	for at := 5 * time.Minute; at < s.Until; at += 7 * time.Minute {
		s.Events = append(s.Events, Event{At: at, Kind: Restart, Down: 8 * sec,
			Member: s.Members[len(s.Events)%members].ID})
	}
	return s
}

// The cost of a rolling restart is bounded by its rebalances: each takes every
// member through a heartbeat, a poll, a join and a sync, there and back, and what
// lies between two rebalances costs next to nothing.
func TestEventsAreBounded(t *testing.T) {
	for _, a := range holdfast.Strategies() {
		r := run(t, rolling(60, 600, a))
		perMember := float64(r.Totals.Events) / float64(60*r.Totals.Rebalances)
		if perMember > 12 {
			t.Errorf("%s: %.1f events for each member in each of %d rebalances", a.Name(),
				perMember, r.Totals.Rebalances)
		}
	}
	r := run(t, day(10))
	if perMember := float64(r.Totals.Events) / float64(10*r.Totals.Rebalances); perMember > 13 {
		t.Errorf("a day: %.1f events for each member in each of %d rebalances", perMember,
			r.Totals.Rebalances)
	}
}

// What one needs to wait for: 500 members and 5,000 partitions in under 10 s, a day
// of 50 members in under 2 s. The processor time of the whole test counts, garbage
// collection included, so that a busy machine does not fail it.
func TestSpeed(t *testing.T) {
	if os.Getenv("HOLDFAST_LONG") == "" {
		t.Skip("set HOLDFAST_LONG=1; TestEventsAreBounded counts events instead of seconds")
	}
	for _, a := range []holdfast.Assignor{holdfast.Range, holdfast.CooperativeSticky} {
		start := processorTime(t)
		r := run(t, rolling(500, 5000, a))
		took := processorTime(t) - start
		t.Logf("500 members, 5,000 partitions, %s: %v, %d rebalances, %d events", a.Name(), took,
			r.Totals.Rebalances, r.Totals.Events)
		if took > 10*sec {
			t.Errorf("%s: a rolling restart took %v", a.Name(), took)
		}
	}
	start := processorTime(t)
	r := run(t, day(50))
	took := processorTime(t) - start
	t.Logf("24 h of 50 members: %v, %d rebalances, %d events", took, r.Totals.Rebalances,
		r.Totals.Events)
	if took > 2*sec {
		t.Errorf("24 hours took %v", took)
	}
}

// processorTime is what the process has used so far.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkRun(b *testing.B) {
	for _, members := range []int{10, 50} {
		for _, a := range holdfast.Strategies() {
			b.Run(fmt.Sprintf("members=%d/partitions=%d/strategy=%s", members, 10*members, a.Name()),
				func(b *testing.B) {
					s := rolling(members, 10*members, a)
					events := 0
					for b.Loop() {
						r, err := Run(s)
						if err != nil {
							b.Fatal(err)
						}
						events += r.Totals.Events
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
				})
		}
	}
}
