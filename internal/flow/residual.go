package flow

import "math/bits"

// The residual graph is listed arc by arc. A position says where among the arcs
// of a node a search is; 0 is before the first, and one more than the position of
// an arc is behind it. A row's classes come word by word, so the position of a
// class is its word and bit; classes that mask does not have are passed over
// without being looked at, 64 at a time. A class's rows are a linked list. The
// positions of whatever comes after these begin at second.
const second = 1 << 30

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

// outOfRow lists the classes that a row can give more to, as far as n.classMask has
// them, and the members that can keep more.
func (n *network) outOfRow(v, i int32) (w, arc, at int32) {
	first, end := n.classesOf.start[v], n.classesOf.start[v+1]
	skip := uint32(i & 63)
	for j := first + i>>6; i < second && j < end; j++ {
		block := n.classesOf.index[j]
		x := n.classesOf.words[j] & n.classMask[block] >> skip << skip
		for skip = 0; x != 0; x &= x - 1 {
			bit := int32(bits.TrailingZeros64(x))
			c := block<<6 + bit
			if n.pot[n.class0+c] == n.pot[v]+n.poolCost(v, c) {
				return n.class0 + c, c, (j-first)<<6 + bit
			}
		}
	}
	if !n.showMembers {
		return None, None, second
	}
	for j := n.rowCell[v] + max(i-second, 0); j < n.rowCell[v+1]; j++ {
		k := n.rowList[j]
		m := n.member0 + n.cellMember[k]
		if n.keep[k] < n.own[k] && n.pot[m] == n.pot[v]+n.cellCost(k) {
			return m, k, second + j - n.rowCell[v]
		}
	}
	return None, None, second + n.rowCell[v+1] - n.rowCell[v]
}

// outOfClass lists the rows that a class can get less from, and the members that
// it can give more to.
func (n *network) outOfClass(v, i int32) (w, arc, at int32) {
	c := v - n.class0
	if i < second {
		e := n.toClass[c]
		if i > 0 {
			e = i>>1 - 1
			if i&1 == 1 {
				e = n.arcs[e].nextC
			}
		}
		for ; e != None; e = n.arcs[e].nextC {
			if n.arcs[e].flow > 0 {
				return n.arcs[e].row, e, (e + 1) << 1
			}
		}
		i = second
	}
	if !n.showMembers {
		return None, None, second
	}
	for j := n.memberAt[c] + i - second; j < n.memberAt[c+1]; j++ {
		m := n.memberList[j]
		if n.pot[n.member0+m] == n.pot[v] {
			return n.member0 + m, m, second + j - n.memberAt[c]
		}
	}
	return None, None, second + n.memberAt[c+1] - n.memberAt[c]
}

// outOfMember lists the member's tier if it can have an extra, its class if it can
// get less from the pool, and the rows of which it can keep less.
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
		k := n.memberCells[j]
		r := n.cellRow[k]
		if n.keep[k] > n.lock[k] && n.pot[v] == n.pot[r]+n.cellCost(k) {
			return r, k, j - n.memberCell[m] + 2
		}
	}
	return None, None, n.memberCell[m+1] - n.memberCell[m] + 2
}

// outOfTier lists the members whose extra can be taken back.
func (n *network) outOfTier(v, i int32) (w, arc, at int32) {
	t := v - n.tier0
	for j := n.tierAt[t] + i; j < n.tierAt[t+1]; j++ {
		m := n.tierList[j]
		if n.extra[m] && n.pot[n.member0+m] == n.pot[v] {
			return n.member0 + m, m, j - n.tierAt[t]
		}
	}
	return None, None, n.tierAt[t+1] - n.tierAt[t]
}

// into is out backwards: the first tight residual arc into v at or after
// position i, with its tail.
func (n *network) into(v, i int32) (u, arc, at int32) {
	switch {
	case v < n.class0:
		return n.intoRow(v, i)
	case v < n.member0:
		return n.intoClass(v, i)
	case v < n.tier0:
		return n.intoMember(v, i)
	}
	return n.intoTier(v, i)
}

func (n *network) intoRow(v, i int32) (u, arc, at int32) {
	if i < second {
		e := n.fromRow[v]
		if i > 0 {
			e = i>>1 - 1
			if i&1 == 1 {
				e = n.arcs[e].nextR
			}
		}
		for ; e != None; e = n.arcs[e].nextR {
			if n.arcs[e].flow > 0 {
				return n.class0 + n.arcs[e].class, e, (e + 1) << 1
			}
		}
		i = second
	}
	if !n.showMembers {
		return None, None, second
	}
	for j := n.rowCell[v] + i - second; j < n.rowCell[v+1]; j++ {
		k := n.rowList[j]
		m := n.member0 + n.cellMember[k]
		if n.keep[k] > n.lock[k] && n.pot[m] == n.pot[v]+n.cellCost(k) {
			return m, k, second + j - n.rowCell[v]
		}
	}
	return None, None, second + n.rowCell[v+1] - n.rowCell[v]
}

// intoClass lists the rows that can give more to a class, as far as n.rowMask has
// them, and the members that can get less from it.
func (n *network) intoClass(v, i int32) (u, arc, at int32) {
	c := v - n.class0
	first, end := n.rowsOf.start[c], n.rowsOf.start[c+1]
	skip := uint32(i & 63)
	for j := first + i>>6; i < second && j < end; j++ {
		block := n.rowsOf.index[j]
		x := n.rowsOf.words[j] & n.rowMask[block] >> skip << skip
		for skip = 0; x != 0; x &= x - 1 {
			bit := int32(bits.TrailingZeros64(x))
			r := block<<6 + bit
			if n.pot[v] == n.pot[r]+n.poolCost(r, c) {
				return r, c, (j-first)<<6 + bit
			}
		}
	}
	if !n.showMembers {
		return None, None, second
	}
	for j := n.memberAt[c] + max(i-second, 0); j < n.memberAt[c+1]; j++ {
		m := n.memberList[j]
		if n.placed[m] > 0 && n.pot[n.member0+m] == n.pot[v] {
			return n.member0 + m, m, second + j - n.memberAt[c]
		}
	}
	return None, None, second + n.memberAt[c+1] - n.memberAt[c]
}

func (n *network) intoMember(v, i int32) (u, arc, at int32) {
	m := v - n.member0
	c := n.class0 + n.classOf[m]
	if i == 0 {
		if n.pot[c] == n.pot[v] {
			return c, m, 0
		}
		i = 1
	}
	if i == 1 {
		if t := n.tier0 + n.tierOf[c]; n.showTiers && n.extra[m] && n.pot[t] == n.pot[v] {
			return t, m, 1
		}
		i = 2
	}
	for j := n.memberCell[m] + i - 2; j < n.memberCell[m+1]; j++ {
		k := n.memberCells[j]
		r := n.cellRow[k]
		if n.keep[k] < n.own[k] && n.pot[v] == n.pot[r]+n.cellCost(k) {
			return r, k, j - n.memberCell[m] + 2
		}
	}
	return None, None, n.memberCell[m+1] - n.memberCell[m] + 2
}

func (n *network) intoTier(v, i int32) (u, arc, at int32) {
	t := v - n.tier0
	for j := n.tierAt[t] + i; j < n.tierAt[t+1]; j++ {
		m := n.tierList[j]
		if !n.extra[m] && n.pot[n.member0+m] == n.pot[v] {
			return n.member0 + m, m, j - n.tierAt[t]
		}
	}
	return None, None, n.tierAt[t+1] - n.tierAt[t]
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
		return n.arcs[arc].flow
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
		n.give(v, arc, d)
	case v < n.class0:
		n.keep[arc] += d
	case v < n.member0 && w < n.class0:
		n.take(arc, d)
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
