package holdfast

import (
	"errors"
	"fmt"
	"strings"
)

// Assignor computes the division of a group's partitions. It is a pure function
// of the Group: the same group, listed in any order, gives the same Plan, and
// any number of goroutines may use one Assignor at once.
type Assignor interface {
	// Name is the protocol name that members list in a JoinGroup request, such as
	// "cooperative-sticky".
	Name() string

	// Assign computes the plan. The error is a *GroupError when the group cannot be
	// used; the group is not changed.
	Assign(Group) (*Plan, error)
}

// ErrUnknownStrategy is wrapped by the error of [ParseStrategies].
var ErrUnknownStrategy = errors.New("unknown strategy")

// byName lists the strategies in the order in which they are shown.
var byName = []struct {
	class    string
	assignor Assignor
}{
	{"org.apache.kafka.clients.consumer.RangeAssignor", Range},
	{"org.apache.kafka.clients.consumer.RoundRobinAssignor", RoundRobin},
	{"org.apache.kafka.clients.consumer.StickyAssignor", Sticky},
	{"org.apache.kafka.clients.consumer.CooperativeStickyAssignor", CooperativeSticky},
	{weightedName, Weighted}, // no Java class, but a shorter name than its protocol's
}

// Strategies returns every built-in strategy, in the order range, roundrobin,
// sticky, cooperative-sticky, weighted.
func Strategies() []Assignor {
	all := make([]Assignor, len(byName))
	for i := range byName {
		all[i] = byName[i].assignor
	}
	return all
}

// ParseStrategies reads a list as partition.assignment.strategy has it: names or
// Java class names, separated by commas, in order of preference. The error wraps
// ErrUnknownStrategy and names the entry.
func ParseStrategies(list string) ([]Assignor, error) {
	var found []Assignor
	for entry := range strings.SplitSeq(list, ",") {
		a, err := parseStrategy(strings.TrimSpace(entry))
		if err != nil {
			return nil, err
		}
		found = append(found, a)
	}
	return found, nil
}

func parseStrategy(name string) (Assignor, error) {
	known := make([]string, 0, len(byName))
	for _, s := range byName {
		if name == s.assignor.Name() || name == s.class {
			return s.assignor, nil
		}
		known = append(known, s.assignor.Name())
	}
	return nil, fmt.Errorf("%w %q (known: %s)", ErrUnknownStrategy, name, strings.Join(known, ", "))
}
