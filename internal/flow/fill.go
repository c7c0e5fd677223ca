package flow

import "slices"

// fill gives the partitions that are not kept to members, by rule R5: in
// ascending order of topic and number, each to the subscriber below its target
// that owns fewest, then has the smaller id, among those that leave the rest
// completable at the optimum.
//
// The pool arcs carry one way to complete it. Row r can give one to class c if its
// arc carries something, or if a cycle of tight arcs through it can make it so.
// If it cannot now, it never can later: partitions of a row are alike.
type fill struct {
	*network
	queues  []classQueue
	sorted  []uint64 // the members of each class that need some, by owned and id
	raised  []uint64 // the same of those that were given some, in rings
	need    []int32  // of each member
	heap    []choice // the classes of the row at hand
	refused []bool   // of each pool arc: the row cannot give to this class
}

// classQueue lists the members of a class that need more, by what they own and
// id. Members are served in that order and come back one higher, so those that
// come back are in order among themselves, and merging two lists is all it takes.
type classQueue struct {
	sorted, sortedEnd int32 // what is left of the class's part of fill.sorted
	ring, size        int32 // the class's part of fill.raised
	head, count       int32 // what is in it
}

// choice is a class that a row may give to, with what its first member owns and
// that member's id.
type choice struct {
	key uint64
	arc int32
}

// settlePool completes owner.
func (n *network) settlePool(owner []int32) {
	n.showMembers = false
	n.findBlocks(n.member0)
	f := fill{network: n, refused: make([]bool, len(n.arcFlow))}
	f.queueUp(owner)
	p := n.p
	for t := range p.TopicCount() {
		f.giveTopic(owner, p.Start[t], p.Start[t+1])
	}
}

// queueUp computes what each member needs and sorts each class's members.
func (f *fill) queueUp(owner []int32) {
	f.need = slices.Clone(f.placed)
	owned := make([]int32, f.members)
	for _, m := range owner {
		if m != None {
			owned[m]++
		}
	}
	f.queues = make([]classQueue, f.classes)
	f.sorted = make([]uint64, 0, f.members)
	f.raised = make([]uint64, f.members)
	for c := range f.classes {
		q := &f.queues[c]
		q.sorted = int32(len(f.sorted))
		q.ring, q.size = f.memberAt[c], f.memberAt[c+1]-f.memberAt[c]
		for _, m := range f.memberList[f.memberAt[c]:f.memberAt[c+1]] {
			if f.need[m] > 0 {
				f.sorted = append(f.sorted, uint64(owned[m])<<32|uint64(m))
			}
		}
		q.sortedEnd = int32(len(f.sorted))
		slices.Sort(f.sorted[q.sorted:])
	}
}

// first returns what the first member of class c owns, and its id, in one number;
// nobody if no member of the class needs any.
func (f *fill) first(c int32) uint64 {
	q := &f.queues[c]
	key := nobody
	if q.sorted < q.sortedEnd {
		key = f.sorted[q.sorted]
	}
	if q.count > 0 {
		key = min(key, f.raised[q.ring+q.head])
	}
	return key
}

const nobody = ^uint64(0)

// serve gives one partition to the first member of class c.
func (f *fill) serve(c int32) (member int32) {
	q := &f.queues[c]
	key := f.first(c)
	if q.count > 0 && f.raised[q.ring+q.head] == key {
		q.count--
		q.head = (q.head + 1) % q.size
	} else {
		q.sorted++
	}
	member = int32(key & (1<<32 - 1))
	f.need[member]--
	if f.need[member] > 0 {
		f.raised[q.ring+(q.head+q.count)%q.size] = key + 1<<32
		q.count++
	}
	return member
}

// giveTopic gives away the partitions from first to end-1, which are one topic.
func (f *fill) giveTopic(owner []int32, first, end int32) {
	row := None
	for i := first; i < end; i++ {
		if owner[i] != None || f.rowOf[i] == None {
			continue
		}
		if f.rowOf[i] != row {
			row = f.rowOf[i]
			f.offer(row)
		}
		for {
			best := f.heap[0]
			if key := f.first(f.arcClass[best.arc]); key != best.key {
				f.replace(key)
			} else if !f.possible(best.arc) {
				f.refused[best.arc] = true
				f.replace(nobody)
			} else {
				f.addFlow(best.arc, -1)
				owner[i] = f.serve(f.arcClass[best.arc])
				f.replace(f.first(f.arcClass[best.arc]))
				break
			}
		}
	}
}

// possible reports whether pool arc e can carry one unit of its row in some way to
// complete the assignment, and if so makes it carry one.
func (f *fill) possible(e int32) bool {
	if f.arcFlow[e] > 0 {
		return true
	}
	r, c := f.arcRow[e], f.class0+f.arcClass[e]
	if !f.connect(c, r) {
		return false
	}
	f.addFlow(e, 1)
	return true
}

// offer makes a heap of the classes that row may give to.
func (f *fill) offer(row int32) {
	f.heap = f.heap[:0]
	for e := f.rowArc[row]; e < f.rowArc[row+1]; e++ {
		c := f.arcClass[e]
		if f.refused[e] || f.pot[f.class0+c] != f.pot[row]+f.poolCost(e) {
			continue
		}
		if key := f.first(c); key != nobody {
			f.heap = append(f.heap, choice{key, e})
		}
	}
	for i := len(f.heap)/2 - 1; i >= 0; i-- {
		f.down(i)
	}
}

// replace gives the top of the heap a new key, or takes it out for nobody.
func (f *fill) replace(key uint64) {
	f.heap[0].key = key
	if key == nobody {
		last := len(f.heap) - 1
		f.heap[0] = f.heap[last]
		f.heap = f.heap[:last]
	}
	f.down(0)
}

func (f *fill) down(i int) {
	for {
		least := i
		for j := 2*i + 1; j <= 2*i+2 && j < len(f.heap); j++ {
			if f.heap[j].key < f.heap[least].key {
				least = j
			}
		}
		if least == i {
			return
		}
		f.heap[i], f.heap[least] = f.heap[least], f.heap[i]
		i = least
	}
}
