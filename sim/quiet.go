package sim

import (
	"cmp"
	"slices"

	"github.com/holdfast/holdfast/group"
)

// While the group is stable and the network sound, a heartbeat is answered with
// NONE and moves the end of a session that would not come. Such heartbeats are not
// played one by one: the member sleeps, its session does not run, and when
// something happens both are brought to where they would be.

// sleep stops playing the member's heartbeats if they change nothing, and reports
// whether it sleeps.
func (w *world) sleep(p *process) bool {
	if p.asleep {
		return true
	}
	if p.classic == nil || !w.sound || p.cut || !w.coordinatorUp || w.playHeartbeats() ||
		w.coordinator.State() != group.Stable || !p.classic.Quiet() {
		return false
	}
	code := w.coordinator.CanCommit(p.member.ID(), p.member.InstanceID(), p.member.Generation())
	if code != group.None {
		return false
	}
	p.asleep = true
	p.heard = w.coordinator.Rest(p.member.ID())
	w.sleepers = append(w.sleepers, p)
	return true
}

// playHeartbeats reports whether a test wants every heartbeat played.
func (w *world) playHeartbeats() bool { return w.scenario.broken.playHeartbeats }

// wake brings the member's heartbeats up to date. One that would be on its way, or
// its answer, is put on the wire.
func (w *world) wake(p *process) {
	if !p.asleep {
		return
	}
	p.asleep = false
	at, every := p.classic.NextHeartbeat()
	network := w.timing.Network
	if at <= w.now {
		last := at + (w.now-at)/every*every
		if last+network <= w.now {
			p.heard = last + network
		} else if last > at {
			p.heard = last - every + network
		}
		switch {
		case last+2*network <= w.now:
			p.classic.SkipHeartbeats(last+every, last+2*network)
		case last > at:
			p.classic.SkipHeartbeats(last, last-every+2*network)
			fallthrough
		default:
			w.sendLate(p, last)
		}
	}
	w.coordinator.Heard(p.member.ID(), p.heard)
	if at, ok := w.coordinator.Deadline(); ok && at < w.tickAt && w.coordinatorUp {
		w.tickAt = at
		w.schedule(occurrence{at: at, kind: coordinatorTick})
	}
}

// sendLate puts on the wire what the member sent at a time in the past and has no
// answer to yet.
func (w *world) sendLate(p *process, sent Time) {
	network := w.timing.Network
	p.classic.Tick(sent)
	for _, r := range p.classic.Ready().Requests {
		ref := p.ref(r.ID)
		if sent+network > w.now {
			w.queue.put(occurrence{at: sent + network, kind: toCoordinator,
				message: w.message(message{ref: ref, request: r.Request})})
			continue
		}
		w.schedule(occurrence{at: sent + 2*network, kind: toMember, process: p,
			message: w.message(message{ref: ref, response: &group.HeartbeatReply{}})})
	}
}

// wakeAll wakes everybody, in the order in which their timers go off if they are
// due at one time.
func (w *world) wakeAll() {
	if len(w.sleepers) == 0 {
		return
	}
	sleepers := w.sleepers
	w.sleepers = nil
	slices.SortStableFunc(sleepers, func(a, b *process) int { return cmp.Compare(a.number, b.number) })
	for _, p := range sleepers {
		if p.asleep {
			w.wake(p)
			if p.up {
				w.setTimer(p)
			}
		}
	}
}
