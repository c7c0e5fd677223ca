package flow

import (
	"math/bits"
	"slices"
)

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
	queues []classQueue
	sorted []uint64 // the members of each class that need some, by owned and id
	raised []uint64 // the same of those that were given some, in rings
	need   []int32  // of each member

	choices []choice // the heaps of the rows of the topic at hand
	heaps   []heapOf // of each row: its heap
}

// heapOf is where in fill.choices the heap of a row is, if it is the topic's.
type heapOf struct {
	topic, start, size int32

	// only says that the heap's class is all that the row has an arc to. No cycle
	// goes through such a row, so the flow need not be asked nor kept up.
	only bool
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
	key   uint64
	class int32
}

// settlePool completes owner.
func (n *network) settlePool(owner []int32) {
	n.showMembers = false
	n.findBlocks(n.member0)
	f := fill{network: n, heaps: make([]heapOf, n.rows)}
	f.queueUp(owner)
	f.foresee(owner)
	for t := range int32(n.p.TopicCount()) {
		f.giveTopic(owner, t, func(i, row int32) { owner[i] = f.giveOne(row) })
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

// giveTopic calls give for each partition of topic t that is not kept, with its row.
func (f *fill) giveTopic(owner []int32, t int32, give func(i, row int32)) {
	f.choices = f.choices[:0]
	for i := f.p.Start[t]; i < f.p.Start[t+1]; i++ {
		row := f.rowOf[i]
		if owner[i] != None || row == None {
			continue
		}
		if f.heaps[row].topic != t+1 {
			f.offer(row, t)
		}
		give(i, row)
	}
}

// giveOne gives one partition of row away. A class that the row cannot give to now
// never comes back.
func (f *fill) giveOne(row int32) (member int32) {
	if h := f.heaps[row]; h.only {
		return f.serve(f.choices[h.start].class)
	}
	for {
		c, ok := f.foremost(row)
		if !ok {
			continue
		}
		e := f.possible(row, c)
		if e == None {
			f.replace(row, nobody)
			continue
		}
		f.take(e, 1)
		f.sweep()
		return f.serve(c)
	}
}

// foremost returns the class at the top of the row's heap. A class that has given
// to others since it was put there is further down than its key says; then it is
// put in its place, and ok is false.
func (f *fill) foremost(row int32) (class int32, ok bool) {
	best := f.choices[f.heaps[row].start]
	key := f.first(best.class)
	if key != best.key {
		f.replace(row, key)
	}
	return best.class, key == best.key
}

// possible returns the pool arc from row r to class c if it can carry something in
// some way to complete the assignment, after making it so, or None.
func (f *fill) possible(r, c int32) int32 {
	if e := f.find(r, c); e != None {
		return e
	}
	if !f.connect(f.class0+c, r) {
		return None
	}
	f.give(r, c, 1)
	return f.find(r, c)
}

// offer makes a heap of the classes that row may give to: those of its block that
// it has an arc to, and those of others that it gives something already.
func (f *fill) offer(row, t int32) {
	h := &f.heaps[row]
	*h = heapOf{topic: t + 1, start: int32(len(f.choices))}
	index, words := f.classesOf.row(row)
	arcs := 0
	for w, x := range words {
		arcs += bits.OnesCount64(x)
		for ; x != 0; x &= x - 1 {
			c := index[w]<<6 + int32(bits.TrailingZeros64(x))
			if f.block[row] == f.block[f.class0+c] {
				f.choose(c)
			}
		}
	}
	for e := f.fromRow[row]; e != None; e = f.arcs[e].nextR {
		if c := f.arcs[e].class; f.block[row] != f.block[f.class0+c] {
			f.choose(c)
			arcs++
		}
	}
	h.only = arcs == 1
	h.size = int32(len(f.choices)) - h.start
	for i := h.size/2 - 1; i >= 0; i-- {
		down(f.choices[h.start:], i)
	}
}

// choose adds class c to the choices if it needs any.
func (f *fill) choose(c int32) {
	if key := f.first(c); key != nobody {
		f.choices = append(f.choices, choice{key, c})
	}
}

// replace gives the top of the row's heap a new key, or takes it out for nobody.
func (f *fill) replace(row int32, key uint64) {
	h := &f.heaps[row]
	heap := f.choices[h.start : h.start+h.size]
	heap[0].key = key
	if key == nobody {
		h.size--
		heap[0] = heap[h.size]
	}
	down(heap[:h.size], 0)
}

// down restores the order of the heap where only entry i may be too far up.
func down(heap []choice, i int32) {
	for {
		least := i
		for j := 2*i + 1; j <= 2*i+2 && int(j) < len(heap); j++ {
			if heap[j].key < heap[least].key {
				least = j
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
