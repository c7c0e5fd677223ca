package group

import (
	"fmt"
	"strings"
)

// The String methods write messages as the scenario files and traces have them:
// the name, then what differs from message to message.

// String writes the join with the names of its strategies and what it claims.
func (r *JoinGroup) String() string {
	names := make([]string, len(r.Protocols))
	for i, p := range r.Protocols {
		names[i] = p.Name
	}
	text := fmt.Sprintf("JoinGroup %s [%s]", orNew(r.MemberID), strings.Join(names, " "))
	if len(r.Protocols) > 0 {
		s := r.Protocols[0].Metadata
		if len(s.Owned) > 0 {
			text += fmt.Sprintf(" owns %v", s.Owned)
		}
		if s.Generation >= 0 {
			text += fmt.Sprintf(" of generation %d", s.Generation)
		}
		if s.Sticky != nil {
			text += fmt.Sprintf(" remembers %v of generation %d", s.Sticky.Owned,
				s.Sticky.Generation)
		}
	}
	return text
}

// String writes the answer, for a leader with the number of members.
func (r *JoinReply) String() string {
	if r.Code != None {
		return fmt.Sprintf("JoinGroup %v %s", r.Code, r.MemberID)
	}
	text := fmt.Sprintf("JoinGroup generation %d %s as %s", r.Generation, r.Protocol, r.MemberID)
	switch {
	case r.SkipAssignment:
		text += fmt.Sprintf(", leads %d, skips the assignment", len(r.Members))
	case r.Leader == r.MemberID:
		text += fmt.Sprintf(", leads %d", len(r.Members))
	}
	return text
}

// String writes the request, for a leader with everybody's assignment.
func (r *SyncGroup) String() string {
	text := fmt.Sprintf("SyncGroup %s generation %d", r.MemberID, r.Generation)
	for i, a := range r.Assignments {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s: %v", a.ID, a.Assigned)
	}
	return text
}

// String writes the answer with the assignment.
func (r *SyncReply) String() string {
	if r.Code != None {
		return fmt.Sprintf("SyncGroup %v", r.Code)
	}
	return fmt.Sprintf("SyncGroup %v", r.Assigned)
}

// String writes the request.
func (r *Heartbeat) String() string {
	return fmt.Sprintf("Heartbeat %s generation %d", r.MemberID, r.Generation)
}

// String writes the answer.
func (r *HeartbeatReply) String() string { return fmt.Sprintf("Heartbeat %v", r.Code) }

// String writes who leaves.
func (r *LeaveGroup) String() string {
	text := "LeaveGroup"
	for _, m := range r.Members {
		text += " " + m.ID
		if m.ID == "" {
			text += "instance " + m.InstanceID
		}
	}
	return text
}

// String writes the answer.
func (r *LeaveReply) String() string {
	text := fmt.Sprintf("LeaveGroup %v", r.Code)
	for _, code := range r.Members {
		if code != None {
			text += fmt.Sprintf(" %v", code)
		}
	}
	return text
}

// String writes the request with the partitions.
func (r *OffsetCommit) String() string {
	return fmt.Sprintf("OffsetCommit %s generation %d %v", r.MemberID, r.Generation, r.Committed)
}

// String writes the answer.
func (r *CommitReply) String() string { return fmt.Sprintf("OffsetCommit %v", r.Code) }

// String writes the record on one line.
func (r *Record) String() string {
	text := fmt.Sprintf("record generation %d", r.Generation)
	if r.Protocol == "" {
		return text + " empty"
	}
	text += fmt.Sprintf(" %s leader %s", r.Protocol, r.Leader)
	for i, m := range r.Members {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s: %v", m.ID, m.Assigned)
	}
	return text
}

func orNew(id string) string {
	if id == "" {
		return "(new)"
	}
	return id
}
