package sim_test

import (
	"fmt"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/sim"
)

// A third member joins a group of two: what it costs eager members, and what
// cooperative ones.
func ExampleRun() {
	for _, strategy := range []holdfast.Assignor{holdfast.Range, holdfast.CooperativeSticky} {
		report, err := sim.Run(sim.Scenario{
			Topics:     []holdfast.Topic{{Name: "orders", Partitions: 12}},
			Members:    []sim.Member{{ID: "A"}, {ID: "B"}},
			Strategies: []holdfast.Assignor{strategy},
			Timing:     sim.Timing{Revoke: 50 * time.Millisecond},
			Events: []sim.Event{
				{At: 30 * time.Second, Kind: sim.Join, Join: sim.Member{ID: "C"}},
			},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %d rebalances, %d partitions moved, the world stood still for %v\n",
			strategy.Name(), len(report.Rebalances)-1, report.Totals.Moved-12,
			report.Totals.StopTheWorld.Round(time.Millisecond))
	}
	// Output:
	// range: 1 rebalances, 6 partitions moved, the world stood still for 308ms
	// cooperative-sticky: 2 rebalances, 4 partitions moved, the world stood still for 0s
}

// Random makes a history from a seed; the same seed makes the same one.
func ExampleRandom() {
	s := sim.Random(7)
	fmt.Println(s.String() == sim.Random(7).String(), s.Check())
	// Output: true <nil>
}
