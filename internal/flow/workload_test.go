package flow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// workload is a group before anything happens: the partitions of each topic and
// the topics of each member.
type workload struct {
	name       string
	partitions []int32
	reads      [][]int32 // lists may be shared
	racks      int       // members and replicas are spread over that many, if any
}

// events are the changes that the benchmarks time.
var events = []string{"fresh", "same", "join", "leave", "leave10", "join10", "scramble"}

// constant returns n times v.
func constant(n int, v int32) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// uniform: each member reads each topic with probability density.
func uniform(members, topics, partitions int, density float64) workload {
	r := rand.New(rand.NewPCG(uint64(members), uint64(topics)))
	w := workload{
		name: fmt.Sprintf("shape=uniform/density=%v/members=%d/topics=%d/partitions=%d",
			density, members, topics, topics*partitions),
		partitions: constant(topics, int32(partitions)),
	}
	for range members {
		w.reads = append(w.reads, sample(r, topics, density))
	}
	return w
}

func sample(r *rand.Rand, topics int, density float64) []int32 {
	var list []int32
	for t := range topics {
		if r.Float64() < density {
			list = append(list, int32(t))
		}
	}
	return list
}

// patterns: each member has one of a few random subscriptions to half the topics.
func patterns(count, members, topics, partitions int) workload {
	r := rand.New(rand.NewPCG(uint64(members), uint64(count)))
	w := workload{
		name: fmt.Sprintf("shape=patterns/patterns=%d/members=%d/topics=%d/partitions=%d",
			count, members, topics, topics*partitions),
		partitions: constant(topics, int32(partitions)),
	}
	drawn := make([][]int32, count)
	for i := range drawn {
		drawn[i] = sample(r, topics, 0.5)
	}
	for range members {
		w.reads = append(w.reads, drawn[r.IntN(count)])
	}
	return w
}

func equally(members, topics, partitions int) workload {
	w := workload{
		name: fmt.Sprintf("shape=equal/members=%d/topics=%d/partitions=%d",
			members, topics, topics*partitions),
		partitions: constant(topics, int32(partitions)),
	}
	all := make([]int32, topics)
	for t := range all {
		all[t] = int32(t)
	}
	for range members {
		w.reads = append(w.reads, all)
	}
	return w
}

// ring: member i reads the topics i and i+1.
func ring(members, partitions int) workload {
	w := workload{
		name:       fmt.Sprintf("shape=ring/members=%d/partitions=%d", members, members*partitions),
		partitions: constant(members, int32(partitions)),
	}
	for m := range members {
		list := []int32{int32(m), int32((m + 1) % members)}
		slices.Sort(list)
		w.reads = append(w.reads, list)
	}
	return w
}

// few: each member reads two or three random topics.
func few(members, topics, partitions int) workload {
	r := rand.New(rand.NewPCG(uint64(members), 23))
	w := workload{
		name: fmt.Sprintf("shape=few/members=%d/topics=%d/partitions=%d", members, topics,
			topics*partitions),
		partitions: constant(topics, int32(partitions)),
	}
	for range members {
		list := []int32{}
		for range 2 + r.IntN(2) {
			list = append(list, int32(r.IntN(topics)))
		}
		slices.Sort(list)
		w.reads = append(w.reads, slices.Compact(list))
	}
	return w
}

// zipf: topics are read, and sized, by a power law.
func zipf(members, topics int) workload {
	r := rand.New(rand.NewPCG(uint64(members), 29))
	w := workload{name: fmt.Sprintf("shape=zipf/members=%d/topics=%d", members, topics)}
	for t := range topics {
		w.partitions = append(w.partitions, max(1, int32(1000/math.Pow(float64(t+1), 0.8))))
	}
	for range members {
		list := []int32{}
		for t := range topics {
			if r.Float64() < 1/math.Pow(float64(t+1), 0.7) {
				list = append(list, int32(t))
			}
		}
		w.reads = append(w.reads, list)
	}
	return w
}

// hub: one big topic that all read, and a small one for each member.
func hub(members int) workload {
	w := workload{name: fmt.Sprintf("shape=hub/members=%d", members)}
	w.partitions = append(w.partitions, int32(members*3))
	for m := range members {
		w.partitions = append(w.partitions, int32(1+m%5))
		w.reads = append(w.reads, []int32{0, int32(m + 1)})
	}
	return w
}

// teams: each team reads its own topics, and teams differ in load.
func teams(count, members, topics, partitions int) workload {
	w := workload{name: fmt.Sprintf("shape=teams/teams=%d/members=%d/topics=%d/partitions=%d",
		count, members, topics, topics*partitions),
		partitions: constant(topics, int32(partitions))}
	of := make([][]int32, count)
	r := rand.New(rand.NewPCG(uint64(count), 31))
	for t := range topics {
		k := r.IntN(count)
		of[k] = append(of[k], int32(t))
	}
	for m := range members {
		w.reads = append(w.reads, of[m%count])
	}
	return w
}

// nested: member i reads the topics 0 to i.
func nested(members, partitions int) workload {
	w := workload{name: fmt.Sprintf("shape=nested/members=%d/partitions=%d", members,
		members*partitions), partitions: constant(members, int32(partitions))}
	all := make([]int32, members)
	for m := range members {
		all[m] = int32(m)
		w.reads = append(w.reads, all[:m+1:m+1])
	}
	return w
}

// problem returns the group as a Problem without owners.
func (w workload) problem() *Problem {
	p := &Problem{Start: []int32{0}}
	for _, n := range w.partitions {
		p.Start = append(p.Start, p.Start[len(p.Start)-1]+n)
	}
	classes := map[string]int32{}
	for _, list := range w.reads {
		key := fmt.Sprint(list)
		c, ok := classes[key]
		if !ok {
			c = int32(len(p.Topics))
			classes[key] = c
			p.Topics = append(p.Topics, list)
		}
		p.Class = append(p.Class, c)
	}
	p.Owner = constant(p.Partitions(), None)
	if w.racks > 0 {
		for m := range p.Class {
			p.Rack = append(p.Rack, int32(m%w.racks))
		}
		for k := range w.racks {
			p.RackSets = append(p.RackSets, []int32{int32(k)})
		}
		for i := range p.Owner {
			p.RackSet = append(p.RackSet, int32(i%w.racks))
		}
	}
	return p
}

// after returns the problem that the group has after the event.
func (w workload) after(event string) *Problem {
	r := rand.New(rand.NewPCG(7, 7))
	tenth := max(1, len(w.reads)/10)
	switch event {
	case "fresh":
		return w.problem()
	case "same":
		return w.settled(w.reads)
	case "join":
		return w.settled(w.reads[:len(w.reads)-1])
	case "join10":
		return w.settled(w.reads[:len(w.reads)-tenth])
	case "leave":
		return w.without(1, r)
	case "leave10":
		return w.without(tenth, r)
	case "scramble":
		return w.scrambled(r)
	}
	panic("unknown event " + event)
}

// settled returns the group's problem with the owners that a group of the first
// members would have.
func (w workload) settled(first [][]int32) *Problem {
	before := w
	before.reads = first
	p := w.problem()
	p.Owner = Solve(before.problem()).Owner
	return p
}

// without returns the problem of the group after some members left.
func (w workload) without(leaving int, r *rand.Rand) *Problem {
	owner := Solve(w.problem()).Owner
	number := constant(len(w.reads), 0)
	for _, m := range r.Perm(len(w.reads))[:leaving] {
		number[m] = None
	}
	after := w
	after.reads = nil
	for m := range number {
		if number[m] != None {
			number[m] = int32(len(after.reads))
			after.reads = append(after.reads, w.reads[m])
		}
	}
	p := after.problem()
	for i, m := range owner {
		if m != None {
			p.Owner[i] = number[m]
		}
	}
	return p
}

// scrambled returns the problem with a random reader owning each partition.
func (w workload) scrambled(r *rand.Rand) *Problem {
	p := w.problem()
	readers := make([][]int32, p.TopicCount())
	for m, list := range w.reads {
		for _, t := range list {
			readers[t] = append(readers[t], int32(m))
		}
	}
	for i, t := range p.TopicOf() {
		if list := readers[t]; len(list) > 0 {
			p.Owner[i] = list[r.IntN(len(list))]
		}
	}
	return p
}
