package flow

// settleKept decides how much of each cell is kept, by rule R4: the owned
// partitions go by in the order of their numbers, then topics, and each stays if
// some optimum that agrees with all decisions so far keeps it. Partitions of one
// cell are alike, so of each cell the first few stay, and what is decided is only
// how many. A promise is a lock on the cell; one more is kept if a cycle of tight
// arcs through the cell gives up nothing that is promised.
func (n *network) settleKept() {
	n.findBlocks(n.tier0)
	open := make([]bool, n.blocks) // whether some cell of the block could keep more
	some := false
	for k := range n.own {
		if n.keep[k] < n.own[k] && n.fluid(int32(k)) {
			open[n.block[n.cellRow[k]]], some = true, true
		}
	}
	if !some {
		return
	}
	cells := make([]bool, len(n.own))
	for k := range n.own {
		cells[k] = n.own[k] > 0 && n.fluid(int32(k)) && open[n.block[n.cellRow[k]]]
	}
	for _, i := range n.byNumber(cells) {
		k := n.cellOf[i]
		if n.lock[k] < n.keep[k] {
			n.lock[k]++
			continue
		}
		if n.connect(n.member0+n.cellMember[k], n.cellRow[k]) {
			n.keep[k]++
			n.lock[k]++
		}
	}
}

// fluid reports whether the optimum leaves open how much of cell k is kept.
func (n *network) fluid(k int32) bool {
	r, m := n.cellRow[k], n.member0+n.cellMember[k]
	return n.block[r] == n.block[m] && n.pot[m] == n.pot[r]+n.cellCost(k)
}

// byNumber lists the partitions of the given cells by their number within their
// topic, then by topic.
func (n *network) byNumber(cells []bool) []int32 {
	p := n.p
	number := make([]int32, len(n.cellOf))
	most := int32(0)
	for t := range p.TopicCount() {
		most = max(most, p.Start[t+1]-p.Start[t])
		for i := p.Start[t]; i < p.Start[t+1]; i++ {
			if k := n.cellOf[i]; k != None && cells[k] {
				number[i] = i - p.Start[t]
			} else {
				number[i] = None
			}
		}
	}
	_, list := group(number, most)
	return list
}

// owners gives the partitions that are kept to their owners; the others are None.
// Where a cell keeps only a part, it is the first partitions by number and topic.
func (n *network) owners() []int32 {
	owner := make([]int32, len(n.cellOf))
	part := make([]bool, len(n.own))
	some := false
	for k := range n.own {
		part[k] = n.keep[k] > 0 && n.keep[k] < n.own[k]
		some = some || part[k]
	}
	for i, k := range n.cellOf {
		owner[i] = None
		if k != None && n.keep[k] > 0 && !part[k] {
			owner[i] = n.cellMember[k]
		}
	}
	if !some {
		return owner
	}
	clear(n.lock)
	for _, i := range n.byNumber(part) {
		if k := n.cellOf[i]; n.lock[k] < n.keep[k] {
			n.lock[k]++
			owner[i] = n.cellMember[k]
		}
	}
	return owner
}
