package sim

import "github.com/holdfast/holdfast/group"

// sendRequest puts a member's request on the wire.
func (w *world) sendRequest(p *process, r group.Outgoing) {
	if h, ok := r.Request.(*group.ConsumerHeartbeat); ok && (h.HasOwned || h.Full) {
		m, modern := p.member.(*group.ConsumerMember)
		p.early = modern && m.Reconciling()
	}
	if w.scenario.Trace {
		routine := false
		switch r := r.Request.(type) {
		case *group.Heartbeat, *group.OffsetCommit:
			routine = true
		case *group.ConsumerHeartbeat:
			routine = r.SaysNothing()
		}
		if !routine {
			w.say("%s -> coordinator: %v", p.spec.ID, r.Request)
		}
	}
	if p.cut {
		return
	}
	if !w.coordinatorUp {
		w.schedule(occurrence{at: w.now + 2*w.timing.Network, kind: connectionLost, process: p})
		return
	}
	w.transit(occurrence{kind: toCoordinator,
		message: w.message(message{ref: p.ref(r.ID), request: r.Request})})
}

// message puts a message into memory, many of them at once.
func (w *world) message(m message) *message {
	if len(w.block) == 0 {
		w.block = make([]message, 256)
	}
	at := &w.block[0]
	w.block = w.block[1:]
	*at = m
	return at
}

// ref names a request of this incarnation.
func (p *process) ref(id int) group.Ref {
	return group.Ref{From: int(p.incarnation)<<32 | int(p.number), ID: id}
}

// transit lets a message travel, as the network's faults will have it.
func (w *world) transit(o occurrence) {
	copies := 1
	if !w.sound {
		f := &w.scenario.Faults
		if f.Loss > 0 && w.random.Float64() < f.Loss {
			copies = 0
		} else if f.Duplicate > 0 && w.random.Float64() < f.Duplicate && !w.deliveredOnce(o.message) {
			copies = 2
		}
	}
	for range copies {
		o.at = w.now + w.timing.Network
		if most := w.scenario.Faults.DelayMax; !w.sound && most > 0 {
			o.at += Time(w.random.Int64N(int64(most) + 1))
		}
		w.queue.put(o)
	}
}

// deliveredOnce reports whether the protocol needs a message to be delivered once at
// most, as a connection does. In a consumer group an assignment goes out with one
// answer: if the request comes twice, the member may read the other one.
func (w *world) deliveredOnce(m *message) bool {
	switch m.request.(type) {
	case *group.ConsumerHeartbeat:
		return true
	case *group.JoinGroup:
		return w.speaksAnyConsumer()
	}
	return false
}

// arriveAtCoordinator hands a request to the coordinator. One that comes when
// there is none is lost with its connection.
func (w *world) arriveAtCoordinator(m *message) {
	if !w.coordinatorUp {
		return
	}
	w.coordinator.Step(w.now, m.ref, m.request)
	w.afterCoordinator()
	if h, ok := m.request.(*group.ConsumerHeartbeat); ok && !h.SaysNothing() {
		w.wakeAll() // One that leaves for a while changes nothing that shows.
	}
}

// afterCoordinator takes out what the coordinator has to say, and lets the rest of
// the world know.
func (w *world) afterCoordinator() {
	w.record.observe(w)
	if consumer := w.coordinator.Consumer(); consumer != w.consumer {
		w.consumer, w.downgraded = consumer, !consumer
		w.converted = w.coordinator.Generation() - 1 // Joining was a change, too.
	}
	out := w.coordinator.Ready()
	for _, m := range out.Removed {
		w.costs.removed(w, m)
	}
	for _, r := range out.Records {
		w.say("coordinator: %v", r)
		w.record.complete(w, r)
		for _, c := range w.checks {
			c.recorded(w, r)
		}
	}
	for i := range out.Changed {
		w.say("coordinator: %v", &out.Changed[i])
		w.record.causes = addCauses(w.record.causes, w.costs.changed(w, &out.Changed[i]))
	}
	w.record.completeConsumer(w)
	for _, r := range out.Replies {
		w.sendResponse(r)
	}
	// In a stable group it is a record that changes who is a member: a static one
	// that comes back, and fences its old incarnation.
	if w.coordinator.State() != group.Stable || len(out.Records) > 0 || len(out.Changed) > 0 {
		w.wakeAll()
	}
	if at, ok := w.coordinator.Deadline(); ok && at < w.tickAt {
		w.tickAt = max(at, w.now)
		w.schedule(occurrence{at: w.tickAt, kind: coordinatorTick})
	}
}

func (w *world) sendResponse(r group.Reply) {
	p := w.processes[r.To.From&0xffffffff]
	if p.cut {
		return
	}
	w.transit(occurrence{kind: toMember, process: p, incarnation: int32(r.To.From >> 32),
		message: w.message(message{ref: r.To, response: r.Response})})
}

// arriveAtMember hands an answer to the member. The answer to a join is read by
// the application's poll alone.
func (w *world) arriveAtMember(p *process, m *message) {
	if p.cut {
		return
	}
	w.hear(p, m.response)
	if _, join := m.response.(*group.JoinReply); join && p.stalled {
		p.inbox = append(p.inbox, m)
		return
	}
	if s, sync := m.response.(*group.SyncReply); sync && s.Code == group.None {
		w.record.synced(w, p.member.Generation())
	}
	if c, ok := m.response.(*group.ConsumerReply); ok && c.HasAssigned {
		w.record.synced(w, c.Epoch)
	}
	p.member.Receive(w.now, m.ref.ID, m.response)
	w.attend(p)
}

// hear writes an answer into the trace, unless it is one to a heartbeat or commit
// that all is well with.
func (w *world) hear(p *process, r group.Response) {
	if !w.scenario.Trace {
		return
	}
	switch c := r.(type) {
	case *group.HeartbeatReply, *group.CommitReply:
		if r.Err() == group.None {
			return
		}
	case *group.ConsumerReply:
		if c.Code == group.None && !c.HasAssigned {
			return
		}
	}
	w.say("%s <- coordinator: %v", p.spec.ID, r)
}

// cutOff keeps everything from reaching or leaving the process.
func (w *world) cutOff(p *process, until Time) {
	if !p.up {
		return
	}
	w.wake(p)
	p.cut, p.cutEnds = true, max(p.cutEnds, until)
	w.say("%s: is cut off", p.spec.ID)
	w.schedule(occurrence{at: until, kind: cutEnds, process: p})
	w.setTimer(p)
}

// failover stops the coordinator. Another one begins with the last record.
func (w *world) failover(down Time) {
	if !w.coordinatorUp {
		return
	}
	w.say("coordinator: stops")
	w.wakeAll()
	w.coordinatorUp = false
	w.coordinator.Stop()
	for _, r := range w.coordinator.Ready().Replies {
		w.sendResponse(r)
	}
	if !w.coordinator.Consumer() {
		w.record.open = false // The group will be where it was before.
	}
	for _, p := range w.processes {
		if p.up && !p.cut {
			w.schedule(occurrence{at: w.now + w.timing.Network, kind: connectionLost, process: p})
		}
	}
	w.takeovers++
	w.schedule(occurrence{at: w.now + down, kind: coordinatorStart})
}

// startCoordinator begins with what was written, if anything was.
func (w *world) startCoordinator() {
	w.coordinatorUp, w.tickAt = true, never
	w.record.begun = 0
	if w.takeovers > 0 {
		w.coordinator = w.coordinator.TakeOver(w.now, w.takeovers)
		w.coordinator.SetTopics(w.topics)
		w.say("coordinator: another one starts")
		if w.record.record != nil && !w.coordinator.Consumer() {
			w.costs.reload(w, w.record.record, w.downgraded)
		}
		w.afterCoordinator()
		return
	}
	delay := w.timing.InitialRebalanceDelay
	if delay == 0 {
		delay = -1
	}
	// The scenario may well use sessions that a broker would not allow.
	w.coordinator = group.NewBroker(group.BrokerConfig{
		Classic: group.CoordinatorConfig{InitialRebalanceDelay: delay, MinSession: 1,
			Broken: w.scenario.broken.coordinator},
		Consumer: group.ConsumerConfig{SessionTimeout: w.timing.SessionTimeout,
			HeartbeatInterval: w.scenario.consumerHeartbeat, Assignor: w.scenario.ServerAssignor,
			Broken: w.scenario.broken.coordinator},
	}, w.topics)
}
