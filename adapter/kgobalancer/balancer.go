package kgobalancer

import (
	"log/slog"
	"sync"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Options says what a balancer reports. The zero value reports nothing.
type Options struct {
	// OnPlan is called in the member that leads, with every plan that it makes,
	// before the plan is sent. The group waits until it returns. A static member
	// that comes back as the leader makes a plan, too, to see whether it would
	// differ (KIP-814), and then does not send it.
	OnPlan func(Leading)

	// Logger gets one line for each plan, at level Info, and one for each member
	// whose bytes were odd, at level Warn.
	Logger *slog.Logger

	// Weigh tells the strategy holdfast-weighted what a partition weighs (records or
	// bytes per second, lag; one unit for the whole group), and false where it is
	// not known. A member is asked for what it was assigned, whenever it joins, and
	// its answers travel in its user data; the leader is asked for what no member
	// told. What nobody knows weighs as the known partitions of its topic do on
	// average, or else those of all topics, or else 1.
	Weigh func(topic string, partition int32) (weight float64, known bool)

	// Capacity is how much load this member can take beside the others, under
	// holdfast-weighted; 0 means 1.
	Capacity float64
}

// Leading is one turn of a leader: the plan it made for its group.
type Leading struct {
	Group      string
	Generation int32  // the generation that the plan is for
	Leader     string // member id of the leader, which is this client

	// Plan tells the division, what moved and why; Plan.Now is what the members
	// are told, and under cooperative-sticky Plan.Rounds what follows. A leader
	// that made the plan before this one knows who left since, and what members
	// had that do not say it themselves (range, roundrobin); these count as
	// previous owners and never influence the division.
	Plan *holdfast.Plan

	// Duration is the time from the bytes of all members to the bytes of all
	// answers; what the client spent on metadata between is not in it.
	Duration time.Duration

	// Warnings lists what was odd about the members' bytes, in the order of their
	// ids.
	Warnings []Warning
}

// New returns a balancer for kgo.Balancers that assigns with a strategy. The
// strategy's name goes on the wire, and cooperative-sticky rebalances
// cooperatively, any other strategy eagerly. To migrate a group from an eager
// strategy list both, see KIP-429.
//
// The balancer belongs to the one client that it is given to.
func New(strategy holdfast.Assignor, o Options) kgo.GroupBalancer {
	return &balancer{strategy: strategy, options: o}
}

// balancer implements kgo.GroupBalancer. The client calls it from one goroutine;
// the lock is for two clients that share it against the rules, whose claims get
// mixed up but whose process must not.
type balancer struct {
	strategy holdfast.Assignor
	options  Options

	mu       sync.Mutex
	assigned assigned // what this member was assigned last
	led      history  // what this member, as the leader, made of the group
}

// ProtocolName returns the strategy's name.
func (b *balancer) ProtocolName() string { return b.strategy.Name() }

// IsCooperative reports whether members keep what they have while they rejoin.
func (b *balancer) IsCooperative() bool { return b.strategy.Name() == cooperative }

// Where the members of a strategy say what they had.
type claiming uint8

const (
	inUserData claiming = iota // as sticky does, and whatever is not listed below
	weighing                   // the same, with weights, as holdfast-weighted does
	inFields                   // as cooperative-sticky does
	nowhere                    // as range and roundrobin do
)

func (b *balancer) claiming() claiming {
	switch b.strategy.Name() {
	case cooperative:
		return inFields
	case "range", "roundrobin":
		return nowhere
	case weighted:
		return weighing
	}
	return inUserData
}

const (
	cooperative = "cooperative-sticky"
	weighted    = "holdfast-weighted"
)
