package group

import "fmt"

// Epochs with which a member of the consumer protocol says what it is about
// (KIP-848). All others are the member's own, which begin with 1.
const (
	JoinEpoch        int32 = 0
	LeaveEpoch       int32 = -1
	StaticLeaveEpoch int32 = -2 // it will be back
)

// ConsumerHeartbeat is the one request of the consumer protocol: it joins, keeps
// the member alive, says what the member owns, and leaves.
type ConsumerHeartbeat struct {
	MemberID   string // chosen by the member
	InstanceID string
	ClientID   string
	Rack       string
	Epoch      int32
	// RebalanceTimeout is how long the member may take to give partitions up.
	RebalanceTimeout Time
	// Full says that Topics, Assignor and Owned are there; else they are as they were.
	Full     bool
	Topics   []string // sorted
	Assignor string   // the server assignor asked for, "" for any
	// Owned is what the member owns, if HasOwned or Full is set.
	Owned    Partitions
	HasOwned bool
}

// ConsumerReply answers a ConsumerHeartbeat.
type ConsumerReply struct {
	Code     Code
	MemberID string
	Epoch    int32
	Interval Time // until the next heartbeat
	// Assigned is what the member shall own, if HasAssigned is set.
	Assigned    Partitions
	HasAssigned bool
}

func (*ConsumerHeartbeat) isRequest() {}

// Err returns the reply's code.
func (r *ConsumerReply) Err() Code { return r.Code }

// String writes what the heartbeat says beyond being one.
func (r *ConsumerHeartbeat) String() string {
	text := fmt.Sprintf("ConsumerHeartbeat %s epoch %d", r.MemberID, r.Epoch)
	switch r.Epoch {
	case JoinEpoch:
		text = fmt.Sprintf("ConsumerHeartbeat %s joins %v", r.MemberID, r.Topics)
	case LeaveEpoch, StaticLeaveEpoch:
		text = fmt.Sprintf("ConsumerHeartbeat %s leaves with %d", r.MemberID, r.Epoch)
	}
	if (r.HasOwned || r.Full) && r.Epoch > 0 {
		text += fmt.Sprintf(" owns %v", r.Owned)
	}
	return text
}

// SaysNothing reports whether the request is a heartbeat and no more.
func (r *ConsumerHeartbeat) SaysNothing() bool { return r.Epoch > 0 && !r.Full && !r.HasOwned }

// String writes the answer with the assignment.
func (r *ConsumerReply) String() string {
	if r.Code != None {
		return fmt.Sprintf("ConsumerHeartbeat %v", r.Code)
	}
	text := fmt.Sprintf("ConsumerHeartbeat epoch %d", r.Epoch)
	if r.HasAssigned {
		text += fmt.Sprintf(" assigned %v", r.Assigned)
	}
	return text
}

// CurrentAssignment is what the coordinator writes when a member's own assignment
// changes: what it may own, and what it has been asked to give up and has not yet.
// A member that is gone has Epoch LeaveEpoch.
type CurrentAssignment struct {
	MemberID   string
	InstanceID string
	ClientID   string
	Topics     []string
	Epoch      int32
	Assigned   Partitions
	Revoking   Partitions
}

// String writes the record on one line.
func (a *CurrentAssignment) String() string {
	if a.Epoch == LeaveEpoch {
		return fmt.Sprintf("record %s is gone", a.MemberID)
	}
	text := fmt.Sprintf("record %s epoch %d: %v", a.MemberID, a.Epoch, a.Assigned)
	if len(a.Revoking) > 0 {
		text += fmt.Sprintf(", gives up %v", a.Revoking)
	}
	return text
}
