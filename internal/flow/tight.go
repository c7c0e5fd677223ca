package flow

import "math/bits"

// keepTight reduces the network to what can differ between optima: the arcs that
// are tight under the final potentials. All optimal flows agree on the others. It
// is with this graph that the canonical rules choose one optimum; in most groups
// few cells are left in it.
func (n *network) keepTight() {
	if n.sets.any() {
		n.keepTightPool(&n.classesOf, func(r, c int32) bool {
			return n.pot[n.class0+c] == n.pot[r]+n.poolCost(r, c)
		})
		n.keepTightPool(&n.rowsOf, func(c, r int32) bool {
			return n.pot[n.class0+c] == n.pot[r]+n.poolCost(r, c)
		})
	} else {
		n.keepTightByPotential()
	}
	tight := func(k int32) bool {
		m, r := n.member0+n.cellMember[k], n.cellRow[k]
		return n.own[k] > 0 && n.pot[m] == n.pot[r]+n.cellCost(k)
	}
	n.rowList = keepListed(n.rowCell, n.rowList, tight)
	n.memberCells = keepListed(n.memberCell, n.memberCells, tight)
	n.memberList = keepListed(n.memberAt, n.memberList, func(m int32) bool {
		return n.pot[n.member0+m] == n.pot[n.class0+n.classOf[m]]
	})
}

// keepTightByPotential is keepTightPool where every move costs 1: then a row and a
// class are joined by a tight arc if the class's potential is the next one.
func (n *network) keepTightByPotential() {
	level := make([]int32, n.member0) // the number of the class's potential
	number := map[int64]int32{}
	count := int32(0)
	for v := range level {
		pot := n.pot[v]
		if int32(v) < n.class0 {
			pot++
		}
		i, ok := number[pot]
		if !ok {
			i = count
			number[pot] = i
			count++
		}
		level[v] = i
	}
	n.keepWithin(level, count)
}

func (n *network) keepTightPool(b *bitmap, tight func(r, c int32) bool) {
	for r := range int32(len(b.start) - 1) {
		for w := b.start[r]; w < b.start[r+1]; w++ {
			for x := b.words[w]; x != 0; x &= x - 1 {
				bit := int32(bits.TrailingZeros64(x))
				if !tight(r, b.index[w]<<6+bit) {
					b.words[w] &^= 1 << bit
				}
			}
		}
	}
}

// keepListed shortens the lists list[start[i]:start[i+1]] to the entries that ok
// accepts, in place.
func keepListed(start, list []int32, ok func(int32) bool) []int32 {
	to, from := int32(0), int32(0)
	for i := range len(start) - 1 {
		for ; from < start[i+1]; from++ {
			if ok(list[from]) {
				list[to] = list[from]
				to++
			}
		}
		start[i+1] = to
	}
	return list[:to]
}
