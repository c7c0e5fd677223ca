package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
)

func rollingScenario(members, partitions int, strategy holdfast.Assignor) Scenario {
	s := Scenario{Strategies: []holdfast.Assignor{strategy}, NoLanes: true,
		Topics: []holdfast.Topic{{Name: "orders", Partitions: partitions}},
		Events: []Event{{At: time.Minute, Kind: RollingRestart, Down: 8 * sec, Every: 30 * sec}}}
	for i := range members {
		s.Members = append(s.Members, Member{ID: fmt.Sprintf("m%03d", i)})
	}
	return s
}

func TestRollingSpeed(t *testing.T) {
	for _, a := range []holdfast.Assignor{holdfast.CooperativeSticky} {
		start := time.Now()
		r, err := Run(rollingScenario(500, 5000, a))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(a.Name(), time.Since(start), r.Totals, len(r.Violations), len(r.Refused))
	}
}

func TestDaySpeed(t *testing.T) {
	start := time.Now()
	s := rollingScenario(50, 500, holdfast.CooperativeSticky)
	s.Until = 24 * time.Hour
	for i := range 200 {
		s.Events = append(s.Events, Event{At: time.Duration(i+5) * 7 * time.Minute, Kind: Restart, Member: fmt.Sprintf("m%03d", i%50), Down: 8 * sec})
	}
	r, err := Run(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start), r.Totals, r.Violations)
}
