package flow

import "slices"

// settleExtras decides which members of the open tiers get one partition more,
// by rule R3: members in the order of what they owned, most first, then by id; a
// member gets it if some optimum gives it to it together with all that got it
// before. The sets of members that can have the extras together are the bases of
// a matroid, so going down the list and exchanging one member for another is
// enough: if m can have an extra, then a chain of tight arcs leads to it from a
// member that has one and was not given it by the rule; and the arcs of both to
// their tier are tight, for those change as well.
func (n *network) settleExtras() {
	free := slices.Clone(n.extras) // per tier: extras at members not yet decided on
	promised := make([]bool, n.members)
	closed := make([]bool, n.nodes)
	for _, m := range n.byOwned() {
		t := n.tierOf[n.class0+n.classOf[m]]
		if free[t] == 0 {
			continue
		}
		if !n.extra[m] && !n.fetchExtra(m, promised, closed) {
			continue
		}
		promised[m] = true
		free[t]--
	}
}

// byOwned lists the members of open tiers in the order of rule R3.
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

// fetchExtra looks backwards from m for a member that has an extra it was not
// promised, and if there is one moves the extra along the way to m. What a search
// in vain has seen is closed: nothing leads into it from a member with an extra to
// spare, and later exchanges, which all begin at such members, stay outside it.
func (n *network) fetchExtra(m int32, promised, closed []bool) bool {
	to := n.member0 + m
	tier := n.pot[n.tier0+n.tierOf[n.class0+n.classOf[m]]]
	if closed[to] || n.pot[to] != tier {
		return false
	}
	n.forget()
	n.queue = append(n.queue, to)
	n.depth[to] = 1
	for q := 0; q < len(n.queue); q++ {
		w := n.queue[q]
		for i := int32(0); ; i++ {
			v, arc, at := n.into(w, i)
			if v == None {
				break
			}
			i = at
			if n.depth[v] != 0 || closed[v] {
				continue
			}
			n.depth[v] = 1
			n.queue = append(n.queue, v)
			n.ahead[v], n.aheadArc[v] = w, arc
			from := v - n.member0
			if from >= 0 && n.extra[from] && !promised[from] && n.pot[v] == tier {
				n.follow(v, to)
				n.extra[from], n.extra[m] = false, true
				return true
			}
		}
	}
	for _, v := range n.queue {
		closed[v] = true
	}
	return false
}

// follow sends one unit from v along the arcs of ahead until it is at w.
func (n *network) follow(v, w int32) {
	for v != w {
		next := n.ahead[v]
		n.push(v, n.aheadArc[v], next, 1)
		v = next
	}
}
