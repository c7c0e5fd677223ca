package group

import (
	"fmt"
	"slices"
	"time"
)

// State is the state of a group.
type State int

// The states of a group. From Empty or Stable a classic group goes through
// PreparingRebalance (members join) and CompletingRebalance (the leader assigns)
// to Stable; a group of the consumer protocol is Reconciling in between. Dead is a
// group that this coordinator has no say in any more.
const (
	Empty State = iota
	PreparingRebalance
	CompletingRebalance
	Stable
	Dead
	Reconciling
)

// String returns Kafka's name of the state.
func (s State) String() string {
	return [...]string{"Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead",
		"Reconciling"}[s]
}

// newMemberJoinTimeout is how long a new member's join may be parked: it has no
// session yet, and may have gone away without anybody noticing.
const newMemberJoinTimeout = 5 * time.Minute

// CoordinatorConfig is the broker's side of a group's configuration. A zero
// duration or count means Kafka's default.
type CoordinatorConfig struct {
	// InitialRebalanceDelay is group.initial.rebalance.delay.ms: how long an empty
	// group waits for more members. Default 3 s; negative means none.
	InitialRebalanceDelay Time
	MinSession            Time // group.min.session.timeout.ms, default 6 s
	MaxSession            Time // group.max.session.timeout.ms, default 30 min
	MaxSize               int  // group.max.size, default no limit
	// Incarnation tells coordinators of one group apart that took over from each
	// other, so that no member id is given out twice.
	Incarnation int
	// Broken breaks rules on purpose; see [Breakage].
	Broken Breakage
}

func (c *CoordinatorConfig) setDefaults() {
	orDefault := func(d *Time, or Time) {
		if *d == 0 {
			*d = or
		}
	}
	orDefault(&c.InitialRebalanceDelay, 3*time.Second)
	orDefault(&c.MinSession, 6*time.Second)
	orDefault(&c.MaxSession, 30*time.Minute)
	c.InitialRebalanceDelay = max(c.InitialRebalanceDelay, 0)
	if c.MaxSize == 0 {
		c.MaxSize = 1<<31 - 1
	}
}

// Coordinator is the broker's half of a classic group: a state machine that is
// told the time and a request, and says what it answers, what it writes and when
// it wants to be told the time again. It is not safe for concurrent use.
//
// Each request costs O(1) amortised, the end of a join phase and of a sync phase
// O(members).
type Coordinator struct {
	config  CoordinatorConfig
	state   State
	created bool // a record says that the group exists
	// previous is the state before PreparingRebalance: a group that was Empty waits
	// for its initial delay, whoever has joined.
	previous   State
	generation int32
	protocol   string
	leader     *seat
	seats      []*seat // in order of joining
	byID       map[string]*seat
	byInstance map[string]*seat
	listed     map[string]int // strategy -> how many members list it
	pending    map[string]*session
	joined     int // seats with a parked join
	unsynced   int // seats of this generation that have not sent a SyncGroup

	phase     phase // what phaseEnds is the end of
	phaseEnds Time
	initial   initialDelay
	sessions  sessions
	ids       int // member ids given out
	places    int // seats there have been

	cause  Reason
	causer string // client id
	begun  int    // rebalances

	ready CoordinatorReady
}

// phase names the one timer that a group runs beside its members' sessions.
type phase int

const (
	noPhase phase = iota
	initialPhase
	joinPhase
	syncPhase
)

// initialDelay is the wait of a group that was empty. It is extended while
// members come, up to the longest rebalance timeout.
type initialDelay struct {
	last      Time
	remaining Time
	newcomer  bool // somebody joined since the delay was set
}

// seat is a member as the coordinator knows it.
type seat struct {
	id, instance, client string
	sessionTimeout       Time
	rebalanceTimeout     Time
	protocols            []Protocol
	assigned             Partitions
	join, sync           parked
	isNew                bool
	unsynced             bool // has not sent a SyncGroup in this generation
	session              session
}

// parked is a request that waits for its answer.
type parked struct {
	from    Ref
	waiting bool
}

// CoordinatorReady is what came out of a coordinator since the last call of
// Ready.
type CoordinatorReady struct {
	Replies []Reply
	// Records have to be written before the replies are sent.
	Records []*Record
	// Removed are the members that are not in the group any more.
	Removed []LeavingMember
}

// Reply is the answer to one request.
type Reply struct {
	To       Ref
	Response Response
}

// NewCoordinator returns the coordinator of a group that does not exist yet.
func NewCoordinator(config CoordinatorConfig) *Coordinator {
	config.setDefaults()
	return &Coordinator{config: config, phaseEnds: noTime,
		byID: make(map[string]*seat), byInstance: make(map[string]*seat),
		listed: make(map[string]int), pending: make(map[string]*session)}
}

// Step hands the coordinator a request. The reply may come at once or later; see
// Ready.
func (c *Coordinator) Step(now Time, from Ref, request Request) {
	switch r := request.(type) {
	case *JoinGroup:
		c.stepJoin(now, from, r)
	case *SyncGroup:
		c.stepSync(now, from, r)
	case *Heartbeat:
		c.reply(from, &HeartbeatReply{c.stepHeartbeat(now, r)})
	case *LeaveGroup:
		c.reply(from, c.stepLeave(now, r))
	case *OffsetCommit:
		code := c.CanCommit(r.MemberID, r.InstanceID, r.Generation)
		if s := c.byID[r.MemberID]; s != nil && code == None {
			c.alive(now, s)
		}
		c.reply(from, &CommitReply{code})
	default:
		panic(fmt.Sprintf("group: a classic coordinator got a %T", request))
	}
}

// Ready returns what the calls since the last Ready produced. The slices are
// valid until the next call of a method.
func (c *Coordinator) Ready() CoordinatorReady {
	out := c.ready
	c.ready = CoordinatorReady{out.Replies[:0], out.Records[:0], out.Removed[:0]}
	return out
}

// Deadline returns when Tick has to be called next, and false if it need not be.
func (c *Coordinator) Deadline() (Time, bool) {
	next := min(c.phaseEnds, c.sessions.next())
	return next, next != noTime
}

// Tick lets the timers fire whose time has come.
func (c *Coordinator) Tick(now Time) {
	for s := c.sessions.expired(now); s != nil; s = c.sessions.expired(now) {
		c.expire(now, s)
	}
	if c.phaseEnds > now {
		return
	}
	ended := c.phase
	c.endPhase()
	switch ended {
	case initialPhase:
		c.initialDelayOver(now)
	case joinPhase:
		c.completeJoin(now)
	case syncPhase:
		c.syncOver(now)
	}
}

// Stop ends the coordinator's say in the group, as when another broker takes
// over: parked requests are turned away, and so is everything that comes later.
func (c *Coordinator) Stop() {
	for _, s := range c.seats {
		c.answerJoin(s, &JoinReply{Code: NotCoordinator})
		c.answerSync(s, &SyncReply{Code: NotCoordinator})
	}
	c.state, c.sessions = Dead, nil
	c.endPhase()
}

// State returns the state of the group.
func (c *Coordinator) State() State { return c.state }

// Generation returns the number of the last generation that was begun.
func (c *Coordinator) Generation() int32 { return c.generation }

// Protocol returns the strategy of the generation, "" for an empty group.
func (c *Coordinator) Protocol() string { return c.protocol }

// Leader returns the member id of the leader, "" if there is none.
func (c *Coordinator) Leader() string {
	if c.leader == nil {
		return ""
	}
	return c.leader.id
}

// Members returns the ids of the members in order of joining, in O(members).
func (c *Coordinator) Members() []string {
	ids := make([]string, len(c.seats))
	for i, s := range c.seats {
		ids[i] = s.id
	}
	return ids
}

// Size is the number of members.
func (c *Coordinator) Size() int { return len(c.seats) }

// Has reports whether the member id is in the group.
func (c *Coordinator) Has(memberID string) bool { return c.byID[memberID] != nil }

// Cause says why the current or last rebalance began, and the client id of the
// member that it began with.
func (c *Coordinator) Cause() (why Reason, clientID string) { return c.cause, c.causer }

// Begun is the number of rebalances that this coordinator has begun, completed or
// not.
func (c *Coordinator) Begun() int { return c.begun }

// CanCommit is the code that an OffsetCommit of this member would be answered
// with now. It changes nothing.
func (c *Coordinator) CanCommit(memberID, instanceID string, generation int32) Code {
	if c.state == Dead {
		return CoordinatorNotAvailable
	}
	if generation < 0 && memberID == "" && instanceID == "" && c.state == Empty {
		return None // A consumer that manages its partitions itself.
	}
	if code := c.validate(memberID, instanceID, generation); code != None {
		return code
	}
	if c.state == CompletingRebalance {
		return RebalanceInProgress
	}
	return None
}

// Rest stops the session timer of a member whose heartbeats the caller will not
// deliver one by one, because they change nothing. It returns when the session
// began to count; Heard makes it count again, from then or from later.
func (c *Coordinator) Rest(memberID string) (heard Time) {
	s := c.byID[memberID]
	if s == nil {
		return 0
	}
	heard = s.session.deadline - s.sessionTimeout
	c.sessions.disarm(&s.session)
	return heard
}

// Heard counts a heartbeat that arrived at a time in the past, since which
// nothing has happened that would have changed its answer.
func (c *Coordinator) Heard(memberID string, at Time) {
	s := c.byID[memberID]
	if s != nil && (s.session.deadline == noTime || s.session.deadline < at+s.sessionTimeout) {
		c.alive(at, s)
	}
}

// validate is the check that every request of a member has to pass.
func (c *Coordinator) validate(memberID, instanceID string, generation int32) Code {
	if code := c.validateID(memberID, instanceID); code != None {
		return code
	}
	if generation != c.generation && !c.config.Broken.Has(AcceptOldGenerations) {
		return IllegalGeneration
	}
	return None
}

// validateID checks that the member is in the group, and is still the one that
// holds its instance id.
func (c *Coordinator) validateID(memberID, instanceID string) Code {
	if instanceID != "" {
		switch holder := c.byInstance[instanceID]; {
		case holder == nil:
			return UnknownMemberID
		case holder.id != memberID && !c.config.Broken.Has(ForgetToFence):
			return FencedInstanceID
		case holder.id != memberID:
			return None
		}
	}
	if c.byID[memberID] == nil {
		return UnknownMemberID
	}
	return None
}

// stepHeartbeat extends the member's session and tells it of a rebalance.
func (c *Coordinator) stepHeartbeat(now Time, r *Heartbeat) Code {
	if c.state == Dead {
		return CoordinatorNotAvailable
	}
	if code := c.validate(r.MemberID, r.InstanceID, r.Generation); code != None {
		return code
	}
	if s := c.byID[r.MemberID]; s != nil {
		c.alive(now, s)
	}
	if c.state == PreparingRebalance && !c.config.Broken.Has(HideRebalances) {
		return RebalanceInProgress
	}
	// While the leader assigns, a heartbeat is answered as if nothing happened:
	// members send them from the moment that their join is answered.
	return None
}

// stepLeave removes the members named, then looks once at what that means.
func (c *Coordinator) stepLeave(now Time, r *LeaveGroup) *LeaveReply {
	if c.state == Dead {
		return &LeaveReply{Code: CoordinatorNotAvailable}
	}
	reply := &LeaveReply{Members: make([]Code, len(r.Members))}
	var left *seat
	for i, m := range r.Members {
		if p := c.pending[m.ID]; p != nil && m.InstanceID == "" {
			c.forgetPending(now, p)
			continue
		}
		id := m.ID
		if id == "" && m.InstanceID != "" {
			if s := c.byInstance[m.InstanceID]; s != nil {
				id = s.id
			}
		}
		if reply.Members[i] = c.validateID(id, m.InstanceID); reply.Members[i] == None {
			left = c.byID[id]
			c.remove(left)
		}
	}
	if left != nil {
		c.membersGone(now, MemberLeaves, left.client)
	}
	return reply
}

// expire deals with a session that ran out.
func (c *Coordinator) expire(now Time, s *session) {
	if s.member == nil {
		c.forgetPending(now, s)
		return
	}
	m := s.member
	if !m.isNew && (m.join.waiting || m.sync.waiting) {
		return // It waits for the coordinator, not the other way round.
	}
	if c.config.Broken.Has(NeverExpire) {
		return
	}
	c.remove(m)
	c.membersGone(now, SessionExpires, m.client)
}

// membersGone lets the group react to members that were removed.
func (c *Coordinator) membersGone(now Time, why Reason, client string) {
	switch c.state {
	case Stable, CompletingRebalance:
		c.prepare(now, why, client)
	case PreparingRebalance:
		if c.allJoined() {
			c.completeJoin(now)
		}
	}
}

// alive starts the member's session anew.
func (c *Coordinator) alive(now Time, s *seat) {
	c.sessions.arm(&s.session, now+s.sessionTimeout)
}

// remove takes a member out of the group; its parked join is answered with
// UnknownMemberID.
func (c *Coordinator) remove(s *seat) {
	c.answerJoin(s, &JoinReply{Code: UnknownMemberID})
	c.count(s.protocols, -1)
	c.setSynced(s)
	c.sessions.disarm(&s.session)
	c.ready.Removed = append(c.ready.Removed, LeavingMember{s.id, s.instance})
	delete(c.byID, s.id)
	if c.byInstance[s.instance] == s {
		delete(c.byInstance, s.instance)
	}
	c.seats = slices.DeleteFunc(c.seats, func(o *seat) bool { return o == s })
	if c.leader == s {
		c.leader = nil
		if len(c.seats) > 0 {
			c.leader = c.seats[0]
		}
	}
}

// forgetPending takes back a member id that was given out and never used. If the
// join phase waited for nothing else, it is over.
func (c *Coordinator) forgetPending(now Time, s *session) {
	delete(c.pending, s.pending)
	c.sessions.disarm(s)
	if c.state == PreparingRebalance && c.allJoined() {
		c.completeJoin(now)
	}
}

// count adds to the number of members that list each strategy.
func (c *Coordinator) count(protocols []Protocol, delta int) {
	for i, p := range protocols {
		twice := slices.ContainsFunc(protocols[:i], func(q Protocol) bool { return q.Name == p.Name })
		if !twice {
			c.listed[p.Name] += delta
		}
	}
}

func (c *Coordinator) reply(to Ref, r Response) {
	c.ready.Replies = append(c.ready.Replies, Reply{to, r})
}

// answerJoin answers a parked join, if there is one.
func (c *Coordinator) answerJoin(s *seat, r *JoinReply) {
	if !s.join.waiting {
		return
	}
	if r.MemberID == "" {
		r.MemberID = s.id
	}
	c.reply(s.join.from, r)
	s.join.waiting = false
	c.joined--
}

// answerSync answers a parked sync, if there is one.
func (c *Coordinator) answerSync(s *seat, r *SyncReply) {
	if s.sync.waiting {
		c.reply(s.sync.from, r)
		s.sync.waiting = false
	}
}
