package flow

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// share returns how many cases to run: few by default, many with HOLDFAST_LONG.
func share(few, many int) int {
	if os.Getenv("HOLDFAST_LONG") != "" {
		return many
	}
	return few
}

// describe prints a problem so that a failure can be read and worked by hand.
func describe(p *Problem) string {
	var b strings.Builder
	for t := range p.TopicCount() {
		fmt.Fprintf(&b, "topic %d: owners %v", t, p.Owner[p.Start[t]:p.Start[t+1]])
		if p.Racked() {
			fmt.Fprintf(&b, " racks")
			for i := p.Start[t]; i < p.Start[t+1]; i++ {
				if s := p.RackSet[i]; s != None {
					fmt.Fprintf(&b, " %v", p.RackSets[s])
				} else {
					fmt.Fprintf(&b, " -")
				}
			}
		}
		fmt.Fprintln(&b)
	}
	for m, c := range p.Class {
		fmt.Fprintf(&b, "member %d: topics %v", m, p.Topics[c])
		if p.Racked() {
			fmt.Fprintf(&b, " rack %d", p.Rack[m])
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// TestSolveAgainstEnumeration compares the solver with the list of all
// assignments, canonical result included.
func TestSolveAgainstEnumeration(t *testing.T) {
	for _, c := range []struct {
		name string
		shape
	}{
		{"plain", shape{members: 4, topics: 3, partitions: 4}},
		{"many topics", shape{members: 5, topics: 5, partitions: 2}},
		{"racks", shape{members: 4, topics: 3, partitions: 4, racks: 3}},
		{"racks, many topics", shape{members: 5, topics: 5, partitions: 2, racks: 2}},
		{"spread", shape{members: 4, topics: 3, partitions: 4, spread: true}},
		{"spread, few members", shape{members: 2, topics: 3, partitions: 5, spread: true}},
		{"spread, racks", shape{members: 4, topics: 3, partitions: 4, racks: 2, spread: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(share(3000, 100_000)) {
				checkAgainstEnumeration(t, seed, c.shape)
			}
		})
	}
}

func checkAgainstEnumeration(t *testing.T, seed uint64, s shape) {
	t.Helper()
	p := randomProblem(rand.New(rand.NewPCG(seed, 0)), s)
	all := assignments(p, 4096)
	if all == nil {
		return
	}
	best, ranks := optima(p, all)
	want := canonical(p, best)
	got := Solve(p)
	if !slices.Equal(got.Owner, want) {
		t.Fatalf("seed %d\n%s got %v %v\nwant %v %v", seed, describe(p),
			got.Owner, figures(p, got.Owner), want, ranks)
	}
}

// TestEqualIsTheGeneralSolution compares the recipe for equal subscriptions with
// the general engine on the same problems.
func TestEqualIsTheGeneralSolution(t *testing.T) {
	for seed := range uint64(share(2000, 50_000)) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := shape{members: 9, topics: 6, partitions: 9}
		switch { // so that what is shed spans several of the descent's strides
		case seed%500 == 0:
			size.topics = 3000
		case seed%10 == 0:
			size.partitions = 70
		}
		p := randomProblem(r, size)
		for m := range p.Class {
			p.Class[m] = 0
		}
		reads := make([]bool, p.TopicCount())
		for _, t := range p.Topics[0] {
			reads[t] = true
		}
		for i, t := range p.TopicOf() {
			if !reads[t] {
				p.Owner[i] = None
			}
		}
		got, want := Equal(p), solve(p, 0)
		if !slices.Equal(got.Owner, want.Owner) || got.Squares != want.Squares ||
			got.Kept != want.Kept {
			t.Fatalf("seed %d\n%s got %v\nwant %v", seed, describe(p), got, want)
		}
	}
}

// TestSpreadWithinLimits checks what is promised where the exact search for the
// best spread is too big: the ranks above stay optimal, the spread is no better
// than the best and the bound no higher, and the same group gives the same answer.
func TestSpreadWithinLimits(t *testing.T) {
	exact := 0
	for seed := range uint64(share(1500, 50_000)) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := randomProblem(r, shape{members: 8, topics: 8, partitions: 6, racks: r.IntN(3),
			spread: true})
		best := solve(p, spreadLimit)
		got := solve(p, r.IntN(30))
		if got.Squares != best.Squares || got.Misses != best.Misses || got.Kept != best.Kept ||
			got.Spread < best.Spread || got.SpreadBound > best.Spread ||
			got.Spread != Spread(p, got.Owner) {
			t.Fatalf("seed %d\n%s got %+v\nbest %+v", seed, describe(p), got, best)
		}
		if got.Spread == got.SpreadBound {
			exact++
		}
	}
	t.Logf("%d proven best all the same", exact)
}
