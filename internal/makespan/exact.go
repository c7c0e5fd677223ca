package makespan

import (
	"cmp"
	"slices"

	"github.com/holdfast/holdfast/internal/flow"
)

// A group of at most smallItems partitions is searched through, as long as no
// more than smallNodes places for a partition have to be tried.
const (
	smallItems = 24
	smallNodes = 500_000
)

// searchAll looks at every division of a small group that could be better than
// the one found. If it comes to the end the state holds the lightest heaviest
// load that there is, with the fewest partitions moved for a load that is good
// enough, and bound is raised to it. It reports whether it came to the end. Of the
// divisions that are equal in that, it takes the most even one that it still has
// time to find.
func (s *state) searchAll(bound *float64) bool {
	var items []int32
	for r := range s.rows {
		items = append(items, s.rows[r].items...)
	}
	if len(items) > smallItems {
		return false
	}
	slices.SortFunc(items, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Weight[b], s.Weight[a]), cmp.Compare(a, b))
	})
	t := &search{state: s, items: items, load: make([]float64, s.Members()),
		at: make([]int32, s.Partitions()), lists: make([][]int32, len(items)),
		nodes: smallNodes}
	s.addUp()
	t.level, t.enough = s.heaviest(), *bound
	t.lowest(0, 0)
	if t.nodes <= 0 {
		return false
	}
	t.adopt()
	*bound = max(*bound, t.level)
	limit := max(t.level, *bound*(1+s.MaxSkew))
	s.giveBack(limit)
	t.limit, t.moves, t.nodes = limit*(1+tiny), s.moved(), smallNodes
	t.fewest(0, 0)
	exact := t.nodes > 0
	t.adopt()
	t.uneven, t.nodes = s.unevenness(), smallNodes
	t.evenest(0, 0, 0)
	t.adopt()
	return exact
}

// search goes through the divisions partition by partition, heaviest first.
type search struct {
	*state
	items  []int32
	load   []float64 // weight given to each member so far
	at     []int32   // by partition: where the search has it now
	lists  [][]int32 // by depth: who may have the partition
	found  []int32   // the best division so far, when better than the state's
	level  float64   // its heaviest load
	enough float64   // a level that cannot be beaten
	limit  float64   // what nobody may weigh more than
	moves  int       // the fewest moves so far
	uneven float64   // the least unevenness so far
	nodes  int       // how many more places it may try
}

// lowest looks for divisions with a heaviest load below level.
func (t *search) lowest(next int, so float64) {
	if t.nodes <= 0 || t.level <= t.enough || so >= t.level*(1-tiny) {
		return
	}
	if next == len(t.items) {
		t.found, t.level = slices.Clone(t.at), so
		return
	}
	readers := t.readersAt(next)
	for at, m := range readers {
		// Members of one kind with one load are alike; one of them is enough.
		if slices.ContainsFunc(readers[:at], func(other int32) bool {
			return t.kind[other] == t.kind[m] && t.load[other] == t.load[m]
		}) {
			continue
		}
		before := t.put(next, m)
		t.lowest(next+1, max(so, t.load[m]/t.Capacity[m]))
		t.load[m] = before
	}
}

// fewest looks for divisions within the limit that move fewer partitions.
func (t *search) fewest(next, moves int) {
	if t.nodes <= 0 || moves >= t.moves {
		return
	}
	if next == len(t.items) {
		t.found, t.moves = slices.Clone(t.at), moves
		return
	}
	t.within(next, func(_ int32, cost int) { t.fewest(next+1, moves+cost) })
}

// evenest looks for divisions within the limit and no more moves that are more
// even.
func (t *search) evenest(next, moves int, uneven float64) {
	if t.nodes <= 0 || moves > t.moves || uneven >= t.uneven*(1-tiny) {
		return
	}
	if next == len(t.items) {
		t.found, t.uneven = slices.Clone(t.at), uneven
		return
	}
	i := t.items[next]
	t.within(next, func(m int32, cost int) {
		// What the partition adds to the sum of load x weight at its member.
		before := t.load[m] - t.Weight[i]
		more := (t.load[m]*t.load[m] - before*before) / t.Capacity[m]
		t.evenest(next+1, moves+cost, uneven+more)
	})
}

// unevenness is the sum of weight times relative load: least where all relative
// loads are the same.
func (s *state) unevenness() float64 {
	sum := 0.0
	for m, weight := range s.load {
		sum += weight * weight / s.Capacity[m]
	}
	return sum
}

// within tries every place for the partition at a depth that keeps to the limit,
// its previous owner first.
func (t *search) within(depth int, rest func(m int32, cost int)) {
	owner := t.Owner[t.items[depth]]
	try := func(m int32, cost int) {
		before := t.put(depth, m)
		if t.load[m]/t.Capacity[m] <= t.limit {
			rest(m, cost)
		}
		t.load[m] = before
	}
	if owner != flow.None {
		try(owner, 0)
	}
	for _, m := range t.readersAt(depth) {
		switch {
		case owner == flow.None:
			try(m, 0)
		case m != owner:
			try(m, 1)
		}
	}
}

// put gives the partition at a depth to the member and returns what the member
// weighed before.
func (t *search) put(depth int, m int32) float64 {
	before := t.load[m]
	t.load[m] += t.Weight[t.items[depth]]
	t.at[t.items[depth]] = m
	return before
}

// readersAt lists the members that may have a partition, the lightest first. The
// list belongs to the depth and stays as it is until the search returns there.
func (t *search) readersAt(depth int) []int32 {
	list := t.lists[depth][:0]
	for _, k := range t.rows[t.rowOf[t.topic[t.items[depth]]]].kinds {
		list = append(list, t.kinds[k].members...)
	}
	t.nodes -= len(list)
	slices.SortFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.load[a]/t.Capacity[a], t.load[b]/t.Capacity[b]),
			cmp.Compare(a, b))
	})
	t.lists[depth] = list
	return list
}

// adopt makes the state what the search found, if it found anything.
func (t *search) adopt() {
	if t.found == nil {
		return
	}
	for _, i := range t.items {
		t.give(i, t.found[i])
	}
	t.found = nil
	t.addUp()
}

// moved counts the partitions that are not with their previous owner.
func (s *state) moved() int {
	moved := 0
	for i, m := range s.Owner {
		if m != flow.None && s.owner[i] != m {
			moved++
		}
	}
	return moved
}
