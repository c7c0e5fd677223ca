package group

import (
	"fmt"
	"slices"
)

// classicSeat is what a member of the classic protocol has beside the rest, while
// its group is of the consumer protocol.
type classicSeat struct {
	sessionTimeout Time
	protocols      []Protocol
	version        int16
}

// stepClassic serves a member of the classic protocol. To the member it looks like
// a group in which others always lead: its generation is its epoch, a join is
// answered at once, and a heartbeat tells it to join again when there is something
// to give up or to get.
func (c *ConsumerCoordinator) stepClassic(now Time, request Request) Response {
	switch r := request.(type) {
	case *JoinGroup:
		return c.classicJoin(now, r)
	case *SyncGroup:
		return c.classicSync(now, r)
	case *Heartbeat:
		return &HeartbeatReply{c.classicHeartbeat(now, r)}
	case *LeaveGroup:
		return c.classicLeave(r)
	}
	panic(fmt.Sprintf("group: a consumer coordinator got a %T", request))
}

// classicJoin takes a classic member in, or hears again what it wants and owns.
func (c *ConsumerCoordinator) classicJoin(now Time, r *JoinGroup) Response {
	refuse := func(code Code) Response { return &JoinReply{Code: code, MemberID: r.MemberID} }
	if len(r.Protocols) == 0 || !c.supportsClassic(r) {
		return refuse(InconsistentGroupProtocol)
	}
	id := r.MemberID
	if id == "" {
		id = c.newID(r)
		if r.InstanceID == "" && r.Version >= 4 {
			c.given[id] = true
			return &JoinReply{Code: MemberIDRequired, MemberID: id}
		}
	}
	s, code := c.enterClassic(r, id)
	if code != None {
		return refuse(code)
	}
	s.classic = &classicSeat{r.SessionTimeout, r.Protocols, r.Version}
	c.arm(now, s)
	said := r.Protocols[0].Metadata
	c.subscribe(s, &ConsumerHeartbeat{ClientID: r.ClientID, Topics: said.Topics,
		RebalanceTimeout: r.RebalanceTimeout})
	if c.topicsChanged() {
		c.bump(MetadataChange, s.client)
	}
	c.retarget()
	owned := said.Owned
	c.reconcile(now, s, &owned)
	return &JoinReply{MemberID: s.id, Generation: s.epoch, Protocol: r.Protocols[0].Name}
}

// supportsClassic reports whether all classic members have a strategy in common
// with this one. None of them is ever used, but the group has to be able to turn
// back into a classic one.
func (c *ConsumerCoordinator) supportsClassic(r *JoinGroup) bool {
	return slices.ContainsFunc(r.Protocols, func(p Protocol) bool {
		return !slices.ContainsFunc(c.seats, func(s *consumerSeat) bool {
			return s.classic != nil && s.id != r.MemberID &&
				!slices.ContainsFunc(s.classic.protocols, func(q Protocol) bool {
					return q.Name == p.Name
				})
		})
	})
}

// newID makes a member id for a classic member, as the classic coordinator does.
func (c *ConsumerCoordinator) newID(r *JoinGroup) string {
	name := r.ClientID
	if r.InstanceID != "" {
		name = r.InstanceID
	}
	c.ids++
	return fmt.Sprintf("%s-%d.%d", name, c.incarnation, c.ids)
}

// enterClassic finds the member of a join, or takes it in. A static member that
// comes back without its id takes its old place.
func (c *ConsumerCoordinator) enterClassic(r *JoinGroup, id string) (*consumerSeat, Code) {
	if r.InstanceID != "" && c.byInstance[r.InstanceID] != nil {
		old := c.byInstance[r.InstanceID]
		switch {
		case old.id == id:
			return old, None
		case r.MemberID != "":
			return nil, FencedInstanceID
		case old.classic == nil && old.epoch != StaticLeaveEpoch:
			return nil, UnreleasedInstanceID
		}
		c.rename(old, id)
		old.epoch, old.previousEpoch = 0, 0
		return old, None
	}
	if s := c.byID[id]; s != nil {
		return s, None
	}
	if r.MemberID != "" && !c.given[id] {
		return nil, UnknownMemberID
	}
	delete(c.given, id)
	s := &consumerSeat{id: id, instance: r.InstanceID, state: settled}
	c.add(s)
	return s, None
}

// classicMember finds a classic member and checks its generation.
func (c *ConsumerCoordinator) classicMember(id, instance string, generation int32) (
	*consumerSeat, Code) {
	s, code := c.find(id, instance)
	switch {
	case code != None:
		return nil, code
	case s.classic == nil:
		return nil, UnknownMemberID
	case generation != s.epoch:
		return nil, IllegalGeneration
	}
	return s, None
}

func (c *ConsumerCoordinator) classicSync(now Time, r *SyncGroup) Response {
	s, code := c.classicMember(r.MemberID, r.InstanceID, r.Generation)
	if code == None && s.epoch < c.groupEpoch && s.state != unrevoked {
		code = RebalanceInProgress
	}
	if code != None {
		return &SyncReply{Code: code}
	}
	c.arm(now, s)
	return &SyncReply{Protocol: r.Protocol, Assigned: s.assigned}
}

// classicHeartbeat tells the member to join again if the group has moved on, if it
// has to give something up, or if something that it waits for is free.
func (c *ConsumerCoordinator) classicHeartbeat(now Time, r *Heartbeat) Code {
	s, code := c.classicMember(r.MemberID, r.InstanceID, r.Generation)
	if code != None {
		return code
	}
	c.arm(now, s)
	if c.topicsChanged() {
		c.bump(MetadataChange, s.client)
		c.retarget()
	}
	if s.epoch < c.groupEpoch || s.state == unrevoked || s.state == unreleased && !c.waits(s) {
		if s.revokeBy.deadline == noTime {
			c.sessions.arm(&s.revokeBy, now+s.rebalanceTimeout)
		}
		return RebalanceInProgress
	}
	return None
}

func (c *ConsumerCoordinator) classicLeave(r *LeaveGroup) Response {
	reply := &LeaveReply{Members: make([]Code, len(r.Members))}
	left := ""
	for i, m := range r.Members {
		id := m.ID
		if old := c.byInstance[m.InstanceID]; id == "" && m.InstanceID != "" && old != nil {
			id = old.id
		}
		s, code := c.find(id, m.InstanceID)
		if reply.Members[i] = code; code == None {
			c.remove(s)
			left = s.client
		}
	}
	if left != "" {
		c.gone(MemberLeaves, left)
	}
	return reply
}
