package sim

import "github.com/holdfast/holdfast/group"

// ownerCheck: at every instant a partition has at most one owner among the
// members whose commit the coordinator would take.
//
// Kafka itself does not keep this where a static member missed a generation: it
// kept its place, its claim was older than its successor's, and it is told to give
// up in the generation that it joins next, in which it can commit again. Nor where
// a classic group turns into a consumer group in the middle of a rebalance: what
// the last complete generation does not give to a member counts as free, while the
// member may still read it. Nor where a member of the consumer protocol says what it
// owns before it has taken over what it was told: if that is withdrawn meanwhile,
// the coordinator believes that it never had it. These are written down as gaps.
type ownerCheck struct {
	reported map[int32]bool
	// last and previous are the last two complete generations.
	last, previous int32
}

func (c *ownerCheck) after(w *world, _ *occurrence) {
	for _, n := range w.costs.contended {
		if c.reported[n] {
			continue
		}
		part := &w.costs.parts[n]
		var first *holder
		for i := range part.holders {
			h := &part.holders[i]
			if !w.canCommit(h.process) {
				continue
			}
			if first != nil {
				c.report(w, n, first, h)
				break
			}
			first = h
		}
	}
}

func (c *ownerCheck) report(w *world, n int32, a, b *holder) {
	c.reported[n] = true
	say := w.violate
	if c.late(w, a) || c.late(w, b) {
		say = w.gap
	}
	name := w.costs.parts[n].name
	say("one owner", "%s[%d] is owned by %s and by %s, and both can commit",
		name.Topic, name.Partition, a.process.spec.ID, b.process.spec.ID)
}

// late reports whether the holder gives the partition up after a generation that
// it was not in, or what it got before the group changed its protocol.
func (c *ownerCheck) late(w *world, h *holder) bool {
	p := h.process
	if p.classic == nil && p.early {
		return true
	}
	if h.state != Revoking {
		return false
	}
	return p.spec.InstanceID != "" && p.member.Generation() == c.last && p.tookOver < c.previous ||
		p.classic != nil && w.converted > 0 && p.tookOver <= w.converted
}

func (c *ownerCheck) recorded(_ *world, r *group.Record) {
	if r.Generation != c.last {
		c.last, c.previous = r.Generation, c.last
	}
}

func (c *ownerCheck) before(*world, *occurrence) {}
func (c *ownerCheck) end(*world)                 {}

// fencingCheck: a process that the group has gone on without cannot commit. What
// the group has gone on to is read from the records alone.
type fencingCheck struct {
	last    *group.Record
	members map[string]bool // the member ids in it
	records int             // how many there were
}

// after looks at the process that something happened to, and where it happened to
// the group at everybody, unless there are too many.
func (c *fencingCheck) after(w *world, o *occurrence) {
	switch {
	case c.last == nil:
	case o.process != nil:
		c.check(w, o.process)
	case len(w.processes) <= fencingCheckLimit:
		for _, p := range w.processes {
			c.check(w, p)
		}
	}
}

// fencingCheckLimit bounds what the check costs in a large group.
const fencingCheckLimit = 16

func (c *fencingCheck) check(w *world, p *process) {
	if !p.up || len(p.owned) == 0 || p.vouched == c.records || w.coordinator.Consumer() {
		return
	}
	m := p.member
	if m.Generation() == c.last.Generation && c.members[m.ID()] {
		p.vouched = c.records // Nothing to look for until the next record.
		return
	}
	if m.Generation() > c.last.Generation || !w.canCommit(p) {
		return
	}
	if m.Generation() < c.last.Generation {
		w.violate("fencing", "%s can commit in generation %d, and generation %d is complete",
			p.spec.ID, m.Generation(), c.last.Generation)
		return
	}
	w.violate("fencing", "%s can commit as %s, which is not in generation %d",
		p.spec.ID, m.ID(), c.last.Generation)
}

func (c *fencingCheck) recorded(w *world, r *group.Record) {
	if c.last != nil && r.Generation < c.last.Generation {
		w.violate("fencing", "generation %d is written after generation %d",
			r.Generation, c.last.Generation)
	}
	c.last = r
	c.records++
	clear(c.members)
	for i := range r.Members {
		c.members[r.Members[i].ID] = true
	}
}

func (c *fencingCheck) before(*world, *occurrence) {}
func (c *fencingCheck) end(*world)                 {}
