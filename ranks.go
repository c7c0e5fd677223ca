package holdfast

import "github.com/holdfast/holdfast/internal/flow"

// Rank is one of the figures by which Sticky compares plans, beside the best that
// there is.
type Rank struct {
	// Name is "balance" (the sum of squared loads), "rack_misses", "moves" (partitions
	// shed) or "spread" (see [Plan.Spread]); each ranks above those after it.
	Name string

	Value int64 // what the plan has

	// Bound is what every plan has at least that is best in the ranks above.
	Bound int64

	// Reached says that Bound is known to be what the best plan has. It is so in
	// every rank but spread, where it can stay open for large groups with many
	// different subscriptions.
	Reached bool
}

// Ranks compares the plan, whatever strategy made it, with the best there is, rank
// by rank. Rack misses have an entry where racks play a part, spread where the
// plan's strategy was asked for it. It costs as much as Sticky.Assign.
func (p *Plan) Ranks() []Rank {
	problem := p.problem.flow(p.options)
	best := flow.Solve(problem)
	ranks := []Rank{{"balance", p.sumOfSquares(), best.Squares, true}}
	if problem.Racked() {
		ranks = append(ranks,
			Rank{"rack_misses", int64(p.RackMisses()), int64(best.Misses), true})
	}
	ranks = append(ranks,
		Rank{"moves", int64(p.causes.Shed), int64(p.problem.shed(best)), true})
	if problem.Spread {
		ranks = append(ranks,
			Rank{"spread", p.Spread(), best.SpreadBound, best.Spread == best.SpreadBound})
	}
	return ranks
}

// shed is how many standing claims an optimum does not keep.
func (p *problem) shed(best flow.Result) int {
	standing := 0
	for _, m := range p.claims.owner {
		if m >= 0 {
			standing++
		}
	}
	return standing - best.Kept
}
