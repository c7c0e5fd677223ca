package group

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast/holdfast"
)

// ConsumerConfig is the broker's configuration for groups of the consumer
// protocol. A zero duration means Kafka's default.
type ConsumerConfig struct {
	SessionTimeout    Time // group.consumer.session.timeout.ms, default 45 s
	HeartbeatInterval Time // group.consumer.heartbeat.interval.ms, default 5 s
	// Assignor is the server assignor for members that ask for none: "uniform", the
	// default, or "range".
	Assignor string
	// Broken breaks rules on purpose; see [Breakage].
	Broken Breakage
}

func (c *ConsumerConfig) setDefaults() {
	if c.SessionTimeout == 0 {
		c.SessionTimeout = 45 * time.Second
	}
	if c.HeartbeatInterval == 0 {
		c.HeartbeatInterval = 5 * time.Second
	}
	if c.Assignor == "" {
		c.Assignor = "uniform"
	}
}

// ConsumerCoordinator is the broker's half of a group of the consumer protocol
// (KIP-848): a state machine like [Coordinator]. There is no leader and no barrier.
// The coordinator computes a target for everybody whenever the group changes (the
// group epoch goes up), and brings each member from what it has to its target with
// the member's own heartbeats: first it gives up, then it is given.
//
// A group may also have classic members, which it serves as if each of them were
// in a generation of its own.
//
// A heartbeat costs O(the member's partitions), a change of the group O(members +
// partitions).
type ConsumerCoordinator struct {
	config ConsumerConfig
	topics []holdfast.Topic // as they are
	known  []holdfast.Topic // those subscribed to, as the last target took them
	news   bool             // the topics have changed, and no heartbeat has come since

	groupEpoch  int32
	targetEpoch int32
	assignor    string // of the target
	seats       []*consumerSeat
	byID        map[string]*consumerSeat
	byInstance  map[string]*consumerSeat
	holders     map[string][]*consumerSeat // topic -> who holds each partition
	unsettled   int                        // seats that are not where they shall be
	sessions    sessions
	owner       map[*session]sessionOwner
	incarnation int
	ids         int
	places      int             // seats there have been
	given       map[string]bool // ids given to classic members that have not used them

	cause  Reason
	causer string
	begun  int

	ready ConsumerReady
}

// sessionOwner says whose timer a session is, and which.
type sessionOwner struct {
	seat     *consumerSeat
	revoking bool
}

// seatState is how far a member is on the way to its target.
type seatState int

const (
	settled     seatState = iota // STABLE
	unrevoked                    // UNREVOKED_PARTITIONS: it has to give something up
	unreleased                   // UNRELEASED_PARTITIONS: others have to
	seatUnknown                  // not reconciled yet
)

// consumerSeat is a member as the coordinator knows it.
type consumerSeat struct {
	id, instance, client string
	rebalanceTimeout     Time
	topics               []string
	asksFor              string // server assignor
	epoch, previousEpoch int32
	state                seatState
	assigned, revoking   Partitions
	target               Partitions
	session              session
	revokeBy             session
	classic              *classicSeat // nil for a member of the consumer protocol
	counted              bool         // in unsettled
}

// ConsumerReady is what came out of the coordinator since the last call of Ready.
type ConsumerReady struct {
	Replies []Reply
	// Changed has to be written before the replies are sent.
	Changed []CurrentAssignment
}

// NewConsumerCoordinator returns the coordinator of an empty group. The topics are
// sorted by name.
func NewConsumerCoordinator(config ConsumerConfig, topics []holdfast.Topic) *ConsumerCoordinator {
	config.setDefaults()
	return &ConsumerCoordinator{config: config, topics: topics,
		byID: make(map[string]*consumerSeat), byInstance: make(map[string]*consumerSeat),
		holders: make(map[string][]*consumerSeat), owner: make(map[*session]sessionOwner),
		given: make(map[string]bool)}
}

// SetTopics tells the coordinator what the topics look like. It is a broker and
// knows at once; the group learns with the next heartbeat of any member.
func (c *ConsumerCoordinator) SetTopics(topics []holdfast.Topic) {
	c.topics, c.news = topics, true
}

// Step hands the coordinator a request.
func (c *ConsumerCoordinator) Step(now Time, from Ref, request Request) {
	var reply Response
	switch r := request.(type) {
	case *ConsumerHeartbeat:
		reply = c.stepHeartbeat(now, r)
	case *OffsetCommit:
		reply = &CommitReply{c.CanCommit(r.MemberID, r.InstanceID, r.Generation)}
	default:
		reply = c.stepClassic(now, request)
	}
	c.ready.Replies = append(c.ready.Replies, Reply{from, reply})
}

// Ready returns what the calls since the last Ready produced. The slices are
// valid until the next call of a method.
func (c *ConsumerCoordinator) Ready() ConsumerReady {
	out := c.ready
	c.ready = ConsumerReady{out.Replies[:0], out.Changed[:0]}
	return out
}

// Deadline returns when Tick has to be called next, and false if it need not be.
func (c *ConsumerCoordinator) Deadline() (Time, bool) {
	next := c.sessions.next()
	return next, next != noTime
}

// Tick removes the members whose session is over, or who took too long to give
// partitions up.
func (c *ConsumerCoordinator) Tick(now Time) {
	for s := c.sessions.expired(now); s != nil; s = c.sessions.expired(now) {
		if o, ok := c.owner[s]; ok && (!o.revoking || c.late(o.seat)) {
			c.remove(o.seat)
			c.gone(SessionExpires, o.seat.client)
		}
	}
}

// State returns Empty, Stable if every member has what it shall have, else
// Reconciling.
func (c *ConsumerCoordinator) State() State {
	switch {
	case len(c.seats) == 0:
		return Empty
	case c.unsettled == 0:
		return Stable
	}
	return Reconciling
}

// Epoch returns the group epoch.
func (c *ConsumerCoordinator) Epoch() int32 { return c.groupEpoch }

// CanCommit is the code that a commit in this epoch would be answered with now.
func (c *ConsumerCoordinator) CanCommit(memberID, instanceID string, epoch int32) Code {
	s, code := c.find(memberID, instanceID)
	switch {
	case code != None:
		return code
	case epoch != s.epoch && s.classic != nil:
		return IllegalGeneration
	case epoch != s.epoch:
		return StaleMemberEpoch
	}
	return None
}

// Rest stops the session of a member whose heartbeats will not be delivered one by
// one; see [Coordinator.Rest].
func (c *ConsumerCoordinator) Rest(memberID string) (heard Time) {
	s := c.byID[memberID]
	if s == nil {
		return 0
	}
	heard = s.session.deadline - c.sessionTimeout(s)
	c.sessions.disarm(&s.session)
	return heard
}

// Heard counts a heartbeat that arrived in the past; see [Coordinator.Heard].
func (c *ConsumerCoordinator) Heard(memberID string, at Time) {
	s := c.byID[memberID]
	if s != nil && (s.session.deadline == noTime || s.session.deadline < at+c.sessionTimeout(s)) {
		c.arm(at, s)
	}
}

// find returns the member, and checks that it still holds its instance id.
func (c *ConsumerCoordinator) find(memberID, instanceID string) (*consumerSeat, Code) {
	if instanceID != "" {
		switch holder := c.byInstance[instanceID]; {
		case holder == nil:
			return nil, UnknownMemberID
		case holder.id != memberID:
			return nil, FencedInstanceID
		}
	}
	s := c.byID[memberID]
	if s == nil {
		return nil, UnknownMemberID
	}
	return s, None
}

// stepHeartbeat updates the member, then the group, then brings this member nearer
// to its target.
func (c *ConsumerCoordinator) stepHeartbeat(now Time, r *ConsumerHeartbeat) *ConsumerReply {
	switch r.Epoch {
	case LeaveEpoch, StaticLeaveEpoch:
		return c.stepLeave(r)
	}
	s, code := c.enter(r)
	if code != None {
		return &ConsumerReply{Code: code, MemberID: r.MemberID}
	}
	c.arm(now, s)
	if r.Full {
		c.subscribe(s, r)
	}
	if c.topicsChanged() {
		c.bump(MetadataChange, s.client)
	}
	c.retarget()
	before := s.assigned
	var owned *Partitions
	if r.HasOwned || r.Full {
		owned = &r.Owned
	}
	c.reconcile(now, s, owned)
	reply := &ConsumerReply{MemberID: s.id, Epoch: s.epoch, Interval: c.config.HeartbeatInterval}
	if r.Full || !before.Equal(s.assigned) {
		reply.Assigned, reply.HasAssigned = s.assigned, true
	}
	return reply
}

// enter finds the member of a heartbeat, or takes it in if it joins.
func (c *ConsumerCoordinator) enter(r *ConsumerHeartbeat) (*consumerSeat, Code) {
	if r.Assignor != "" && serverAssignorOf(r.Assignor) == nil {
		return nil, UnsupportedAssignor
	}
	if r.Epoch == JoinEpoch {
		return c.join(r)
	}
	s, code := c.find(r.MemberID, r.InstanceID)
	if code != None {
		return nil, code
	}
	// A member one epoch behind has not heard the last answer. It is let go on if it
	// cannot own anything that it should not.
	if r.Epoch > s.epoch || r.Epoch < s.epoch && (r.Epoch != s.previousEpoch ||
		!(r.HasOwned || r.Full) || len(r.Owned.Minus(s.assigned)) > 0) {
		return nil, FencedMemberEpoch
	}
	return s, None
}

// join takes a member in: a new one, one that begins anew, or a static one that
// takes the place of its old incarnation, if that said that it would be back.
func (c *ConsumerCoordinator) join(r *ConsumerHeartbeat) (*consumerSeat, Code) {
	if s := c.byID[r.MemberID]; s != nil {
		if s.epoch == StaticLeaveEpoch {
			s.epoch = 0
		}
		return s, None
	}
	if old := c.byInstance[r.InstanceID]; r.InstanceID != "" && old != nil {
		if old.epoch != StaticLeaveEpoch {
			return nil, UnreleasedInstanceID
		}
		c.rename(old, r.MemberID)
		old.epoch, old.previousEpoch, old.classic = 0, 0, nil
		return old, None
	}
	s := &consumerSeat{id: r.MemberID, instance: r.InstanceID, state: settled}
	c.add(s)
	return s, None
}

func (c *ConsumerCoordinator) add(s *consumerSeat) {
	c.places++
	s.session = session{deadline: noTime, queued: noTime, number: 2 * c.places}
	s.revokeBy = session{deadline: noTime, queued: noTime, number: 2*c.places + 1}
	c.owner[&s.session] = sessionOwner{seat: s}
	c.owner[&s.revokeBy] = sessionOwner{seat: s, revoking: true}
	c.seats = append(c.seats, s)
	c.byID[s.id] = s
	if s.instance != "" {
		c.byInstance[s.instance] = s
	}
}

// rename gives a seat to the next incarnation of its static member.
func (c *ConsumerCoordinator) rename(s *consumerSeat, id string) {
	delete(c.byID, s.id)
	s.id = id
	c.byID[id] = s
}

func (c *ConsumerCoordinator) arm(now Time, s *consumerSeat) {
	c.sessions.arm(&s.session, now+c.sessionTimeout(s))
}

// sessionTimeout is the broker's, or what a classic member asked for.
func (c *ConsumerCoordinator) sessionTimeout(s *consumerSeat) Time {
	if s.classic != nil {
		return s.classic.sessionTimeout
	}
	return c.config.SessionTimeout
}

// subscribe takes over what the member says of itself. New topics, and a new
// member, change the group; another wish for an assignor does not.
func (c *ConsumerCoordinator) subscribe(s *consumerSeat, r *ConsumerHeartbeat) {
	s.client, s.rebalanceTimeout, s.asksFor = r.ClientID, r.RebalanceTimeout, r.Assignor
	isNew := s.topics == nil
	if isNew || !slices.Equal(s.topics, r.Topics) {
		s.topics = append([]string{}, r.Topics...)
		why := SubscriptionChange
		if isNew {
			why = MemberJoins
		}
		c.bump(why, s.client)
	}
}

// stepLeave removes a member, or notes that a static one will be back.
func (c *ConsumerCoordinator) stepLeave(r *ConsumerHeartbeat) *ConsumerReply {
	s, code := c.find(r.MemberID, r.InstanceID)
	reply := &ConsumerReply{Code: code, MemberID: r.MemberID, Epoch: r.Epoch}
	switch {
	case code != None:
	case r.Epoch == StaticLeaveEpoch && s.instance != "":
		s.epoch = StaticLeaveEpoch
		c.settle(s)
	default:
		c.remove(s)
		c.gone(MemberLeaves, s.client)
	}
	return reply
}

// gone lets the group go on without a member. If only classic members are left it
// becomes a classic group, as it is.
func (c *ConsumerCoordinator) gone(why Reason, client string) {
	if !c.onlyClassic() {
		c.bump(why, client)
		c.retarget()
		return
	}
	c.cause, c.causer = why, client
}

// onlyClassic reports whether there are members, and all speak the classic
// protocol.
func (c *ConsumerCoordinator) onlyClassic() bool {
	return len(c.seats) > 0 &&
		!slices.ContainsFunc(c.seats, func(s *consumerSeat) bool { return s.classic == nil })
}

// remove takes a member out of the group, and what it had with it.
func (c *ConsumerCoordinator) remove(s *consumerSeat) {
	c.hold(s, s.assigned.Plus(s.revoking), nil)
	s.assigned, s.revoking = nil, nil
	c.sessions.disarm(&s.session)
	c.sessions.disarm(&s.revokeBy)
	delete(c.owner, &s.session)
	delete(c.owner, &s.revokeBy)
	delete(c.byID, s.id)
	if c.byInstance[s.instance] == s {
		delete(c.byInstance, s.instance)
	}
	c.seats = slices.DeleteFunc(c.seats, func(o *consumerSeat) bool { return o == s })
	if s.counted {
		c.unsettled--
	}
	c.ready.Changed = append(c.ready.Changed, CurrentAssignment{MemberID: s.id,
		InstanceID: s.instance, ClientID: s.client, Epoch: LeaveEpoch})
}

// hold makes seat the holder of partitions; nil frees them.
func (c *ConsumerCoordinator) hold(from *consumerSeat, p Partitions, seat *consumerSeat) {
	for _, t := range p {
		list := c.holders[t.Topic]
		for _, n := range t.Partitions {
			for int(n) >= len(list) {
				list = append(list, nil)
			}
			if seat != nil || list[n] == from {
				list[n] = seat
			}
		}
		c.holders[t.Topic] = list
	}
}

// bump raises the group epoch, once for all that changes in one step.
func (c *ConsumerCoordinator) bump(why Reason, client string) {
	if c.groupEpoch > c.targetEpoch {
		return
	}
	c.groupEpoch++
	c.begun++
	c.cause, c.causer = why, client
}

// topicsChanged reports whether a topic that members subscribe to has come, gone
// or changed its number of partitions since the last target.
func (c *ConsumerCoordinator) topicsChanged() bool {
	if !c.news {
		return false
	}
	c.news = false
	return !sameTopics(c.known, c.subscribed(), false)
}

// subscribed returns the topics that exist and that some member subscribes to.
func (c *ConsumerCoordinator) subscribed() []holdfast.Topic {
	wanted := make(map[string]bool)
	var last []string
	for _, s := range c.seats {
		if slices.Equal(s.topics, last) {
			continue
		}
		last = s.topics
		for _, topic := range s.topics {
			wanted[topic] = true
		}
	}
	var topics []holdfast.Topic
	for _, t := range c.topics {
		if wanted[t.Name] {
			topics = append(topics, holdfast.Topic{Name: t.Name, Partitions: t.Partitions})
		}
	}
	return topics
}

// retarget computes everybody's target, if the group has changed since the last.
func (c *ConsumerCoordinator) retarget() {
	if c.groupEpoch == c.targetEpoch {
		return
	}
	c.known, c.targetEpoch = c.subscribed(), c.groupEpoch
	order := slices.Clone(c.seats)
	slices.SortFunc(order, func(a, b *consumerSeat) int { return strings.Compare(a.id, b.id) })
	members := make([]*subscriber, len(order))
	for i, s := range order {
		members[i] = &subscriber{id: s.id, instance: s.instance, topics: s.topics, before: s.target}
	}
	c.assignor = c.favourite()
	serverAssignorOf(c.assignor)(members, c.known)
	for i, s := range order {
		s.target = members[i].target
		c.settle(s)
	}
}

// favourite is the assignor that most members ask for; without wishes, and for a
// tie, the configured one or the first by name.
func (c *ConsumerCoordinator) favourite() string {
	votes := make(map[string]int)
	for _, s := range c.seats {
		votes[s.asksFor]++
	}
	best, most := c.config.Assignor, 0
	for _, name := range []string{c.config.Assignor, "range", "uniform"} {
		if votes[name] > most {
			best, most = name, votes[name]
		}
	}
	return best
}

// late reports whether a member whose time for it is over has not done what it had
// to: to give something up or, for a classic one, to join again.
func (c *ConsumerCoordinator) late(s *consumerSeat) bool {
	return s.state == unrevoked || s.classic != nil && s.epoch < c.groupEpoch
}

// settle counts whether the member is where it shall be.
func (c *ConsumerCoordinator) settle(s *consumerSeat) {
	moving := s.state != settled || s.epoch != c.targetEpoch && s.epoch != StaticLeaveEpoch
	if moving != s.counted {
		s.counted = moving
		if moving {
			c.unsettled++
		} else {
			c.unsettled--
		}
	}
}

// String writes the group's epochs and state.
func (c *ConsumerCoordinator) String() string {
	return fmt.Sprintf("%v epoch %d %s", c.State(), c.groupEpoch, cmp.Or(c.assignor, "-"))
}
