package demo

import (
	"errors"
	"fmt"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/adapter/kgobalancer"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Config says what to run. Check fills in what is zero.
type Config struct {
	Strategy   holdfast.Assignor
	Members    int // at the start, at least MinMembers
	Topics     int
	Partitions int // of each topic

	// Brokers are the addresses of a cluster, host:port. Where there are none the
	// embedded broker is used.
	Brokers []string

	Rate           int           // records produced per second, over all partitions
	SessionTimeout time.Duration // after which a silent member counts as crashed
	Heartbeat      time.Duration

	// Restore and Revoke are what it costs a member to take over and to give up one
	// partition. They have no default: zero is nothing.
	Restore, Revoke time.Duration

	Pause time.Duration // how long the group is left alone between events

	// balancer replaces holdfast's, for tests of what the demo notices.
	balancer func(kgobalancer.Options) kgo.GroupBalancer
}

// Limits of a Config.
const (
	MinMembers    = 2 // one crashes and one leaves, and one joins between
	MaxMembers    = 100
	MaxPartitions = 10_000 // over all topics
)

// ErrConfig is wrapped by the errors of Check.
var ErrConfig = errors.New("the demo cannot be run like that")

// Check returns the first thing that cannot be done, as an error that wraps
// ErrConfig, and otherwise the Config with its defaults.
func (c Config) Check() (Config, error) {
	if c.Strategy == nil {
		c.Strategy = holdfast.CooperativeSticky
	}
	orDefault(&c.Members, 3)
	orDefault(&c.Topics, 2)
	orDefault(&c.Partitions, 6)
	orDefault(&c.Rate, min(max(100*c.Topics*c.Partitions, 1_000), 20_000))
	orDefault(&c.Pause, time.Second)
	if c.Embedded() {
		orDefault(&c.SessionTimeout, 2*time.Second)
		orDefault(&c.Heartbeat, 100*time.Millisecond)
	} else {
		// Brokers refuse shorter sessions unless told otherwise
		// (group.min.session.timeout.ms).
		orDefault(&c.SessionTimeout, 6*time.Second)
		orDefault(&c.Heartbeat, 250*time.Millisecond)
	}
	for _, check := range []struct {
		bad  bool
		text string
	}{
		{c.Members < MinMembers || c.Members > MaxMembers,
			fmt.Sprintf("%d members, want %d to %d", c.Members, MinMembers, MaxMembers)},
		{c.Topics < 1, fmt.Sprintf("%d topics, want at least 1", c.Topics)},
		{c.Partitions < 1, fmt.Sprintf("%d partitions, want at least 1", c.Partitions)},
		{c.Topics > MaxPartitions || c.Partitions > MaxPartitions/c.Topics, fmt.Sprintf(
			"%d topics of %d partitions, want at most %d partitions in all",
			c.Topics, c.Partitions, MaxPartitions)},
		{c.Rate < 1, fmt.Sprintf("%d records a second, want at least 1", c.Rate)},
		{c.Pause < 0, fmt.Sprintf("a pause of %v", c.Pause)},
		{c.Restore < 0, fmt.Sprintf("a cost of %v to take a partition over", c.Restore)},
		{c.Revoke < 0, fmt.Sprintf("a cost of %v to give a partition up", c.Revoke)},
		{c.Heartbeat < time.Millisecond, fmt.Sprintf("a heartbeat every %v", c.Heartbeat)},
		{c.SessionTimeout < 2*c.Heartbeat, fmt.Sprintf(
			"a session of %v with a heartbeat every %v, want at least two of them",
			c.SessionTimeout, c.Heartbeat)},
	} {
		if check.bad {
			return c, fmt.Errorf("%w: %s", ErrConfig, check.text)
		}
	}
	return c, nil
}

// Embedded reports whether the demo brings its own broker.
func (c *Config) Embedded() bool { return len(c.Brokers) == 0 }

// Protocol is the rebalance protocol of the strategy: eager or cooperative.
func (c *Config) Protocol() string {
	if kgobalancer.New(c.Strategy, kgobalancer.Options{}).IsCooperative() {
		return "cooperative"
	}
	return "eager"
}

func orDefault[T int | time.Duration](value *T, otherwise T) {
	if *value == 0 {
		*value = otherwise
	}
}
