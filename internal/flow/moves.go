package flow

import (
	"math"
	"slices"
)

// leastMoves finds the flow of least cost that gives every member the load its
// tier allows. It begins with everything kept that may be kept, which is the
// cheapest flow there is but for some nodes having too much and some too little,
// and then repairs that: excess goes to deficits over tight arcs while it can, then
// potentials change so that the nearest deficit comes in reach. Reduced costs
// never become negative, so the flow is the cheapest for its imbalance all the
// way, and in the end there is none.
func (n *network) leastMoves() {
	n.dropAcrossTiers()
	n.startFromKept()
	n.showMembers, n.showTiers = true, true
	var sources []int32
	for v, e := range n.excess {
		if e > 0 {
			sources = append(sources, int32(v))
		}
	}
	d := newDistances(n)
	for left := int64(math.MaxInt64); ; d.reprice(sources) {
		n.saturate(sources)
		sources = slices.DeleteFunc(sources, func(v int32) bool { return n.excess[v] == 0 })
		if len(sources) == 0 {
			break
		}
		sum := int64(0)
		for _, v := range sources {
			sum += int64(n.excess[v])
		}
		if sum >= left { // it would go on for ever
			panic("flow: a deficit in reach was not met")
		}
		left = sum
	}
	n.showTiers = false
}

// dropAcrossTiers takes out the arcs between tiers, which no balanced assignment
// uses, and the flow that findTiers left.
func (n *network) dropAcrossTiers() {
	n.clear()
	if n.tiers <= 1 {
		return
	}
	for k := range n.own {
		if n.tierOf[n.cellRow[k]] != n.tierOf[n.class0+n.classOf[n.cellMember[k]]] {
			n.own[k] = 0
		}
	}
	n.keepWithin(n.tierOf, n.tiers)
}

// startFromKept sets the first flow, potentials and imbalances. A member and its
// class begin one move further than the rows, so that the pool arcs are tight at
// once; with racks, what its owner misses is not kept to begin with, as keeping
// it is not the cheapest.
func (n *network) startFromKept() {
	n.missCost = int64(n.rows) + 1
	n.pot = make([]int64, n.nodes)
	for v := n.class0; v < n.nodes; v++ {
		n.pot[v] = 1
	}
	n.prepareWalk(n.nodes)
	n.excess = make([]int32, n.nodes)
	copy(n.excess, n.supply)
	for t, extras := range n.extras {
		n.excess[n.tier0+int32(t)] = -extras
	}
	open := make([]int32, n.members)
	for m, c := range n.classOf {
		t := n.tierOf[n.class0+c]
		n.excess[n.member0+int32(m)] = -n.base[t]
		open[m] = None
		if n.extras[t] > 0 {
			open[m] = t
		}
	}
	n.tierAt, n.tierList = group(open, n.tiers)
	for k, own := range n.own {
		if n.cellMiss == nil || !n.cellMiss[k] {
			n.keep[k] = own
			n.excess[n.cellRow[k]] -= own
			n.excess[n.member0+n.cellMember[k]] += own
		}
	}
}
