// Package plain solves a flow.Problem the readable way: one min-cost flow whose
// cost is a list of ranks compared from the front, then one question for each
// decision that the canonical rules name. It is the measure that the fast engine
// is held against.
//
// The flow goes from rows to members to a sink. A row is a set of partitions
// that are alike: one topic, one set of racks. A row reaches a member by two
// arcs, one for what the member owned of it and one for everything else, so that
// a kept partition costs nothing and a moved one costs one move. The arc from a
// member to the sink costs the square of its flow, which is balance. Where
// spread is asked for, all rows of a topic pass one more node on their way to a
// member, and the arc behind it costs the square of its flow in the last rank.
//
// No rank is scaled into another one: a cost is compared number by number, so
// nothing overflows and nothing is rounded.
package plain

import (
	"slices"

	"github.com/holdfast/holdfast/internal/flow"
)

// Solve returns the owner of each partition under the one best assignment, with
// flow.None for the partitions of topics that nobody subscribes to. Best is, in
// this order: the least sum of squared loads, the fewest rack misses, the most
// partitions kept, with p.Spread the least sum of squared counts by topic and
// member, and then the canonical rules: who gets an extra partition, which owned
// partitions stay, where the others go.
//
// With r rows, n members and p partitions it costs O(p) shortest paths over the
// subscription edges r x n, and as many searches for the canonical rules; 200
// members and 1,000 partitions take well under a second.
func Solve(p *flow.Problem) []int32 {
	s := build(p)
	for row := range s.rows {
		for range s.rows[row].members {
			s.net.send(s.rowNode(row), sink)
		}
	}
	s.chooseExtras()
	s.chooseKept()
	s.choosePlaces()
	return s.owner
}

// sink is where every unit of flow ends; the members are the nodes after it.
const sink = 0

// row is a set of partitions that are alike.
type row struct {
	topic   int32
	members []int32 // its partitions, ascending
	readers []reader
}

// reader is one subscriber of a row and its arcs from the row. The arc for
// keeping is -1 where the member owned nothing of the row.
type reader struct {
	member     int32
	keep, move int32
}

// solver is a problem on its way to a solution.
type solver struct {
	p       *flow.Problem
	net     network
	rows    []row
	rowOf   []int32 // row of each partition, flow.None if it has no subscriber
	topicOf []int32
	load    []int32 // arc from each member to the sink
	target  []int32 // final load of each member, once the extras are chosen
	owner   []int32 // the result
}

func memberNode(m int32) int32 { return sink + 1 + m }

func (s *solver) rowNode(r int) int32 { return int32(sink + 1 + s.p.Members() + r) }

// build lays out rows, nodes and arcs.
func build(p *flow.Problem) *solver {
	s := &solver{p: p, topicOf: p.TopicOf(), owner: make([]int32, p.Partitions())}
	for i := range s.owner {
		s.owner[i] = flow.None
	}
	subscribers := subscribersOf(p)
	s.layRows(subscribers)
	s.net.grow(1 + p.Members() + len(s.rows))
	for m := range int32(p.Members()) {
		balance := arc{from: memberNode(m), to: sink, limit: int32(p.Partitions()), square: rankLoad}
		s.load = append(s.load, s.net.add(balance))
	}
	var gates map[[2]int32]int32
	if p.Spread {
		gates = s.layGates(subscribers)
	}
	for r := range s.rows {
		s.layReaders(r, subscribers[s.rows[r].topic], gates)
	}
	return s
}

// subscribersOf lists the members that read each topic, ascending.
func subscribersOf(p *flow.Problem) [][]int32 {
	subscribers := make([][]int32, p.TopicCount())
	for m, class := range p.Class {
		for _, t := range p.Topics[class] {
			subscribers[t] = append(subscribers[t], int32(m))
		}
	}
	return subscribers
}

// layRows sorts the partitions of topics with subscribers into rows.
func (s *solver) layRows(subscribers [][]int32) {
	type kind struct{ topic, racks int32 }
	number := map[kind]int32{}
	s.rowOf = make([]int32, s.p.Partitions())
	for i, t := range s.topicOf {
		if len(subscribers[t]) == 0 {
			s.rowOf[i] = flow.None
			continue
		}
		k := kind{topic: t, racks: flow.None}
		if s.p.Racked() {
			k.racks = s.p.RackSet[i]
		}
		r, known := number[k]
		if !known {
			r = int32(len(s.rows))
			number[k] = r
			s.rows = append(s.rows, row{topic: t})
		}
		s.rowOf[i] = r
		s.rows[r].members = append(s.rows[r].members, int32(i))
	}
}

// layGates adds, for every topic and subscriber, the node that all rows of the
// topic pass on their way to the subscriber.
func (s *solver) layGates(subscribers [][]int32) map[[2]int32]int32 {
	gates := map[[2]int32]int32{}
	for t := range subscribers {
		size := s.p.Start[t+1] - s.p.Start[t]
		for _, m := range subscribers[t] {
			gate := s.net.grow(1)
			gates[[2]int32{int32(t), m}] = gate
			s.net.add(arc{from: gate, to: memberNode(m), limit: size, square: rankSpread})
		}
	}
	return gates
}

// layReaders adds the arcs of one row.
func (s *solver) layReaders(r int, subscribers []int32, gates map[[2]int32]int32) {
	row := &s.rows[r]
	owned := map[int32]int32{}
	for _, i := range row.members {
		owned[s.p.Owner[i]]++
	}
	for _, m := range subscribers {
		to := memberNode(m)
		if gates != nil {
			to = gates[[2]int32{row.topic, m}]
		}
		var price cost
		if s.p.Miss(row.members[0], m) {
			price[rankMiss] = 1
		}
		rd := reader{member: m, keep: flow.None}
		if owned[m] > 0 {
			keep := arc{from: s.rowNode(r), to: to, limit: owned[m], price: price, square: rankNone}
			rd.keep = s.net.add(keep)
		}
		price[rankMoved] = 1
		size := int32(len(row.members))
		move := arc{from: s.rowNode(r), to: to, limit: size, price: price, square: rankNone}
		rd.move = s.net.add(move)
		row.readers = append(row.readers, rd)
	}
}

// chooseExtras is the first canonical rule. In every optimum a member has one of
// at most two loads, so to hold what it has now is either no restriction or the
// extra itself, and one unit more is the extra or impossible.
func (s *solver) chooseExtras() {
	owned := make([]int32, s.p.Members())
	for _, m := range s.p.Owner {
		if m != flow.None {
			owned[m]++
		}
	}
	order := make([]int32, s.p.Members())
	for m := range order {
		order[m] = int32(m)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(owned[b] - owned[a]) })
	for _, m := range order {
		load := &s.net.arcs[s.load[m]]
		load.floor = load.flow
		s.net.promise(s.load[m])
	}
	for _, a := range s.load {
		s.target = append(s.target, s.net.arcs[a].flow)
	}
}

// chooseKept is the second canonical rule: each owned partition, by its number
// within its topic and then by topic, stays if it can. Partitions of one row and
// one owner are alike, so the first of them that cannot stay ends the matter for
// all later ones; the network says the same to each of them.
func (s *solver) chooseKept() {
	var owned []int32
	for i, m := range s.p.Owner {
		if m != flow.None {
			owned = append(owned, int32(i))
		}
	}
	number := func(i int32) int32 { return i - s.p.Start[s.topicOf[i]] }
	slices.SortStableFunc(owned, func(a, b int32) int { return int(number(a) - number(b)) })
	for _, i := range owned {
		m := s.p.Owner[i]
		readers := s.rows[s.rowOf[i]].readers
		at, _ := slices.BinarySearchFunc(readers, m, func(rd reader, m int32) int {
			return int(rd.member - m)
		})
		if s.net.promise(readers[at].keep) {
			s.owner[i] = m
		}
	}
}

// choosePlaces is the third canonical rule: each partition without an owner goes
// to the subscriber below its target that now owns fewest, the smaller id first,
// if the others can still be placed at the optimum.
func (s *solver) choosePlaces() {
	now := make([]int32, s.p.Members())
	for _, m := range s.owner {
		if m != flow.None {
			now[m]++
		}
	}
	for i := range s.owner {
		if s.owner[i] != flow.None || s.rowOf[i] == flow.None {
			continue
		}
		m := s.place(s.rows[s.rowOf[i]].readers, now)
		s.owner[i] = m
		now[m]++
	}
}

// place finds the subscriber for one partition of a row.
func (s *solver) place(readers []reader, now []int32) int32 {
	var open []reader
	for _, rd := range readers {
		if now[rd.member] < s.target[rd.member] {
			open = append(open, rd)
		}
	}
	slices.SortStableFunc(open, func(a, b reader) int { return int(now[a.member] - now[b.member]) })
	for _, rd := range open {
		if s.net.promise(rd.move) {
			return rd.member
		}
	}
	panic("plain: an optimal flow leaves a partition without a place")
}
