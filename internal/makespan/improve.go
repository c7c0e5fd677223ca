package makespan

import (
	"cmp"
	"slices"
)

// How much work a search may do, in partitions or members looked at. It bounds
// the time of any input, and ends a search whose steps have become too small to
// matter.
const (
	leastSteps       = 20_000_000
	stepsByPartition = 200
	swapPartners     = 48
)

// tiny is the relative gain below which a step is rounding, not gain.
const tiny = 1e-12

// improve lowers the heaviest load, by one partition moved, two exchanged, or a
// chain of moves, until it is at most the limit or nothing helps. Each step
// takes the heaviest member below where it stood and brings nobody up to there,
// so it ends.
func (s *state) improve(limit float64) {
	s.addUp()
	budget := leastSteps + stepsByPartition*s.Partitions()
	for s.steps < budget && s.Members() > 0 {
		h := s.loaded.first()
		if s.relative(h) <= limit {
			return
		}
		s.steps += 1 + len(s.kinds)
		if !s.move(h) && !s.swap(h) && !s.chain(h, budget) {
			return
		}
	}
}

// below is what everybody must stay under for a step to count.
func (s *state) below(h int32) float64 { return s.relative(h) * (1 - tiny) }

// move takes the partition off the heaviest member that leaves the heavier of
// the two lightest.
func (s *state) move(h int32) bool {
	top := s.below(h)
	item, to := int32(-1), int32(-1)
	best := top
	for _, i := range s.items[h] {
		w := s.Weight[i]
		for _, k := range s.rows[s.rowOf[s.topic[i]]].kinds {
			s.steps++
			m := s.lightest[k].first()
			if m == h || w == 0 {
				continue
			}
			level := max((s.load[m]+w)/s.Capacity[m], (s.load[h]-w)/s.Capacity[h])
			if level < best || level == best && item >= 0 &&
				cmp.Or(cmp.Compare(i, item), cmp.Compare(m, to)) < 0 {
				best, item, to = level, i, m
			}
		}
	}
	if item < 0 {
		return false
	}
	s.give(item, to)
	return true
}

// exchange is a partition of the heaviest member for one of another, or for
// nothing.
type exchange struct {
	level     float64 // of the heavier of the two afterwards
	out, back int32
}

// swap exchanges a partition of the heaviest member for a lighter one of another
// member, so that the heavier of the two becomes as light as it can.
func (s *state) swap(h int32) bool {
	mine := s.byWeight(h)
	best := exchange{level: s.below(h), out: -1}
	for _, m := range s.partners(h) {
		s.bestExchange(h, m, mine, &best)
	}
	if best.out < 0 {
		return false
	}
	m := s.owner[best.back]
	s.give(best.out, m)
	s.give(best.back, h)
	return true
}

// partners are members that the heaviest one may exchange with: the lightest of
// each kind first, then those that stand near the head of their queue.
func (s *state) partners(h int32) []int32 {
	var list []int32
	for depth := 0; len(list) < swapPartners; depth++ {
		more := false
		for _, q := range s.lightest {
			if depth >= len(q.members) {
				continue
			}
			more = true
			if m := q.members[depth]; m != h {
				list = append(list, m)
			}
			if len(list) >= swapPartners && depth > 0 {
				break
			}
		}
		if !more {
			break
		}
	}
	s.steps += len(list)
	return list
}

// byWeight lists a member's partitions, the lightest first.
func (s *state) byWeight(m int32) []int32 {
	list := slices.Clone(s.items[m])
	slices.SortFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Weight[a], s.Weight[b]), cmp.Compare(a, b))
	})
	s.steps += len(list)
	return list
}

// bestExchange looks, for each partition of h, for the one of m that brings both
// members nearest to one level.
func (s *state) bestExchange(h, m int32, mine []int32, best *exchange) {
	theirs := s.byWeight(m)
	// Moving this much weight would make both equally loaded.
	even := (s.load[h]*s.Capacity[m] - s.load[m]*s.Capacity[h]) / (s.Capacity[h] + s.Capacity[m])
	if even <= 0 {
		return
	}
	for _, out := range mine {
		if !s.reads(m, out) {
			continue
		}
		at, _ := slices.BinarySearchFunc(theirs, s.Weight[out]-even, func(j int32, w float64) int {
			return cmp.Compare(s.Weight[j], w)
		})
		for near := max(0, at-2); near < min(len(theirs), at+2); near++ {
			s.steps++
			back := theirs[near]
			gain := s.Weight[out] - s.Weight[back]
			if gain <= 0 || !s.reads(h, back) {
				continue
			}
			level := max((s.load[h]-gain)/s.Capacity[h], (s.load[m]+gain)/s.Capacity[m])
			if level < best.level {
				*best = exchange{level, out, back}
			}
		}
	}
}

// link is a member on a chain: it receives a partition, and hands one on if that
// is too much for it.
type link struct {
	member, item int32 // who receives what
	from         int   // index of the link before
}

// chain looks for a row of members, from the heaviest one, each of which hands a
// partition to the next, so that all stay below where the heaviest stood. The
// nearest such row is taken; a member stands in it once. Chains are what helps
// where subscriptions differ and no single move is allowed.
func (s *state) chain(h int32, budget int) bool {
	top := s.below(h)
	seen := map[int32]bool{h: true}
	links := []link{{member: h, item: -1, from: -1}}
	for at := 0; at < len(links) && s.steps < budget; at++ {
		m := links[at].member
		with := s.load[m]
		if links[at].item >= 0 {
			with += s.Weight[links[at].item]
		}
		for _, i := range s.items[m] {
			w := s.Weight[i]
			if w == 0 || (with-w)/s.Capacity[m] >= top {
				s.steps++
				continue
			}
			for _, k := range s.rows[s.rowOf[s.topic[i]]].kinds {
				for _, next := range s.heads(k) {
					s.steps++
					if seen[next] {
						continue
					}
					seen[next] = true
					links = append(links, link{next, i, at})
					if (s.load[next]+w)/s.Capacity[next] < top {
						s.apply(links, len(links)-1)
						return true
					}
				}
			}
		}
	}
	return false
}

// heads are the members of a kind that a chain may go through.
func (s *state) heads(k int32) []int32 {
	members := s.lightest[k].members
	return members[:min(len(members), 4)]
}

// apply makes the moves of a chain, the last one first, so that every partition
// is still where the chain found it.
func (s *state) apply(links []link, at int) {
	for ; links[at].from >= 0; at = links[at].from {
		s.give(links[at].item, links[at].member)
	}
}
