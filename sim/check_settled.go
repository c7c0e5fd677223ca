package sim

import (
	"time"

	"github.com/holdfast/holdfast/group"
)

// disturbs reports whether an occurrence is one after which the group may have to
// find its balance again: everything that the protocol does not do by itself.
func (o *occurrence) disturbs() bool {
	switch o.kind {
	case scenarioEvent, rollNext, processStart, stallEnds, cutEnds, coordinatorStart, faultsEnd:
		return true
	}
	return false
}

// settledCheck: once faults have stopped and nothing else happens, the group
// becomes stable within a bound, and stays so. Every member that runs is then in
// the current generation, and every partition that one of them subscribes to has
// an owner.
type settledCheck struct {
	bound Time
	since Time // of the last disturbance
	begun int  // rebalances begun by the end of the bound, or -1
}

// newSettledCheck reckons the bound: how long the slowest chain of timeouts may
// take after the last disturbance. A client gives its join up after
// max.poll.interval.ms and a little; the group waits as long for members that do
// not come, for those that do not sync, and a session for ids that are not used;
// a leader sees new partitions after the age of its metadata.
func newSettledCheck(s *Scenario) *settledCheck {
	t := &s.Timing
	wait := max(t.MaxPollInterval+5*time.Second, t.RequestTimeout)
	return &settledCheck{begun: -1, bound: 3*wait + 2*t.SessionTimeout + t.MetadataMaxAge +
		2*t.InitialRebalanceDelay + 10*t.HeartbeatInterval + 30*time.Second}
}

// LivenessBound is the time within which a group has to be stable after the last
// thing that happened to it. Run looks for that in every stretch of a scenario
// that is longer.
func (s Scenario) LivenessBound() Time {
	s = s.withDefaults()
	return newSettledCheck(&s).bound
}

func (c *settledCheck) before(w *world, o *occurrence) {
	c.judge(w)
	c.since, c.begun = o.at, -1
}

// after notes what had happened by the end of the bound: nothing that comes later
// may begin a rebalance.
func (c *settledCheck) after(w *world, o *occurrence) {
	if c.begun < 0 && o.at > c.since+c.bound {
		c.begun = w.record.total
	}
}

func (c *settledCheck) recorded(*world, *group.Record) {}
func (c *settledCheck) end(w *world)                   { c.judge(w) }

// judge looks at the group at the end of a stretch without disturbances.
func (c *settledCheck) judge(w *world) {
	if w.now <= c.since+c.bound || !w.sound || !w.coordinatorUp {
		return
	}
	const check = "settled"
	if c.begun >= 0 && w.record.total > c.begun {
		w.violate(check, "%d rebalances begin more than %v after the last event",
			w.record.total-c.begun, c.bound)
	}
	subscribed := make(map[string]bool)
	silent := make(map[string]bool) // a subscriber's return with the topic went unheard
	undisturbed := true
	for _, p := range w.processes {
		if !p.up || p.closing {
			continue
		}
		if p.stalled || p.cut {
			undisturbed = false
			continue
		}
		if !w.canCommit(p) {
			w.violate(check, "%s is %v in generation %d, and the group is %v in generation %d",
				p.spec.ID, p.member.State(), p.member.Generation(), w.coordinator.State(),
				w.coordinator.Generation())
			continue
		}
		s := w.seats[p.spec.InstanceID]
		for _, topic := range p.member.Topics() {
			subscribed[topic] = true
			silent[topic] = silent[topic] || s != nil && s.silent
		}
	}
	for i := range w.costs.parts {
		part := &w.costs.parts[i]
		if !part.exists || !subscribed[part.name.Topic] {
			continue
		}
		if part.state == costUnowned || undisturbed && part.state == costStopped {
			say := w.violate
			if part.unseen || silent[part.name.Topic] {
				say = w.gap
			}
			say(check, "%s[%d] is not processed %v after the last event",
				part.name.Topic, part.name.Partition, w.now-c.since)
		}
	}
}
