package flow

import "math/bits"

// spread is the rank after moves: each topic as evenly over its members as the
// ranks above allow, that is, the least sum of squared counts of one topic at one
// member. Of the tight arcs every choice is optimal in the ranks above, so this is
// a flow of its own on these alone. Its nodes are lots (a topic, with racks a topic
// and one set of racks), members, and tiers; a topic of several lots also has a
// slot for each member. In the tight network a member either keeps all that it
// owned of a lot and may get more of it, or keeps some and gets none, so that one
// arc is enough for both:
//
//	lot -> member          if the topic is one lot: square cost
//	lot -> slot -> member  otherwise: square cost on the second arc
//	member -> tier         the extra, as in network
type spread struct {
	n *network
	g convex

	lots  []lot
	lotAt []int32 // the lots of topic t are lotAt[t] to lotAt[t+1]-1
	lotOf []int32 // of each partition, None where nobody reads its topic
	arcOf []int32 // of each partition: its owner's arc, or kept, or givenUp, or None
	least []int32 // of each member: how many more it has at least than it keeps anyway
	most  []int32 // and at most: the same, or one more

	keptHere []int32 // of each member: what it keeps anyway of the topic at hand
	arcHere  []int32 // of each cell: 1 + its arc, if that is of the lot at hand
	slotHere []int32 // of each member: its slot, if that is of the topic at hand
	slotOf   []int32 // of each slot: its topic
}

// lot is the partitions of one topic in one row, and how many of them stay with
// their owners in every optimum of the ranks above.
type lot struct{ topic, row, size, kept int32 }

// What spread.arcOf says of partitions without an arc.
const (
	keptAnyway = -2 // stays in every optimum of the ranks above
	givenUp    = -3 // stays in none
)

// spreadLimit is how many arcs Solve lets the flow have. A bigger one is only
// improved.
const spreadLimit = 1 << 19

// newSpread finds the lots and what is fixed, in a network as keepTight leaves it.
func newSpread(n *network) *spread {
	s := &spread{
		n:        n,
		lotAt:    make([]int32, n.p.TopicCount()+1),
		lotOf:    make([]int32, n.p.Partitions()),
		arcOf:    make([]int32, n.p.Partitions()),
		least:    make([]int32, n.members),
		most:     make([]int32, n.members),
		keptHere: make([]int32, n.members),
		arcHere:  make([]int32, len(n.own)),
		slotHere: make([]int32, n.members),
	}
	lotOfRow := make([]int32, n.rows)
	for r := range lotOfRow {
		lotOfRow[r] = None
	}
	for t := range int32(n.p.TopicCount()) {
		for i := n.p.Start[t]; i < n.p.Start[t+1]; i++ {
			s.lotOf[i], s.arcOf[i] = None, None
			r := n.rowOf[i]
			if r == None {
				continue
			}
			l := lotOfRow[r]
			if l == None || s.lots[l].topic != t {
				l = int32(len(s.lots))
				lotOfRow[r] = l
				s.lots = append(s.lots, lot{topic: t, row: r})
			}
			s.lotOf[i] = l
			s.lots[l].size++
			s.classify(i)
		}
		s.lotAt[t+1] = int32(len(s.lots))
	}
	for m, c := range n.classOf {
		t := n.tierOf[n.class0+c]
		s.least[m] += n.base[t]
		s.most[m] = s.least[m]
		if s.choosesExtra(int32(m)) {
			s.most[m]++
		} else if n.extra[m] {
			s.least[m]++
			s.most[m]++
		}
	}
	return s
}

// classify tells whether partition i stays with its owner in every optimum of the
// ranks above, or in none; arcOf stays None if that is open or it has no owner.
func (s *spread) classify(i int32) {
	k := s.n.cellOf[i]
	if k == None {
		return
	}
	m, r := s.n.member0+s.n.cellMember[k], s.n.cellRow[k]
	if s.n.own[k] > 0 && s.n.pot[m] == s.n.pot[r]+s.n.cellCost(k) {
		return
	}
	s.arcOf[i] = givenUp
	if s.n.keep[k] > 0 {
		s.arcOf[i] = keptAnyway
		s.lots[s.lotOf[i]].kept++
		s.least[s.n.cellMember[k]]--
	}
}

// choosesExtra reports whether the ranks above leave open if m has an extra.
func (s *spread) choosesExtra(m int32) bool {
	t := s.n.tierOf[s.n.class0+s.n.classOf[m]]
	return s.n.extras[t] > 0 && s.n.pot[s.n.member0+m] == s.n.pot[s.n.tier0+t]
}

// The nodes of the flow: lots, members, tiers, slots.

func (s *spread) memberNode(m int32) int32 { return int32(len(s.lots)) + m }
func (s *spread) tierNode(t int32) int32   { return int32(len(s.lots)) + s.n.members + t }
func (s *spread) firstSlot() int32         { return s.tierNode(s.n.tiers) }

// countPairs returns how many arcs the lots of topic t have.
func (s *spread) countPairs(t int32) int {
	count := int(s.n.p.Start[t+1] - s.n.p.Start[t])
	for l := s.lotAt[t]; l < s.lotAt[t+1]; l++ {
		if s.lots[l].size > s.lots[l].kept {
			s.receivers(l, func(int32) { count++ })
		}
	}
	return count
}

// receivers calls f for the members that may get partitions of lot l that they did
// not own.
func (s *spread) receivers(l int32, f func(m int32)) {
	index, words := s.n.classesOf.row(s.lots[l].row)
	for w, x := range words {
		for ; x != 0; x &= x - 1 {
			c := index[w]<<6 + int32(bits.TrailingZeros64(x))
			for _, m := range s.n.memberList[s.n.memberAt[c]:s.n.memberAt[c+1]] {
				if s.most[m] > 0 {
					f(m)
				}
			}
		}
	}
}

// addTopic adds the arcs of topic t and returns the numbers of those with a square
// cost.
func (s *spread) addTopic(t int32) (square []int32) {
	s.countKept(t)
	before := len(s.g.arcs)
	for l := s.lotAt[t]; l < s.lotAt[t+1]; l++ {
		if free := s.lots[l].size - s.lots[l].kept; free > 0 {
			s.receivers(l, func(m int32) { s.addPair(t, l, m, min(free, s.most[m])) })
		}
	}
	for i := s.n.p.Start[t]; i < s.n.p.Start[t+1]; i++ {
		k := s.n.cellOf[i]
		if k == None || s.arcOf[i] == keptAnyway || s.arcOf[i] == givenUp {
			continue
		}
		e := s.arcHere[k] - 1
		if int(e) < before || int(e) >= len(s.g.arcs) || s.g.arcs[e].from != s.lotOf[i] {
			e = s.addPair(t, s.lotOf[i], s.n.p.Owner[i], 0)
			s.arcHere[k] = e + 1
		}
		s.g.arcs[e].most++
		s.arcOf[i] = e
	}
	for e := before; e < len(s.g.arcs); e++ {
		if s.g.arcs[e].square {
			square = append(square, int32(e))
		}
	}
	return square
}

// countKept counts in keptHere what each member keeps of topic t anyway.
func (s *spread) countKept(t int32) {
	clear(s.keptHere)
	for i := s.n.p.Start[t]; i < s.n.p.Start[t+1]; i++ {
		if s.arcOf[i] == keptAnyway {
			s.keptHere[s.n.p.Owner[i]]++
		}
	}
}

// addPair adds an arc for the share of member m in lot l of topic t.
func (s *spread) addPair(t, l, m, most int32) int32 {
	to := s.memberNode(m)
	if s.lotAt[t+1]-s.lotAt[t] == 1 {
		return s.g.add(convexArc{from: l, to: to, most: most, plus: s.keptHere[m], square: true})
	}
	slot := s.slotHere[m]
	if i := int(slot - s.firstSlot()); i < 0 || i >= len(s.slotOf) || s.slotOf[i] != t {
		slot = s.firstSlot() + int32(len(s.slotOf))
		s.slotHere[m] = slot
		s.slotOf = append(s.slotOf, t)
		all := s.n.p.Start[t+1] - s.n.p.Start[t]
		s.g.add(convexArc{from: slot, to: to, most: all, plus: s.keptHere[m], square: true})
	}
	return s.g.add(convexArc{from: l, to: slot, most: most})
}
