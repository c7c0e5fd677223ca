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
	if !w.sound || p.cut || !w.coordinatorUp || w.playHeartbeats() ||
		w.coordinator.State() != group.Stable || !p.beating.Quiet() {
		return false
	}
	if w.coordinator.HasNews() {
		return false
	}
	code := w.coordinator.CanCommit(p.member.ID(), p.member.InstanceID(), p.member.Generation())
	if code != group.None {
		return false
	}
	heard := w.coordinator.Rest(p.member.ID())
	if at, _ := p.beating.NextHeartbeat(); heard+w.timing.SessionTimeout <= at+w.timing.Network {
		w.coordinator.Heard(p.member.ID(), heard) // The next heartbeat may come too late.
		return false
	}
	p.asleep, p.heard = true, heard
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
	at, every := p.beating.NextHeartbeat()
	network := w.timing.Network
	if w.happened(p, at, ticksFrom) {
		last := at + (w.now-at)/every*every
		if !w.happened(p, last, ticksFrom) {
			last -= every
		}
		if w.happened(p, last+network, heartbeatsFrom) {
			p.heard = last + network
		} else if last > at {
			p.heard = last - every + network
		}
		switch {
		case w.happened(p, last+2*network, heartbeatsFrom):
			p.beating.SkipHeartbeats(last+every, last+2*network)
		case last > at:
			p.beating.SkipHeartbeats(last, last-every+2*network)
			fallthrough
		default:
			w.sendLate(p, last)
		}
	}
	w.coordinator.Heard(p.member.ID(), p.heard)
	if at, ok := w.coordinator.Deadline(); ok && at < w.tickAt && w.coordinatorUp {
		w.tickAt = max(at, w.now)
		w.schedule(occurrence{at: w.tickAt, kind: coordinatorTick})
	}
}

// happened reports whether something that is due at a time would be over by now, in
// the middle of the current occurrence: the timer or heartbeat of a process has its
// place among what happens at one time.
func (w *world) happened(p *process, at Time, class uint64) bool {
	return at < w.now || at == w.now && class+uint64(p.number) < w.current.order()
}

// sendLate puts on the wire what the member sent at a time in the past and has no
// answer to yet.
func (w *world) sendLate(p *process, sent Time) {
	network := w.timing.Network
	p.member.Tick(sent)
	for _, r := range p.member.Ready().Requests {
		ref := p.ref(r.ID)
		if !w.happened(p, sent+network, heartbeatsFrom) {
			w.queue.put(occurrence{at: sent + network, kind: toCoordinator,
				message: w.message(message{ref: ref, request: r.Request})})
			continue
		}
		var reply group.Response = &group.HeartbeatReply{}
		if p.classic == nil {
			reply = &group.ConsumerReply{MemberID: p.member.ID(), Epoch: p.member.Generation(),
				Interval: w.scenario.consumerHeartbeat}
		}
		w.schedule(occurrence{at: sent + 2*network, kind: toMember, process: p,
			message: w.message(message{ref: ref, response: reply})})
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
