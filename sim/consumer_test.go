package sim

import (
	"testing"
	"time"
)

// With the consumer protocol a joining member costs no barrier: each partition
// moves when its owner lets it go, and nothing else stands still.
func TestConsumerScaleOut(t *testing.T) {
	join := Event{At: 30 * sec, Kind: Join, Join: Member{ID: "C"}}
	s := twelve(2, coop, join)
	s.Protocol = Consumer
	s.Timing.Restore = 0
	r := run(t, s)
	last := r.Rebalances[len(r.Rebalances)-1]
	if last.Protocol != "consumer" || last.Strategy != "uniform" || last.Cause != "C joins" ||
		last.Moved != 4 || last.Causes.Shed != 4 || last.Leader != "" {
		t.Errorf("%+v", last)
	}
	for _, m := range last.Members {
		if m.Partitions != 4 {
			t.Errorf("%s has %d partitions", m.Member, m.Partitions)
		}
	}
	if r.Totals.StopTheWorld != 0 {
		t.Errorf("the world stops for %v", r.Totals.StopTheWorld)
	}
	// Four partitions wait for C's next heartbeat, 5 s at most.
	if lost := last.LostPartitionSeconds; lost > 4*5.5 || lost == 0 {
		t.Errorf("%v partition-seconds lost", lost)
	}
	s.ServerAssignor = "range"
	r = run(t, s)
	if last := r.Rebalances[len(r.Rebalances)-1]; last.Strategy != "range" {
		t.Errorf("%+v", last)
	}
}

// From classic to the consumer protocol by a rolling upgrade, and back: nobody is
// refused, and every partition is read in the end.
func TestMigration(t *testing.T) {
	s := twelve(3, coop,
		Event{At: 30 * sec, Kind: RollingUpgrade, Protocol: Consumer, Down: 8 * sec, Every: time.Minute},
		Event{At: 400 * sec, Kind: RollingUpgrade, Protocol: Classic, Strategies: coop,
			Down: 8 * sec, Every: time.Minute})
	s.Until = 20 * time.Minute
	r := run(t, s)
	if len(r.Refused) != 0 {
		t.Errorf("refused %+v", r.Refused)
	}
	kinds := map[string]int{}
	for _, b := range r.Rebalances {
		kinds[b.Protocol]++
	}
	if kinds["consumer"] < 5 || kinds["cooperative"] < 2 {
		t.Errorf("rebalances by protocol: %v", kinds)
	}
	if last := r.Rebalances[len(r.Rebalances)-1]; last.Protocol != "cooperative" {
		t.Errorf("ends with %+v", last)
	}
	total := 0
	for _, f := range r.Final {
		total += f.Partitions.Len()
	}
	if total != 12 {
		t.Errorf("%d partitions are read in the end", total)
	}
}

// A static member of the consumer protocol says that it will be back, and nothing
// moves.
func TestConsumerStaticRestart(t *testing.T) {
	s := twelve(3, coop, Event{At: 60 * sec, Kind: Restart, Member: "B", Down: 8 * sec})
	s.Protocol = Consumer
	for i := range s.Members {
		s.Members[i].InstanceID = "pod-" + s.Members[i].ID
	}
	r := run(t, s)
	for _, b := range r.Rebalances {
		if b.Start > 40*sec {
			t.Errorf("a static restart causes %+v", b)
		}
	}
	// A crash says nothing: the name is taken, and the next process fails.
	s.Events = []Event{{At: 60 * sec, Kind: Crash, Member: "B"},
		{At: 70 * sec, Kind: Join, Join: Member{ID: "B", InstanceID: "pod-B"}}}
	r = run(t, s)
	if len(r.Refused) != 1 || r.Refused[0].Error != "UNRELEASED_INSTANCE_ID" {
		t.Errorf("refused %+v", r.Refused)
	}
}
