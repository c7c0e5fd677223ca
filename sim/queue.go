package sim

import "github.com/holdfast/holdfast/group"

// occurrence is what happens at one time. The queue gives them out by time, and
// those of one time in the order in which they were put in. Heartbeats and their
// answers come after everything else, and timers of processes after those, in the
// order of the processes: when they are put in depends on what else happens, and
// shall not show.
type occurrence struct {
	at   Time
	seq  uint64 // set by the queue
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

// queue gives out occurrences by time. Most of them are messages of a sound
// network, which arrive in the order in which they were sent: those wait in a line.
// All others are in a heap of small entries, in which each node has four children:
// it is flatter than a binary one, and what is taken out is mostly near the front.
type queue struct {
	line  []occurrence // from head on; times do not go down
	head  int
	heap  []entry
	slots []occurrence // of the heap's entries, in place until they are taken
	free  []int32
	seq   uint64
}

// entry is the time and order of the occurrence in a slot.
type entry struct {
	at   Time
	seq  uint64
	slot int32
}

// What comes after the sequence numbers, which do not get there.
const (
	heartbeatsFrom = 1 << 61
	ticksFrom      = 1 << 62
)

// order is the place of an occurrence in its time, or 0 if it has none of its own.
func (o *occurrence) order() uint64 {
	switch o.kind {
	case processTick:
		return ticksFrom + uint64(o.process.number)
	case toCoordinator:
		switch o.message.request.(type) {
		case *group.Heartbeat, *group.ConsumerHeartbeat:
			return heartbeatsFrom + uint64(o.message.ref.From&0xffffffff)
		}
	case toMember:
		switch o.message.response.(type) {
		case *group.HeartbeatReply, *group.ConsumerReply:
			return heartbeatsFrom + uint64(o.process.number)
		}
	}
	return 0
}

func (q *queue) empty() bool { return len(q.heap) == 0 && q.head == len(q.line) }

// fromLine reports whether the line has the first occurrence.
func (q *queue) fromLine() bool {
	if q.head == len(q.line) {
		return false
	}
	if len(q.heap) == 0 {
		return true
	}
	first, top := &q.line[q.head], &q.heap[0]
	return first.at < top.at || first.at == top.at && first.seq < top.seq
}

// next is the time of the first occurrence.
func (q *queue) next() Time {
	if q.fromLine() {
		return q.line[q.head].at
	}
	return q.heap[0].at
}

func (e *entry) before(f *entry) bool { return e.at < f.at || e.at == f.at && e.seq < f.seq }

// put adds an occurrence.
func (q *queue) put(o occurrence) {
	q.seq++
	o.seq = q.seq
	order := o.order()
	if order == 0 && (o.kind == toCoordinator || o.kind == toMember) {
		if n := len(q.line); n == q.head || q.line[n-1].at <= o.at {
			q.lineUp(o)
			return
		}
	}
	e := entry{o.at, o.seq, q.place(o)}
	if order != 0 {
		e.seq = order
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

// lineUp appends to the line. What has been taken is dropped when it is more than
// what is left.
func (q *queue) lineUp(o occurrence) {
	if q.head > 64 && q.head > len(q.line)/2 {
		n := copy(q.line, q.line[q.head:])
		clear(q.line[n:])
		q.line, q.head = q.line[:n], 0
	}
	q.line = append(q.line, o)
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
	if q.fromLine() {
		*o = q.line[q.head]
		q.line[q.head] = occurrence{}
		q.head++
		return
	}
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
