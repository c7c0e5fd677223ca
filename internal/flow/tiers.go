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
// While tiers are sought, all pool arcs are tight, and masks keep the searches
// inside the span at hand.
func (n *network) findTiers() {
	n.prepareWalk(n.member0)
	n.pot = make([]int64, n.member0)
	for c := n.class0; c < n.member0; c++ {
		n.pot[c] = 1
	}
	n.excess = make([]int32, n.member0)
	n.tierOf = make([]int32, n.member0)
	copy(n.excess, n.supply)
	if n.fewestRows < manyRows {
		n.startFromOwners()
	}

	whole := span{make([]int32, n.rows), make([]int32, n.classes)}
	for r := range whole.rows {
		whole.rows[r] = int32(r)
	}
	for c := range whole.classes {
		whole.classes[c] = n.class0 + int32(c)
	}
	clear(n.unseen)
	clear(n.rowMask)
	f := tierFinder{n}
	for todo := []span{whole}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], f.split(s)...)
	}
	n.tiers = int32(len(n.base))
	n.nodes = n.tier0 + n.tiers
}

// manyRows is how many rows each class has to have a choice of for a flow to be
// found from nothing.
const manyRows = 32

// startFromOwners puts the previous ownership on the pool arcs, as a first flow. It
// saves long searches where some classes can get little else. Where all have a
// wide choice, to find a flow from nothing takes less time than this alone.
func (n *network) startFromOwners() {
	for k, own := range n.own {
		r := n.cellRow[k]
		n.give(r, n.classOf[n.cellMember[k]], own)
		n.excess[r] -= own
	}
}

type tierFinder struct{ *network }

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
// below, at and above b.
func (f *tierFinder) cut(s span, b int32) (under, at, over span) {
	for _, c := range s.classes {
		f.limit(c, b*f.size(c))
		f.unseen.add(c - f.class0)
	}
	f.sweep()
	f.saturate(s.rows)
	f.reach(s.rows)
	side := f.next // free between searches
	for _, v := range s.rows {
		side[v] = sideAt
		f.rowMask.add(v)
	}
	for _, c := range s.classes {
		side[c] = sideAt
	}
	for _, v := range f.queue {
		side[v] = sideOver
	}
	f.markUnder(s, side)
	for _, r := range s.rows {
		f.rowMask.remove(r)
	}
	for _, c := range s.classes {
		f.unseen.remove(c - f.class0)
	}
	under.rows, at.rows, over.rows = deal(s.rows, side)
	under.classes, at.classes, over.classes = deal(s.classes, side)
	return under, at, over
}

const (
	sideAt = iota
	sideOver
	sideUnder
)

// markUnder marks what reaches a class with room.
func (f *tierFinder) markUnder(s span, side []int32) {
	var queue []int32
	for _, c := range s.classes {
		if f.excess[c] < 0 {
			side[c] = sideUnder
			queue = append(queue, c)
		}
	}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for i := int32(0); ; i++ {
			u, _, pos := f.into(v, i)
			if u == None {
				break
			}
			i = pos
			if side[u] == sideUnder {
				continue
			}
			side[u] = sideUnder
			queue = append(queue, u)
			if u < f.class0 {
				f.rowMask.remove(u)
			}
		}
	}
}

// limit sets how much the members of class node c may get in all, and sends back
// what they have above it.
func (f *tierFinder) limit(c, most int32) {
	f.excess[c] = -most
	first := f.toClass[c-f.class0]
	for e := first; e != None; e = f.arcs[e].nextC {
		f.excess[c] += f.arcs[e].flow
	}
	for e := first; e != None && f.excess[c] > 0; e = f.arcs[e].nextC {
		back := min(f.arcs[e].flow, f.excess[c])
		f.take(e, back)
		f.excess[f.arcs[e].row] += back
		f.excess[c] -= back
	}
}

// deal splits nodes into those below, those at and those above.
func deal(nodes, side []int32) (under, at, over []int32) {
	var kept [3][]int32
	for _, v := range nodes {
		kept[side[v]] = append(kept[side[v]], v)
	}
	return kept[sideUnder], kept[sideAt], kept[sideOver]
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
