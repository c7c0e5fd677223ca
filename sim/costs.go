package sim

import (
	"cmp"
	"slices"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
)

// costState is what a partition is doing, as the costs count it.
type costState uint8

const (
	uncounted costState = iota // it does not exist, or nobody has subscribed to it yet
	costUnowned
	costStopped
	costRestoring
	costProcessing
	costStates
)

// accounts follow every partition: who holds it and what it does there, to whom
// the group has it assigned, and for how long it is in which state.
type accounts struct {
	parts  []partition
	counts [costStates]int
	sums   [costStates]float64 // partition-seconds
	last   Time                // up to which the sums go
	// Counting begins when the first assignment arrives, and that of the world's
	// standing still when a first partition is processed.
	counting, moving bool
	stopTheWorld     Time
	// contended are the partitions with several holders.
	contended []int32
	lanes     lanes
}

// partition is one partition of the scenario.
type partition struct {
	name    holdfast.TopicPartition
	exists  bool
	wanted  bool // somebody has subscribed to its topic
	state   costState
	holders []holder
	seat    *seat // whose it is in the last complete generation
	owner   *seat // whose it was last, if that generation gives it to nobody
	crashed crashedLane
	// unseen is a partition that nobody will see to before the next rebalance; see
	// markUnseen.
	unseen bool
}

// holder is a process that owns a partition.
type holder struct {
	process *process
	state   LaneState
	since   Time
}

// seat is a member in the last complete generation.
type seat struct {
	key     string  // its instance id, or else its member id
	parts   []int32 // what it has
	id      string
	client  string
	topics  []string
	inGroup bool
	// silent is a static member that came back with other topics and got its old
	// assignment: nobody looks at the topics before the next rebalance.
	silent bool
}

// settle adds the time since the last call to the sums.
func (a *accounts) settle(now Time) {
	span := (now - a.last).Seconds()
	if a.counting {
		for s := costUnowned; s < costStates; s++ {
			a.sums[s] += float64(a.counts[s]) * span
		}
		if a.moving && a.counts[costProcessing] == 0 {
			a.stopTheWorld += now - a.last
		}
	}
	a.last = now
}

// lost is the partition-seconds lost so far.
func (a *accounts) lost() LostSeconds {
	return LostSeconds{a.sums[costUnowned], a.sums[costStopped], a.sums[costRestoring]}
}

// review finds out what the partition is doing now.
func (a *accounts) review(now Time, number int32) {
	p := &a.parts[number]
	state := uncounted
	if p.exists && p.wanted {
		state = costUnowned
		if p.seat != nil && p.seat.inGroup || len(p.holders) > 0 {
			state = costStopped
		}
		for _, h := range p.holders {
			switch h.state {
			case Processing:
				state = costProcessing
			case Restoring:
				state = max(state, costRestoring)
			}
		}
	}
	if state == p.state {
		return
	}
	a.settle(now)
	a.counts[p.state]--
	a.counts[state]++
	p.state = state
	a.moving = a.moving || a.counting && a.counts[costProcessing] > 0
}

// subscribe makes the partitions of the topics count.
func (a *accounts) subscribe(w *world, topics []string) {
	for _, topic := range topics {
		at, ok := w.topicNumber[topic]
		if !ok || w.wanted[topic] {
			w.wanted[topic] = true
			continue
		}
		w.wanted[topic] = true
		for _, n := range w.partitions[at] {
			a.parts[n].wanted = true
			a.review(w.now, n)
		}
	}
}

// take makes the process the holder of partitions. They are processed at once, or
// made ready one after the other.
func (a *accounts) take(w *world, p *process, added group.Partitions) {
	if !a.counting {
		a.counting, a.last = true, w.now
	}
	state := Processing
	ready := w.now
	if w.timing.Restore > 0 {
		state = Restoring
		if n := len(p.restoring); n > 0 {
			ready = max(ready, p.restoring[n-1].ready)
		}
	}
	for _, n := range w.numbers(added) {
		part := &a.parts[n]
		part.holders = append(part.holders, holder{p, state, w.now})
		if len(part.holders) == 2 {
			a.contended = append(a.contended, n)
		}
		if state == Restoring {
			ready += w.timing.Restore
			p.restoring = append(p.restoring, restore{n, ready})
			w.schedule(occurrence{at: ready, kind: processRestore, process: p})
		}
		a.review(w.now, n)
	}
}

// drop ends the process's hold on partitions.
func (a *accounts) drop(w *world, p *process, lost group.Partitions) {
	for _, n := range w.numbers(lost) {
		part := &a.parts[n]
		for i := range part.holders {
			if part.holders[i].process == p {
				a.lanes.add(w, n, &part.holders[i])
				part.holders = slices.Delete(part.holders, i, i+1)
				break
			}
		}
		if len(part.holders) == 1 {
			a.contended = slices.DeleteFunc(a.contended, func(c int32) bool { return c == n })
		}
		if w.timing.Restore > 0 {
			p.cancelRestore(n)
		}
		a.review(w.now, n)
	}
}

// change puts partitions that the process holds into another state.
func (a *accounts) change(w *world, p *process, which group.Partitions,
	state func(n int32) LaneState) {
	for _, n := range w.numbers(which) {
		part := &a.parts[n]
		for i := range part.holders {
			if h := &part.holders[i]; h.process == p {
				if next := state(n); next != h.state {
					a.lanes.add(w, n, h)
					h.state, h.since = next, w.now
				}
			}
		}
		a.review(w.now, n)
	}
}

// release marks partitions as being given up.
func (a *accounts) release(w *world, p *process, which group.Partitions) {
	a.change(w, p, which, func(int32) LaneState { return Revoking })
}

// pause marks what the process holds as not being processed.
func (a *accounts) pause(w *world, p *process) {
	a.change(w, p, p.owned, func(int32) LaneState { return Stalled })
}

// resume is the opposite of pause. What has become ready in the meantime is
// processed.
func (a *accounts) resume(w *world, p *process) {
	a.restored(w, p)
	a.change(w, p, p.owned, func(n int32) LaneState {
		if slices.ContainsFunc(p.restoring, func(r restore) bool { return r.partition == n }) {
			return Restoring
		}
		return Processing
	})
}

// restored marks what has become ready by now as processed.
func (a *accounts) restored(w *world, p *process) {
	for len(p.restoring) > 0 && p.restoring[0].ready <= w.now {
		n := p.restoring[0].partition
		p.restoring = p.restoring[1:]
		part := &a.parts[n]
		for i := range part.holders {
			if h := &part.holders[i]; h.process == p && h.state == Restoring {
				a.lanes.add(w, n, h)
				h.state, h.since = Processing, w.now
			}
		}
		a.review(w.now, n)
	}
}

// crash ends the process's hold on all it has; the group does not know yet.
func (a *accounts) crash(w *world, p *process) {
	for _, n := range slices.Clone(w.numbers(p.owned)) {
		a.parts[n].crashed.begin(p, w.now)
	}
	a.drop(w, p, p.owned)
}

// assigned takes over a complete generation. It returns what it means for each
// partition that moved, and the partitions that have lost their owner for now.
func (a *accounts) assigned(w *world, r *group.Record) (causes holdfast.Causes, withheld []int32) {
	if !w.record.open {
		a.markUnseen(w, r)
	}
	next := make([]*seat, len(a.parts))
	for i := range r.Members {
		m := &r.Members[i]
		s := w.seatFor(m)
		s.parts = append(s.parts[:0], w.numbers(m.Assigned)...)
		for _, n := range s.parts {
			next[n] = s
		}
	}
	for i := range a.parts {
		p, to := &a.parts[i], next[i]
		if p.seat != to {
			a.lanes.endCrash(w, int32(i))
			p.seat = to
		}
		if to == nil && p.exists && p.owner != nil && p.owner.inGroup {
			withheld = append(withheld, int32(i))
		}
		p.giveTo(to, &causes)
		p.unseen = p.unseen && !w.record.open
		a.review(w.now, int32(i))
	}
	return causes, withheld
}

// giveTo makes a seat the owner, and counts a move by its cause.
func (p *partition) giveTo(to *seat, causes *holdfast.Causes) {
	switch {
	case to == nil, p.owner == to:
		return
	case p.owner == nil:
		causes.Unowned++
	case !p.owner.inGroup:
		causes.Orphaned++
	case !slices.Contains(p.owner.topics, p.name.Topic):
		causes.Unsubscribed++
	default:
		causes.Shed++
	}
	p.owner = to
}

// changed takes over what one member of a consumer group has now, and returns what
// moved to it and why.
func (a *accounts) changed(w *world, c *group.CurrentAssignment) (causes holdfast.Causes) {
	if c.Epoch == group.LeaveEpoch {
		a.removed(w, group.LeavingMember{ID: c.MemberID, InstanceID: c.InstanceID})
		return causes
	}
	s := w.seatFor(&group.RecordedMember{ID: c.MemberID, InstanceID: c.InstanceID,
		ClientID: c.ClientID, Metadata: &group.Subscription{Topics: c.Topics}})
	now := slices.Clone(w.numbers(c.Assigned.Plus(c.Revoking)))
	for _, n := range s.parts {
		if p := &a.parts[n]; p.seat == s && !slices.Contains(now, n) {
			a.lanes.endCrash(w, n)
			p.seat = nil
			a.review(w.now, n)
		}
	}
	for _, n := range now {
		p := &a.parts[n]
		if p.seat != s {
			a.lanes.endCrash(w, n)
			p.seat = s
		}
		p.giveTo(s, &causes)
		a.review(w.now, n)
	}
	s.parts = now
	return causes
}

// addCauses adds two counts.
func addCauses(a, b holdfast.Causes) holdfast.Causes {
	return holdfast.Causes{Shed: a.Shed + b.Shed, Orphaned: a.Orphaned + b.Orphaned,
		Unsubscribed: a.Unsubscribed + b.Unsubscribed, Contested: a.Contested + b.Contested,
		Unowned: a.Unowned + b.Unowned}
}

// markUnseen looks at the record of a static member's return. If it leads, it takes
// the partitions as they are now for what it assigned (KIP-814). And if it went
// away before it gave up what a cooperative round took from it, it now owns nothing
// that it could give up, and nobody begins the next round.
func (a *accounts) markUnseen(w *world, r *group.Record) {
	for i := range r.Members {
		m := &r.Members[i]
		s := w.seats[cmp.Or(m.InstanceID, m.ID)]
		if s == nil || !s.inGroup || s.id == m.ID {
			continue
		}
		for n := range a.parts {
			p := &a.parts[n]
			if p.exists && p.seat == nil && (m.ID == r.Leader || p.owner == s) {
				p.unseen = true
			}
		}
	}
}

// removed tells the accounts that a member is not in the group any more.
func (a *accounts) removed(w *world, m group.LeavingMember) {
	key := cmp.Or(m.InstanceID, m.ID)
	s := w.seats[key]
	if s == nil || !s.inGroup {
		return
	}
	s.inGroup = false
	for _, n := range s.parts {
		if a.parts[n].seat == s {
			a.lanes.endCrash(w, n)
			a.review(w.now, n)
		}
	}
}

// reload puts the members back that another coordinator has read from the last
// record, whatever has become of them since. If that record is of a group that had
// just become a classic one, nobody will see to what it left without an owner.
func (a *accounts) reload(w *world, r *group.Record, downgraded bool) {
	for n := range a.parts {
		p := &a.parts[n]
		p.unseen = p.unseen || downgraded && p.exists && p.seat == nil
	}
	for i := range r.Members {
		s := w.seats[cmp.Or(r.Members[i].InstanceID, r.Members[i].ID)]
		if s == nil || s.inGroup {
			continue
		}
		s.inGroup = true
		for _, n := range s.parts {
			a.review(w.now, n)
		}
	}
}

// seatFor returns the seat of a recorded member, the same as long as it is in the
// group.
func (w *world) seatFor(m *group.RecordedMember) *seat {
	key := cmp.Or(m.InstanceID, m.ID)
	s := w.seats[key]
	if s == nil || !s.inGroup {
		s = &seat{key: key}
		w.seats[key] = s
	}
	topics := m.Metadata.Topics
	s.silent = !w.record.open && s.inGroup && (s.silent || !slices.Equal(s.topics, topics))
	s.id, s.client, s.topics, s.inGroup = m.ID, m.ClientID, topics, true
	return s
}
