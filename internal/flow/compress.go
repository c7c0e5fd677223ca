package flow

import "slices"

// group lists the indices of keys by key, ascending within a key: those with key
// k are list[start[k]:start[k+1]]. Negative keys are left out.
func group(keys []int32, n int32) (start, list []int32) {
	start = make([]int32, n+1)
	total := 0
	for _, k := range keys {
		if k >= 0 {
			start[k]++
			total++
		}
	}
	sum := int32(0)
	for k, count := range start {
		start[k] = sum
		sum += count
	}
	list = make([]int32, total)
	for i, k := range keys {
		if k >= 0 {
			list[start[k]] = int32(i)
			start[k]++
		}
	}
	copy(start[1:], start)
	start[0] = 0
	return start, list
}

// compress builds the network of p with no flow in it. It costs O(members +
// partitions + subscription edges), with racks times the rack sets of a row.
func compress(p *Problem) *network {
	n := &network{p: p, members: int32(p.Members())}
	firstClass := n.addClasses()
	n.addRows(firstClass)
	n.addCells()

	n.class0 = n.rows
	n.member0 = n.class0 + n.classes
	n.tier0 = n.member0 + n.members
	n.placed = make([]int32, n.members)
	n.extra = make([]bool, n.members)
	return n
}

// addClasses finds the classes: members of one subscription and one rack. Those
// of subscription s are firstClass[s] to firstClass[s+1]-1.
func (n *network) addClasses() (firstClass []int32) {
	p := n.p
	subscriptions := len(p.Topics)
	n.sets = newRackSets(p)
	firstClass = make([]int32, subscriptions+1)
	n.classOf = make([]int32, n.members)
	start, list := group(p.Class, int32(subscriptions))
	seenBy := make([]int32, n.sets.racks+1) // last subscription+1 with this rack
	class := make([]int32, n.sets.racks+1)  // its class
	for s := range subscriptions {
		firstClass[s] = n.classes
		for _, m := range list[start[s]:start[s+1]] {
			k := n.sets.rackOf(m) + 1
			if seenBy[k] != int32(s)+1 {
				seenBy[k], class[k] = int32(s)+1, n.classes
				n.classRack = append(n.classRack, k-1)
				n.classes++
			}
			n.classOf[m] = class[k]
		}
	}
	firstClass[subscriptions] = n.classes
	n.memberAt, n.memberList = group(n.classOf, n.classes)
	return firstClass
}

// readers lists, for each topic, the subscriptions that have it and at least one
// member, ascending, and a hash of that list.
type readers struct {
	start, list []int32
	hash        []uint64
}

func newReaders(p *Problem, firstClass []int32) readers {
	topics := p.TopicCount()
	rd := readers{start: make([]int32, topics+1), hash: make([]uint64, topics)}
	for s, list := range p.Topics {
		if firstClass[s] == firstClass[s+1] {
			continue
		}
		for _, t := range list {
			rd.start[t+1]++
		}
	}
	for t := range topics {
		rd.start[t+1] += rd.start[t]
	}
	rd.list = make([]int32, rd.start[topics])
	next := slices.Clone(rd.start[:topics])
	for s, list := range p.Topics {
		if firstClass[s] == firstClass[s+1] {
			continue
		}
		for _, t := range list {
			rd.list[next[t]] = int32(s)
			next[t]++
			rd.hash[t] = (rd.hash[t] + uint64(s) + 1) * 0x9e3779b97f4a7c15
		}
	}
	return rd
}

func (rd *readers) of(t int32) []int32 { return rd.list[rd.start[t]:rd.start[t+1]] }

// bundles numbers the sets of topics with equal readers in the order of their
// first topics: bundle is each topic's number, None for a topic without readers
// or partitions, and first each bundle's first topic. Hashes only find the
// candidates; lists are compared in full.
func (rd *readers) bundles(p *Problem) (bundle, first []int32) {
	topics := int32(p.TopicCount())
	bundle = make([]int32, topics)
	bits := 1
	for 1<<bits < 2*topics {
		bits++
	}
	table := make([]int32, 1<<bits) // bundle+1
	for t := range topics {
		list := rd.of(t)
		if len(list) == 0 || p.Start[t] == p.Start[t+1] {
			bundle[t] = None
			continue
		}
		slot := rd.hash[t] >> (64 - bits)
		for {
			b := table[slot] - 1
			if b < 0 {
				b = int32(len(first))
				first = append(first, t)
				table[slot] = b + 1
			} else if u := first[b]; rd.hash[u] != rd.hash[t] || !slices.Equal(rd.of(u), list) {
				slot = (slot + 1) & (1<<bits - 1)
				continue
			}
			bundle[t] = b
			break
		}
	}
	return bundle, first
}

// addRows finds the rows and builds the pool arcs.
func (n *network) addRows(firstClass []int32) {
	rd := newReaders(n.p, firstClass)
	bundle, first := rd.bundles(n.p)
	rowBundle := n.numberRows(bundle, int32(len(first)))

	n.rowArc = make([]int32, n.rows+1)
	degree := make([]int32, len(first))
	for b, t := range first {
		for _, s := range rd.of(t) {
			degree[b] += firstClass[s+1] - firstClass[s]
		}
	}
	for r, b := range rowBundle {
		n.rowArc[r+1] = n.rowArc[r] + degree[b]
	}
	arcs := n.rowArc[n.rows]
	n.arcRow = make([]int32, 0, arcs)
	n.arcClass = make([]int32, 0, arcs)
	if n.sets.any() {
		n.arcMiss = make([]bool, 0, arcs)
	}
	for r, b := range rowBundle {
		for _, s := range rd.of(first[b]) {
			for c := firstClass[s]; c < firstClass[s+1]; c++ {
				n.arcRow = append(n.arcRow, int32(r))
				n.arcClass = append(n.arcClass, c)
				if n.arcMiss != nil {
					n.arcMiss = append(n.arcMiss, n.sets.miss(n.rowSet[r], n.classRack[c]))
				}
			}
		}
	}
	n.arcFlow = make([]int32, arcs)
	n.listByClass()
}

// listByClass builds the class side of the pool from its row side; no arc
// carries anything.
func (n *network) listByClass() {
	n.classArc, n.in = group(n.arcClass, n.classes)
	n.at = make([]int32, len(n.in))
	for i, e := range n.in {
		n.at[e] = int32(i)
	}
	n.carry = make([]int32, n.classes)
}

// numberRows splits the bundles by rack set: a row is the partitions of a bundle
// that have the same racks as far as this group's members can tell. It returns
// each row's bundle.
func (n *network) numberRows(bundle []int32, bundles int32) (rowBundle []int32) {
	p := n.p
	n.rowOf = make([]int32, p.Partitions())
	seenBy := make([]int32, len(n.sets.lists)+1) // last bundle+1 with this set
	row := make([]int32, len(n.sets.lists)+1)    // its row
	for t, b := range bundle {
		if b == None {
			for i := p.Start[t]; i < p.Start[t+1]; i++ {
				n.rowOf[i] = None
			}
		}
	}
	start, topics := group(bundle, bundles)
	for b := range bundles {
		for _, t := range topics[start[b]:start[b+1]] {
			for i := p.Start[t]; i < p.Start[t+1]; i++ {
				set := n.sets.of(i)
				if seenBy[set+1] != b+1 {
					seenBy[set+1], row[set+1] = b+1, n.rows
					n.rows++
					rowBundle = append(rowBundle, b)
					n.rowSet = append(n.rowSet, set)
					n.supply = append(n.supply, 0)
				}
				n.rowOf[i] = row[set+1]
				n.supply[row[set+1]]++
			}
		}
	}
	return rowBundle
}

// addCells counts how many partitions of each row each member owned.
func (n *network) addCells() {
	p := n.p
	n.owned = make([]int32, n.members)
	n.cellOf = make([]int32, len(n.rowOf))
	rowOfOwned := make([]int32, len(n.rowOf))
	for i, m := range p.Owner {
		n.cellOf[i], rowOfOwned[i] = None, None
		if m != None {
			rowOfOwned[i] = n.rowOf[i]
			n.owned[m]++
		}
	}
	start, list := group(rowOfOwned, n.rows)
	n.rowCell = make([]int32, n.rows+1)
	seenBy := make([]int32, n.members) // last row+1 of which the member owned some
	cell := make([]int32, n.members)   // its cell there
	count := int32(0)
	for r := range n.rows {
		for _, i := range list[start[r]:start[r+1]] {
			m := p.Owner[i]
			if seenBy[m] != r+1 {
				seenBy[m], cell[m] = r+1, count
				count++
			}
			n.cellOf[i] = cell[m]
		}
		n.rowCell[r+1] = count
	}
	n.cellRow = make([]int32, count)
	n.cellMember = make([]int32, count)
	n.own = make([]int32, count)
	n.keep = make([]int32, count)
	n.lock = make([]int32, count)
	if n.sets.any() {
		n.cellMiss = make([]bool, count)
	}
	for i, k := range n.cellOf {
		if k == None {
			continue
		}
		n.cellRow[k], n.cellMember[k] = n.rowOf[i], p.Owner[i]
		n.own[k]++
		if n.cellMiss != nil {
			n.cellMiss[k] = n.sets.miss(n.rowSet[n.rowOf[i]], n.sets.rackOf(p.Owner[i]))
		}
	}
	n.memberCell, n.cellList = group(n.cellMember, n.members)
}
