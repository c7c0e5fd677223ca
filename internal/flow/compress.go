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

// addRows finds the rows and which classes each can give to.
func (n *network) addRows(firstClass []int32) {
	p := n.p
	bundle, bundles := bundleTopics(p, firstClass)
	firstRow := n.numberRows(bundle, bundles)
	n.pool = newPool(n.rows, n.classes)
	n.rowsOf.start = make([]int32, 1, n.classes+1)
	line := newLine(n.rows)
	n.fewestRows = int(n.rows)
	for s, list := range p.Topics {
		if firstClass[s] == firstClass[s+1] {
			continue
		}
		for _, t := range list {
			if b := bundle[t]; b != None {
				for r := firstRow[b]; r < firstRow[b+1]; r++ {
					line.add(r)
				}
			}
		}
		n.fewestRows = min(n.fewestRows, line.count())
		for range firstClass[s+1] - firstClass[s] {
			n.rowsOf.append(line)
		}
		line.clear()
	}
	n.classesOf = n.rowsOf.transposed(n.rows)
}

// bundleTopics numbers the sets of topics with equal readers, in the order of
// their first topics: bundle is each topic's, None where nobody reads the topic or
// it has no partitions. Equal readers are told by a sum of hashes. Should topics
// with different readers have one sum, no topics are put together at all: that
// makes a bigger network with the same optimum.
func bundleTopics(p *Problem, firstClass []int32) (bundle []int32, bundles int32) {
	topics := p.TopicCount()
	sum := make([]uint64, topics)
	read := make([]bool, topics)
	for s, list := range p.Topics {
		if firstClass[s] == firstClass[s+1] {
			continue
		}
		key := scatter(uint64(s) + 1)
		for _, t := range list {
			sum[t] += key
			read[t] = true
		}
	}
	used := func(t int) bool { return read[t] && p.Start[t] < p.Start[t+1] }
	bundle, bundles = bundleSums(sum, used)
	if bundlesHold(p, firstClass, bundle, bundles) {
		return bundle, bundles
	}
	bundles = 0
	for t := range bundle {
		if bundle[t] != None {
			bundle[t] = bundles
			bundles++
		}
	}
	return bundle, bundles
}

// scatter maps numbers to numbers that look random.
func scatter(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>31) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>29) * 0x94d049bb133111eb
	return x ^ x>>32
}

// bundleSums bundles the topics in use by their sums.
func bundleSums(sum []uint64, used func(int) bool) (bundle []int32, bundles int32) {
	bundle = make([]int32, len(sum))
	bits := 1
	for 1<<bits < 2*len(sum) {
		bits++
	}
	table := make([]int32, 1<<bits) // topic+1
	for t := range sum {
		if !used(t) {
			bundle[t] = None
			continue
		}
		slot := scatter(sum[t]) >> (64 - bits)
		for table[slot] != 0 && sum[table[slot]-1] != sum[t] {
			slot = (slot + 1) & (1<<bits - 1)
		}
		if table[slot] == 0 {
			table[slot] = int32(t) + 1
			bundle[t] = bundles
			bundles++
		} else {
			bundle[t] = bundle[table[slot]-1]
		}
	}
	return bundle, bundles
}

// bundlesHold reports whether every subscription has all topics of a bundle or
// none.
func bundlesHold(p *Problem, firstClass, bundle []int32, bundles int32) bool {
	size := make([]int32, bundles)
	used := int32(0)
	for _, b := range bundle {
		if b != None {
			size[b]++
			used++
		}
	}
	if used == bundles {
		return true
	}
	count := make([]int32, bundles)
	for s, list := range p.Topics {
		if firstClass[s] == firstClass[s+1] {
			continue
		}
		for _, t := range list {
			if b := bundle[t]; b != None {
				count[b]++
			}
		}
		for _, t := range list {
			if b := bundle[t]; b != None {
				if count[b] != 0 && count[b] != size[b] {
					return false
				}
				count[b] = 0
			}
		}
	}
	return true
}

// numberRows splits the bundles by rack set: a row is the partitions of a bundle
// that have the same racks as far as this group's members can tell. The rows of
// bundle b are firstRow[b] to firstRow[b+1]-1.
func (n *network) numberRows(bundle []int32, bundles int32) (firstRow []int32) {
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
	firstRow = make([]int32, bundles+1)
	for b := range bundles {
		for _, t := range topics[start[b]:start[b+1]] {
			for i := p.Start[t]; i < p.Start[t+1]; i++ {
				set := n.sets.of(i)
				if seenBy[set+1] != b+1 {
					seenBy[set+1], row[set+1] = b+1, n.rows
					n.rows++
					n.rowSet = append(n.rowSet, set)
					n.supply = append(n.supply, 0)
				}
				n.rowOf[i] = row[set+1]
				n.supply[row[set+1]]++
			}
		}
		firstRow[b+1] = n.rows
	}
	return firstRow
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
	n.fillCells(count)
}

// fillCells lists the cells, once every owned partition has one.
func (n *network) fillCells(count int32) {
	p := n.p
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
