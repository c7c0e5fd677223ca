package sim

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var (
	oneSeed = flag.Int64("seed", -1, "run the history of this seed alone, with its trace")
	seeds   = flag.Uint64("seeds", 0, "run so many histories")
)

// shareOfHistories is what a plain go test runs; make sim runs them all.
const shareOfHistories = 1500

// TestHistories plays random histories and expects no violation.
func TestHistories(t *testing.T) {
	if *oneSeed >= 0 {
		s := Random(uint64(*oneSeed))
		s.Trace = true
		fmt.Println(s.String())
		r, err := Run(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range r.Trace {
			fmt.Println(line)
		}
		for _, v := range r.Violations {
			t.Errorf("%v %s: %s", v.At, v.Check, v.Detail)
		}
		return
	}
	n := *seeds
	if n == 0 {
		n = shareOfHistories
		if os.Getenv("HOLDFAST_LONG") != "" {
			n = 100_000
		}
	}
	failures := 0
	for seed := range n {
		s := Random(seed)
		r, err := Run(s)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(r.Violations) == 0 {
			continue
		}
		v := r.Violations[0]
		short := Shrink(s, func(s Scenario) bool {
			r, err := Run(s)
			return err == nil && len(r.Violations) > 0 && r.Violations[0].Check == v.Check
		})
		t.Errorf("seed %d: %s at %v: %s\nrerun: go test ./sim -run TestHistories -seed=%d -v\n"+
			"or holdfast simulate with this scenario, which fails the same check:\n%s",
			seed, v.Check, v.At, v.Detail, seed, short)
		if failures++; failures == 10 {
			t.Fatal("enough")
		}
	}
}
