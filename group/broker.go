package group

import "github.com/holdfast/holdfast"

// BrokerConfig is the configuration of the coordinators of one group.
type BrokerConfig struct {
	Classic  CoordinatorConfig
	Consumer ConsumerConfig
}

// Broker coordinates one group, whichever protocol its members speak, and turns it
// from one into the other: the first member of the consumer protocol makes a
// classic group a consumer group, in which the classic members go on; when the last
// such member is gone, it becomes a classic group again. (Kafka's
// group.consumer.migration.policy, of which this is "bidirectional", KIP-848.)
type Broker struct {
	config   BrokerConfig
	topics   []holdfast.Topic
	classic  *Coordinator
	consumer *ConsumerCoordinator // in place of classic, if not nil
	written  []*Record            // the last two
	begun    int                  // rebalances begun by coordinators before
	ready    BrokerReady
}

// BrokerReady is what came out of a broker since the last call of Ready.
type BrokerReady struct {
	Replies []Reply
	Records []*Record           // of a classic group
	Removed []LeavingMember     // from a classic group
	Changed []CurrentAssignment // in a consumer group
}

// NewBroker returns the broker of a group that does not exist yet. The topics are
// sorted by name.
func NewBroker(config BrokerConfig, topics []holdfast.Topic) *Broker {
	return &Broker{config: config, topics: topics, classic: NewCoordinator(config.Classic)}
}

// TakeOver returns the broker that takes over from this one, which is stopped. It
// begins with what this one has written: a classic group in its last complete
// generation, a consumer group as it is. All sessions begin anew.
func (b *Broker) TakeOver(now Time, incarnation int) *Broker {
	next := &Broker{config: b.config, topics: b.topics, written: b.written}
	next.config.Classic.Incarnation = incarnation
	if b.consumer != nil {
		next.consumer = b.consumer.takeOver(now, next.config.Consumer, incarnation)
		return next
	}
	var last *Record
	if n := len(b.written); n > 0 {
		last = b.written[n-1]
		if b.config.Classic.Broken.Has(LoadOlderRecord) {
			last = b.written[0]
		}
	}
	next.classic = Load(now, next.config.Classic, last)
	return next
}

// takeOver copies the group into a new coordinator.
func (c *ConsumerCoordinator) takeOver(now Time, config ConsumerConfig,
	incarnation int) *ConsumerCoordinator {
	next := NewConsumerCoordinator(config, c.topics)
	next.news = c.news
	next.known, next.groupEpoch, next.targetEpoch = c.known, c.groupEpoch, c.targetEpoch
	next.assignor, next.incarnation = c.assignor, incarnation
	for _, old := range c.seats {
		s := *old
		s.counted = false
		next.add(&s)
		next.hold(&s, s.assigned.Plus(s.revoking), &s)
		next.arm(now, &s)
		if s.state == unrevoked {
			next.sessions.arm(&s.revokeBy, now+s.rebalanceTimeout)
		}
		next.settle(&s)
	}
	return next
}

// Step hands the broker a request.
func (b *Broker) Step(now Time, from Ref, request Request) {
	_, modern := request.(*ConsumerHeartbeat)
	_, join := request.(*JoinGroup)
	switch {
	case modern && b.consumer == nil && b.classic.state == Dead:
		b.ready.Replies = append(b.ready.Replies, Reply{from, &ConsumerReply{Code: NotCoordinator}})
		return
	case modern && b.consumer == nil:
		b.upgrade(now)
	case join && b.consumer != nil && len(b.consumer.seats) == 0:
		b.downgrade(now)
	}
	if b.consumer == nil {
		b.classic.Step(now, from, request)
		return
	}
	b.consumer.Step(now, from, request)
	if b.consumer.onlyClassic() {
		b.downgrade(now)
	}
}

// Tick lets the timers fire whose time has come.
func (b *Broker) Tick(now Time) {
	if b.consumer == nil {
		b.classic.Tick(now)
		return
	}
	b.consumer.Tick(now)
	if b.consumer.onlyClassic() {
		b.downgrade(now)
	}
}

// Deadline returns when Tick has to be called next, and false if it need not be.
func (b *Broker) Deadline() (Time, bool) {
	if b.consumer == nil {
		return b.classic.Deadline()
	}
	return b.consumer.Deadline()
}

// Ready returns what the calls since the last Ready produced. The slices are
// valid until the next call of a method.
func (b *Broker) Ready() BrokerReady {
	b.collect()
	out := b.ready
	b.ready = BrokerReady{}
	return out
}

// collect takes over what the coordinator has to say.
func (b *Broker) collect() {
	if b.classic != nil {
		out := b.classic.Ready()
		for _, r := range out.Records {
			if n := len(b.written); n > 1 {
				b.written = b.written[n-1:]
			}
			b.written = append(b.written, r)
		}
		b.ready.Replies = joinLists(b.ready.Replies, out.Replies)
		b.ready.Records = joinLists(b.ready.Records, out.Records)
		b.ready.Removed = joinLists(b.ready.Removed, out.Removed)
	}
	if b.consumer != nil {
		out := b.consumer.Ready()
		b.ready.Replies = joinLists(b.ready.Replies, out.Replies)
		b.ready.Changed = joinLists(b.ready.Changed, out.Changed)
	}
}

// joinLists appends without copying where there is nothing to append to.
func joinLists[T any](a, b []T) []T {
	if len(a) == 0 {
		return b
	}
	return append(a, b...)
}

// SetTopics tells the broker what the topics look like now, sorted by name.
func (b *Broker) SetTopics(topics []holdfast.Topic) {
	b.topics = topics
	if b.consumer != nil {
		b.consumer.SetTopics(topics)
	}
}

// HasNews reports whether the next heartbeat may find out that the topics have
// changed. Until then it matters that one comes.
func (b *Broker) HasNews() bool { return b.consumer != nil && b.consumer.news }

// Stop ends the broker's say in the group; see [Coordinator.Stop].
func (b *Broker) Stop() {
	if b.classic != nil {
		b.classic.Stop()
	}
}

// Consumer reports whether the group is of the consumer protocol now.
func (b *Broker) Consumer() bool { return b.consumer != nil }

// State returns the state of the group.
func (b *Broker) State() State {
	if b.consumer != nil {
		return b.consumer.State()
	}
	return b.classic.State()
}

// Generation returns the generation of a classic group, the epoch of a consumer
// group.
func (b *Broker) Generation() int32 {
	if b.consumer != nil {
		return b.consumer.groupEpoch
	}
	return b.classic.generation
}

// Protocol returns the strategy or server assignor in use.
func (b *Broker) Protocol() string {
	if b.consumer != nil {
		return b.consumer.assignor
	}
	return b.classic.protocol
}

// Has reports whether the member id is in the group.
func (b *Broker) Has(memberID string) bool {
	if b.consumer != nil {
		return b.consumer.byID[memberID] != nil
	}
	return b.classic.Has(memberID)
}

// Size is the number of members.
func (b *Broker) Size() int {
	if b.consumer != nil {
		return len(b.consumer.seats)
	}
	return b.classic.Size()
}

// CanCommit is the code that a commit would be answered with now. The generation
// is an epoch for members of the consumer protocol.
func (b *Broker) CanCommit(memberID, instanceID string, generation int32) Code {
	if b.consumer != nil {
		return b.consumer.CanCommit(memberID, instanceID, generation)
	}
	return b.classic.CanCommit(memberID, instanceID, generation)
}

// Rest stops a member's session; see [Coordinator.Rest].
func (b *Broker) Rest(memberID string) (heard Time) {
	if b.consumer != nil {
		return b.consumer.Rest(memberID)
	}
	return b.classic.Rest(memberID)
}

// Heard counts a heartbeat that arrived in the past; see [Coordinator.Heard].
func (b *Broker) Heard(memberID string, at Time) {
	if b.consumer != nil {
		b.consumer.Heard(memberID, at)
		return
	}
	b.classic.Heard(memberID, at)
}

// Begun is the number of rebalances that this broker has begun: in a consumer
// group, of changes of the group epoch.
func (b *Broker) Begun() int {
	if b.consumer != nil {
		return b.begun + b.consumer.begun
	}
	return b.begun + b.classic.begun
}

// Cause says why the current or last rebalance began, and the client id of the
// member that it began with.
func (b *Broker) Cause() (why Reason, clientID string) {
	if b.consumer != nil {
		return b.consumer.cause, b.consumer.causer
	}
	return b.classic.Cause()
}
