package group

import "fmt"

// Code is an error code of Kafka's protocol, with Kafka's numbers.
type Code int16

// The codes that group requests are answered with.
const (
	None                      Code = 0
	CoordinatorNotAvailable   Code = 15
	NotCoordinator            Code = 16
	IllegalGeneration         Code = 22
	InconsistentGroupProtocol Code = 23
	UnknownMemberID           Code = 25
	InvalidSessionTimeout     Code = 26
	RebalanceInProgress       Code = 27
	MemberIDRequired          Code = 79
	GroupMaxSizeReached       Code = 81
	FencedInstanceID          Code = 82
	FencedMemberEpoch         Code = 110
	UnreleasedInstanceID      Code = 111
	UnsupportedAssignor       Code = 112
	StaleMemberEpoch          Code = 113
)

// String returns Kafka's name of the code, such as "FENCED_INSTANCE_ID".
func (c Code) String() string {
	switch c {
	case None:
		return "NONE"
	case CoordinatorNotAvailable:
		return "COORDINATOR_NOT_AVAILABLE"
	case NotCoordinator:
		return "NOT_COORDINATOR"
	case IllegalGeneration:
		return "ILLEGAL_GENERATION"
	case InconsistentGroupProtocol:
		return "INCONSISTENT_GROUP_PROTOCOL"
	case UnknownMemberID:
		return "UNKNOWN_MEMBER_ID"
	case InvalidSessionTimeout:
		return "INVALID_SESSION_TIMEOUT"
	case RebalanceInProgress:
		return "REBALANCE_IN_PROGRESS"
	case MemberIDRequired:
		return "MEMBER_ID_REQUIRED"
	case GroupMaxSizeReached:
		return "GROUP_MAX_SIZE_REACHED"
	case FencedInstanceID:
		return "FENCED_INSTANCE_ID"
	case FencedMemberEpoch:
		return "FENCED_MEMBER_EPOCH"
	case UnreleasedInstanceID:
		return "UNRELEASED_INSTANCE_ID"
	case UnsupportedAssignor:
		return "UNSUPPORTED_ASSIGNOR"
	case StaleMemberEpoch:
		return "STALE_MEMBER_EPOCH"
	}
	return fmt.Sprintf("CODE_%d", int16(c))
}
