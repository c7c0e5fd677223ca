package flow

// Result is an optimal assignment.
type Result struct {
	// Owner is the member of each partition, None where nobody reads its topic.
	Owner []int32

	// Squares is the sum of the squared loads, the least possible.
	Squares int64

	// Misses counts the rack misses, the fewest that the least Squares allow.
	Misses int

	// Kept counts the partitions that stay with their owner in Problem.Owner, the
	// most that the least Squares and Misses allow.
	Kept int

	// Spread is the sum over topics and members of squared counts. SpreadBound is
	// what it is at least, given the least Squares, the fewest Misses and the most
	// Kept; if they are the same, Spread is proven to be the least. Both are only
	// set where Problem.Spread asks for that rank.
	Spread, SpreadBound int64
}

// Solve computes the one optimal assignment of p.
func Solve(p *Problem) Result {
	if isEqual(p) && !p.Spread {
		if sets := newRackSets(p); !sets.any() {
			return Equal(p)
		}
	}
	return solve(p, spreadLimit)
}

// solve is Solve for any subscriptions; the exact search for the best spread may
// have so many arcs.
func solve(p *Problem, spreadArcs int) Result {
	n := compress(p)
	n.findTiers()
	n.leastMoves()
	n.keepTight()
	if !p.Spread {
		return measure(p, n.settleRules())
	}
	owner, value, bound := n.settleSpread(spreadArcs)
	r := measure(p, owner)
	r.Spread, r.SpreadBound = value, bound
	return r
}

// settleRules chooses one optimum by the rules R3 to R5.
func (n *network) settleRules() []int32 {
	n.prepareBlocks()
	n.settleExtras()
	n.settleKept()
	owner := n.owners()
	n.settlePool(owner)
	return owner
}

// measure works out the figures of an assignment.
func measure(p *Problem, owner []int32) Result {
	res := Result{Owner: owner}
	load := make([]int64, p.Members())
	racked := p.Racked()
	for i, m := range owner {
		if m == None {
			continue
		}
		load[m]++
		if m == p.Owner[i] {
			res.Kept++
		}
		if racked && p.Miss(int32(i), m) {
			res.Misses++
		}
	}
	for _, l := range load {
		res.Squares += l * l
	}
	return res
}
