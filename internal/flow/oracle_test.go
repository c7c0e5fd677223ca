package flow_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/holdfast/holdfast/internal/flow"
	"github.com/holdfast/holdfast/internal/flow/plain"
)

// TestSolveAgainstPlain compares the solver, partition by partition, with the plain
// method on groups that are too big to enumerate.
func TestSolveAgainstPlain(t *testing.T) {
	for _, c := range []struct {
		name    string
		members int
		topics  int
		parts   int
		racks   int
		spread  bool
	}{
		{"10 x 10 x 6", 10, 10, 6, 0, false},
		{"10 x 10 x 6 in 3 racks", 10, 10, 6, 3, false},
		{"20 x 4 x 12", 20, 4, 12, 0, false},
		{"5 x 20 x 3 in 2 racks", 5, 20, 3, 2, false},
		{"10 x 10 x 6 spread", 10, 10, 6, 0, true},
		{"8 x 8 x 6 in 3 racks, spread", 8, 8, 6, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(flow.Share(200, 20_000)) {
				r := rand.New(rand.NewPCG(seed, 2))
				p := flow.RandomProblem(r, flow.Shape{Members: c.members, Topics: c.topics,
					Partitions: c.parts, Racks: c.racks, Spread: c.spread})
				got, want := flow.Solve(p).Owner, plain.Solve(p)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d\n%sgot  %v ranks %v\nwant %v ranks %v", seed,
						flow.Describe(p), got, plain.Rank(p, got), want, plain.Rank(p, want))
				}
			}
		})
	}
}
