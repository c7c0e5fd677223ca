package flow

import (
	"math/bits"
	"slices"
)

// extraRule gives out the extras by rule R3: members in the order of what they
// owned, most first, then by id; a member gets an extra if some optimum gives it to
// it together with all that got one before. The sets of members that can have the
// extras together are the bases of a matroid, so going down the list and
// exchanging one member for another is enough: if m can have an extra, then a
// chain of tight arcs leads to it from a member that has one and was not given it
// by the rule; and the arcs of both to their tier are tight, for those change too.
type extraRule struct {
	*network
	promised []bool  // of each member: it was given an extra by the rule
	closed   []bool  // of each node: no extra to spare leads into it
	spareAt  []int32 // of each class: members before it in the class's list have none
	fluidAt  []int32 // the members of each class that have cells left in the network
	fluid    []int32
	seen     []int32 // the nodes that the search at hand has seen
	queue    []int32 // those of them that are classes or members
}

// settleExtras decides which members of the open tiers get one partition more.
func (n *network) settleExtras() {
	x := extraRule{
		network:  n,
		promised: make([]bool, n.members),
		closed:   make([]bool, n.nodes),
		spareAt:  slices.Clone(n.memberAt[:n.classes]),
	}
	class := make([]int32, n.members)
	for m := range class {
		class[m] = None
		if n.memberCell[m] < n.memberCell[m+1] {
			class[m] = n.classOf[m]
		}
	}
	x.fluidAt, x.fluid = group(class, n.classes)
	free := slices.Clone(n.extras) // per tier: extras at members not yet decided on
	for _, m := range n.byOwned() {
		t := n.tierOf[n.class0+n.classOf[m]]
		if free[t] > 0 && (n.extra[m] || x.fetch(m)) {
			x.promised[m] = true
			free[t]--
		}
	}
	n.rowMask.fill(n.rows)
}

// byOwned lists the members of open tiers in the order of the rule.
func (n *network) byOwned() []int32 {
	keys := make([]uint64, 0, len(n.tierList))
	for _, m := range n.tierList {
		keys = append(keys, uint64(1<<31-1-n.owned[m])<<32|uint64(m))
	}
	slices.Sort(keys)
	list := make([]int32, len(keys))
	for i, k := range keys {
		list[i] = int32(k & (1<<32 - 1))
	}
	return list
}

// spare reports whether m has an extra that the rule did not give it.
func (x *extraRule) spare(m int32) bool {
	return x.extra[m] && !x.promised[m] && x.swaps(m)
}

// swaps reports whether an optimum may change whether m has an extra.
func (x *extraRule) swaps(m int32) bool {
	return x.pot[x.member0+m] == x.pot[x.tier0+x.tierOf[x.class0+x.classOf[m]]]
}

// fetch looks backwards from m for a member with an extra to spare, and if there
// is one moves the extra along the way to m. What a search in vain has seen is
// closed for good: later exchanges begin at members with an extra to spare, so
// they stay outside it.
func (x *extraRule) fetch(m int32) bool {
	to := x.member0 + m
	if x.closed[to] || !x.swaps(m) {
		return false
	}
	x.search++
	x.seen, x.queue = x.seen[:0], x.queue[:0]
	from := x.explore(to)
	if from == None {
		for _, v := range x.seen {
			x.closed[v] = true
		}
		return false
	}
	for _, v := range x.seen {
		if v < x.class0 {
			x.rowMask.add(v)
		}
	}
	x.follow(from, to)
	x.sweep()
	x.extra[from-x.member0], x.extra[m] = false, true
	return true
}

// explore searches breadth first from v against the arcs, and returns a member
// with an extra to spare. Rows are gone through as soon as they are seen, so that
// the first of a class's many rows is enough if an extra is near.
func (x *extraRule) explore(v int32) int32 {
	x.note(v, None, None)
	for q := 0; q < len(x.queue); q++ {
		v := x.queue[q]
		var from int32
		if v < x.member0 {
			from = x.exploreClass(v)
		} else {
			from = x.exploreMember(v)
		}
		if from != None {
			return from
		}
	}
	return None
}

// note marks v as seen, with the arc that leads on from it.
func (x *extraRule) note(v, ahead, arc int32) {
	x.mark[v] = x.search
	x.ahead[v], x.aheadArc[v] = ahead, arc
	x.seen = append(x.seen, v)
	if v >= x.class0 {
		x.queue = append(x.queue, v)
	}
}

func (x *extraRule) fresh(v int32) bool { return x.mark[v] != x.search && !x.closed[v] }

func (x *extraRule) exploreMember(v int32) int32 {
	m := v - x.member0
	c := x.class0 + x.classOf[m]
	if x.fresh(c) && x.pot[c] == x.pot[v] {
		if from := x.reachClass(c, v, m); from != None {
			return from
		}
	}
	for _, k := range x.memberCells[x.memberCell[m]:x.memberCell[m+1]] {
		if r := x.cellRow[k]; x.keep[k] < x.own[k] && x.fresh(r) {
			if from := x.reachRow(r, v, k); from != None {
				return from
			}
		}
	}
	return None
}

func (x *extraRule) exploreClass(v int32) int32 {
	c := v - x.class0
	for _, m := range x.fluid[x.fluidAt[c]:x.fluidAt[c+1]] {
		if x.placed[m] > 0 && x.fresh(x.member0+m) {
			x.note(x.member0+m, v, m)
		}
	}
	index, words := x.rowsOf.row(c)
	for w, i := range index {
		for b := words[w] & x.rowMask[i]; b != 0; b &= b - 1 {
			r := i<<6 + int32(bits.TrailingZeros64(b))
			if !x.fresh(r) { // seen by way of another row just now
				continue
			}
			if from := x.reachRow(r, v, c); from != None {
				return from
			}
		}
	}
	return None
}

// reachClass notes class node c and returns a member of it that can spare an
// extra by getting less from the pool.
func (x *extraRule) reachClass(c, ahead, arc int32) int32 {
	x.note(c, ahead, arc)
	i := x.spareAt[c-x.class0]
	end := x.memberAt[c-x.class0+1]
	for i < end && !x.spare(x.memberList[i]) {
		i++
	}
	x.spareAt[c-x.class0] = i
	for ; i < end; i++ {
		if m := x.memberList[i]; x.spare(m) && x.placed[m] > 0 && x.fresh(x.member0+m) {
			x.note(x.member0+m, c, m)
			return x.member0 + m
		}
	}
	return None
}

// reachRow notes row r and all that can get less from it.
func (x *extraRule) reachRow(r, ahead, arc int32) int32 {
	x.note(r, ahead, arc)
	x.rowMask.remove(r)
	for e := x.fromRow[r]; e != None; e = x.arcs[e].nextR {
		if c := x.class0 + x.arcs[e].class; x.fresh(c) {
			if from := x.reachClass(c, r, e); from != None {
				return from
			}
		}
	}
	for _, k := range x.rowList[x.rowCell[r]:x.rowCell[r+1]] {
		if m := x.cellMember[k]; x.keep[k] > 0 && x.fresh(x.member0+m) {
			x.note(x.member0+m, r, k)
			if x.spare(m) {
				return x.member0 + m
			}
		}
	}
	return None
}

// follow sends one unit from v along the arcs of ahead until it is at w.
func (n *network) follow(v, w int32) {
	for v != w {
		next := n.ahead[v]
		n.push(v, n.aheadArc[v], next, 1)
		v = next
	}
}
