package flow

// cycleSearch is the Bellman-Ford algorithm on members, bundles, and one node for
// each load: a chain that ends with a member of load k may have begun with one of
// load k+1 without changing the balance.
type cycleSearch struct {
	*certifier
	miss   int64   // what a rack miss costs
	move   int64   // what a move costs
	member []int64 // the distance of each member
	bundle []int64 // of each bundle
	level  []int64 // of each load
	// What each was reached by last.
	memberBy, bundleBy, levelBy []int32
	byLevel                     []bool // of each member: by its level, not a bundle
	has, had                    []int32
}

// findCycle looks for a cycle that saves something, if a miss and a move cost that
// much, and if there is one hands partitions on along it.
func (c *certifier) findCycle(miss, move int64) bool {
	most := int32(0)
	for _, l := range c.load {
		most = max(most, l)
	}
	s := cycleSearch{
		certifier: c,
		miss:      miss,
		move:      move,
		member:    make([]int64, len(c.load)),
		bundle:    make([]int64, len(c.first)),
		level:     make([]int64, most+2),
		memberBy:  constantNone(len(c.load)),
		bundleBy:  constantNone(len(c.first)),
		levelBy:   constantNone(int(most) + 2),
		byLevel:   make([]bool, len(c.load)),
		has:       make([]int32, len(c.load)),
		had:       make([]int32, len(c.load)),
	}
	for s.round() {
		if start := s.loop(); start != None {
			s.undo(start)
			return true
		}
	}
	return false
}

func constantNone(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = None
	}
	return list
}

// round shortens distances over every arc once, and reports whether any changed.
func (s *cycleSearch) round() (changed bool) {
	for b := range int32(len(s.first)) {
		changed = s.relaxBundle(b) || changed
	}
	for m, load := range s.load {
		if s.member[m] < s.level[load] {
			s.level[load], s.levelBy[load] = s.member[m], int32(m)
			changed = true
		}
	}
	for m, load := range s.load {
		if load > 0 && s.level[load-1] < s.member[m] {
			s.member[m], s.memberBy[m], s.byLevel[m] = s.level[load-1], load-1, true
			changed = true
		}
	}
	return changed
}

// relaxBundle goes over the arcs into bundle b, by which a member gives one up, and
// then over those out of it, by which one gets it.
func (s *cycleSearch) relaxBundle(b int32) (changed bool) {
	shares := s.sharesOf(b)
	for _, h := range shares {
		if d := s.member[h.member] - s.worth(b, h); h.has > 0 && d < s.bundle[b] {
			s.bundle[b], s.bundleBy[b] = d, h.member
			changed = true
		}
		s.has[h.member], s.had[h.member] = h.has, h.had
	}
	s.eachReader(b, func(m int32) {
		d := s.bundle[b]
		if s.has[m] >= s.had[m] {
			d += s.move
		}
		if d < s.member[m] {
			if s.p.Miss(s.first[b], m) {
				d += s.miss
			}
			if d < s.member[m] {
				s.member[m], s.memberBy[m], s.byLevel[m] = d, b, false
				changed = true
			}
		}
	})
	for _, h := range shares {
		s.has[h.member], s.had[h.member] = 0, 0
	}
	return changed
}

// worth is what giving up one of a share saves.
func (s *cycleSearch) worth(b int32, h holding) (saved int64) {
	if h.has > h.had {
		saved = s.move
	}
	if s.p.Miss(s.first[b], h.member) {
		saved += s.miss
	}
	return saved
}

// loop returns a member on a loop of the links by which nodes were reached, or
// None. There is such a loop, of negative cost, if distances go on changing.
func (s *cycleSearch) loop() int32 {
	walk := make([]int32, len(s.load))
	for m := range walk {
		id := int32(m) + 1
		for at := int32(m); at != None && walk[at] == 0; at = s.before(at) {
			walk[at] = id
			if next := s.before(at); next != None && walk[next] == id {
				return next
			}
		}
	}
	return None
}

// before returns the member from which m was reached, by a bundle or a level.
func (s *cycleSearch) before(m int32) int32 {
	switch by := s.memberBy[m]; {
	case by == None:
		return None
	case s.byLevel[m]:
		return s.levelBy[by]
	default:
		return s.bundleBy[by]
	}
}

// undo hands partitions on along the loop through start.
func (s *cycleSearch) undo(start int32) {
	type step struct{ bundle, from, to int32 }
	var steps []step
	for m, first := start, true; first || m != start; first = false {
		from := s.before(m)
		if !s.byLevel[m] {
			steps = append(steps, step{s.memberBy[m], from, m})
		}
		m = from
	}
	for _, step := range steps {
		s.hand(step.bundle, step.from, step.to)
	}
}
