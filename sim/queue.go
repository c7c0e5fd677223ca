package sim

import "github.com/holdfast/holdfast/group"

// occurrence is what happens at one time. The queue gives them out by time, and
// those of one time in the order in which they were put in; timers of processes
// come after everything else, in the order of the processes, for when they were put
// in depends on what they were set to before.
type occurrence struct {
	at   Time
	kind occurrenceKind
	// incarnation guards against a process that has been replaced since.
	incarnation int32
	process     *process
	message     *message
}

type occurrenceKind uint8

const (
	scenarioEvent  occurrenceKind = iota // message.id is the event's index
	processStart                         // the process begins
	processPoll                          // its application polls
	processTick                          // its client's timers
	processRestore                       // the next partition is ready
	listenerDone                         // a listener returns
	metadataRefresh
	commitTimer
	stallEnds
	cutEnds
	toCoordinator // message arrives
	toMember      // message arrives
	connectionLost
	coordinatorTick
	coordinatorStart
	rollNext  // a rolling event goes on to the next member
	faultsEnd // the network is sound from here on
)

// message is a request or a response on its way.
type message struct {
	ref      group.Ref
	id       int // for other occurrences: which of several
	request  group.Request
	response group.Response
}

// queue is a heap of small entries, in which each node has four children: it is
// flatter than a binary one, and what is taken out is mostly near the front. The
// occurrences themselves stay where they are until they are taken.
type queue struct {
	heap  []entry
	slots []occurrence
	free  []int32
	seq   uint64
}

// entry is the time and order of the occurrence in a slot.
type entry struct {
	at   Time
	seq  uint64
	slot int32
}

// afterAllElse is more than the sequence numbers come to.
const afterAllElse = 1 << 62

func (q *queue) empty() bool { return len(q.heap) == 0 }

// next is the time of the first occurrence.
func (q *queue) next() Time { return q.heap[0].at }

func (e *entry) before(f *entry) bool { return e.at < f.at || e.at == f.at && e.seq < f.seq }

func (q *queue) put(o occurrence) {
	q.seq++
	e := entry{o.at, q.seq, q.place(o)}
	if o.kind == processTick {
		e.seq = afterAllElse + uint64(o.process.number)
	}
	h := append(q.heap, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	q.heap = h
}

// place puts the occurrence into a free slot.
func (q *queue) place(o occurrence) int32 {
	if n := len(q.free); n > 0 {
		slot := q.free[n-1]
		q.free = q.free[:n-1]
		q.slots[slot] = o
		return slot
	}
	q.slots = append(q.slots, o)
	return int32(len(q.slots) - 1)
}

// take moves the first occurrence into o.
func (q *queue) take(o *occurrence) {
	h := q.heap
	slot, n := h[0].slot, len(h)-1
	*o = q.slots[slot]
	q.slots[slot] = occurrence{}
	q.free = append(q.free, slot)
	last := h[n]
	h = h[:n]
	q.heap = h
	if n == 0 {
		return
	}
	i := 0
	for {
		least, first := -1, 4*i+1
		for c := first; c < first+4 && c < n; c++ {
			if least < 0 || h[c].before(&h[least]) {
				least = c
			}
		}
		if least < 0 || !h[least].before(&last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
}
