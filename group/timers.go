package group

// noTime stands for a deadline that never comes.
const noTime = Time(1<<63 - 1)

// session is a member's session, or the wait for a member id to be used. Its
// deadline moves with every heartbeat; the entry in the queue is moved only when
// it comes up, so that a heartbeat costs nothing there.
type session struct {
	deadline Time // noTime if nothing runs
	queued   Time // when the entry in the queue that counts comes up, or noTime
	member   *seat
	pending  string // or the id that was given out
	number   int    // decides which of two that end at one time comes first
}

// sessions is a queue of sessions by time, as a binary heap. Entries that no
// longer agree with their session's queued time are stale and dropped.
type sessions []sessionEntry

type sessionEntry struct {
	at Time
	s  *session
}

// arm moves the deadline and sees to it that the queue comes up by then.
func (q *sessions) arm(s *session, deadline Time) {
	s.deadline = deadline
	if deadline < s.queued {
		s.queued = deadline
		q.push(sessionEntry{deadline, s})
	}
}

// disarm stops the session; its entry goes when it comes up.
func (q *sessions) disarm(s *session) { s.deadline, s.queued = noTime, noTime }

// next returns when the queue has to be looked at again.
func (q *sessions) next() Time {
	for len(*q) > 0 && (*q)[0].s.queued != (*q)[0].at {
		q.pop()
	}
	if len(*q) == 0 {
		return noTime
	}
	return (*q)[0].at
}

// expired takes one session out whose deadline has come, or returns nil.
func (q *sessions) expired(now Time) *session {
	for q.next() <= now {
		s := q.pop().s
		s.queued = noTime
		if s.deadline <= now {
			s.deadline = noTime
			return s
		}
		if s.deadline != noTime {
			q.arm(s, s.deadline)
		}
	}
	return nil
}

func (e *sessionEntry) before(f *sessionEntry) bool {
	return e.at < f.at || e.at == f.at && e.s.number < f.s.number
}

func (q *sessions) push(e sessionEntry) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 && h[i].before(&h[(i-1)/2]) {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		i = (i - 1) / 2
	}
	*q = h
}

func (q *sessions) pop() sessionEntry {
	h := *q
	top, n := h[0], len(h)-1
	h[0] = h[n]
	h[n] = sessionEntry{}
	h = h[:n]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < n; child++ {
			if h[child].before(&h[least]) {
				least = child
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	*q = h
	return top
}
