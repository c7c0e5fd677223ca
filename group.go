package holdfast

import (
	"errors"
	"fmt"
)

// NoGeneration is the generation of a claim that carries none: a subscription
// of version 0 or 1, or a member that has not been in a generation yet.
const NoGeneration int32 = -1

// MaxPartitions is the greatest number of partitions, over all topics, that a
// Group may have.
const MaxPartitions = 10_000_000

// MaxWeight is the greatest weight of a partition, and the greatest capacity of a
// member; the least capacity is 1/MaxWeight. Within these no sum of loads and no
// square of one is beyond what a float64 holds.
const MaxWeight = 1e60

// Group is all that an [Assignor] knows: the topics, the members that are in
// the group now, and, if they are known, the owners that are gone.
//
// Topics that a member names and that are not listed in Topics do not exist;
// nobody gets them and [Plan.MissingTopics] lists them. The order of the slices
// has no meaning.
type Group struct {
	Topics   []Topic
	Members  []Member
	Departed []Member
}

// Topic is one topic and its partitions 0 to Partitions-1.
type Topic struct {
	Name       string
	Partitions int

	// Racks lists, for each partition, the racks of its replicas, leader first.
	// It is empty when racks are not known; otherwise it has one entry for each
	// partition, and an entry may be empty.
	Racks [][]string

	// Weights is the load of each partition in any unit, such as records or bytes
	// per second, or lag. It is empty when every partition weighs 1; otherwise it
	// has one entry from 0 to MaxWeight for each partition.
	Weights []float64
}

// TopicPartitions names partitions of one topic.
type TopicPartitions struct {
	Topic      string
	Partitions []int32
}

// Member is one member of the group with its subscription and its claims.
type Member struct {
	// ID is the member id that the coordinator gave out. It is not empty and no
	// two members share it.
	ID string

	// InstanceID is the group.instance.id of a static member (KIP-345), else "".
	// Range and roundrobin order static members before dynamic ones, by it.
	InstanceID string

	// Rack is the member's client.rack (KIP-881), "" when it has none.
	Rack string

	// Topics is the subscription. A topic named twice counts once.
	Topics []string

	// Owned is what the member says it owns. Claims on partitions that do not
	// exist or on topics it does not subscribe to are no error: they do not
	// compete, and [Plan.DroppedClaims] lists them.
	Owned []TopicPartitions

	// Generation is the generation that the claims were given out in (KIP-792);
	// any negative value counts as NoGeneration.
	Generation int32

	// Capacity says how much load this member can take beside the others, for the
	// strategy weighted. 0 means 1.
	Capacity float64
}

// Reasons why a Group is refused. A *GroupError wraps one of them.
var (
	ErrNoName         = errors.New("empty name")
	ErrTwice          = errors.New("listed twice")
	ErrPartitionCount = errors.New("partition count out of range")
	ErrRackCount      = errors.New("racks do not match the partitions")
	ErrWeight         = errors.New("bad weight")
	ErrCapacity       = errors.New("bad capacity")
)

// GroupError says which part of a Group cannot be used, and why.
type GroupError struct {
	Reason error  // one of the Err values of this package
	Part   string // "topic", "member" or "departed member"
	Name   string // the topic's name or the member's id
	Value  string // the offending value in words
}

// Error returns the part, its name, the reason and the value on one line.
func (e *GroupError) Error() string {
	text := fmt.Sprintf("%s %q: %v", e.Part, e.Name, e.Reason)
	if e.Value != "" {
		text += ": " + e.Value
	}
	return text
}

// Unwrap returns the Reason, for errors.Is.
func (e *GroupError) Unwrap() error { return e.Reason }

// Check returns the first thing in the group that no strategy can work with, as
// a *GroupError, or nil. Topics are checked first, then members, then departed
// members, each in the order given. It costs O(members + topics), and what racks
// and weights cost to read.
func (g Group) Check() error {
	total := 0
	twice := firstTwice(len(g.Topics), func(i int) string { return g.Topics[i].Name })
	for i := range g.Topics {
		t := &g.Topics[i]
		if i == twice {
			return &GroupError{Reason: ErrTwice, Part: "topic", Name: t.Name}
		}
		if err := t.check(total); err != nil {
			return err
		}
		total += t.Partitions
	}
	// Nobody can be in the group and gone at once.
	twice = firstTwice(len(g.Members)+len(g.Departed), func(i int) string {
		if i < len(g.Members) {
			return g.Members[i].ID
		}
		return g.Departed[i-len(g.Members)].ID
	})
	if err := checkMembers(g.Members, "member", twice); err != nil {
		return err
	}
	return checkMembers(g.Departed, "departed member", twice-len(g.Members))
}

// firstTwice returns the first place with a name that an earlier one has, or -1.
// Names in ascending order, as most callers have them, take no more than a look.
func firstTwice(places int, name func(int) string) int {
	ascending := 1
	for ascending < places && name(ascending-1) < name(ascending) {
		ascending++
	}
	if ascending >= places {
		return -1
	}
	seen := make(map[string]bool, places)
	for i := range places {
		if seen[name(i)] {
			return i
		}
		seen[name(i)] = true
	}
	return -1
}

// check looks at one topic; before is the number of partitions that came before.
func (t *Topic) check(before int) error {
	fail := func(reason error, format string, args ...any) error {
		return &GroupError{Reason: reason, Part: "topic", Name: t.Name,
			Value: fmt.Sprintf(format, args...)}
	}
	switch {
	case t.Name == "":
		return &GroupError{Reason: ErrNoName, Part: "topic"}
	case t.Partitions < 0:
		return fail(ErrPartitionCount, "%d is negative", t.Partitions)
	case t.Partitions > MaxPartitions-before:
		return fail(ErrPartitionCount, "%d, with the topics before it, is more than %d in all",
			t.Partitions, MaxPartitions)
	case len(t.Racks) != 0 && len(t.Racks) != t.Partitions:
		return fail(ErrRackCount, "%d rack lists for %d partitions", len(t.Racks), t.Partitions)
	case len(t.Weights) != 0 && len(t.Weights) != t.Partitions:
		return fail(ErrWeight, "%d weights for %d partitions", len(t.Weights), t.Partitions)
	}
	for p, w := range t.Weights {
		if !(w >= 0 && w <= MaxWeight) {
			return fail(ErrWeight, "partition %d weighs %v", p, w)
		}
	}
	return nil
}

// checkMembers looks at ids and capacities; twice is the place of an id that was
// there before.
func checkMembers(members []Member, part string, twice int) error {
	for i := range members {
		m := &members[i]
		switch {
		case m.ID == "":
			return &GroupError{Reason: ErrNoName, Part: part}
		case i == twice:
			return &GroupError{Reason: ErrTwice, Part: part, Name: m.ID}
		case m.Capacity != 0 && !(m.Capacity >= 1/MaxWeight && m.Capacity <= MaxWeight):
			return &GroupError{Reason: ErrCapacity, Part: part, Name: m.ID,
				Value: fmt.Sprint(m.Capacity)}
		}
	}
	return nil
}
