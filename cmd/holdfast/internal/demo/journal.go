package demo

import (
	"slices"
	"sync"
	"time"

	"github.com/holdfast/holdfast/adapter/kgobalancer"
)

// journal is what the clients live through, in order: who is assigned what, who
// processes it, and the requests by which the group's own times can be told.
// Times are passed in.
type journal struct {
	mu      sync.Mutex
	session time.Duration
	index   map[partition]int
	parts   []part
	members []*life             // in the order of joining
	plan    kgobalancer.Leading // of the newest generation
	planner string              // who made the plan
	groups  map[int32][]string  // the member ids of each generation, ascending
	doubles map[int]bool        // partitions that had two owners at one time
	dropped int                 // how often the coordinator dropped a member that lives
	closed  bool                // the demo is over; what the members do now does not count
}

// partition names one partition.
type partition struct {
	topic  string
	number int32
}

// part is the history of one partition.
type part struct {
	owners []*life // who has it: one, unless something is wrong
	spans  []span  // when it was consumed
}

// span is a time in which one member consumed a partition.
type span struct {
	by       *life
	from, to time.Time // to is zero as long as it goes on
}

// life is one member's.
type life struct {
	name       string
	id         string // its member id; "" before it has one, and when it was dropped
	generation int32  // in which it was assigned last
	assignedAt time.Time
	crashed    bool
	gone       bool
	kept       []int       // what it consumed before it was paused, and keeps
	joins      []time.Time // JoinGroup requests written
	stirs      []time.Time // revoked callbacks: it noticed a rebalance
	leave      time.Time   // LeaveGroup written
	contact    time.Time   // last request that the coordinator answered, when written
}

func newJournal(topics []string, partitions int, session time.Duration) *journal {
	j := &journal{session: session, index: make(map[partition]int),
		groups: make(map[int32][]string), doubles: make(map[int]bool)}
	for _, topic := range topics {
		for p := range partitions {
			j.index[partition{topic, int32(p)}] = len(j.parts)
			j.parts = append(j.parts, part{})
		}
	}
	return j
}

// note calls f with the member under the lock, unless the demo is over or the
// member has crashed: a process that is gone lives through nothing.
func (j *journal) note(name string, f func(*life)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if m := j.find(name); m != nil && !m.crashed && !j.closed {
		f(m)
	}
}

func (j *journal) find(name string) *life {
	for _, m := range j.members {
		if m.name == name {
			return m
		}
	}
	return nil
}

// start enters a member.
func (j *journal) start(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.members = append(j.members, &life{name: name})
}

// each calls f with the numbers of the partitions that the journal knows.
func (j *journal) each(topics map[string][]int32, f func(i int)) {
	for topic, numbers := range topics {
		for _, n := range numbers {
			if i, ok := j.index[partition{topic, n}]; ok {
				f(i)
			}
		}
	}
}

// membership is what a member knows of its place in the group.
type membership struct {
	id         string
	generation int32
}

// assigned notes what a member was given. Whoever has it still is a second owner
// if the coordinator counts it in, which is to say if it is a member of the
// generation that the partition was given out in; otherwise it was dropped, has
// not noticed yet, and no commit of it would be accepted.
func (j *journal) assigned(
	name string, as membership, topics map[string][]int32, now time.Time,
) {
	j.note(name, func(m *life) {
		m.id, m.generation, m.assignedAt = as.id, as.generation, now
		group := j.groups[as.generation]
		j.each(topics, func(i int) {
			p := &j.parts[i]
			p.owners = slices.DeleteFunc(p.owners, func(o *life) bool {
				return o == m || !slices.Contains(group, o.id)
			})
			if len(p.owners) > 0 {
				j.doubles[i] = true
			}
			p.owners = append(p.owners, m)
		})
	})
}

// stirred notes that a member has noticed a rebalance.
func (j *journal) stirred(name string, now time.Time) {
	j.note(name, func(m *life) { m.stirs = append(m.stirs, now) })
}

// paused notes that a member reads nothing while it gives these partitions up, and
// never again what it gives up.
func (j *journal) paused(name string, topics map[string][]int32, now time.Time) {
	j.note(name, func(m *life) {
		m.kept = m.kept[:0]
		for i := range j.parts {
			if j.parts[i].stop(m, now) {
				m.kept = append(m.kept, i)
			}
		}
		j.each(topics, func(gone int) {
			m.kept = slices.DeleteFunc(m.kept, func(i int) bool { return i == gone })
		})
	})
}

// resumed notes that a member reads on what it has kept.
func (j *journal) resumed(name string, now time.Time) {
	j.note(name, func(m *life) {
		for _, i := range m.kept {
			j.parts[i].spans = append(j.parts[i].spans, span{by: m, from: now})
		}
		m.kept = m.kept[:0]
	})
}

// stop ends the span of a member that consumes the partition, if it does.
func (p *part) stop(m *life, now time.Time) bool {
	n := len(p.spans)
	if n == 0 || p.spans[n-1].by != m || !p.spans[n-1].to.IsZero() {
		return false
	}
	p.spans[n-1].to = now
	return true
}

// released notes that a member has given partitions up, or has lost them.
func (j *journal) released(name string, topics map[string][]int32) {
	j.note(name, func(m *life) {
		j.each(topics, func(i int) {
			p := &j.parts[i]
			p.owners = slices.DeleteFunc(p.owners, func(o *life) bool { return o == m })
		})
	})
}

// processed notes that a member has processed a record of the partition.
func (j *journal) processed(name string, tp partition, now time.Time) {
	j.note(name, func(m *life) {
		i, ok := j.index[tp]
		if !ok {
			return
		}
		p := &j.parts[i]
		if n := len(p.spans); n > 0 && p.spans[n-1].to.IsZero() {
			if p.spans[n-1].by == m {
				return
			}
			p.spans[n-1].to = now
		}
		p.spans = append(p.spans, span{by: m, from: now})
	})
}

// crash ends a life without a word to anybody.
func (j *journal) crash(name string, now time.Time) {
	j.note(name, func(m *life) {
		for i := range j.parts {
			j.parts[i].stop(m, now)
		}
		m.crashed, m.gone = true, true
	})
}

// left notes that a member has left the group.
func (j *journal) left(name string) { j.note(name, func(m *life) { m.gone = true }) }

// led notes the plan of a leader. The newest generation counts. A member that
// lives and is not in it was dropped.
func (j *journal) led(name string, plan kgobalancer.Leading) {
	j.note(name, func(*life) {
		if plan.Generation < j.plan.Generation {
			return
		}
		j.plan, j.planner = plan, name
		group := plan.Plan.Members()
		j.groups[plan.Generation] = group
		for _, m := range j.members {
			in := slices.Contains(group, m.id)
			if m.id != "" && !in && !m.gone && m.leave.IsZero() {
				m.id = ""
				j.dropped++
			}
		}
	})
}

// leader is the member that made the last plan.
func (j *journal) leader() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.planner
}

// close ends the journal and returns how many partitions had two owners, and how
// often a member was dropped.
func (j *journal) close() (doubles, dropped int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	return len(j.doubles), j.dropped
}

// expiry is when the coordinator gives up a member that it hears no more of, as
// far as the member can know: not before that.
func (j *journal) expiry(m *life) time.Time { return m.contact.Add(j.session) }
