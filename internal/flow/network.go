package flow

// network is the compressed flow network of a Problem and the flow in it. Its
// nodes are numbered through:
//
//	rows     topics with the same subscribers, or with racks the partitions of
//	         such topics that have the same racks; a source of supply[row]
//	classes  members with the same subscription, with racks in the same rack
//	members
//	tiers    one node each; it takes the extras, that is, one unit of every member
//	         that has one partition more than its tier's base
//
// and there are four kinds of arcs:
//
//	row -> member  a cell: the member keeps partitions of the row, at most as many
//	               as it owned, at no cost
//	row -> class   a pool arc: partitions move to some member of the class; no
//	               limit, each costs 1
//	class -> member  who of the class gets them: no limit, no cost
//	member -> tier   the extra: at most 1, no cost
//
// With racks a cell or pool arc that misses costs missCost more. Residual arcs are
// never stored: out and into list them, from the flow on the four kinds.
type network struct {
	p *Problem

	rows, classes, members, tiers int32
	class0, member0, tier0, nodes int32 // first node of each kind, and how many in all

	rowOf     []int32 // of each partition, None where nobody reads its topic
	cellOf    []int32 // of each partition, None where nobody owned it
	supply    []int32 // of each row: its partitions
	classOf   []int32 // of each member
	classRack []int32 // of each class
	rowSet    []int32 // of each row: its racks, an index into sets.lists, or None
	sets      rackSets

	memberAt   []int32 // the members of class c: memberList[memberAt[c]:memberAt[c+1]]
	memberList []int32
	owned      []int32 // of each member: its previous partitions
	placed     []int32 // of each member: the flow on the arc from its class
	extra      []bool  // of each member: the flow on the arc to its tier
	tierOf     []int32 // of each row and class node
	base       []int32 // of each tier: the load of its members without an extra
	extras     []int32 // of each tier: how many members have one more

	pool
	cells

	missCost int64   // what a rack miss costs in moves; 0 without racks
	pot      []int64 // of each node: its potential
	excess   []int32 // of each node: what it still has to send on, or to get if negative

	showMembers bool // whether out and into list the arcs of members
	showTiers   bool // whether out lists those of tiers

	tierAt   []int32 // the members of open tier t: tierList[tierAt[t]:tierAt[t+1]]
	tierList []int32

	walk
	blocking
}

// pool holds the arcs from rows to classes, row by row, and for each class the
// list of its arcs with those that carry something first: the residual arcs back
// from a class are that part of the list, usually a small one.
type pool struct {
	rowArc   []int32 // the arcs of row r are rowArc[r] to rowArc[r+1]-1
	arcRow   []int32
	arcClass []int32
	arcFlow  []int32
	arcMiss  []bool // nil without racks

	classArc []int32 // the arcs into class c: in[classArc[c]:classArc[c+1]]
	in       []int32
	at       []int32 // of each arc: where in `in` it is
	carry    []int32 // of each class: how many of its arcs carry something
}

// addFlow changes the flow on arc e by d and keeps the class's list in order.
func (a *pool) addFlow(e, d int32) {
	before := a.arcFlow[e]
	a.arcFlow[e] = before + d
	c := a.arcClass[e]
	switch {
	case before == 0 && d > 0:
		a.swap(a.at[e], a.classArc[c]+a.carry[c])
		a.carry[c]++
	case before > 0 && before+d == 0:
		a.carry[c]--
		a.swap(a.at[e], a.classArc[c]+a.carry[c])
	}
}

func (a *pool) swap(i, j int32) {
	e, f := a.in[i], a.in[j]
	a.in[i], a.in[j] = f, e
	a.at[e], a.at[f] = j, i
}

// carrying returns the arcs into class c that carry something.
func (a *pool) carrying(c int32) []int32 {
	return a.in[a.classArc[c] : a.classArc[c]+a.carry[c]]
}

// cells holds the arcs from rows to the members that owned some of the row.
type cells struct {
	rowCell    []int32 // the cells of row r are rowCell[r] to rowCell[r+1]-1
	cellRow    []int32
	cellMember []int32
	own        []int32 // how many of the row the member owned; 0 once out of reach
	keep       []int32 // the flow: how many it keeps
	lock       []int32 // how many of these are promised and not to be given up
	cellMiss   []bool  // nil without racks

	memberCell []int32 // the cells of member m: cellList[memberCell[m]:memberCell[m+1]]
	cellList   []int32
}

// poolCost is what one unit on pool arc e costs.
func (n *network) poolCost(e int32) int64 {
	if n.arcMiss != nil && n.arcMiss[e] {
		return 1 + n.missCost
	}
	return 1
}

// cellCost is what one unit on cell k costs.
func (n *network) cellCost(k int32) int64 {
	if n.cellMiss != nil && n.cellMiss[k] {
		return n.missCost
	}
	return 0
}

// out returns the first tight residual arc out of v at or after position i: its
// head, its number in its kind, and its position; the head is None when there is
// none. Tight means of reduced cost zero, so the arcs that out lists are exactly
// those on which an optimal flow can be changed into another optimal flow.
func (n *network) out(v, i int32) (w, arc, at int32) {
	switch {
	case v < n.class0:
		return n.outOfRow(v, i)
	case v < n.member0:
		return n.outOfClass(v, i)
	case v < n.tier0:
		return n.outOfMember(v, i)
	}
	return n.outOfTier(v, i)
}

func (n *network) outOfRow(v, i int32) (w, arc, at int32) {
	first, pot := n.rowArc[v], n.pot[v]
	degree := n.rowArc[v+1] - first
	for ; i < degree; i++ {
		c := n.class0 + n.arcClass[first+i]
		if n.pot[c] == pot+n.poolCost(first+i) {
			return c, first + i, i
		}
	}
	if !n.showMembers {
		return None, None, i
	}
	for k := n.rowCell[v] + i - degree; k < n.rowCell[v+1]; k++ {
		m := n.member0 + n.cellMember[k]
		if n.keep[k] < n.own[k] && n.pot[m] == pot+n.cellCost(k) {
			return m, k, degree + k - n.rowCell[v]
		}
	}
	return None, None, i
}

func (n *network) outOfClass(v, i int32) (w, arc, at int32) {
	c := v - n.class0
	if i < n.carry[c] {
		e := n.in[n.classArc[c]+i]
		return n.arcRow[e], e, i
	}
	if !n.showMembers {
		return None, None, i
	}
	// Positions of members begin after all arcs, because the list of those that
	// carry something changes while a search is at this node.
	skip := n.classArc[c+1] - n.classArc[c]
	for i = max(i, skip); i-skip < n.memberAt[c+1]-n.memberAt[c]; i++ {
		m := n.memberList[n.memberAt[c]+i-skip]
		if n.pot[n.member0+m] == n.pot[v] {
			return n.member0 + m, m, i
		}
	}
	return None, None, i
}

func (n *network) outOfMember(v, i int32) (w, arc, at int32) {
	m := v - n.member0
	c := n.class0 + n.classOf[m]
	if i == 0 {
		if t := n.tierOf[c]; n.showTiers && n.extras[t] > 0 && !n.extra[m] &&
			n.pot[n.tier0+t] == n.pot[v] {
			return n.tier0 + t, m, 0
		}
		i = 1
	}
	if i == 1 {
		if n.placed[m] > 0 && n.pot[c] == n.pot[v] {
			return c, m, 1
		}
		i = 2
	}
	for j := n.memberCell[m] + i - 2; j < n.memberCell[m+1]; j++ {
		k := n.cellList[j]
		r := n.cellRow[k]
		if n.keep[k] > n.lock[k] && n.pot[v] == n.pot[r]+n.cellCost(k) {
			return r, k, j - n.memberCell[m] + 2
		}
	}
	return None, None, i
}

func (n *network) outOfTier(v, i int32) (w, arc, at int32) {
	t := v - n.tier0
	for j := n.tierAt[t] + i; j < n.tierAt[t+1]; j++ {
		m := n.tierList[j]
		if n.extra[m] && n.pot[n.member0+m] == n.pot[v] {
			return n.member0 + m, m, j - n.tierAt[t]
		}
	}
	return None, None, i
}

// into is out backwards: the first tight residual arc into v at or after
// position i, with its tail. It lists no arcs of tiers.
func (n *network) into(v, i int32) (u, arc, at int32) {
	switch {
	case v < n.class0:
		return n.intoRow(v, i)
	case v < n.member0:
		return n.intoClass(v, i)
	}
	return n.intoMember(v, i)
}

func (n *network) intoRow(v, i int32) (u, arc, at int32) {
	first := n.rowArc[v]
	degree := n.rowArc[v+1] - first
	for ; i < degree; i++ {
		if n.arcFlow[first+i] > 0 {
			return n.class0 + n.arcClass[first+i], first + i, i
		}
	}
	if !n.showMembers {
		return None, None, i
	}
	for k := n.rowCell[v] + i - degree; k < n.rowCell[v+1]; k++ {
		m := n.member0 + n.cellMember[k]
		if n.keep[k] > n.lock[k] && n.pot[m] == n.pot[v]+n.cellCost(k) {
			return m, k, degree + k - n.rowCell[v]
		}
	}
	return None, None, i
}

func (n *network) intoClass(v, i int32) (u, arc, at int32) {
	c := v - n.class0
	first := n.classArc[c]
	degree := n.classArc[c+1] - first
	for ; i < degree; i++ {
		e := n.in[first+i]
		r := n.arcRow[e]
		if n.pot[v] == n.pot[r]+n.poolCost(e) {
			return r, e, i
		}
	}
	if !n.showMembers {
		return None, None, i
	}
	for j := n.memberAt[c] + i - degree; j < n.memberAt[c+1]; j++ {
		m := n.memberList[j]
		if n.placed[m] > 0 && n.pot[n.member0+m] == n.pot[v] {
			return n.member0 + m, m, degree + j - n.memberAt[c]
		}
	}
	return None, None, i
}

func (n *network) intoMember(v, i int32) (u, arc, at int32) {
	m := v - n.member0
	if i == 0 {
		if c := n.class0 + n.classOf[m]; n.pot[c] == n.pot[v] {
			return c, m, 0
		}
		i = 1
	}
	for j := n.memberCell[m] + i - 1; j < n.memberCell[m+1]; j++ {
		k := n.cellList[j]
		r := n.cellRow[k]
		if n.keep[k] < n.own[k] && n.pot[v] == n.pot[r]+n.cellCost(k) {
			return r, k, j - n.memberCell[m] + 1
		}
	}
	return None, None, i
}

// room is how much can be sent over the residual arc from v to w.
func (n *network) room(v, arc, w int32) int32 {
	const unlimited = 1 << 30
	switch {
	case v < n.class0 && w < n.member0:
		return unlimited
	case v < n.class0:
		return n.own[arc] - n.keep[arc]
	case v < n.member0 && w < n.class0:
		return n.arcFlow[arc]
	case v < n.member0:
		return unlimited
	case v < n.tier0 && w < n.class0:
		return n.keep[arc] - n.lock[arc]
	case v < n.tier0 && w < n.member0:
		return n.placed[arc]
	}
	return 1
}

// push sends d units over the residual arc from v to w.
func (n *network) push(v, arc, w, d int32) {
	switch {
	case v < n.class0 && w < n.member0:
		n.addFlow(arc, d)
	case v < n.class0:
		n.keep[arc] += d
	case v < n.member0 && w < n.class0:
		n.addFlow(arc, -d)
	case v < n.member0:
		n.placed[arc] += d
	case v < n.tier0 && w < n.class0:
		n.keep[arc] -= d
	case v < n.tier0 && w < n.member0:
		n.placed[arc] -= d
	default:
		n.extra[arc] = w >= n.tier0
	}
}
