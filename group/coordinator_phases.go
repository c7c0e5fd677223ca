package group

import "slices"

// prepare begins a rebalance: everybody has to join again.
func (c *Coordinator) prepare(now Time, why Reason, client string) {
	c.cause, c.causer = why, client
	c.begun++
	if c.state == CompletingRebalance {
		for _, s := range c.seats {
			s.assigned = nil
			c.answerSync(s, &SyncReply{Code: RebalanceInProgress})
		}
	}
	for _, s := range c.seats {
		c.setSynced(s)
	}
	c.endPhase()
	c.previous, c.state = c.state, PreparingRebalance
	if c.previous == Empty {
		delay := c.config.InitialRebalanceDelay
		c.initial = initialDelay{last: delay, remaining: max(c.rebalanceTimeout()-delay, 0)}
		c.begin(initialPhase, now+delay)
		return
	}
	if c.allJoined() {
		c.completeJoin(now)
		return
	}
	c.begin(joinPhase, now+c.rebalanceTimeout())
}

// initialDelayOver waits on if somebody joined during the delay, within the
// longest rebalance timeout; else the group is complete.
func (c *Coordinator) initialDelayOver(now Time) {
	d := &c.initial
	if !d.newcomer || d.remaining == 0 {
		c.completeJoin(now)
		return
	}
	next := min(c.config.InitialRebalanceDelay, d.remaining)
	*d = initialDelay{last: next, remaining: max(d.remaining-d.last, 0)}
	c.begin(initialPhase, now+next)
}

// allJoined reports whether every member has a parked join and nobody is expected
// to use an id.
func (c *Coordinator) allJoined() bool {
	if c.config.Broken.Has(ForgetJoinBarrier) && c.joined > 0 {
		return true
	}
	return c.joined == len(c.seats) && len(c.pending) == 0
}

// completeJoin ends the join phase: who is not there is out, unless it is static,
// and a new generation begins.
func (c *Coordinator) completeJoin(now Time) {
	c.endPhase()
	c.removeAbsent()
	if !c.electJoined() && len(c.seats) > 0 {
		// Only static members are left and none has come. They keep their places until
		// their sessions end.
		c.begin(joinPhase, now+c.rebalanceTimeout())
		return
	}
	c.generation++
	if len(c.seats) == 0 {
		c.state, c.protocol = Empty, ""
		c.record()
		return
	}
	c.state, c.protocol = CompletingRebalance, c.chosen()
	members := c.joinedMembers()
	replies := make([]JoinReply, len(c.seats)) // One allocation for all of them.
	for i, s := range c.seats {
		reply := &replies[i]
		*reply = JoinReply{MemberID: s.id, Generation: c.generation, Protocol: c.protocol,
			Leader: c.leader.id}
		if s == c.leader {
			reply.Members = members
		}
		c.answerJoin(s, reply)
		s.isNew = false
		s.unsynced = true
		c.alive(now, s)
	}
	c.unsynced = len(c.seats)
	c.begin(syncPhase, now+c.rebalanceTimeout())
}

// removeAbsent removes the dynamic members that have not joined. A static member
// stays, with what it last said of itself.
func (c *Coordinator) removeAbsent() {
	if c.joined == len(c.seats) || c.config.Broken.Has(KeepAbsentMembers) {
		return
	}
	var absent []*seat
	for _, s := range c.seats {
		if !s.join.waiting && s.instance == "" {
			absent = append(absent, s)
		}
	}
	for _, s := range absent {
		leads := s == c.leader
		c.remove(s)
		if leads {
			c.leader = nil // Not handed on here: the next leader is one that joined.
		}
	}
}

// electJoined makes sure that a member that joined leads: the old leader if it
// did, else the one that has been in the group longest. It reports whether there
// is one.
func (c *Coordinator) electJoined() bool {
	if c.leader != nil && c.leader.join.waiting {
		return true
	}
	for _, s := range c.seats {
		if s.join.waiting {
			c.leader = s
			return true
		}
	}
	return false
}

// chosen is the strategy that the members' votes come to. A tie falls to the
// first of the tied names in the order of the alphabet; Kafka's broker takes the
// first of a hash map.
func (c *Coordinator) chosen() string {
	if first := c.seats[0].protocols[0].Name; c.listed[first] == len(c.seats) {
		unanimous := !slices.ContainsFunc(c.seats, func(s *seat) bool {
			return s.protocols[0].Name != first
		})
		if unanimous {
			return first
		}
	}
	voters := make([]Voter, len(c.seats))
	for i, s := range c.seats {
		voters[i].Protocols = make([]string, len(s.protocols))
		for k, p := range s.protocols {
			voters[i].Protocols[k] = p.Name
		}
	}
	n := Negotiate(voters)
	if !n.Determinate {
		return n.Candidates[0]
	}
	return n.Selected
}

// joinedMembers is what the leader is told: every member with its metadata for
// the chosen strategy, those that kept their places without joining included.
func (c *Coordinator) joinedMembers() []JoinedMember {
	members := make([]JoinedMember, len(c.seats))
	for i, s := range c.seats {
		members[i] = JoinedMember{ID: s.id, InstanceID: s.instance,
			Metadata: s.metadata(c.protocol)}
	}
	return members
}

// metadata returns the member's metadata for a strategy.
func (s *seat) metadata(protocol string) *Subscription {
	for _, p := range s.protocols {
		if p.Name == protocol {
			return p.Metadata
		}
	}
	return &Subscription{Generation: -1}
}

// rebalanceTimeout is the longest of any member.
func (c *Coordinator) rebalanceTimeout() Time {
	longest := Time(0)
	for _, s := range c.seats {
		longest = max(longest, s.rebalanceTimeout)
	}
	return longest
}

// stepSync answers a member with its assignment, parks it until there is one, or
// takes the assignments from the leader.
func (c *Coordinator) stepSync(now Time, from Ref, r *SyncGroup) {
	code := c.syncCode(r)
	if code != None {
		c.reply(from, &SyncReply{Code: code})
		return
	}
	s := c.byID[r.MemberID]
	if s == nil { // Only where fencing is broken on purpose.
		c.reply(from, &SyncReply{Code: UnknownMemberID})
		return
	}
	c.setSynced(s)
	if c.unsynced == 0 && c.phase == syncPhase {
		c.endPhase()
	}
	if c.state == Stable {
		c.alive(now, s)
		c.reply(from, &SyncReply{Protocol: c.protocol, Assigned: s.assigned})
		return
	}
	s.sync = parked{from, true}
	if s == c.leader {
		c.assign(now, r.Assignments)
	}
}

func (c *Coordinator) syncCode(r *SyncGroup) Code {
	if c.state == Dead {
		return CoordinatorNotAvailable
	}
	if code := c.validate(r.MemberID, r.InstanceID, r.Generation); code != None {
		return code
	}
	switch {
	case r.Protocol != c.protocol && c.state != PreparingRebalance:
		return InconsistentGroupProtocol
	case c.state == PreparingRebalance:
		return RebalanceInProgress
	case c.state == Empty:
		return UnknownMemberID
	}
	return None
}

// assign takes the leader's assignments; the generation is complete. Members that
// the leader left out get nothing.
func (c *Coordinator) assign(now Time, assignments []MemberAssignment) {
	for _, s := range c.seats {
		s.assigned = nil
	}
	for _, a := range assignments {
		if s := c.byID[a.ID]; s != nil {
			s.assigned = a.Assigned
		}
	}
	c.state = Stable
	c.record()
	replies := make([]SyncReply, 0, len(c.seats)) // One allocation for all of them.
	for _, s := range c.seats {
		if s.sync.waiting {
			replies = append(replies, SyncReply{Protocol: c.protocol, Assigned: s.assigned})
			c.answerSync(s, &replies[len(replies)-1])
			c.alive(now, s)
		}
	}
}

// syncOver removes the members that have not asked for their assignment in time.
func (c *Coordinator) syncOver(now Time) {
	if c.unsynced == 0 {
		return
	}
	var silent []*seat
	for _, s := range c.seats {
		if s.unsynced {
			silent = append(silent, s)
		}
	}
	for _, s := range silent {
		c.remove(s)
	}
	c.prepare(now, SyncExpires, silent[0].client)
}

// setSynced takes the member off the list of those that still have to sync.
func (c *Coordinator) setSynced(s *seat) {
	if s.unsynced {
		s.unsynced = false
		c.unsynced--
	}
}

func (c *Coordinator) begin(p phase, ends Time) { c.phase, c.phaseEnds = p, ends }

func (c *Coordinator) endPhase() { c.phase, c.phaseEnds = noPhase, noTime }

// record writes the group as it is: a complete generation, or an empty group.
func (c *Coordinator) record() {
	r := &Record{Generation: c.generation, Protocol: c.protocol, Leader: c.Leader(),
		Members: make([]RecordedMember, 0, len(c.seats))}
	for _, s := range c.seats {
		r.Members = append(r.Members, RecordedMember{ID: s.id, InstanceID: s.instance,
			ClientID: s.client, SessionTimeout: s.sessionTimeout,
			RebalanceTimeout: s.rebalanceTimeout, Metadata: s.metadata(c.protocol),
			Assigned: s.assigned})
	}
	c.ready.Records = append(c.ready.Records, r)
}

// Load returns the coordinator of a group that another broker ran before: stable
// in its last complete generation, or empty. What was under way is lost, and every
// session begins anew. The record is nil for a group that has none. It costs
// O(members).
func Load(now Time, config CoordinatorConfig, last *Record) *Coordinator {
	c := NewCoordinator(config)
	if last == nil {
		return c
	}
	c.created = true
	c.generation, c.protocol = last.Generation, last.Protocol
	for _, m := range last.Members {
		s := &seat{id: m.ID, instance: m.InstanceID, client: m.ClientID,
			sessionTimeout: m.SessionTimeout, rebalanceTimeout: m.RebalanceTimeout,
			protocols: []Protocol{{last.Protocol, m.Metadata}}, assigned: m.Assigned}
		s.session = session{member: s, deadline: noTime, queued: noTime, number: c.seatNumber()}
		c.seats = append(c.seats, s)
		c.byID[s.id] = s
		if s.instance != "" {
			c.byInstance[s.instance] = s
		}
		if s.id == last.Leader {
			c.leader = s
		}
		c.count(s.protocols, +1)
		c.alive(now, s)
		c.state = Stable
	}
	return c
}
