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
	smallNodes = 1_000_000
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
		at: make([]int32, s.Partitions()), nodes: smallNodes}
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
	i := t.items[next]
	tried := make(map[twin]bool)
	for _, m := range t.readersOf(i) {
		// Members of one kind with one load are alike; one of them is enough.
		like := twin{t.kind[m], t.load[m]}
		if tried[like] {
			continue
		}
		tried[like] = true
		t.step(i, m, func(load float64) { t.lowest(next+1, max(so, load)) })
	}
}

type twin struct {
	kind int32
	load float64
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
	t.within(t.items[next], func(_ int32, cost int) { t.fewest(next+1, moves+cost) })
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
	t.within(i, func(m int32, cost int) {
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

// within tries every place for the partition that keeps to the limit, its
// previous owner first.
func (t *search) within(i int32, rest func(m int32, cost int)) {
	owner := t.Owner[i]
	try := func(m int32, cost int) {
		t.step(i, m, func(load float64) {
			if load <= t.limit {
				rest(m, cost)
			}
		})
	}
	if owner != flow.None {
		try(owner, 0)
	}
	for _, m := range t.readersOf(i) {
		switch {
		case owner == flow.None:
			try(m, 0)
		case m != owner:
			try(m, 1)
		}
	}
}

// step gives the partition to the member for as long as the rest is tried.
func (t *search) step(item, m int32, rest func(load float64)) {
	before := t.load[m]
	t.load[m] += t.Weight[item]
	t.at[item] = m
	rest(t.load[m] / t.Capacity[m])
	t.load[m] = before
}

// readersOf lists the members that may have the partition, the lightest first.
func (t *search) readersOf(item int32) []int32 {
	var list []int32
	for _, k := range t.rows[t.rowOf[t.topic[item]]].kinds {
		list = append(list, t.kinds[k].members...)
	}
	t.nodes -= len(list)
	slices.SortFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.load[a]/t.Capacity[a], t.load[b]/t.Capacity[b]),
			cmp.Compare(a, b))
	})
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
