package group

import (
	"fmt"

	"github.com/holdfast/holdfast"
)

// ConsumerMember is a consumer's half of the consumer protocol (KIP-848): a state
// machine like [Member]. It sends heartbeats, is told what to own, gives up what it
// is not told to own, and says so with the next heartbeat, which it sends at once.
// Listeners run in Poll.
type ConsumerMember struct {
	config   MemberConfig
	assignor string
	id       string
	state    MemberState
	epoch    int32
	failure  error

	topics []string
	owned  Partitions
	told   *Partitions // what it shall own, until it begins to take it over
	taking bool        // it takes over what it was told
	lost   bool        // what it owns has to be given up as lost

	ack     bool // the next heartbeat says what it owns
	full    bool // the next heartbeat says everything
	closing bool
	after   func(now Time)

	interval       Time
	next           Time // the next heartbeat is due
	answer         Time // the heartbeat in flight has failed
	hold           Time
	poll           Time
	stalled        bool
	lastID, flying int
	ready          MemberReady
}

// NewConsumerMember returns a consumer that has not joined yet. The id is its
// member id, which it chooses itself and keeps for life; assignor is the server
// assignor that it asks for, "" for any. Of the configuration the strategies and
// the session timeout play no part: those are the broker's.
func NewConsumerMember(config MemberConfig, id, assignor string, topics []string) *ConsumerMember {
	config.setDefaults()
	return &ConsumerMember{config: config, assignor: assignor, id: id,
		topics: sortedTopics(topics), full: true, interval: config.HeartbeatInterval,
		next: noTime, answer: noTime, hold: noTime, poll: noTime}
}

// ID returns the member id.
func (m *ConsumerMember) ID() string { return m.id }

// Generation returns the member epoch, 0 while it has not joined.
func (m *ConsumerMember) Generation() int32 { return m.epoch }

// InstanceID returns the group.instance.id, "" for a dynamic member.
func (m *ConsumerMember) InstanceID() string { return m.config.InstanceID }

// State returns how far the member is.
func (m *ConsumerMember) State() MemberState { return m.state }

// Reconciling reports whether the member has been told to own something else than
// it says it owns.
func (m *ConsumerMember) Reconciling() bool { return m.told != nil || m.taking }

// Failure says why the state is FailedHard.
func (m *ConsumerMember) Failure() error { return m.failure }

// Topics returns the subscription. The slice must not be changed.
func (m *ConsumerMember) Topics() []string { return m.topics }

// Owned returns the partitions that the member reads.
func (m *ConsumerMember) Owned() Partitions { return m.owned }

// MayCommit reports whether the member is in the group.
func (m *ConsumerMember) MayCommit() bool { return m.state == Joined && m.epoch > 0 && !m.lost }

// Ready returns what the calls since the last Ready produced.
func (m *ConsumerMember) Ready() MemberReady {
	out := m.ready
	m.ready = MemberReady{Requests: out.Requests[:0]}
	return out
}

// Deadline returns when Tick has to be called next, and false if it need not be.
func (m *ConsumerMember) Deadline() (Time, bool) {
	next := min(m.answer, m.hold)
	if m.state == Joined {
		next = min(next, m.poll)
	}
	if m.flying == 0 && m.hold == noTime {
		next = min(next, m.next)
	}
	return next, next != noTime
}

// Tick lets the timers fire whose time has come.
func (m *ConsumerMember) Tick(now Time) {
	if m.hold <= now {
		m.hold = noTime
	}
	if m.answer <= now {
		m.Disconnected(now)
	}
	if m.poll <= now && m.state == Joined {
		m.leaveSilently()
		return
	}
	if m.flying == 0 && m.hold == noTime && m.next <= now {
		m.beat(now)
	}
}

// leaveSilently takes the member out of the group because the application does not
// poll. It loses what it has when it polls again, and joins anew.
func (m *ConsumerMember) leaveSilently() {
	m.sendLeave()
	m.poll, m.next, m.answer, m.flying = noTime, noTime, noTime, 0
	m.state, m.epoch, m.told = Unjoined, 0, nil
	m.lost = true
}

func (m *ConsumerMember) sendLeave() {
	epoch := LeaveEpoch
	if m.config.InstanceID != "" {
		epoch = StaticLeaveEpoch
	}
	m.send(&ConsumerHeartbeat{MemberID: m.id, InstanceID: m.config.InstanceID, Epoch: epoch})
}

func (m *ConsumerMember) send(r Request) int {
	m.lastID++
	m.ready.Requests = append(m.ready.Requests, Outgoing{m.lastID, r})
	return m.lastID
}

// beat sends a heartbeat with what has to be said.
func (m *ConsumerMember) beat(now Time) {
	r := &ConsumerHeartbeat{MemberID: m.id, InstanceID: m.config.InstanceID, Epoch: m.epoch}
	if m.full || m.epoch == JoinEpoch {
		r.Full, r.ClientID, r.Rack = true, m.config.ClientID, m.config.Rack
		r.RebalanceTimeout, r.Assignor = m.config.MaxPollInterval, m.assignor
		r.Topics, r.Owned = m.topics, m.owned
	} else if m.ack {
		r.Owned, r.HasOwned = m.owned, true
	}
	m.full, m.ack = false, false
	m.next = now + m.interval
	m.answer = now + m.config.RequestTimeout
	m.flying = m.send(r)
	if m.state == Unjoined {
		m.state = Joining
	}
}

// Disconnected tells the member that the connection to the coordinator broke. What
// was said may not have been heard, so that the next heartbeat says everything.
func (m *ConsumerMember) Disconnected(now Time) {
	if m.state == Closed || m.state == FailedHard {
		return
	}
	m.hold = now + m.config.RetryBackoff
	m.flying, m.answer = 0, noTime
	m.full = true
	if m.state != Unjoined {
		m.next = min(m.next, m.hold)
	}
}

// Receive hands the member an answer.
func (m *ConsumerMember) Receive(now Time, id int, response Response) {
	r, ok := response.(*ConsumerReply)
	if !ok || id != m.flying || m.state == Closed || m.state == FailedHard {
		return
	}
	m.flying, m.answer = 0, noTime
	switch r.Code {
	case None:
		m.heard(now, r)
	case UnknownMemberID, FencedMemberEpoch:
		// It begins anew, with what it had given up for lost.
		m.state, m.epoch, m.told = Unjoined, JoinEpoch, nil
		m.lost, m.full = true, true
		m.next = noTime
	case CoordinatorNotAvailable, NotCoordinator:
		m.Disconnected(now)
	default:
		m.state, m.failure = FailedHard, &CodeError{r.Code}
	}
}

// heard takes over what the coordinator says.
func (m *ConsumerMember) heard(now Time, r *ConsumerReply) {
	m.state, m.epoch = Joined, r.Epoch
	if r.Interval > 0 {
		m.interval = r.Interval
	}
	m.next = min(m.next, now+m.interval)
	if r.HasAssigned && (m.told != nil || !r.Assigned.Equal(m.owned)) {
		told := r.Assigned
		m.told = &told
	}
	if m.ack && m.told == nil {
		m.next = now
	}
}

// WantsPoll reports whether a Poll at this time would do anything.
func (m *ConsumerMember) WantsPoll() bool {
	if m.state == Closed || m.state == FailedHard || m.after != nil {
		return false
	}
	return m.closing || m.lost || m.told != nil ||
		m.state == Unjoined && m.flying == 0 && m.hold == noTime
}

// Poll is a call of poll() by the application: the member gives up what it has to,
// takes over what it was told to own, and joins if it has not.
func (m *ConsumerMember) Poll(now Time) {
	for m.WantsPoll() {
		switch {
		case m.closing:
			m.closing = false
			m.Close(now)
		case m.lost:
			m.giveUpLost(now)
		case m.told != nil:
			m.takeOver(now)
		default:
			m.beat(now)
		}
	}
}

func (m *ConsumerMember) giveUpLost(now Time) {
	m.lost = false
	if len(m.owned) == 0 {
		return
	}
	m.call(now, Callback{OnLost, m.owned, true}, func(now Time) {
		m.owned = nil
		m.Poll(now)
	})
}

// takeOver makes the member own what it was told to: first it gives up the rest.
func (m *ConsumerMember) takeOver(now Time) {
	told := *m.told
	m.told, m.taking = nil, true
	install := func(now Time) {
		added := told.Minus(m.owned)
		m.owned = told
		m.ack, m.taking = true, false
		if m.flying == 0 && m.told == nil {
			m.next = now
		}
		m.call(now, Callback{OnAssigned, added, false}, m.Poll)
	}
	revoked := m.owned.Minus(told)
	if len(revoked) == 0 {
		install(now)
		return
	}
	if m.config.AutoCommit {
		m.Commit(revoked)
	}
	m.call(now, Callback{OnRevoked, revoked, false}, install)
}

// Commit sends an OffsetCommit with the member epoch.
func (m *ConsumerMember) Commit(p Partitions) int {
	return m.send(&OffsetCommit{MemberID: m.id, InstanceID: m.config.InstanceID,
		Generation: m.epoch, Committed: p})
}

// call asks the caller to run a listener.
func (m *ConsumerMember) call(now Time, c Callback, then func(now Time)) {
	m.ready.Callback = &c
	m.after = then
	m.poll = min(m.poll, now+m.config.MaxPollInterval)
}

// Done tells the member that the listener of the last Callback has returned.
func (m *ConsumerMember) Done(now Time) {
	if m.after == nil {
		panic("group: Done without a callback")
	}
	then := m.after
	m.after = nil
	if !m.stalled {
		m.poll = noTime
	}
	then(now)
}

// InCallback reports whether the member waits for Done.
func (m *ConsumerMember) InCallback() bool { return m.after != nil }

// Stall tells the member that the application does not poll any more.
func (m *ConsumerMember) Stall(lastPoll Time) {
	m.stalled = true
	m.poll = lastPoll + m.config.MaxPollInterval
}

// Resume tells the member that the application polls again.
func (m *ConsumerMember) Resume() {
	m.stalled = false
	if m.after == nil {
		m.poll = noTime
	}
}

// SetMetadata does nothing: the broker watches the topics.
func (m *ConsumerMember) SetMetadata(Time, []holdfast.Topic) {}

// Subscribe changes the subscription; the next heartbeat says so.
func (m *ConsumerMember) Subscribe(topics []string) {
	m.topics = sortedTopics(topics)
	m.full = true
}

// Close ends the member: the listener gives up what it has, and the member leaves,
// for good if it is dynamic.
func (m *ConsumerMember) Close(now Time) {
	switch {
	case m.state == Closed || m.state == FailedHard:
		return
	case m.after != nil:
		m.closing = true
		return
	}
	leave := func(Time) {
		if m.state != Unjoined {
			m.sendLeave()
		}
		m.owned, m.told, m.state = nil, nil, Closed
		m.next, m.answer, m.hold, m.flying = noTime, noTime, noTime, 0
	}
	if len(m.owned) == 0 {
		leave(now)
		return
	}
	kind := OnRevoked
	if m.lost || m.epoch <= 0 {
		kind = OnLost
	}
	m.call(now, Callback{kind, m.owned, false}, leave)
}

// Quiet reports whether the member has nothing to do but to send heartbeats that
// say nothing new.
func (m *ConsumerMember) Quiet() bool {
	return m.state == Joined && m.after == nil && m.told == nil && !m.ack && !m.full && !m.lost &&
		!m.closing && m.flying == 0 && m.hold == noTime && m.poll == noTime
}

// NextHeartbeat returns when the next heartbeat is due and how far they lie apart.
func (m *ConsumerMember) NextHeartbeat() (at, every Time) { return m.next, m.interval }

// SkipHeartbeats counts heartbeats as sent and answered; see [Member.SkipHeartbeats].
func (m *ConsumerMember) SkipHeartbeats(next, _ Time) { m.next = next }

// String writes the member's id, state and epoch.
func (m *ConsumerMember) String() string {
	return fmt.Sprintf("%s %v epoch %d owns %v", m.id, m.state, m.epoch, m.owned)
}
