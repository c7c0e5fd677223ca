package group

import (
	"fmt"
	"slices"
)

// stepJoin sorts a JoinGroup by who sends it: a newcomer, a static member that
// comes back without its id, somebody who was given an id, or a member.
func (c *Coordinator) stepJoin(now Time, from Ref, r *JoinGroup) {
	refuse := func(code Code) { c.reply(from, &JoinReply{Code: code, MemberID: r.MemberID}) }
	switch {
	case c.state == Dead:
		refuse(CoordinatorNotAvailable)
		return
	case r.SessionTimeout < c.config.MinSession || r.SessionTimeout > c.config.MaxSession:
		refuse(InvalidSessionTimeout)
		return
	case !c.created && r.MemberID != "":
		refuse(UnknownMemberID)
		return
	case !c.hasRoom(r.MemberID):
		refuse(GroupMaxSizeReached)
		return
	}
	if !c.created {
		c.created = true
		c.record()
	}
	switch {
	case !c.supports(r.Protocols):
		refuse(InconsistentGroupProtocol)
	case r.MemberID != "" && r.InstanceID == "" && c.pending[r.MemberID] != nil:
		c.usePending(c.pending[r.MemberID])
		c.add(now, from, r, r.MemberID)
	case r.MemberID != "":
		switch code := c.validateID(r.MemberID, r.InstanceID); {
		case code != None:
			refuse(code)
		case c.byID[r.MemberID] == nil: // Only where fencing is broken on purpose.
			refuse(UnknownMemberID)
		default:
			c.rejoin(now, from, r)
		}
	case r.InstanceID == "" && r.Version >= 4:
		c.giveID(now, from, r)
	case r.InstanceID != "" && c.byInstance[r.InstanceID] != nil:
		c.replaceStatic(now, from, r)
	default:
		c.add(now, from, r, c.newID(r))
	}
}

// hasRoom applies group.max.size. While members join it counts those who have:
// the others may be gone.
func (c *Coordinator) hasRoom(memberID string) bool {
	s := c.byID[memberID]
	switch c.state {
	case Empty:
		return true
	case PreparingRebalance:
		return s != nil && s.join.waiting || c.joined < c.config.MaxSize
	}
	return s != nil || len(c.seats) < c.config.MaxSize
}

// supports reports whether the member could vote with the others: it lists a
// strategy that all present members list, its own old entry included.
func (c *Coordinator) supports(protocols []Protocol) bool {
	if c.state == Empty {
		return len(protocols) > 0
	}
	return slices.ContainsFunc(protocols, func(p Protocol) bool {
		return c.listed[p.Name] == len(c.seats)
	})
}

// newID makes a member id as Kafka does: the client's id, or the instance's, and
// something that is unique.
func (c *Coordinator) newID(r *JoinGroup) string {
	name := r.ClientID
	if r.InstanceID != "" {
		name = r.InstanceID
	}
	c.ids++
	return fmt.Sprintf("%s-%d.%d", name, c.config.Incarnation, c.ids)
}

// giveID makes a dynamic newcomer come back with an id, so that it cannot leave
// one member behind for each of its attempts (KIP-394).
func (c *Coordinator) giveID(now Time, from Ref, r *JoinGroup) {
	s := &session{pending: c.newID(r), deadline: noTime, queued: noTime, number: c.ids}
	c.pending[s.pending] = s
	c.sessions.arm(s, now+r.SessionTimeout)
	c.reply(from, &JoinReply{Code: MemberIDRequired, MemberID: s.pending})
}

// usePending turns an id that was given out into that of a member.
func (c *Coordinator) usePending(s *session) {
	delete(c.pending, s.pending)
	c.sessions.disarm(s)
}

// add takes a new member into the group.
func (c *Coordinator) add(now Time, from Ref, r *JoinGroup, id string) {
	s := &seat{id: id, instance: r.InstanceID, client: r.ClientID, isNew: true}
	s.session = session{member: s, deadline: noTime, queued: noTime, number: c.seatNumber()}
	if c.state == PreparingRebalance && c.previous == Empty {
		c.initial.newcomer = true
	}
	c.seats = append(c.seats, s)
	c.byID[id] = s
	if s.instance != "" {
		c.byInstance[s.instance] = s
	}
	if c.leader == nil {
		c.leader = s
	}
	c.update(s, from, r)
	c.sessions.arm(&s.session, now+newMemberJoinTimeout)
	c.rebalance(now, MemberJoins, s.client)
}

// seatNumber counts the places that members have had.
func (c *Coordinator) seatNumber() int {
	c.places++
	return c.places
}

// update takes over what the member says of itself and parks its join.
func (c *Coordinator) update(s *seat, from Ref, r *JoinGroup) {
	c.count(s.protocols, -1)
	s.sessionTimeout, s.rebalanceTimeout = r.SessionTimeout, r.RebalanceTimeout
	s.protocols = r.Protocols
	c.count(s.protocols, +1)
	if !s.join.waiting {
		c.joined++
	}
	s.join = parked{from, true}
}

// rejoin deals with a JoinGroup of a member.
func (c *Coordinator) rejoin(now Time, from Ref, r *JoinGroup) {
	s := c.byID[r.MemberID]
	same := slices.EqualFunc(s.protocols, r.Protocols, func(a, b Protocol) bool {
		return a.Name == b.Name && a.Metadata.equal(b.Metadata)
	})
	// In a stable group the leader's join always counts: it is how a change of the
	// topics comes in, which nobody's metadata shows.
	if same && (c.state == CompletingRebalance || c.state == Stable && s != c.leader) {
		c.answerAgain(from, s, "")
		return
	}
	why := r.Reason
	if why == "" {
		why = MemberRetries
	}
	c.update(s, from, r)
	c.rebalance(now, why, s.client)
}

// answerAgain tells a member the generation that it is in already. In leader the
// id of the leader may be given that the member is to know.
func (c *Coordinator) answerAgain(from Ref, s *seat, leader string) {
	r := &JoinReply{MemberID: s.id, Generation: c.generation, Protocol: c.protocol,
		Leader: leader}
	if leader == "" {
		r.Leader = c.Leader()
	}
	if s == c.leader && c.state == CompletingRebalance {
		r.Members = c.joinedMembers()
	}
	c.reply(from, r)
}

// rebalance starts a rebalance, or sees whether the one under way has now heard
// everybody.
func (c *Coordinator) rebalance(now Time, why Reason, client string) {
	switch {
	case c.state != PreparingRebalance:
		c.prepare(now, why, client)
	case c.allJoined() && c.previous != Empty:
		c.completeJoin(now)
	}
}

// replaceStatic gives a static member that comes back without its id a new one
// and the place of its old incarnation (KIP-345). As long as the strategy stays,
// it also gets the old assignment, and nobody else notices.
func (c *Coordinator) replaceStatic(now Time, from Ref, r *JoinGroup) {
	s := c.byInstance[r.InstanceID]
	oldLeader := c.Leader()
	c.answerJoin(s, &JoinReply{Code: FencedInstanceID, MemberID: s.id})
	c.answerSync(s, &SyncReply{Code: FencedInstanceID})
	c.setSynced(s)
	delete(c.byID, s.id)
	s.id, s.client, s.isNew = c.newID(r), r.ClientID, false
	c.byID[s.id] = s
	c.update(s, from, r)
	c.alive(now, s)
	switch {
	case c.state != Stable:
		// While the leader assigns it knows the old id only, so it has to start again.
		c.rebalance(now, StaticReturns, s.client)
	case c.chosen() != c.protocol || c.config.Broken.Has(RebalanceOnReturn):
		c.prepare(now, StaticReturns, s.client)
	default:
		c.record()
		c.answerReturn(s, r, oldLeader)
	}
}

// answerReturn answers a static member that came back to a stable group. A leader
// learns the members again, so that it goes on watching the topics, and that it
// need not assign (KIP-814). Clients that are too old for that are told that the
// old id leads, so that they do not assign either.
func (c *Coordinator) answerReturn(s *seat, r *JoinGroup, oldLeader string) {
	reply := &JoinReply{MemberID: s.id, Generation: c.generation, Protocol: c.protocol,
		Leader: oldLeader}
	if r.Version >= 9 {
		reply.Leader = c.Leader()
		if s == c.leader {
			reply.SkipAssignment = true
			reply.Members = c.joinedMembers()
		}
	}
	c.answerJoin(s, reply)
}
