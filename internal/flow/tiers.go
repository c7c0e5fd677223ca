package flow

// span is a set of rows and classes that share their levels' bounds: the tiers of
// a span can be found from the span alone.
type span struct{ rows, classes []int32 }

// findTiers splits the rows and classes into tiers. In a balanced assignment a
// row goes only to the classes of its own tier, and a tier's members all have
// base partitions each, or base or base+1 (an open tier). It leaves a flow on the
// pool arcs that serves every row, in the right tier but without regard to moves.
//
// For a load b, the greatest flow from rows to classes whose members take at most
// b each has two cuts. What rows with supply left reach lies above b; what reaches
// a class with room lies below; the rest is at b exactly. Two such flows, for b
// and b+1 with b the average, split off the tiers in the middle; what lies below
// and above is split again.
//
// While tiers are sought, potentials only tell the spans apart: the pool arcs
// inside a span are tight, others are not.
func (n *network) findTiers() {
	n.pot = make([]int64, n.tier0)
	n.excess = make([]int32, n.tier0)
	n.depth = make([]int32, n.tier0)
	n.next = make([]int32, n.tier0)
	n.tierOf = make([]int32, n.member0)
	n.startFromOwners()

	whole := span{make([]int32, n.rows), make([]int32, n.classes)}
	for r := range whole.rows {
		whole.rows[r] = int32(r)
	}
	for c := range whole.classes {
		whole.classes[c] = n.class0 + int32(c)
	}
	f := tierFinder{network: n}
	f.label(whole)
	for todo := []span{whole}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], f.split(s)...)
	}
	n.tiers = int32(len(n.base))
	n.nodes = n.tier0 + n.tiers
}

// startFromOwners puts the previous ownership on the pool arcs, as a first flow.
func (n *network) startFromOwners() {
	arc := make([]int32, n.classes)
	for r := range n.rows {
		n.excess[r] = n.supply[r]
		if n.rowCell[r] == n.rowCell[r+1] {
			continue
		}
		for e := n.rowArc[r]; e < n.rowArc[r+1]; e++ {
			arc[n.arcClass[e]] = e
		}
		for k := n.rowCell[r]; k < n.rowCell[r+1]; k++ {
			n.addFlow(arc[n.classOf[n.cellMember[k]]], n.own[k])
			n.excess[r] -= n.own[k]
		}
	}
}

type tierFinder struct {
	*network
	labels int64
}

// label makes s a span of its own.
func (f *tierFinder) label(s span) {
	f.labels++
	for _, r := range s.rows {
		f.pot[r] = 2 * f.labels
	}
	for _, c := range s.classes {
		f.pot[c] = 2*f.labels + 1
	}
}

// split finds the tiers at the average load of s, and returns what is left below
// and above it.
func (f *tierFinder) split(s span) (left []span) {
	supply, size := int64(0), int64(0)
	for _, r := range s.rows {
		supply += int64(f.supply[r])
	}
	for _, c := range s.classes {
		size += int64(f.size(c))
	}
	if size == 0 {
		return nil
	}
	b := int32(supply / size)
	under, at, over := f.cut(s, b)
	f.addTier(at, b, 0)
	if len(under.classes) > 0 {
		left = append(left, under)
	}
	if len(over.classes) == 0 {
		return left
	}
	open, at, over := f.cut(over, b+1)
	extras := int32(0)
	for _, r := range open.rows {
		extras += f.supply[r]
	}
	for _, c := range open.classes {
		extras -= b * f.size(c)
	}
	f.addTier(open, b, extras)
	f.addTier(at, b+1, 0)
	if len(over.classes) > 0 {
		left = append(left, over)
	}
	return left
}

// size is the number of members of class node c.
func (f *tierFinder) size(c int32) int32 {
	return f.memberAt[c-f.class0+1] - f.memberAt[c-f.class0]
}

// cut runs the flow of s with at most b for each member and splits s by what lies
// below, at and above b, labelling each.
func (f *tierFinder) cut(s span, b int32) (under, at, over span) {
	for _, c := range s.classes {
		f.limit(c, b*f.size(c))
	}
	f.saturate(s.rows)
	const above, below = 1, 2
	side := f.next // free between searches
	for _, v := range s.rows {
		side[v] = 0
	}
	for _, c := range s.classes {
		side[c] = 0
	}
	for _, v := range f.queue {
		side[v] = above
	}
	f.forget()
	for _, c := range s.classes {
		if f.excess[c] < 0 {
			side[c] = below
			f.queue = append(f.queue, c)
		}
	}
	for q := 0; q < len(f.queue); q++ {
		v := f.queue[q]
		for i := int32(0); ; i++ {
			u, _, pos := f.into(v, i)
			if u == None {
				break
			}
			i = pos
			if side[u] != below {
				side[u] = below
				f.queue = append(f.queue, u)
			}
		}
	}
	f.queue = f.queue[:0]
	under.rows, at.rows, over.rows = deal(s.rows, side)
	under.classes, at.classes, over.classes = deal(s.classes, side)
	f.label(under)
	f.label(at)
	f.label(over)
	return under, at, over
}

// limit sets how much the members of class node c may get in all, and sends back
// what they have above it.
func (f *tierFinder) limit(c, most int32) {
	f.excess[c] = -most
	list := f.carrying(c - f.class0)
	for _, e := range list {
		f.excess[c] += f.arcFlow[e]
	}
	for i := len(list) - 1; i >= 0 && f.excess[c] > 0; i-- {
		e := list[i]
		back := min(f.arcFlow[e], f.excess[c])
		f.addFlow(e, -back)
		f.excess[f.arcRow[e]] += back
		f.excess[c] -= back
	}
}

// deal splits nodes into those below, those at and those above.
func deal(nodes, side []int32) (under, at, over []int32) {
	var kept [3][]int32
	for _, v := range nodes {
		kept[side[v]] = append(kept[side[v]], v)
	}
	return kept[2], kept[0], kept[1]
}

// addTier makes s a tier, if there is anything in it.
func (f *tierFinder) addTier(s span, base, extras int32) {
	if len(s.classes) == 0 {
		return
	}
	t := int32(len(f.base))
	f.base = append(f.base, base)
	f.extras = append(f.extras, extras)
	for _, r := range s.rows {
		f.tierOf[r] = t
	}
	for _, c := range s.classes {
		f.tierOf[c] = t
	}
}
