package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
)

const sec = time.Second

func TestContractScenario(t *testing.T) {
	coop := []holdfast.Assignor{holdfast.CooperativeSticky}
	s := Scenario{
		Topics:     []holdfast.Topic{{Name: "orders", Partitions: 12}, {Name: "payments", Partitions: 4}},
		Members:    []Member{{ID: "A", Topics: []string{"orders"}}, {ID: "B", Topics: []string{"orders"}}},
		Strategies: coop,
		Timing:     Timing{Revoke: 50 * time.Millisecond, Restore: 2 * sec},
		Until:      20 * time.Minute,
		Events: []Event{
			{At: 10 * sec, Kind: Join, Join: Member{ID: "C", Topics: []string{"orders"}}},
			{At: 20 * sec, Kind: Join, Join: Member{ID: "D", Topics: []string{"orders"}}},
			{At: 25 * sec, Kind: Leave, Member: "D"},
			{At: 30 * sec, Kind: Crash, Member: "B"},
			{At: 90 * sec, Kind: Restart, Member: "C", Down: 8 * sec},
			{At: 120 * sec, Kind: RollingRestart, Down: 8 * sec, Every: 30 * sec},
			{At: 300 * sec, Kind: RollingUpgrade, Strategies: coop, Down: 8 * sec, Every: 30 * sec},
			{At: 420 * sec, Kind: Upgrade, Member: "A", Strategies: coop, Down: 8 * sec},
			{At: 480 * sec, Kind: ChangeTopic, Topic: holdfast.Topic{Name: "orders", Partitions: 18}},
			{At: 540 * sec, Kind: ChangeSubscribe, Member: "A", Topics: []string{"orders", "payments"}},
			{At: 600 * sec, Kind: Stall, Member: "A", For: 6 * time.Minute},
		},
		Trace: true,
	}
	r, err := Run(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range r.Trace {
		fmt.Println(line)
	}
	for _, b := range r.Rebalances {
		fmt.Printf("%3d %8.3f %8.3f %s %s L=%s %v moved %d %+v revoked %v withheld %v lost %.3f %s\n", b.Generation, b.Start.Seconds(), b.End.Seconds(), b.Strategy, b.Protocol, b.Leader, b.Members, b.Moved, b.Causes, b.Revoked, b.Withheld, b.LostPartitionSeconds, b.Cause)
	}
	fmt.Printf("%+v\n%v\n%v\n%v\n", r.Totals, r.Refused, r.Violations, r.Final)
}
