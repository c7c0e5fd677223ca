package sim

import (
	"slices"

	"github.com/holdfast/holdfast/group"
)

// roundsCheck: a change that comes to a settled group, and is followed by nothing
// else until the group has settled again, costs at most one rebalance among eager
// members, two among cooperative ones, and none where a static member comes back
// within its session as it was.
type roundsCheck struct {
	counting bool
	allowed  int
	what     string
	done     int  // rebalances completed since
	news     Time // until when members may know different partitions
	eager    bool // all members are
	// returning is the place that a static member is about to take again. If it is
	// taken away before, there are two changes.
	returning *seat
}

func (c *roundsCheck) before(w *world, o *occurrence) {
	c.judge(w)
	c.begin(w, o)
}

// begin starts to count for a disturbance.
func (c *roundsCheck) begin(w *world, o *occurrence) {
	c.counting = w.sound && w.coordinatorUp && w.now >= c.news &&
		!w.coordinator.Consumer() && !w.speaksAnyConsumer() && w.settled(o.process)
	c.done, c.allowed, c.what, c.returning = 0, 2, "a restart", nil
	c.eager = w.allEager(o.process)
	switch o.kind {
	case scenarioEvent:
		e := &w.scenario.Events[o.message.id]
		c.what = string(e.Kind)
		switch e.Kind {
		case CutOff, Failover:
			c.counting = false
		case ChangeTopic:
			c.news = w.now + w.timing.MetadataMaxAge
		case Join:
			c.eager = c.eager && protocolOf(w, &e.Join) == group.Eager
		}
	case processStart:
		p := o.process
		c.counting = c.counting && !p.gone && !p.up && !w.nameTaken(p)
		c.what = "the start of " + p.spec.ID
		if s := w.seats[p.spec.InstanceID]; p.spec.InstanceID != "" && s != nil && s.inGroup {
			c.returning = s
			// With a list of several strategies the vote may turn: a coordinator that took
			// over knows only the one that was in use.
			if !p.changed && s.client == p.spec.ID && slices.Equal(s.topics, w.topicsOf(p)) &&
				len(w.strategiesOf(&p.spec)) == 1 {
				c.allowed = 0
			}
		}
	case stallEnds:
		c.what = "the end of a stall"
	case cutEnds, coordinatorStart, faultsEnd:
		c.counting = false
	}
	if c.eager {
		c.allowed = min(c.allowed, 1)
	}
}

// judge compares the count, if the group has come to rest.
func (c *roundsCheck) judge(w *world) {
	if c.returning != nil && !c.returning.inGroup {
		return
	}
	if c.counting && c.done > c.allowed && w.settled(nil) {
		w.violate("rounds", "%d rebalances after %s, %d allowed", c.done, c.what, c.allowed)
	}
}

func (c *roundsCheck) after(*world, *occurrence) {}
func (c *roundsCheck) end(w *world)              { c.judge(w) }

func (c *roundsCheck) recorded(w *world, r *group.Record) {
	if n := len(w.record.list); n > 0 && w.record.list[n-1].Generation == r.Generation &&
		w.record.list[n-1].End == w.now {
		c.done++
	}
}

// settled reports whether nothing is under way: every running process is in the
// current generation and has nothing to do, or is out of the group and stalled, and
// the group has no members but those. A static member that is about to come back
// may be one of them.
func (w *world) settled(returning *process) bool {
	if w.coordinator.State() != group.Stable && w.coordinator.State() != group.Empty {
		return false
	}
	members := 0
	for _, p := range w.processes {
		switch {
		case !p.up:
			s := w.seats[p.spec.InstanceID]
			if p == returning && p.spec.InstanceID != "" && s != nil && s.inGroup {
				members++
			}
		case p.stalled:
			if w.coordinator.Has(p.member.ID()) {
				return false
			}
		case p.closing, p.cut, p.callback != nil, p.member.WantsPoll(), !w.canCommit(p):
			return false
		default:
			members++
		}
	}
	return members == w.coordinator.Size()
}

// speaksAnyConsumer reports whether a member uses the consumer protocol, in which
// nothing is counted here: each partition moves when its owner lets it go.
func (w *world) speaksAnyConsumer() bool {
	return slices.ContainsFunc(w.processes, func(p *process) bool { return w.speaksConsumer(&p.spec) })
}

// nameTaken reports whether another running process has the instance id of this
// one.
func (w *world) nameTaken(p *process) bool {
	return p.spec.InstanceID != "" && slices.ContainsFunc(w.processes, func(o *process) bool {
		return o != p && o.up && o.spec.InstanceID == p.spec.InstanceID
	})
}

// allEager reports whether all running members are eager, and the one that starts
// too.
func (w *world) allEager(starting *process) bool {
	for _, p := range w.processes {
		if (p.up || p == starting) && protocolOf(w, &p.spec) != group.Eager {
			return false
		}
	}
	return true
}

// protocolOf is the rebalance protocol that a member's list comes to.
func protocolOf(w *world, m *Member) group.RebalanceProtocol {
	strategies := w.strategiesOf(m)
	names := make([]string, len(strategies))
	for i, a := range strategies {
		names[i] = a.Name()
	}
	return group.ProtocolOf(names)
}
