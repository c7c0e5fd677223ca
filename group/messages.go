package group

import (
	"slices"
	"time"
)

// Time is the time since the beginning of the caller's clock. Nothing in this
// package reads a clock.
type Time = time.Duration

// Ref names a request: who sent it, and which of the sender's requests it is. The
// caller chooses both; the reply carries them back.
type Ref struct {
	From int
	ID   int
}

// Request is a message from a member to the coordinator.
type Request interface{ isRequest() }

// Response is the coordinator's answer to a request of the same kind.
type Response interface {
	// Err is the code that the request as a whole was answered with.
	Err() Code
}

// Claims is what a sticky member remembers of its last assignment; it travels in
// the user data of its subscription (KIP-54, KIP-341).
type Claims struct {
	Owned      Partitions
	Generation int32
}

// Subscription is the metadata that a member sends for each of its strategies.
// The coordinator compares and passes it on, and looks into it for the topics
// alone.
type Subscription struct {
	Topics     []string // sorted
	Owned      Partitions
	Generation int32 // of Owned; -1 for none (KIP-792)
	Rack       string
	Capacity   float64 // in the user data of strategies that weigh members
	Sticky     *Claims // nil if the strategy keeps no memory or remembers nothing
}

// equal reports whether both have the same bytes on the wire.
func (s *Subscription) equal(o *Subscription) bool {
	if s == o {
		return true
	}
	if s.Generation != o.Generation || s.Rack != o.Rack || s.Capacity != o.Capacity ||
		!slices.Equal(s.Topics, o.Topics) || !s.Owned.Equal(o.Owned) ||
		(s.Sticky == nil) != (o.Sticky == nil) {
		return false
	}
	return s.Sticky == nil ||
		s.Sticky.Generation == o.Sticky.Generation && s.Sticky.Owned.Equal(o.Sticky.Owned)
}

// Protocol is one entry of a member's list of strategies.
type Protocol struct {
	Name     string
	Metadata *Subscription
}

// JoinGroup asks to be part of the next generation. It is answered when that
// generation begins, or at once with an error.
type JoinGroup struct {
	// Version is that of the request. From 4 on a dynamic member needs an id before
	// it can join; from 9 on a static leader that returns is told to skip the
	// assignment (KIP-814).
	Version          int16
	ClientID         string
	MemberID         string // "" for a member that is new
	InstanceID       string // group.instance.id, "" for a dynamic member
	SessionTimeout   Time
	RebalanceTimeout Time // max.poll.interval.ms
	Protocols        []Protocol
	Reason           Reason // why the member joins (KIP-800)
}

// JoinReply answers a JoinGroup.
type JoinReply struct {
	Code           Code
	MemberID       string
	Generation     int32
	Protocol       string
	Leader         string
	SkipAssignment bool
	Members        []JoinedMember // for the leader alone
}

// JoinedMember is what the leader is told about a member.
type JoinedMember struct {
	ID         string
	InstanceID string
	Metadata   *Subscription
}

// SyncGroup asks for the member's assignment in this generation; the leader's
// carries everybody's.
type SyncGroup struct {
	MemberID    string
	InstanceID  string
	Generation  int32
	Protocol    string
	Assignments []MemberAssignment
}

// MemberAssignment is what one member gets.
type MemberAssignment struct {
	ID       string
	Assigned Partitions
}

// SyncReply answers a SyncGroup.
type SyncReply struct {
	Code     Code
	Protocol string
	Assigned Partitions
}

// Heartbeat says that the member is alive.
type Heartbeat struct {
	MemberID   string
	InstanceID string
	Generation int32
}

// HeartbeatReply answers a Heartbeat.
type HeartbeatReply struct{ Code Code }

// LeaveGroup takes members out of the group: by id, or a static one by its
// instance id alone.
type LeaveGroup struct{ Members []LeavingMember }

// LeavingMember names one member that leaves.
type LeavingMember struct {
	ID         string
	InstanceID string
}

// LeaveReply answers a LeaveGroup, with one code for each member.
type LeaveReply struct {
	Code    Code
	Members []Code
}

// OffsetCommit stores how far a member has come. Of the offsets this package
// needs to know only for which partitions they are.
type OffsetCommit struct {
	MemberID   string
	InstanceID string
	Generation int32
	Committed  Partitions
}

// CommitReply answers an OffsetCommit.
type CommitReply struct{ Code Code }

func (*JoinGroup) isRequest()    {}
func (*SyncGroup) isRequest()    {}
func (*Heartbeat) isRequest()    {}
func (*LeaveGroup) isRequest()   {}
func (*OffsetCommit) isRequest() {}

// Err returns the reply's code.
func (r *JoinReply) Err() Code { return r.Code }

// Err returns the reply's code.
func (r *SyncReply) Err() Code { return r.Code }

// Err returns the reply's code.
func (r *HeartbeatReply) Err() Code { return r.Code }

// Err returns the reply's code.
func (r *LeaveReply) Err() Code { return r.Code }

// Err returns the reply's code.
func (r *CommitReply) Err() Code { return r.Code }

// Record is what the coordinator writes to __consumer_offsets: a complete
// generation, or an empty group. A coordinator that takes over begins with the
// last one.
type Record struct {
	Generation int32
	Protocol   string // "" for an empty group
	Leader     string
	Members    []RecordedMember // in order of joining
}

// RecordedMember is one member in a Record. Of its strategies only the selected
// one is kept.
type RecordedMember struct {
	ID               string
	InstanceID       string
	ClientID         string
	SessionTimeout   Time
	RebalanceTimeout Time
	Metadata         *Subscription
	Assigned         Partitions
}

// Reason says why a rebalance began, or why a member joined.
type Reason string

// What makes a group rebalance.
const (
	MemberJoins        Reason = "member joins"
	MemberLeaves       Reason = "member leaves"
	SessionExpires     Reason = "session expires"
	SyncExpires        Reason = "sync does not come"
	PartitionsRevoked  Reason = "member gave up partitions"
	SubscriptionChange Reason = "subscription changes"
	MetadataChange     Reason = "partitions change"
	StaticReturns      Reason = "static member returns"
	GroupRebalances    Reason = "group rebalances"
	MemberRetries      Reason = "member retries"
)
