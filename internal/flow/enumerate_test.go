package flow

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// The oracle of this file lists every assignment of a small problem, keeps those
// that are optimal rank by rank, and applies the rules R3 to R5 to that list word
// by word. It shares nothing with the solver but the Problem.

// assignments lists every assignment of p, or nil if there are more than limit.
func assignments(p *Problem, limit int) [][]int32 {
	readers := make([][]int32, p.TopicCount())
	for m, class := range p.Class {
		for _, t := range p.Topics[class] {
			readers[t] = append(readers[t], int32(m))
		}
	}
	topic := p.TopicOf()
	all := [][]int32{{}}
	for i := range p.Partitions() {
		choices := readers[topic[i]]
		if len(choices) == 0 {
			choices = []int32{None}
		}
		if len(all)*len(choices) > limit {
			return nil
		}
		var next [][]int32
		for _, a := range all {
			for _, m := range choices {
				next = append(next, append(slices.Clone(a), m))
			}
		}
		all = next
	}
	return all
}

// figures are the ranks of an assignment, all to be made small.
func figures(p *Problem, owner []int32) []int {
	load := make([]int, p.Members())
	cell := map[[2]int32]int{}
	misses, moved, squares, spread := 0, 0, 0, 0
	topic := p.TopicOf()
	for i, m := range owner {
		if m == None {
			continue
		}
		load[m]++
		cell[[2]int32{topic[i], m}]++
		if p.Miss(int32(i), m) {
			misses++
		}
		if p.Owner[i] != m {
			moved++
		}
	}
	for _, l := range load {
		squares += l * l
	}
	for _, c := range cell {
		spread += c * c
	}
	if !p.Spread {
		spread = 0
	}
	return []int{squares, misses, moved, spread}
}

// optima lists the assignments that are best by the ranks, and their figures.
func optima(p *Problem, all [][]int32) (best [][]int32, ranks []int) {
	for _, a := range all {
		f := figures(p, a)
		switch c := slices.Compare(f, ranks); {
		case ranks == nil || c < 0:
			best, ranks = [][]int32{a}, f
		case c == 0:
			best = append(best, a)
		}
	}
	return best, ranks
}

// only returns those that ok accepts, or all if it accepts none.
func only(list [][]int32, ok func([]int32) bool) [][]int32 {
	kept := slices.DeleteFunc(slices.Clone(list), func(a []int32) bool { return !ok(a) })
	if len(kept) == 0 {
		return list
	}
	return kept
}

// canonical applies the rules R3, R4 and R5 to the list of all optima.
func canonical(p *Problem, best [][]int32) []int32 {
	best = ruleExtras(p, best)
	loads := loadsOf(p, best[0])
	kept := make([]bool, p.Partitions())
	topic := p.TopicOf()
	order := make([]int32, 0, p.Partitions())
	for i, m := range p.Owner {
		if m != None {
			order = append(order, int32(i))
		}
	}
	number := func(i int32) int32 { return i - p.Start[topic[i]] }
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
	})
	for _, i := range order {
		best = only(best, func(a []int32) bool { return a[i] == p.Owner[i] })
		kept[i] = best[0][i] == p.Owner[i]
		// What is not kept is not kept: no optimum left has it.
	}
	now := make([]int, p.Members())
	for i, k := range kept {
		if k {
			now[p.Owner[i]]++
		}
	}
	for i := range kept {
		if kept[i] || best[0][i] == None {
			continue
		}
		choice := None
		for m := range int32(p.Members()) {
			possible := slices.ContainsFunc(best, func(a []int32) bool { return a[i] == m })
			if possible && now[m] < loads[m] && (choice == None || now[m] < now[choice]) {
				choice = m
			}
		}
		best = only(best, func(a []int32) bool { return a[i] == choice })
		now[choice]++
	}
	if len(best) != 1 {
		panic("the rules leave more than one assignment")
	}
	return best[0]
}

func loadsOf(p *Problem, owner []int32) []int {
	load := make([]int, p.Members())
	for _, m := range owner {
		if m != None {
			load[m]++
		}
	}
	return load
}

// ruleExtras keeps the optima whose loads rule R3 prefers. Which members can have
// an extra at all is read off the optima: those whose load differs among them.
func ruleExtras(p *Problem, best [][]int32) [][]int32 {
	owned := loadsOf(p, p.Owner)
	order := make([]int, p.Members())
	for m := range order {
		order[m] = m
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(owned[b], owned[a]), cmp.Compare(a, b))
	})
	for _, m := range order {
		most := 0
		for _, a := range best {
			most = max(most, loadsOf(p, a)[m])
		}
		best = only(best, func(a []int32) bool { return loadsOf(p, a)[m] == most })
	}
	return best
}

// shape says how randomProblem draws.
type shape struct {
	members, topics, partitions int // at most; partitions of one topic
	racks                       int // 0: none
	spread                      bool
}

// randomProblem draws a problem with up to the given numbers.
func randomProblem(r *rand.Rand, s shape) *Problem {
	members, topics := 1+r.IntN(s.members), 1+r.IntN(s.topics)
	p := &Problem{Start: []int32{0}, Spread: s.spread}
	for range topics {
		p.Start = append(p.Start, p.Start[len(p.Start)-1]+int32(r.IntN(s.partitions+1)))
	}
	drawSubscriptions(r, p, members, topics)
	drawOwners(r, p)
	if s.racks > 0 {
		drawRacks(r, p, s.racks)
	}
	return p
}

// drawOwners draws who owned what: any share at random, with one favourite; or,
// half of the time, an optimum that has since been disturbed a little.
func drawOwners(r *rand.Rand, p *Problem) {
	readers := make([][]int32, p.TopicCount())
	for m, class := range p.Class {
		for _, t := range p.Topics[class] {
			readers[t] = append(readers[t], int32(m))
		}
	}
	p.Owner = make([]int32, p.Partitions())
	share, favourite := r.IntN(4), int32(r.IntN(p.Members()))
	topic := p.TopicOf()
	for i, t := range topic {
		p.Owner[i] = None
		if list := readers[t]; len(list) > 0 && r.IntN(3) < share {
			p.Owner[i] = list[r.IntN(len(list))]
			if r.IntN(3) == 0 && slices.Contains(list, favourite) {
				p.Owner[i] = favourite
			}
		}
	}
	if r.IntN(2) == 0 {
		return
	}
	p.Owner = Solve(p).Owner
	for i, t := range topic {
		if list := readers[t]; len(list) > 0 && r.IntN(5) == 0 {
			p.Owner[i] = list[r.IntN(len(list))]
		}
	}
}

// drawSubscriptions draws a subscription for every member, by one of several
// shapes: a few or many random ones, windows that overlap like links of a chain,
// nested ones, separate blocks with a bridge, or a hub that all read.
func drawSubscriptions(r *rand.Rand, p *Problem, members, topics int) {
	form := r.IntN(7)
	patterns := 1 + r.IntN(members)
	density := 1 + r.IntN(4)
	drawn := make([][]int32, patterns)
	for i := range drawn {
		for t := range topics {
			if r.IntN(4) < density {
				drawn[i] = append(drawn[i], int32(t))
			}
		}
	}
	width := 1 + r.IntN(3)
	blocks := 1 + r.IntN(3)
	for m := range members {
		reads := func(t int) bool {
			switch form {
			case 0: // chain
				return (t-m+topics*members)%topics <= width
			case 1: // nested
				return t*members <= m*topics
			case 2: // blocks, and one member that reads all
				return t%blocks == m%blocks || m == members-1
			case 3: // hub
				return t == 0 || t%members == m
			}
			return false
		}
		list := []int32(nil)
		if form > 3 {
			list = drawn[r.IntN(patterns)]
		} else {
			for t := range topics {
				if reads(t) {
					list = append(list, int32(t))
				}
			}
		}
		class := slices.IndexFunc(p.Topics, func(l []int32) bool { return slices.Equal(l, list) })
		if class < 0 {
			class = len(p.Topics)
			p.Topics = append(p.Topics, list)
		}
		p.Class = append(p.Class, int32(class))
	}
}

func drawRacks(r *rand.Rand, p *Problem, racks int) {
	for range p.Class {
		p.Rack = append(p.Rack, int32(r.IntN(racks+1))-1)
	}
	for set := 1; set < 1<<racks; set++ {
		var list []int32
		for k := range racks {
			if set>>k&1 == 1 {
				list = append(list, int32(k))
			}
		}
		p.RackSets = append(p.RackSets, list)
	}
	for range p.Owner {
		p.RackSet = append(p.RackSet, int32(r.IntN(len(p.RackSets)+1))-1)
	}
}
