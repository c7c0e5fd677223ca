package group

import (
	"fmt"
	"slices"
	"time"
)

// joinMargin is added to the rebalance timeout for the JoinGroup request, so that
// the coordinator's timer comes first.
const joinMargin = 5 * time.Second

// rejoinDue reports whether the member has to join: it was told to, its
// subscription is not what it joined with, or, for the leader, the partitions are
// not what it assigned.
func (m *Member) rejoinDue() bool {
	return m.rejoin || !slices.Equal(m.topics, m.joinedTopics) || m.leader.outdated
}

// WantsPoll reports whether a Poll at this time would do anything.
func (m *Member) WantsPoll() bool {
	if m.state == Closed || m.state == FailedHard || m.after != nil || m.leader.waiting != nil {
		return false
	}
	return m.closing || m.synced != nil ||
		m.joinID == 0 && m.syncID == 0 && m.timing.hold == noTime && m.rejoinDue()
}

// Poll is a call of poll() by the application: the member takes over an
// assignment that has come, and joins if a join is due.
func (m *Member) Poll(now Time) {
	for m.WantsPoll() {
		if m.closing {
			m.closing = false
			m.Close(now)
			return
		}
		if m.synced != nil {
			m.takeOver(now)
			continue
		}
		if !m.rejoin {
			m.rejoin, m.reason = true, MetadataChange
			if !slices.Equal(m.topics, m.joinedTopics) {
				m.reason = SubscriptionChange
			}
		}
		if m.unprepared {
			m.unprepared = false
			if m.prepare(now) {
				return
			}
			continue
		}
		m.join(now)
	}
}

// prepare gives up what has to be given up before a join, and reports whether a
// listener has to be run for that.
func (m *Member) prepare(now Time) bool {
	lost := m.generation < 0 || m.id == ""
	drop, kind := m.owned, OnRevoked
	switch {
	case lost:
		kind = OnLost
	case m.protocol == Cooperative:
		drop = m.owned.Minus(m.owned.Of(m.topics))
	}
	if len(drop) == 0 && (lost || m.protocol == Cooperative) {
		return false
	}
	if !lost {
		m.commit(drop)
	}
	m.call(now, Callback{kind, drop, true}, func(now Time) {
		broken := m.config.Broken
		if lost && broken.Has(KeepWhenLost) || !lost && broken.Has(KeepWhenEager) {
			m.kept = m.kept.Plus(drop)
		}
		m.owned = m.owned.Minus(drop)
		m.Poll(now)
	})
	return true
}

// commit stores how far the member has come with partitions that it gives up.
func (m *Member) commit(p Partitions) {
	if m.config.AutoCommit && len(p) > 0 {
		m.Commit(p)
	}
}

// Commit sends an OffsetCommit for the partitions, as the application or the
// client's own timer does. It returns the id of the request.
func (m *Member) Commit(p Partitions) int {
	return m.send(&OffsetCommit{MemberID: m.id, InstanceID: m.config.InstanceID,
		Generation: m.generation, Committed: p})
}

// join sends the JoinGroup.
func (m *Member) join(now Time) {
	m.state = Joining
	m.joinedTopics, m.leader.outdated = m.topics, false
	timeout := max(m.config.RequestTimeout, m.config.MaxPollInterval+joinMargin)
	m.timing.answer = now + timeout
	m.joinID = m.send(&JoinGroup{Version: m.config.JoinVersion, ClientID: m.config.ClientID,
		MemberID: m.id, InstanceID: m.config.InstanceID,
		SessionTimeout: m.config.SessionTimeout, RebalanceTimeout: m.config.MaxPollInterval,
		Protocols: m.protocols(), Reason: m.reason})
}

// protocols is the list of strategies with what each of them tells the leader.
// Only cooperative members still own something here. A strategy that keeps a
// memory of its own sends that too, however old it is.
func (m *Member) protocols() []Protocol {
	owned, generation := m.owned, m.generation
	switch {
	case m.config.Broken.Has(ForgetOwned):
		owned = nil
	case m.config.Broken.Has(SendOldClaims):
		owned = m.before.Of(m.topics)
	}
	plain := &Subscription{Topics: m.topics, Owned: owned, Generation: generation,
		Rack: m.config.Rack, Capacity: m.config.Capacity}
	list := make([]Protocol, len(m.config.Assignors))
	for i, a := range m.config.Assignors {
		list[i] = Protocol{a.Name(), plain}
		if !SupportsCooperative(a.Name()) && m.memory[i] != nil {
			own := *plain
			own.Sticky = m.memory[i]
			list[i].Metadata = &own
		}
	}
	return list
}

// Receive hands the member an answer to one of its requests. Answers to requests
// that it has given up are ignored.
func (m *Member) Receive(now Time, id int, response Response) {
	if m.state == Closed || m.state == FailedHard {
		return
	}
	switch r := response.(type) {
	case *JoinReply:
		if id == m.joinID {
			m.joinID, m.timing.answer = 0, noTime
			m.joinAnswered(now, r)
		}
	case *SyncReply:
		if id == m.syncID {
			m.syncID, m.timing.answer = 0, noTime
			m.syncAnswered(now, r)
		}
	case *HeartbeatReply:
		m.heartbeatAnswered(now, id, r.Code)
	case *LeaveReply, *CommitReply:
		// Whatever the answer, the heartbeats will say where the member stands.
	default:
		panic(fmt.Sprintf("group: a classic member got a %T", response))
	}
}

func (m *Member) joinAnswered(now Time, r *JoinReply) {
	switch r.Code {
	case None:
		m.joined(now, r)
	case MemberIDRequired:
		m.id = r.MemberID
		m.state = Unjoined
		m.again(now)
	case UnknownMemberID:
		m.reset(true)
		m.again(now)
	case RebalanceInProgress:
		m.state = Unjoined
		m.again(now)
	case CoordinatorNotAvailable, NotCoordinator:
		m.state = Unjoined
		m.Disconnected(now)
	default:
		m.fail(&CodeError{r.Code})
	}
}

// again goes on with the join that the application's poll is waiting in.
func (m *Member) again(now Time) {
	if !m.timing.stalled {
		m.Poll(now)
	}
}

// joined takes the member into a generation. It has no assignment yet, but it
// sends heartbeats from here on.
func (m *Member) joined(now Time, r *JoinReply) {
	m.state = Syncing
	m.id, m.generation = r.MemberID, r.Generation
	m.timing.heartbeat = now + m.config.HeartbeatInterval
	m.timing.heard = now
	at := slices.IndexFunc(m.protocolNames(), func(name string) bool { return name == r.Protocol })
	if at < 0 {
		m.fail(&CodeError{InconsistentGroupProtocol})
		return
	}
	m.assignor = m.config.Assignors[at]
	m.leader.leads = r.Leader == m.id
	if m.leader.leads {
		m.lead(now, r)
		return
	}
	m.leader.outdated = false // Followers do not watch.
	m.sync(now, nil)
}

func (m *Member) protocolNames() []string {
	names := make([]string, len(m.config.Assignors))
	for i, a := range m.config.Assignors {
		names[i] = a.Name()
	}
	return names
}

// sync sends the SyncGroup; the leader's carries the assignments.
func (m *Member) sync(now Time, assignments []MemberAssignment) {
	m.timing.answer = now + m.config.RequestTimeout
	m.syncID = m.send(&SyncGroup{MemberID: m.id, InstanceID: m.config.InstanceID,
		Generation: m.generation, Protocol: m.assignor.Name(), Assignments: assignments})
}

func (m *Member) syncAnswered(now Time, r *SyncReply) {
	switch r.Code {
	case None:
		m.state, m.rejoin = Joined, false
		m.synced = r
		return
	case RebalanceInProgress:
		m.state = Unjoined
		m.retry(GroupRebalances)
	case UnknownMemberID:
		m.reset(true)
	case IllegalGeneration:
		m.reset(false)
	case CoordinatorNotAvailable, NotCoordinator:
		m.state = Unjoined
		m.retry(MemberRetries)
		m.Disconnected(now)
		return
	default:
		m.fail(&CodeError{r.Code})
		return
	}
	m.again(now)
}

// retry makes the member join again, for a new reason.
func (m *Member) retry(why Reason) { m.rejoin, m.reason = true, why }

func (m *Member) heartbeatAnswered(now Time, id int, code Code) {
	at := slices.IndexFunc(m.heartbeats, func(h sentHeartbeat) bool { return h.id == id })
	if at < 0 {
		return
	}
	current := m.heartbeats[at].generation == m.generation
	m.heartbeats = slices.Delete(m.heartbeats, 0, at+1)
	switch code {
	case None:
		m.timing.heard = now
	case RebalanceInProgress:
		m.timing.heard = now
		if m.state == Joined && !m.config.Broken.Has(IgnoreRebalances) {
			m.wantRejoin(GroupRebalances)
		}
	case CoordinatorNotAvailable, NotCoordinator:
		m.Disconnected(now)
	case UnknownMemberID, IllegalGeneration:
		if current && m.beating() {
			m.reset(code == UnknownMemberID)
		}
	default:
		if current {
			m.fail(&CodeError{code})
		}
	}
}

// takeOver makes an assignment the member's own: what a cooperative member has
// and is not told to keep is revoked first, and it joins again so that somebody
// else can get it.
func (m *Member) takeOver(now Time) {
	r := m.synced
	m.synced = nil
	if m.state != Joined {
		return // The heartbeat thread has lost the generation in the meantime.
	}
	m.unprepared = true
	if len(r.Assigned.Of(m.topics)) != len(r.Assigned) {
		m.retry(SubscriptionChange) // Assigned for a subscription that has changed since.
		return
	}
	revoked := m.owned.Minus(r.Assigned)
	if m.protocol == Eager || len(revoked) == 0 {
		m.install(now, r.Assigned)
		return
	}
	m.commit(revoked)
	m.call(now, Callback{OnRevoked, revoked, false}, func(now Time) {
		if m.config.Broken.Has(KeepAfterRevoke) {
			m.kept = m.kept.Plus(revoked)
		}
		if !m.config.Broken.Has(SkipSecondRound) {
			m.retry(PartitionsRevoked)
		}
		m.install(now, r.Assigned)
	})
}

// install replaces what the member owns and tells the listener what is new.
func (m *Member) install(now Time, assigned Partitions) {
	added := assigned.Minus(m.owned)
	if m.generation >= 0 {
		for i, a := range m.config.Assignors {
			if a == m.assignor {
				m.memory[i] = &Claims{assigned, m.generation}
			}
		}
	}
	m.before, m.owned = m.owned, assigned
	m.kept = m.kept.Minus(assigned)
	m.call(now, Callback{OnAssigned, added, false}, m.Poll)
}
