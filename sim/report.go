package sim

import (
	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
)

// Report is what a scenario came to. Equal scenarios give equal reports. Members
// go by the ids of the scenario, not by those that the coordinator gave out.
type Report struct {
	Rebalances []Rebalance
	Totals     Totals
	Lanes      []Lane    // by member, topic, partition; nil with Scenario.NoLanes
	Refused    []Refusal // in order of time
	// Violations are promises of the protocol that did not hold. There should be none.
	Violations []Violation
	// Gaps are what Kafka's own protocol leaves open, and happened here: a static
	// member that comes back with other topics is not heard before the next rebalance;
	// a static leader that comes back does not see partitions that were added while it
	// was away; a static member that restarts between the two rounds of a cooperative
	// rebalance does not begin the second one; a static member that misses a generation
	// and joins the next one may commit while it gives up what somebody else has by then,
	// and so may a classic member whose group turns into a consumer group in the middle
	// of a rebalance; a consumer group that turns into a classic one may be left with
	// partitions that nobody owns if the coordinator moves before it has rebalanced; a
	// member of the consumer protocol that says what it owns before it has taken over
	// what it was told may take over what has been withdrawn and given to another.
	Gaps []Violation
	// Final is what the living members own at the end, by member.
	Final []MemberPartitions
	// Trace has a line for every message that is not a heartbeat that changed
	// nothing, and for every call of a listener. nil without Scenario.Trace.
	Trace []string
}

// Rebalance is one completed generation. A static member that comes back within
// its session causes none.
type Rebalance struct {
	Generation int32
	Start      Time // the group begins to rebalance
	End        Time // the last member has its assignment
	Cause      string
	Strategy   string // "" for a generation without members
	Protocol   string // "eager", "cooperative", or "mixed" if members differ
	Leader     string
	Members    []MemberCount // by member: the partitions assigned
	// Moved counts the partitions that have another owner than before, by cause; what
	// a cooperative round withholds counts in the round that gives it out.
	Moved  int
	Causes holdfast.Causes
	// Revoked lists what members had to give up for this generation, by member:
	// eager ones all they had, cooperative ones what they were told.
	Revoked []MemberPartitions
	// Withheld is what had an owner before and has none in this generation, for
	// somebody may still be reading it.
	Withheld group.Partitions
	// LostPartitionSeconds is the time that partitions were not processed, summed,
	// from this rebalance's start to the next one's, or to the end.
	LostPartitionSeconds float64
}

// MemberCount is a member and a number of partitions.
type MemberCount struct {
	Member     string
	Partitions int
}

// MemberPartitions is a member and its partitions.
type MemberPartitions struct {
	Member     string
	Partitions group.Partitions
}

// Totals sums up a scenario. Times are counted from the end of the first
// rebalance, for the partitions of all topics that somebody has subscribed to.
type Totals struct {
	Rebalances int
	Moved      int
	// Lost is the partition-seconds in which partitions were not processed.
	Lost LostSeconds
	// StopTheWorld is the time in which no partition was processed.
	StopTheWorld Time
	// RecordsDelayed is Scenario.RecordRate times all lost partition-seconds.
	RecordsDelayed float64
	// Events is how many events were played.
	Events int
}

// LostSeconds splits the time that partitions were not processed, in
// partition-seconds, by what was missing.
type LostSeconds struct {
	// Unowned: the group had it assigned to no member that is in the group.
	Unowned float64
	// Stopped: a member has it that does not process it, being in a rebalance, in a
	// listener, stalled, or dead without the coordinator knowing.
	Stopped float64
	// Restoring: its member is getting it ready.
	Restoring float64
}

// Sum is the partition-seconds lost, whatever the reason.
func (l LostSeconds) Sum() float64 { return l.Unowned + l.Stopped + l.Restoring }

// LaneState is what a member does with a partition.
type LaneState string

// The states of a lane.
const (
	Processing LaneState = "processing"
	Restoring  LaneState = "restoring"
	Revoking   LaneState = "revoking" // its listener gives it up
	Stalled    LaneState = "stalled"  // the application does not poll
	Crashed    LaneState = "crashed"  // the process is gone, and still a member
)

// Lane is the history of one partition with one member.
type Lane struct {
	Member    string
	Topic     string
	Partition int32
	Intervals []Interval
}

// Interval is a time in which a partition was in one state.
type Interval struct {
	From, To Time
	State    LaneState
}

// Refusal is a member that could not join, or could not go on.
type Refusal struct {
	Member string
	Error  string
	At     Time
}

// Violation is a promise of the protocol that did not hold, or a gap in it.
type Violation struct {
	At     Time
	Check  string // the checker's name
	Detail string
}
