package makespan

import (
	"math"
	"slices"
)

// bound returns a load below which no division has its heaviest member. Three
// reasons give one: a partition is at one member, so its weight over the greatest
// capacity of a subscriber; the partitions of a set of topics lie on their
// subscribers, so their weight over the sum of the capacities, for the set where
// this is greatest; and of one more partitions than members two lie together.
func (n *network) bound() float64 {
	most := 0.0
	for r := range n.rows {
		capacity := 0.0
		for _, k := range n.rows[r].kinds {
			capacity = max(capacity, n.kinds[k].capacity)
		}
		for _, i := range n.rows[r].items {
			most = max(most, n.Weight[i]/capacity)
		}
	}
	most = max(most, n.crowded(), n.densest())
	if n.whole() {
		most = math.Ceil(most * (1 - 1e-15))
	}
	return most
}

// densest returns the greatest weight over capacity of a set of rows and its
// subscribers. Each step takes the set that the minimum cut of a flow at the
// density so far names, as Dinkelbach's method does; the density of that set is
// then computed anew, so whatever rounding the flow suffers, the result is the
// density of a real set.
func (n *network) densest() float64 {
	density := n.density(nil)
	for {
		f := n.flowAt(density)
		f.run()
		next := n.density(f.short())
		if !(next > density*(1+1e-12)) {
			return density
		}
		density = next
	}
}

// density is the weight of the marked rows over the capacity of those who
// subscribe to them; nil marks all. Without a row it is 0.
func (n *network) density(marked []bool) float64 {
	weight, capacity := 0.0, 0.0
	subscribed := make([]bool, len(n.kinds))
	for r := range n.rows {
		if marked != nil && !marked[r] {
			continue
		}
		weight += n.rows[r].weight
		for _, k := range n.rows[r].kinds {
			if !subscribed[k] {
				subscribed[k] = true
				capacity += n.kinds[k].capacity * float64(len(n.kinds[k].members))
			}
		}
	}
	if capacity == 0 {
		return 0
	}
	return weight / capacity
}

// mostTogether is how many partitions beside one another crowded looks at. With
// more of them the density of the group says as much.
const mostTogether = 16

// crowded looks at the heaviest partitions of all: of j*n+1 partitions on n
// members some j+1 lie together, so the lightest j+1 of them weigh on one, whose
// capacity is at most the greatest.
func (n *network) crowded() float64 {
	var weights []float64
	for r := range n.rows {
		for _, i := range n.rows[r].items {
			weights = append(weights, n.Weight[i])
		}
	}
	slices.SortFunc(weights, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	capacity := 0.0
	for _, c := range n.Capacity {
		capacity = max(capacity, c)
	}
	most, members := 0.0, n.Members()
	for j := 1; j <= mostTogether && members > 0 && j*members < len(weights); j++ {
		sum := 0.0
		for _, w := range weights[j*members-j : j*members+1] {
			sum += w
		}
		most = max(most, sum/capacity)
	}
	return most
}

// levelFlow is a flow of the rows' weights to kinds of a given room, in units
// so small that rounding down loses next to nothing.
type levelFlow struct {
	supply []int64 // left, by row
	room   []int64 // left, by kind
	rows   []row
	sent   [][]int64 // by row, beside its kinds
	inflow [][]int32 // by kind: the rows that have it
	unit   float64

	depth     []int32 // of rows, then kinds; -1 where not reached
	queue     []int32
	nextOf    []int // where a row or kind continues its search
	wholeRows int
}

// flowUnits is the number of units that the weights of all rows amount to.
const flowUnits = 1 << 50

func (n *network) flowAt(level float64) *levelFlow {
	total := 0.0
	for r := range n.rows {
		total += n.rows[r].weight
	}
	f := &levelFlow{rows: n.rows, unit: 1, supply: make([]int64, len(n.rows)),
		room: make([]int64, len(n.kinds)), sent: make([][]int64, len(n.rows)),
		inflow: make([][]int32, len(n.kinds)), wholeRows: len(n.rows)}
	if total > 0 {
		f.unit = total / flowUnits
	}
	for r := range n.rows {
		f.supply[r] = int64(n.rows[r].weight / f.unit)
		f.sent[r] = make([]int64, len(n.rows[r].kinds))
		for _, k := range n.rows[r].kinds {
			f.inflow[k] = append(f.inflow[k], int32(r))
		}
	}
	for k := range n.kinds {
		room := level * n.kinds[k].capacity * float64(len(n.kinds[k].members)) / f.unit
		f.room[k] = int64(min(room, flowUnits*2))
	}
	f.depth = make([]int32, len(f.supply)+len(f.room))
	f.nextOf = make([]int, len(f.depth))
	return f
}

// run sends as much as goes, by Dinic's method.
func (f *levelFlow) run() {
	for f.layer() {
		clear(f.nextOf)
		for r := range f.supply {
			for f.supply[r] > 0 {
				sent := f.send(int32(r), f.supply[r])
				if sent == 0 {
					break
				}
				f.supply[r] -= sent
			}
		}
	}
}

// layer measures each node's distance from the rows with supply, and reports
// whether room can be reached.
func (f *levelFlow) layer() bool {
	found := false
	f.queue = f.queue[:0]
	for v := range f.depth {
		f.depth[v] = -1
		if v < len(f.supply) && f.supply[v] > 0 {
			f.depth[v] = 0
			f.queue = append(f.queue, int32(v))
		}
	}
	reach := func(v, from int32) {
		if f.depth[v] < 0 {
			f.depth[v] = f.depth[from] + 1
			f.queue = append(f.queue, v)
		}
	}
	for i := 0; i < len(f.queue); i++ {
		v := f.queue[i]
		if int(v) < f.wholeRows {
			for _, k := range f.rows[v].kinds {
				reach(int32(f.wholeRows)+k, v)
			}
			continue
		}
		k := v - int32(f.wholeRows)
		found = found || f.room[k] > 0
		for _, r := range f.inflow[k] {
			if *f.arc(r, k) > 0 {
				reach(r, v)
			}
		}
	}
	return found
}

// arc is what the row sends to the kind.
func (f *levelFlow) arc(r, k int32) *int64 {
	at, _ := slices.BinarySearch(f.rows[r].kinds, k)
	return &f.sent[r][at]
}

// send pushes up to limit units from a node along deeper nodes to room.
func (f *levelFlow) send(v int32, limit int64) int64 {
	if int(v) < f.wholeRows {
		kinds := f.rows[v].kinds
		for ; f.nextOf[v] < len(kinds); f.nextOf[v]++ {
			at := f.nextOf[v]
			to := int32(f.wholeRows) + kinds[at]
			if f.depth[to] != f.depth[v]+1 {
				continue
			}
			if sent := f.send(to, limit); sent > 0 {
				f.sent[v][at] += sent
				return sent
			}
		}
		return 0
	}
	k := v - int32(f.wholeRows)
	if f.room[k] > 0 {
		sent := min(limit, f.room[k])
		f.room[k] -= sent
		return sent
	}
	for ; f.nextOf[v] < len(f.inflow[k]); f.nextOf[v]++ {
		r := f.inflow[k][f.nextOf[v]]
		back := f.arc(r, k)
		if *back == 0 || f.depth[r] != f.depth[v]+1 {
			continue
		}
		if sent := f.send(r, min(limit, *back)); sent > 0 {
			*back -= sent
			return sent
		}
	}
	return 0
}

// short marks the rows whose weight does not fit: what rows with supply left
// reach. It is all false when everything fits.
func (f *levelFlow) short() []bool {
	f.layer()
	marked := make([]bool, f.wholeRows)
	for r := range marked {
		marked[r] = f.depth[r] >= 0
	}
	return marked
}

// fractional returns how much of each row's weight each kind takes in a division
// of divisible partitions whose heaviest load is the level. Amounts that rounding
// left over go to the row's first kind.
func (n *network) fractional(level float64) [][]float64 {
	f := n.flowAt(level)
	f.run()
	f.breakCycles()
	amounts := make([][]float64, len(n.rows))
	for r := range n.rows {
		amounts[r] = make([]float64, len(f.sent[r]))
		rest := n.rows[r].weight
		for at, units := range f.sent[r] {
			amounts[r][at] = float64(units) * f.unit
			rest -= amounts[r][at]
		}
		if rest > 0 {
			amounts[r][largest(amounts[r])] += rest
		}
	}
	return amounts
}

func largest(amounts []float64) int {
	best := 0
	for at, a := range amounts {
		if a > amounts[best] {
			best = at
		}
	}
	return best
}
