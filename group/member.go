package group

import (
	"fmt"
	"slices"
	"time"

	"github.com/holdfast/holdfast"
)

// MemberState is how far a member is on its way into a generation.
type MemberState int

// The states of a member.
const (
	Unjoined   MemberState = iota
	Joining                // JoinGroup sent; no heartbeats
	Syncing                // SyncGroup sent; heartbeats from here on
	Joined                 // has its assignment
	Closed                 // left of its own accord
	FailedHard             // met an error that a client does not recover from
)

// String returns the state in one word.
func (s MemberState) String() string {
	return [...]string{"unjoined", "joining", "syncing", "joined", "closed", "failed"}[s]
}

// MemberConfig is a consumer's configuration. A zero duration means Kafka's
// default.
type MemberConfig struct {
	ClientID   string
	InstanceID string // group.instance.id; "" for a dynamic member
	Rack       string // client.rack
	// Capacity is for strategies that weigh members, 0 for 1.
	Capacity float64
	// Assignors is partition.assignment.strategy, in order of preference.
	Assignors         []holdfast.Assignor
	SessionTimeout    Time  // session.timeout.ms, default 45 s
	HeartbeatInterval Time  // heartbeat.interval.ms, default 3 s
	MaxPollInterval   Time  // max.poll.interval.ms, default 5 min
	RequestTimeout    Time  // request.timeout.ms, default 30 s
	RetryBackoff      Time  // retry.backoff.ms, default 100 ms
	JoinVersion       int16 // of JoinGroup, default 9
	AutoCommit        bool  // commit what is owned before it is given up
	Broken            Breakage
}

func (c *MemberConfig) setDefaults() {
	orDefault := func(d *Time, or Time) {
		if *d == 0 {
			*d = or
		}
	}
	orDefault(&c.SessionTimeout, 45*time.Second)
	orDefault(&c.HeartbeatInterval, 3*time.Second)
	orDefault(&c.MaxPollInterval, 5*time.Minute)
	orDefault(&c.RequestTimeout, 30*time.Second)
	orDefault(&c.RetryBackoff, 100*time.Millisecond)
	if c.JoinVersion == 0 {
		c.JoinVersion = 9
	}
}

// CallbackKind names the calls of a rebalance listener.
type CallbackKind int

// The calls of a rebalance listener.
const (
	OnAssigned CallbackKind = iota
	OnRevoked
	OnLost
)

// String returns "assigned", "revoked" or "lost".
func (k CallbackKind) String() string { return [...]string{"assigned", "revoked", "lost"}[k] }

// Callback is a call of the application's rebalance listener. The member waits
// until the caller says with Done that it has returned.
type Callback struct {
	Kind       CallbackKind
	Partitions Partitions
	// BeforeJoin says that partitions are given up in order to join, not because an
	// assignment says so.
	BeforeJoin bool
}

// Outgoing is a request that the member sends.
type Outgoing struct {
	ID      int
	Request Request
}

// MemberReady is what came out of a member since the last call of Ready.
type MemberReady struct {
	Requests []Outgoing
	// Callback is a listener to run now, or nil. It comes before Requests that are
	// sent afterwards, never together with them.
	Callback *Callback
	// Refresh asks for a call of SetMetadata with the topics as they are now.
	Refresh bool
}

// Member is a consumer's half of the classic protocol, as Kafka's Java client
// plays it: a state machine that is told the time and what happens, and says what
// it sends and when it wants to be told the time again. All of its rebalance work
// happens in Poll, but for heartbeats. It is not safe for concurrent use.
//
// A call costs O(its partitions), for the leader at the end of a join phase what
// its assignor costs.
type Member struct {
	config   MemberConfig
	protocol RebalanceProtocol

	state      MemberState
	id         string
	generation int32
	assignor   holdfast.Assignor // of the generation
	failure    error

	topics       []string // the subscription, sorted
	joinedTopics []string // as it was last sent
	rejoin       bool     // a rejoin is due
	reason       Reason   // why
	unprepared   bool     // the listener has to be told before the next join
	closing      bool     // to be closed when the listener returns

	owned  Partitions
	memory []*Claims // per assignor: what it last assigned
	// kept is what a broken member goes on reading without saying so; before is what
	// it owned a generation ago.
	kept, before Partitions

	synced *SyncReply // an assignment to take over in the next Poll
	after  func(now Time)

	leader leaderView
	timing memberTiming

	lastID         int
	joinID, syncID int // requests in flight, 0 for none
	heartbeats     []sentHeartbeat

	ready MemberReady
}

// memberTiming holds the member's timers; noTime where one does not run.
type memberTiming struct {
	heartbeat Time // the next heartbeat is due
	heard     Time // the coordinator last answered
	answer    Time // the JoinGroup or SyncGroup in flight has failed
	hold      Time // nothing is sent until then: no coordinator is known
	poll      Time // max.poll.interval.ms is over
	stalled   bool
}

// sentHeartbeat is a heartbeat in flight. Errors count only if the member is
// still in the generation that it was sent in.
type sentHeartbeat struct {
	id         int
	generation int32
}

// NewMember returns a consumer that has not joined yet. The topics are its
// subscription.
func NewMember(config MemberConfig, topics []string) *Member {
	config.setDefaults()
	names := make([]string, len(config.Assignors))
	for i, a := range config.Assignors {
		names[i] = a.Name()
	}
	return &Member{config: config, protocol: ProtocolOf(names), generation: -1,
		topics: sortedTopics(topics), rejoin: true, reason: MemberJoins, unprepared: true,
		memory: make([]*Claims, len(config.Assignors)),
		timing: memberTiming{heartbeat: noTime, answer: noTime, hold: noTime, poll: noTime}}
}

func sortedTopics(topics []string) []string {
	sorted := slices.Clone(topics)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// ID returns the member id, "" while there is none.
func (m *Member) ID() string { return m.id }

// Generation returns the generation that the member has joined, or -1.
func (m *Member) Generation() int32 { return m.generation }

// InstanceID returns the group.instance.id, "" for a dynamic member.
func (m *Member) InstanceID() string { return m.config.InstanceID }

// State returns how far the member is.
func (m *Member) State() MemberState { return m.state }

// Protocol returns the member's rebalance protocol, which its list fixes.
func (m *Member) Protocol() RebalanceProtocol { return m.protocol }

// Leads reports whether the member is the leader of its generation.
func (m *Member) Leads() bool { return m.leader.leads }

// Topics returns the subscription. The slice must not be changed.
func (m *Member) Topics() []string { return m.topics }

// Owned returns the partitions that the member reads. It goes on reading them
// through a cooperative rebalance, and until a listener that is told to give them
// up has returned.
func (m *Member) Owned() Partitions { return m.owned.Plus(m.kept) }

// MayCommit reports whether the client sends commits: it is in a generation and has
// taken over its assignment. Before that it refuses to, for what it owns may not be
// what the generation gave it.
func (m *Member) MayCommit() bool { return m.state == Joined && m.synced == nil }

// Failure says why the state is FailedHard: a Code as *CodeError, or what the
// assignor returned.
func (m *Member) Failure() error { return m.failure }

// CodeError is an answer that a consumer does not recover from.
type CodeError struct{ Code Code }

// Error returns Kafka's name of the code.
func (e *CodeError) Error() string { return e.Code.String() }

// Ready returns what the calls since the last Ready produced. The slices are
// valid until the next call of a method.
func (m *Member) Ready() MemberReady {
	out := m.ready
	m.ready = MemberReady{Requests: out.Requests[:0]}
	return out
}

// Deadline returns when Tick has to be called next, and false if it need not be.
func (m *Member) Deadline() (Time, bool) {
	t := &m.timing
	next := min(t.answer, t.hold)
	if m.beating() {
		next = min(next, t.poll)
		if t.hold == noTime {
			next = min(next, t.heartbeat, t.heard+m.config.SessionTimeout)
		}
	}
	return next, next != noTime
}

// beating reports whether the heartbeat thread is at work.
func (m *Member) beating() bool { return m.state == Syncing || m.state == Joined }

// Tick lets the timers fire whose time has come. Afterwards the member may want
// to be polled.
func (m *Member) Tick(now Time) {
	t := &m.timing
	if t.hold <= now {
		t.hold, t.heard = noTime, now
	}
	if t.answer <= now {
		m.Disconnected(now)
	}
	if !m.beating() {
		return
	}
	if t.poll <= now {
		m.pollTooLate()
		return
	}
	if t.hold != noTime {
		return
	}
	if t.heard+m.config.SessionTimeout <= now {
		m.Disconnected(now)
		return
	}
	if t.heartbeat <= now {
		t.heartbeat = now + m.config.HeartbeatInterval
		m.heartbeats = append(m.heartbeats, sentHeartbeat{m.lastID + 1, m.generation})
		m.send(&Heartbeat{MemberID: m.id, InstanceID: m.config.InstanceID,
			Generation: m.generation})
	}
}

// Disconnected tells the member that the connection to the coordinator broke.
// What was in flight has failed; after a pause it finds the coordinator again.
func (m *Member) Disconnected(now Time) {
	if m.state == Closed || m.state == FailedHard {
		return
	}
	m.timing.hold = now + m.config.RetryBackoff
	m.heartbeats = m.heartbeats[:0]
	if m.joinID != 0 || m.syncID != 0 || m.leader.waiting != nil {
		m.abandon()
		m.state = Unjoined
		m.wantRejoin(MemberRetries)
	}
}

// pollTooLate takes the member out of the group because the application does not
// poll (KIP-62). A static member just falls silent.
func (m *Member) pollTooLate() {
	if m.config.InstanceID == "" {
		m.sendLeave()
	}
	m.timing.poll = noTime
	m.reset(true)
}

// Stall tells the member that the application does not poll any more; it did last
// at the given time.
func (m *Member) Stall(lastPoll Time) {
	m.timing.stalled = true
	m.timing.poll = lastPoll + m.config.MaxPollInterval
}

// Resume tells the member that the application polls again.
func (m *Member) Resume() {
	m.timing.stalled = false
	if m.after == nil {
		m.timing.poll = noTime
	}
}

// send puts a request into Ready.
func (m *Member) send(r Request) int {
	m.lastID++
	m.ready.Requests = append(m.ready.Requests, Outgoing{m.lastID, r})
	return m.lastID
}

func (m *Member) sendLeave() {
	m.send(&LeaveGroup{Members: []LeavingMember{{ID: m.id, InstanceID: m.config.InstanceID}}})
}

// wantRejoin makes the member rejoin in its next Poll. The first reason stands.
func (m *Member) wantRejoin(why Reason) {
	if !m.rejoin {
		m.rejoin, m.reason = true, why
	}
}

// reset forgets the generation, and if told so the member id: what the member
// owns is lost as soon as it polls.
func (m *Member) reset(alsoID bool) {
	m.state, m.generation = Unjoined, -1
	if alsoID {
		m.id = ""
	}
	m.abandon()
	m.heartbeats = m.heartbeats[:0]
	m.unprepared = true
	m.wantRejoin(MemberJoins)
}

// fail ends the member: the error comes out of the application's poll.
func (m *Member) fail(err error) {
	m.state, m.failure = FailedHard, err
	m.abandon()
}

// abandon gives up the join or sync that is in flight: its answer counts for
// nothing any more.
func (m *Member) abandon() {
	m.joinID, m.syncID, m.timing.answer = 0, 0, noTime
	m.leader.waiting = nil
}

// call asks the caller to run a listener; then goes on after it.
func (m *Member) call(now Time, c Callback, then func(now Time)) {
	m.ready.Callback = &c
	m.after = then
	m.timing.poll = min(m.timing.poll, now+m.config.MaxPollInterval)
}

// Done tells the member that the listener of the last Callback has returned.
func (m *Member) Done(now Time) {
	if m.after == nil {
		panic("group: Done without a callback")
	}
	then := m.after
	m.after = nil
	if !m.timing.stalled {
		m.timing.poll = noTime
	}
	then(now)
}

// InCallback reports whether the member waits for Done.
func (m *Member) InCallback() bool { return m.after != nil }

// Quiet reports whether the member has nothing to do but to send heartbeats.
func (m *Member) Quiet() bool {
	t := &m.timing
	return m.state == Joined && m.after == nil && m.synced == nil && !m.rejoinDue() &&
		len(m.heartbeats) == 0 && t.hold == noTime && t.poll == noTime && t.answer == noTime
}

// NextHeartbeat returns when the next heartbeat is due and how far they lie
// apart. It means something while the member is Quiet.
func (m *Member) NextHeartbeat() (at, every Time) {
	return m.timing.heartbeat, m.config.HeartbeatInterval
}

// SkipHeartbeats counts heartbeats as sent and answered: all that were due up to
// the given time, the last of which was answered at heard.
func (m *Member) SkipHeartbeats(next, heard Time) {
	m.timing.heartbeat, m.timing.heard = next, heard
}

// String writes the member's id, state and generation.
func (m *Member) String() string {
	return fmt.Sprintf("%s %v generation %d owns %v", m.id, m.state, m.generation, m.Owned())
}
