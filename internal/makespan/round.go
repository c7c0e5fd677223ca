package makespan

import (
	"github.com/holdfast/holdfast/internal/flow"
)

// breakCycles turns the flow into one whose arcs form a forest, without changing
// what a row sends or a kind receives: around a cycle every second arc gives to
// the others until one of them is empty.
func (f *levelFlow) breakCycles() {
	t := forest{flow: f, next: make([][]int32, len(f.depth)), from: make([]int32, len(f.depth))}
	for r := range f.rows {
		for at := range f.rows[r].kinds {
			if f.sent[r][at] > 0 {
				t.add(int32(r), int32(at))
			}
		}
	}
}

// forest holds the arcs that are known to form no cycle; rows are its nodes
// first, then kinds.
type forest struct {
	flow *levelFlow
	next [][]int32 // neighbours of each node
	from []int32   // the node that a search came from
}

// add puts an arc into the forest, at the cost of another where it closes a
// cycle.
func (t *forest) add(r, at int32) {
	f := t.flow
	k := int32(f.wholeRows) + f.rows[r].kinds[at]
	if t.path(r, k) {
		// From k back to r the arcs of the path take and give in turn; the new arc
		// gives, so the first one takes.
		give := f.sent[r][at]
		for v, takes := k, true; v != r; v, takes = t.from[v], !takes {
			if !takes {
				give = min(give, *t.amount(v, t.from[v]))
			}
		}
		f.sent[r][at] -= give
		for v, takes := k, true; v != r; v, takes = t.from[v], !takes {
			amount := t.amount(v, t.from[v])
			if takes {
				*amount += give
				continue
			}
			if *amount -= give; *amount == 0 {
				t.cut(v, t.from[v])
			}
		}
	}
	if f.sent[r][at] > 0 {
		t.next[r] = append(t.next[r], k)
		t.next[k] = append(t.next[k], r)
	}
}

// path looks for k from r and leaves the way back in from.
func (t *forest) path(r, k int32) bool {
	for v := range t.from {
		t.from[v] = flow.None
	}
	t.from[r] = r
	queue := []int32{r}
	for i := 0; i < len(queue) && t.from[k] == flow.None; i++ {
		for _, v := range t.next[queue[i]] {
			if t.from[v] == flow.None {
				t.from[v] = queue[i]
				queue = append(queue, v)
			}
		}
	}
	return t.from[k] != flow.None
}

// amount is the flow between two neighbours, given in either order.
func (t *forest) amount(a, b int32) *int64 {
	rows := int32(t.flow.wholeRows)
	if a >= rows {
		a, b = b, a
	}
	return t.flow.arc(a, b-rows)
}

func (t *forest) cut(a, b int32) {
	for _, pair := range [2][2]int32{{a, b}, {b, a}} {
		list := t.next[pair[0]]
		for i, v := range list {
			if v == pair[1] {
				t.next[pair[0]] = append(list[:i], list[i+1:]...)
				break
			}
		}
	}
}

// share is a part of a row's weight that one member takes.
type share struct {
	member int32
	amount float64
}

// rounding lays the pieces of a fractional solution, whose arcs form a forest,
// along the members of each kind, and the partitions of each row along the
// members that share it. A partition that lies across a border goes to the member
// behind the border. Rows and members form a forest too, and a member stands
// behind a border only in the row that leads to it from the root, so each member
// takes at most one partition more than its share.
type rounding struct {
	*network
	level   float64
	amounts [][]float64
	sources [][]int32 // rows of each kind
	at      []int     // of each kind: the member that is being filled
	used    []float64 // of each kind: how full it is
	shares  [][]share // by row
	done    []bool    // by row
}

// round gives out all partitions after a fractional solution at the level.
func (s *state) round(level float64, amounts [][]float64) {
	g := &rounding{network: s.network, level: level, amounts: amounts,
		sources: make([][]int32, len(s.kinds)), at: make([]int, len(s.kinds)),
		used: make([]float64, len(s.kinds)), shares: make([][]share, len(s.rows)),
		done: make([]bool, len(s.rows))}
	for r := range s.rows {
		for at, k := range s.rows[r].kinds {
			if amounts[r][at] > 0 {
				g.sources[k] = append(g.sources[k], int32(r))
			}
		}
	}
	for k := range s.kinds {
		g.walk(int32(k))
	}
	for r := range s.rows {
		s.lay(int32(r), g.shares[r])
	}
}

// walk gives the kind's members their shares of every row that is not done yet,
// and goes on to the other kinds of these rows.
func (g *rounding) walk(k int32) {
	pending := []int32{k}
	for len(pending) > 0 {
		k := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, r := range g.sources[k] {
			if g.done[r] {
				continue
			}
			g.done[r] = true
			g.fill(r, k)
			for _, other := range g.rows[r].kinds {
				if other != k && g.amount(r, other) > 0 {
					g.fill(r, other)
					pending = append(pending, other)
				}
			}
		}
	}
}

func (g *rounding) amount(r, k int32) float64 {
	for at, other := range g.rows[r].kinds {
		if other == k {
			return g.amounts[r][at]
		}
	}
	return 0
}

// fill hands the row's amount at the kind to its members in turn; the last one
// takes what rounding leaves over.
func (g *rounding) fill(r, k int32) {
	left := g.amount(r, k)
	kind := &g.kinds[k]
	room := g.level * kind.capacity
	for left > 0 {
		m := kind.members[g.at[k]]
		take := min(left, room-g.used[k])
		if g.at[k] == len(kind.members)-1 {
			take = left
		}
		if take > 0 {
			g.shares[r] = append(g.shares[r], share{m, take})
			g.used[k] += take
			left -= take
		}
		if left > 0 {
			g.at[k]++
			g.used[k] = 0
		}
	}
}

// lay gives the row's partitions to the members that share it, in order.
func (s *state) lay(r int32, shares []share) {
	if len(shares) == 0 {
		return // A row without weight is given out like anything that is left.
	}
	current, border, position := 0, shares[0].amount, 0.0
	for _, i := range s.rows[r].items {
		position += s.Weight[i]
		for position > border && current < len(shares)-1 {
			current++
			border += shares[current].amount
		}
		s.give(i, shares[current].member)
	}
}
