package demo

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/sim"
)

// TestSimulatorAgrees plays the demo's events on the simulator's virtual clock,
// with the same timing, and compares what they cost with what is measured: the
// partition-seconds that nobody consumed, over all events. The middle one of three
// demos counts, and it needs a machine that has nothing else to do, so it runs
// with HOLDFAST_LONG=1 alone.
func TestSimulatorAgrees(t *testing.T) {
	if os.Getenv("HOLDFAST_LONG") == "" {
		t.Skip("measures time, on a machine of its own: HOLDFAST_LONG=1 runs it")
	}
	for _, strategy := range []holdfast.Assignor{holdfast.Range, holdfast.Sticky,
		holdfast.CooperativeSticky} {
		config, err := Config{Strategy: strategy, Members: 3, Topics: 2, Partitions: 6,
			Restore: 50 * time.Millisecond, Revoke: 10 * time.Millisecond, Pause: time.Second}.Check()
		if err != nil {
			t.Fatal(err)
		}
		simulated := simulate(t, config)
		var measured []float64
		for range 3 {
			result, err := Run(t.Context(), config, func(Rebalance) {})
			if err != nil {
				t.Fatal(err)
			}
			sum := time.Duration(0)
			for _, r := range result.Rebalances {
				sum += r.Unconsumed
			}
			measured = append(measured, sum.Seconds())
		}
		slices.Sort(measured)
		t.Logf("%s: simulated %.2f, measured %.2f partition-seconds", strategy.Name(), simulated,
			measured)
		if ratio := measured[1] / simulated; ratio < 0.75 || ratio > 1.25 {
			t.Errorf("%s: the demo measured %.2f partition-seconds, the simulator says %.2f",
				strategy.Name(), measured[1], simulated)
		}
	}
}

// simulate returns the partition-seconds that nobody consumed from the first event
// on, without the time until the crash was noticed, which the demo does not count
// either.
func simulate(t *testing.T, c Config) float64 {
	t.Helper()
	const crash = 6 * time.Second
	report, err := sim.Run(sim.Scenario{
		Topics: []holdfast.Topic{{Name: "a", Partitions: c.Partitions},
			{Name: "b", Partitions: c.Partitions}},
		Members:    []sim.Member{{ID: "m1"}, {ID: "m2"}, {ID: "m3"}},
		Strategies: []holdfast.Assignor{c.Strategy},
		Timing: sim.Timing{SessionTimeout: c.SessionTimeout, HeartbeatInterval: c.Heartbeat,
			InitialRebalanceDelay: -1, Network: 200 * time.Microsecond,
			// A franz-go client rebalances beside its polls and hardly ever waits for one.
			Poll:    time.Millisecond,
			Restore: c.Restore, Revoke: c.Revoke},
		Events: []sim.Event{
			{At: 3 * time.Second, Kind: sim.Join, Join: sim.Member{ID: "m4"}},
			{At: crash, Kind: sim.Crash, Member: "m1"},
			{At: 12 * time.Second, Kind: sim.Leave, Member: "m2"},
		},
		Until: 15 * time.Second, NoLanes: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	lost, had := 0.0, 0
	for i, r := range report.Rebalances {
		if i > 0 {
			lost += r.LostPartitionSeconds
		}
		if r.Start > crash && had > 0 {
			lost -= float64(had) * (r.Start - crash).Seconds()
			had = 0
		}
		for _, m := range r.Members {
			if m.Member == "m1" {
				had = m.Partitions
			}
		}
	}
	return lost
}
