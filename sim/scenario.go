package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/holdfast/holdfast"
)

// Time is the time since the beginning of the scenario.
type Time = time.Duration

// Scenario is a group and what happens to it.
type Scenario struct {
	// Topics exist from the beginning.
	Topics []holdfast.Topic
	// Members start at 0.
	Members []Member
	// Strategies is partition.assignment.strategy of the members that have none of
	// their own. Empty means Kafka's default: range, cooperative-sticky.
	Strategies []holdfast.Assignor
	// Protocol is group.protocol: Classic, or Consumer for KIP-848.
	Protocol GroupProtocol
	// ServerAssignor is the assignor of a Consumer group: "uniform" (the default) or
	// "range".
	ServerAssignor string
	Timing         Timing
	// Seed decides when members poll within their interval, and the faults.
	Seed   uint64
	Faults Faults
	// Events in any order; those of one time happen in the order given.
	Events []Event
	// Until is when the scenario ends. 0 means five minutes after the last event.
	Until Time
	// RecordRate is the records per second that arrive in each partition, from which
	// the delayed records are reckoned. 0 leaves them out.
	RecordRate float64
	// NoLanes leaves Report.Lanes out, which else takes memory for each change of
	// each partition.
	NoLanes bool
	// Trace asks for Report.Trace.
	Trace bool

	consumerHeartbeat Time // the broker's interval, which has a default of its own
	broken            broken
}

// GroupProtocol is group.protocol of the consumers.
type GroupProtocol string

// The group protocols.
const (
	Classic  GroupProtocol = "classic"
	Consumer GroupProtocol = "consumer"
)

// Member is one consumer process. Its id is also its client.id; the coordinator
// gives it member ids that begin with it.
type Member struct {
	ID         string
	InstanceID string // group.instance.id, "" for a dynamic member
	Rack       string
	// Topics is the subscription. nil means every topic that exists at the beginning
	// of the scenario; an empty list means none.
	Topics     []string
	Strategies []holdfast.Assignor // nil: those of the scenario
	Capacity   float64             // for strategies that weigh members; 0 means 1
	// Protocol is this member's group.protocol, "" for that of the scenario. A group
	// may have both while it migrates.
	Protocol GroupProtocol
}

// Timing holds the timeouts and delays. In the fields with a default 0 means that
// default, and a negative time means 0.
type Timing struct {
	SessionTimeout        Time // default 45 s
	HeartbeatInterval     Time // default 3 s, for the consumer protocol 5 s
	MaxPollInterval       Time // default 5 min
	InitialRebalanceDelay Time // default 3 s
	MetadataMaxAge        Time // default 5 min
	Poll                  Time // between two polls of an application; default 100 ms
	Network               Time // one way; default 2 ms
	Revoke                Time // to give up one partition
	Restore               Time // to get one partition ready
	Start                 Time // from the start of a process to its first poll
	RequestTimeout        Time // default 30 s
	Commit                Time // between two commits of a member; 0: none are played
}

// Faults is what goes wrong on the network, from the beginning until it ends.
type Faults struct {
	Loss float64 // probability that a message is lost
	// Duplicate is the probability that a message arrives twice. Where the protocol
	// relies on a connection that delivers once (the requests that a consumer group
	// answers with an assignment), it does not.
	Duplicate float64
	// DelayMax is the most that a message is delayed beyond Timing.Network. Delays
	// are drawn for each message, so that messages overtake each other.
	DelayMax Time
	Until    Time // 0: as long as the scenario
}

func (f Faults) any() bool { return f.Loss > 0 || f.Duplicate > 0 || f.DelayMax > 0 }

// EventKind says what happens.
type EventKind string

// What can happen. Each names the fields of Event that it reads beside At.
const (
	Join            EventKind = "join"            // Join
	Leave           EventKind = "leave"           // Member: it closes, and is gone
	Crash           EventKind = "crash"           // Member: it is gone without a word
	Restart         EventKind = "restart"         // Member, Down
	RollingRestart  EventKind = "rolling_restart" // Down, Every: all, one by one
	Upgrade         EventKind = "upgrade"         // Member, Strategies, Protocol, Down
	RollingUpgrade  EventKind = "rolling_upgrade" // Strategies, Protocol, Down, Every
	ChangeTopic     EventKind = "topic"           // Topic: created, or as it is from now on
	ChangeSubscribe EventKind = "subscribe"       // Member, Topics
	Stall           EventKind = "stall"           // Member, For: it does not poll
	CutOff          EventKind = "cut"             // Member, For: nothing reaches or leaves it
	Failover        EventKind = "failover"        // Down: the coordinator moves
)

// Event is something that happens to the group.
type Event struct {
	At         Time
	Kind       EventKind
	Member     string
	Join       Member
	Strategies []holdfast.Assignor
	Protocol   GroupProtocol // "": unchanged
	// Down is how long a process is gone between its end and its next start, or how
	// long there is no coordinator.
	Down   Time
	Every  Time // between one member's turn and the next one's
	For    Time
	Topic  holdfast.Topic
	Topics []string
}

// withDefaults fills in what was left open, without changing what the caller has.
func (s Scenario) withDefaults() Scenario {
	or := func(d *Time, value Time) {
		if *d == 0 {
			*d = value
		}
		*d = max(*d, 0)
	}
	t := &s.Timing
	s.consumerHeartbeat = t.HeartbeatInterval
	or(&s.consumerHeartbeat, 5*time.Second)
	or(&t.SessionTimeout, 45*time.Second)
	or(&t.HeartbeatInterval, 3*time.Second)
	or(&t.MaxPollInterval, 5*time.Minute)
	or(&t.InitialRebalanceDelay, 3*time.Second)
	or(&t.MetadataMaxAge, 5*time.Minute)
	or(&t.Poll, 100*time.Millisecond)
	or(&t.Network, 2*time.Millisecond)
	or(&t.RequestTimeout, 30*time.Second)
	if len(s.Strategies) == 0 {
		s.Strategies = []holdfast.Assignor{holdfast.Range, holdfast.CooperativeSticky}
	}
	if s.Protocol == "" {
		s.Protocol = Classic
	}
	if s.ServerAssignor == "" {
		s.ServerAssignor = "uniform"
	}
	s.Events = slices.Clone(s.Events)
	slices.SortStableFunc(s.Events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	if s.Until == 0 {
		s.Until = s.lastEvent() + 5*time.Minute
	}
	return s
}

// lastEvent is when the last event is over, rolling ones with their last member.
func (s *Scenario) lastEvent() Time {
	last, members := Time(0), len(s.Members)
	for _, e := range s.Events {
		over := e.At + e.Down + e.For
		switch e.Kind {
		case Join:
			members++
		case RollingRestart, RollingUpgrade:
			over += Time(members) * e.Every
		}
		last = max(last, over)
	}
	return last
}
