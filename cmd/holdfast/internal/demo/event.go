package demo

import (
	"fmt"
	"time"

	"github.com/holdfast/holdfast"
)

// event is one change of the group that is under way.
type event struct {
	kind, member string
	set          time.Time // when it was set off
	before       []string  // owner of each partition at that time, "" for none
	consumed     []bool    // partitions that somebody was consuming then
}

// begin opens an event.
func (j *journal) begin(kind, member string, now time.Time) *event {
	j.mu.Lock()
	defer j.mu.Unlock()
	e := &event{kind: kind, member: member, set: now,
		before: make([]string, len(j.parts)), consumed: make([]bool, len(j.parts))}
	for i := range j.parts {
		p := &j.parts[i]
		if len(p.owners) > 0 {
			e.before[i] = p.owners[len(p.owners)-1].name
		}
		n := len(p.spans)
		e.consumed[i] = n > 0 && p.spans[n-1].to.IsZero()
	}
	return e
}

// living lists the members that are in the group.
func (j *journal) living() []*life {
	var list []*life
	for _, m := range j.members {
		if !m.gone {
			list = append(list, m)
		}
	}
	return list
}

// settled reports whether the group has come to rest: its last plan is of the
// members that live, withholds nothing and has reached them all, and somebody
// consumes every partition. If not, what is missing is said in words.
func (j *journal) settled() (waiting string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	living := j.living()
	switch {
	case j.plan.Plan == nil:
		return "nobody leads yet"
	case len(j.plan.Plan.Members()) != len(living):
		return fmt.Sprintf("generation %d has %d members, %d live",
			j.plan.Generation, len(j.plan.Plan.Members()), len(living))
	}
	if rounds := j.plan.Plan.Rounds(); len(rounds) > 0 && len(rounds[0].Withheld()) > 0 {
		return fmt.Sprintf("generation %d withholds partitions", j.plan.Generation)
	}
	for _, m := range living {
		if m.generation < j.plan.Generation {
			return fmt.Sprintf("%s is not in generation %d yet", m.name, j.plan.Generation)
		}
	}
	for i := range j.parts {
		spans := j.parts[i].spans
		if len(j.parts[i].owners) == 0 {
			return fmt.Sprintf("partition %d of %d has no owner", i, len(j.parts))
		}
		if n := len(spans); n == 0 || !spans[n-1].to.IsZero() {
			return fmt.Sprintf("partition %d of %d is not consumed", i, len(j.parts))
		}
	}
	return ""
}

// beginning is when the group began to rebalance.
func (j *journal) beginning(e *event) time.Time {
	noticed := j.noticed(e)
	m := j.find(e.member)
	switch {
	case m == nil: // start: with the first member to join
		for _, m := range j.members {
			noticed = first(noticed, after(m.joins, e.set))
		}
	case e.kind == "join":
		// A member joins twice, first for an id; with the second the group begins. Any
		// later one is of a rebalance that others have noticed.
		joined := time.Time{}
		for _, t := range m.joins {
			if len(m.joins) == 1 || t.After(m.joins[0]) {
				joined = first(joined, t)
			}
		}
		noticed = first(noticed, joined)
	case e.kind == "crash":
		noticed = first(noticed, j.expiry(m))
	case e.kind == "leave":
		noticed = first(noticed, m.leave)
	}
	return noticed
}

// noticed is when the first of the other members noticed that the group
// rebalances; zero if none did.
func (j *journal) noticed(e *event) time.Time {
	var t time.Time
	for _, m := range j.members {
		if m.name != e.member {
			t = first(t, after(m.stirs, e.set))
			t = first(t, after(m.joins, e.set))
		}
	}
	return t
}

// after returns the first of the times, which ascend, that is after t; zero if
// none is.
func after(times []time.Time, t time.Time) time.Time {
	for _, at := range times {
		if at.After(t) {
			return at
		}
	}
	return time.Time{}
}

// first returns the earlier of two times; zero is no time.
func first(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// unconsumed sums up, over the partitions that were consumed when the event was
// set off, how long nobody consumed them since the group began to rebalance.
func (j *journal) unconsumed(e *event, from time.Time) time.Duration {
	var sum time.Duration
	for i := range j.parts {
		if !e.consumed[i] {
			continue
		}
		at := from
		for _, s := range j.parts[i].spans {
			if s.from.After(at) {
				sum += s.from.Sub(at)
			}
			if s.to.IsZero() {
				break
			}
			if s.to.After(at) {
				at = s.to
			}
		}
	}
	return sum
}

// end closes an event that has settled.
func (j *journal) end(e *event, strategy holdfast.Assignor) (Rebalance, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	from := j.beginning(e)
	r := Rebalance{Event: e.kind, Member: e.member, Generation: j.plan.Generation,
		Leader: j.planner, Unconsumed: j.unconsumed(e, from)}
	counts := make(map[string]int)
	for i := range j.parts {
		owners := j.parts[i].owners
		counts[owners[len(owners)-1].name]++
	}
	var last time.Time
	for _, m := range j.living() {
		r.Members = append(r.Members, Share{m.name, counts[m.name]})
		if m.assignedAt.After(last) {
			last = m.assignedAt
		}
	}
	r.Duration = last.Sub(from)
	plan, err := j.judge(e, strategy)
	if err != nil {
		return r, err
	}
	r.Moved, r.Causes = plan.Moved(), plan.Causes()
	return r, nil
}

// judge compares who has what now with who had it when the event was set off.
func (j *journal) judge(e *event, strategy holdfast.Assignor) (*holdfast.Plan, error) {
	var g holdfast.Group
	had := make(map[string][]holdfast.TopicPartitions)
	now := make(map[string]map[string][]int32)
	for tp, i := range j.index {
		if before := e.before[i]; before != "" {
			had[before] = append(had[before],
				holdfast.TopicPartitions{Topic: tp.topic, Partitions: []int32{tp.number}})
		}
		owners := j.parts[i].owners
		name := owners[len(owners)-1].name
		if now[name] == nil {
			now[name] = make(map[string][]int32)
		}
		now[name][tp.topic] = append(now[name][tp.topic], tp.number)
	}
	counts := make(map[string]int)
	for tp := range j.index {
		counts[tp.topic]++
	}
	var topics []string
	for topic, n := range counts {
		topics = append(topics, topic)
		g.Topics = append(g.Topics, holdfast.Topic{Name: topic, Partitions: n})
	}
	for _, m := range j.members {
		member := holdfast.Member{ID: m.name, Topics: topics, Owned: had[m.name]}
		if !m.gone {
			g.Members = append(g.Members, member)
		} else if len(member.Owned) > 0 {
			g.Departed = append(g.Departed, member)
		}
	}
	plan, err := holdfast.NewPlan(g, strategy.Name(), now)
	if err != nil {
		return nil, fmt.Errorf("after the %s: %w", e.kind, err)
	}
	return plan, nil
}
