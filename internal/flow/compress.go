package flow

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

// addRows finds the rows and which classes each can give to. Topics with the same
// readers make a bundle; bundles are numbered in the order of their first topics,
// and hashes only find the candidates: what is equal is compared in full.
func (n *network) addRows(firstClass []int32) {
	p := n.p
	readers := newBitmap(int32(p.TopicCount()))
	for s, list := range p.Topics {
		for c := firstClass[s]; c < firstClass[s+1]; c++ {
			for _, t := range list {
				readers.count(t, c)
			}
		}
	}
	readers.allocate()
	for s, list := range p.Topics {
		for c := firstClass[s]; c < firstClass[s+1]; c++ {
			for _, t := range list {
				readers.add(t, c)
			}
		}
	}
	bundle, first := bundles(p, &readers.bitmap)
	rowBundle := n.numberRows(bundle, int32(len(first)))
	n.pool = newPool(n.rows, n.classes)
	n.classesOf.start = make([]int32, n.rows+1)
	for r, b := range rowBundle {
		index, words := readers.row(first[b])
		n.classesOf.index = append(n.classesOf.index, index...)
		n.classesOf.words = append(n.classesOf.words, words...)
		n.classesOf.start[r+1] = int32(len(n.classesOf.index))
	}
	n.rowsOf = n.classesOf.transposed(n.classes)
}

// bundles returns each topic's bundle, None for a topic without readers or
// partitions, and the first topic of each bundle.
func bundles(p *Problem, readers *bitmap) (bundle, first []int32) {
	topics := int32(p.TopicCount())
	bundle = make([]int32, topics)
	hash := make([]uint64, topics)
	bits := 1
	for 1<<bits < 2*topics {
		bits++
	}
	table := make([]int32, 1<<bits) // bundle+1
	for t := range topics {
		index, words := readers.row(t)
		if len(index) == 0 || p.Start[t] == p.Start[t+1] {
			bundle[t] = None
			continue
		}
		for w, i := range index {
			hash[t] = (hash[t] + uint64(i) + words[w]) * 0x9e3779b97f4a7c15
			hash[t] ^= hash[t] >> 29
		}
		slot := hash[t] * 0x9e3779b97f4a7c15 >> (64 - bits)
		for table[slot] != 0 {
			u := first[table[slot]-1]
			if hash[u] == hash[t] && readers.equal(u, t) {
				break
			}
			slot = (slot + 1) & (1<<bits - 1)
		}
		if table[slot] == 0 {
			first = append(first, t)
			table[slot] = int32(len(first))
		}
		bundle[t] = table[slot] - 1
	}
	return bundle, first
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
	n.rowList = make([]int32, count)
	for k := range n.rowList {
		n.rowList[k] = int32(k)
	}
	n.memberCell, n.memberCells = group(n.cellMember, n.members)
}
