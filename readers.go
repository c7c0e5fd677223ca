package holdfast

import (
	"cmp"
	"slices"
)

// staticFirst returns the positions of the members in the order that Kafka's
// range and roundrobin go by: static members by group.instance.id, then dynamic
// ones by member id (KIP-345).
func (p *problem) staticFirst() []int32 {
	order := make([]int32, len(p.members))
	for m := range order {
		order[m] = int32(m)
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := p.members[a], p.members[b]
		switch {
		case x.InstanceID == "" && y.InstanceID == "":
			return cmp.Compare(a, b)
		case x.InstanceID == "":
			return 1
		case y.InstanceID == "":
			return -1
		}
		return cmp.Or(cmp.Compare(x.InstanceID, y.InstanceID), cmp.Compare(a, b))
	})
	return order
}

// readers lists who subscribes to a topic. Topics mostly have the same readers
// as the topic before, so only the last list is kept: memory stays O(members +
// topics of the classes), whatever the number of subscriptions.
type readers struct {
	problem *problem
	order   []int32   // all members, in the order that the lists are to have
	classes [][]int32 // of each topic: the classes that contain it
	reads   []bool    // of each class: it is in the list's classes
	last    []int32   // the classes that list was made for
	list    []int32   // positions in order, ascending
}

func (p *problem) readers(order []int32) *readers {
	r := &readers{problem: p, order: order, classes: make([][]int32, len(p.topics)),
		reads: make([]bool, len(p.classes))}
	for c, topics := range p.classes {
		for _, t := range topics {
			r.classes[t] = append(r.classes[t], int32(c))
		}
	}
	return r
}

// of returns the positions, within the order, of the members that subscribe to
// the topic, ascending. The list is valid until the next call.
func (r *readers) of(t int) []int32 {
	classes := r.classes[t]
	if slices.Equal(classes, r.last) {
		return r.list
	}
	clear(r.reads)
	for _, c := range classes {
		r.reads[c] = true
	}
	r.last, r.list = classes, r.list[:0]
	for i, m := range r.order {
		if r.reads[r.problem.class[m]] {
			r.list = append(r.list, int32(i))
		}
	}
	return r.list
}
