package flow

import (
	"cmp"
	"slices"
)

// settleSpread completes the assignment with the rank spread and returns it with
// its spread and a bound below which no assignment goes that is as good in the
// ranks above.
//
// First the rules choose without this rank. If every topic then is as even as it
// can be for itself, that is the answer: an assignment that the rules prefer among
// many they also prefer among fewer. Otherwise, if the flow is small enough, it is
// found exactly, the rules included, and the bound is the spread itself. If it is
// not, the topics furthest from even, as many as the limit allows, are spread anew;
// the bound is then that of each topic for itself.
func (n *network) settleSpread(limit int) (owner []int32, value, bound int64) {
	s := newSpread(n)
	even := s.evenSquares()
	bound = sum(even)
	tight := slices.Clone(n.classesOf.words) // the rules forget what they rule out
	owner = n.settleRules()
	now := spreadByTopic(n.p, owner)
	n.classesOf.words = tight
	if value = sum(now); value == bound {
		return owner, value, bound
	}
	topics := make([]int32, n.p.TopicCount())
	arcs := 0
	for t := range topics {
		topics[t] = int32(t)
		arcs += s.countPairs(int32(t))
	}
	if arcs > limit {
		s.improve(owner, now, even, limit)
		return owner, Spread(n.p, owner), bound
	}
	for i := range owner {
		owner[i] = None
	}
	s.spreadTopics(topics, owner)
	value = Spread(n.p, owner)
	return owner, value, value
}

// evenSquares returns, for each topic, the least sum of squares that it can have
// for itself, whatever the others do.
func (s *spread) evenSquares() []int64 {
	g := &s.g
	g.excess = make([]int32, s.firstSlot())
	g.pot = make([]int64, s.firstSlot())
	even := make([]int64, s.n.p.TopicCount())
	for t := range int32(len(even)) {
		s.pourTopic(t)
		for _, kept := range s.keptHere {
			even[t] += int64(kept) * int64(kept)
		}
		for _, a := range g.arcs {
			if a.square {
				even[t] += int64(a.x) * (int64(a.x) + 2*int64(a.plus))
			}
		}
		s.reset(t)
	}
	return even
}

// reset takes the arcs of the one topic t out again.
func (s *spread) reset(t int32) {
	g := &s.g
	for _, a := range g.arcs {
		g.excess[a.to] = 0
		if a.from >= s.firstSlot() {
			s.slotHere[a.to-s.memberNode(0)] = 0
		}
	}
	g.excess, g.pot = g.excess[:s.firstSlot()], g.pot[:s.firstSlot()]
	g.arcs, s.slotOf = g.arcs[:0], s.slotOf[:0]
	for i := s.n.p.Start[t]; i < s.n.p.Start[t+1]; i++ {
		if s.arcOf[i] >= 0 {
			s.arcOf[i] = None
			s.arcHere[s.n.cellOf[i]] = 0
		}
	}
}

// improve spreads the topics anew that are furthest from even; loads stay.
func (s *spread) improve(owner []int32, now, even []int64, limit int) {
	p := s.n.p
	var topics []int32
	for t := range int32(len(now)) {
		if now[t] > even[t] {
			topics = append(topics, t)
		}
	}
	slices.SortStableFunc(topics, func(t, u int32) int {
		return cmp.Compare(now[u]-even[u], now[t]-even[t])
	})
	arcs, count := 0, 0
	for _, t := range topics {
		if arcs += s.countPairs(t); arcs > limit {
			break
		}
		count++
	}
	topics = topics[:count]
	slices.Sort(topics)
	clear(s.least)
	for _, t := range topics {
		for i := p.Start[t]; i < p.Start[t+1]; i++ {
			if m := owner[i]; m != None {
				s.least[m]++
				owner[i] = None
			}
			if s.arcOf[i] == keptAnyway {
				s.least[p.Owner[i]]--
			}
		}
	}
	copy(s.most, s.least)
	s.spreadTopics(topics, owner)
}

// Spread is the sum over topics and members of squared counts. It costs
// O(partitions + members).
func Spread(p *Problem, owner []int32) int64 {
	return sum(spreadByTopic(p, owner))
}

func sum(list []int64) (total int64) {
	for _, x := range list {
		total += x
	}
	return total
}

// spreadByTopic is Spread topic by topic.
func spreadByTopic(p *Problem, owner []int32) []int64 {
	squares := make([]int64, p.TopicCount())
	count := make([]int64, p.Members())
	for t := range squares {
		mine := owner[p.Start[t]:p.Start[t+1]]
		for _, m := range mine {
			if m != None {
				squares[t] += 2*count[m] + 1
				count[m]++
			}
		}
		for _, m := range mine {
			if m != None {
				count[m] = 0
			}
		}
	}
	return squares
}

// level is an even distribution over arcs: arcs that cannot come up to it have all
// they can, those that are above it nothing, the others are at it, and extra of
// these have one more.
type level struct{ at, extra int32 }

// evenLevel finds the level at which the arcs take amount, or all they can.
func (g *convex) evenLevel(arcs []int32, amount int64) level {
	takes := func(at int32) int64 {
		sum := int64(0)
		for _, e := range arcs {
			sum += int64(g.arcs[e].upTo(at))
		}
		return sum
	}
	low, high := int32(0), int32(1)
	for _, e := range arcs {
		high = max(high, g.arcs[e].plus+g.arcs[e].most)
	}
	if takes(high) <= amount {
		return level{at: high}
	}
	for high-low > 1 { // takes(low) <= amount < takes(high)
		if middle := low + (high-low)/2; takes(middle) <= amount {
			low = middle
		} else {
			high = middle
		}
	}
	return level{low, int32(amount - takes(low))}
}

// upTo is what the arc takes to come to a level, as far as it can.
func (a *convexArc) upTo(at int32) int32 { return min(max(at-a.plus, 0), a.most) }

// pour distributes amount over the arcs as evenly as can be; where one gets more
// than another it is the one whose head lacks most. It sets the potentials of the
// arcs' tails so that no reduced cost is negative, those of the heads being 0.
func (g *convex) pour(arcs []int32, amount int64) {
	l := g.evenLevel(arcs, amount)
	var more []int32
	for _, e := range arcs {
		a := &g.arcs[e]
		a.x = a.upTo(l.at)
		g.excess[a.to] += a.x
		g.excess[a.from] -= a.x
		g.pot[a.from] = -2*int64(l.at) - 1
		if a.plus <= l.at && a.x < a.most {
			more = append(more, e)
		}
	}
	slices.SortFunc(more, func(e, f int32) int {
		return cmp.Or(cmp.Compare(g.excess[g.arcs[e].to], g.excess[g.arcs[f].to]),
			cmp.Compare(e, f))
	})
	for _, e := range more[:l.extra] {
		g.arcs[e].x++
		g.excess[g.arcs[e].to]++
		g.excess[g.arcs[e].from]--
	}
}

// spreadTopics gives the partitions of these topics to members as evenly as the
// ranks above allow, by the canonical rules, and leaves the rest of owner alone.
func (s *spread) spreadTopics(topics, owner []int32) {
	g := &s.g
	g.excess = make([]int32, s.firstSlot())
	g.pot = make([]int64, s.firstSlot())
	for m, least := range s.least {
		g.excess[s.memberNode(int32(m))] = -least
	}
	for _, t := range topics {
		s.pourTopic(t)
	}
	s.addExtras()
	g.nodes = int32(len(g.excess))
	g.join()
	g.solve()
	s.settle(topics, owner)
}

// pourTopic adds topic t, evenly spread but with no regard to what the members
// have of other topics.
func (s *spread) pourTopic(t int32) {
	g := &s.g
	square := s.addTopic(t)
	for len(g.excess) < int(s.firstSlot())+len(s.slotOf) {
		g.excess = append(g.excess, 0)
		g.pot = append(g.pot, 0)
	}
	free := int64(0)
	for l := s.lotAt[t]; l < s.lotAt[t+1]; l++ {
		g.excess[l] = s.lots[l].size - s.lots[l].kept
		free += int64(g.excess[l])
	}
	g.pour(square, free)
	if len(square) > 0 {
		for l := s.lotAt[t]; l < s.lotAt[t+1]; l++ {
			g.pot[l] = g.pot[g.arcs[square[0]].from]
		}
	}
}

// addExtras adds the arcs of the extras that can go to one member or another.
func (s *spread) addExtras() {
	n := s.n
	for t, extras := range n.extras {
		if extras == 0 {
			continue
		}
		node := s.tierNode(int32(t))
		for _, m := range n.tierList[n.tierAt[t]:n.tierAt[t+1]] {
			if s.least[m] == s.most[m] {
				if n.extra[m] {
					extras--
				}
				continue
			}
			s.g.add(convexArc{from: s.memberNode(m), to: node, most: 1})
		}
		s.g.excess[node] = -extras
	}
}
