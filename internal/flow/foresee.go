package flow

import "slices"

// foresight replaces the flow on the pool arcs by one that follows rule R5 as far
// as that can be told without asking whether the rest can still be completed. Any
// flow will do for the rule to begin with, but each partition that goes where the
// flow has it already costs no search, and with this one nearly all do.
type foresight struct {
	*fill
	between []poolArc // what flows between blocks, which nothing can change
	room    []int32   // of each class: what it is still to get within its block
	given   []transfer
}

// transfer is one partition of a row that a class gets.
type transfer struct{ row, class int32 }

// foresee puts the flow on the pool arcs, if some row has a choice. It leaves the
// queues as they were.
func (f *fill) foresee(owner []int32) {
	f.keepWithin(f.block, f.blocks)
	if !f.classesOf.choice() {
		return
	}
	s := foresight{fill: f, room: make([]int32, f.classes)}
	s.setBetweenAside()
	queues, raised, need := slices.Clone(f.queues), slices.Clone(f.raised), slices.Clone(f.need)
	for t := range int32(f.p.TopicCount()) {
		f.giveTopic(owner, t, func(_, row int32) { s.next(row) })
	}
	f.queues, f.raised, f.need = queues, raised, need
	clear(f.heaps)
	s.complete()
}

// setBetweenAside takes all flow out of the pool but for what is on arcs between
// blocks. What rows have to give within their block becomes their excess.
func (s *foresight) setBetweenAside() {
	clear(s.excess)
	total := int32(0)
	for _, a := range s.arcs {
		switch {
		case a.flow <= 0:
		case s.block[a.row] != s.block[s.class0+a.class]:
			s.between = append(s.between, a)
		default:
			s.excess[a.row] += a.flow
			s.room[a.class] += a.flow
			total += a.flow
		}
	}
	s.given = make([]transfer, 0, total)
	s.clear()
	for _, a := range s.between {
		s.give(a.row, a.class, a.flow)
	}
}

// next gives one partition of row to the class that the rule names first, unless
// it has all that it is to get. If there is no class the row keeps it as excess.
func (s *foresight) next(row int32) {
	for s.heaps[row].size > 0 {
		c, ok := s.foremost(row)
		if !ok {
			continue
		}
		if s.block[row] != s.block[s.class0+c] {
			if e := s.find(row, c); e != None {
				s.take(e, 1)
				s.sweep()
				s.serve(c)
				return
			}
		} else if s.room[c] > 0 {
			s.room[c]--
			s.excess[row]--
			s.given = append(s.given, transfer{row, c})
			s.serve(c)
			return
		}
		s.replace(row, nobody)
	}
}

// complete makes a flow of what was given: rows that were left with something give
// it to the classes that still have room, by way of others where needed.
func (s *foresight) complete() {
	s.clear()
	for _, x := range s.given {
		s.give(x.row, x.class, 1)
	}
	var sources []int32
	for r := range s.rows {
		if s.excess[r] > 0 {
			sources = append(sources, r)
		}
	}
	for c, room := range s.room {
		s.excess[s.class0+int32(c)] = -room
	}
	clear(s.rowMask)
	s.saturate(sources)
	s.rowMask.fill(s.rows)
	for _, a := range s.between {
		s.give(a.row, a.class, a.flow)
	}
}
