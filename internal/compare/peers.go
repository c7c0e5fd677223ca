package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/adapter/kgobalancer"
	"github.com/holdfast/holdfast/wire"
)

// question is what a leader has in its hands: the members of a JoinGroup
// response, sorted as a client sorts them, and the topics' partition counts.
type question struct {
	members []kmsg.JoinGroupResponseMember
	topics  map[string]int32
	lists   map[string][]int32 // the same, as lists of partition numbers
}

// answer is what the leader sends: bytes for each member.
type answer map[string][]byte

// turn is one leader's turn, in three parts that are timed apart. What one part
// makes is kept for the next. A turn is used once.
type turn interface {
	// decode turns the members' bytes into what the assignor works on.
	decode(q *question) error
	// balance computes the assignment.
	balance() error
	// encode returns the bytes for each member.
	encode() (answer, error)
}

// takeTurn runs the three parts one after the other.
func takeTurn(t turn, q *question) (answer, error) {
	if err := t.decode(q); err != nil {
		return nil, err
	}
	if err := t.balance(); err != nil {
		return nil, err
	}
	return t.encode()
}

// assignor is one of those that are compared.
type assignor struct {
	name string
	what string // what is run, for the report
	turn func(strategy string) turn
}

// The names of the assignors. "holdfast" is its adapter for franz-go, bytes in
// and bytes out; "holdfast-maps" builds nested maps as the others do.
const (
	nameHoldfast = "holdfast"
	nameMaps     = "holdfast-maps"
	nameFranz    = "franz-go"
	nameSarama   = "sarama"
)

// The strategies that are compared.
const (
	sticky            = "sticky"
	cooperativeSticky = "cooperative-sticky"
)

var assignors = []assignor{
	{nameHoldfast, "kgobalancer.New, as a franz-go client uses it", func(strategy string) turn {
		return &kgoTurn{balancer: kgobalancer.New(ours(strategy), kgobalancer.Options{})}
	}},
	{nameMaps, "the strategy's Assign on a Group, then Plan.Assignment: nested maps of names",
		func(strategy string) turn { return &mapsTurn{strategy: strategy} }},
	{nameFranz, "kgo.StickyBalancer, kgo.CooperativeStickyBalancer", func(strategy string) turn {
		if strategy == cooperativeSticky {
			return &kgoTurn{balancer: kgo.CooperativeStickyBalancer()}
		}
		return &kgoTurn{balancer: kgo.StickyBalancer()}
	}},
	{nameSarama, "sarama.NewBalanceStrategySticky, NewBalanceStrategyCooperativeSticky",
		func(strategy string) turn {
			if strategy == cooperativeSticky {
				return &saramaTurn{strategy: sarama.NewBalanceStrategyCooperativeSticky()}
			}
			return &saramaTurn{strategy: sarama.NewBalanceStrategySticky()}
		}},
}

// findAssignor returns the assignor of a name.
func findAssignor(name string) (assignor, error) {
	for _, a := range assignors {
		if a.name == name {
			return a, nil
		}
	}
	return assignor{}, fmt.Errorf("no assignor %q", name)
}

func ours(strategy string) holdfast.Assignor {
	if strategy == cooperativeSticky {
		return holdfast.CooperativeSticky
	}
	return holdfast.Sticky
}

// ask writes the bytes with which a group's members join, as franz-go's own
// balancers write them, whoever leads.
func ask(g holdfast.Group, strategy string) *question {
	writer := kgo.StickyBalancer()
	if strategy == cooperativeSticky {
		writer = kgo.CooperativeStickyBalancer()
	}
	q := &question{topics: make(map[string]int32), lists: make(map[string][]int32)}
	for _, t := range g.Topics {
		q.topics[t.Name] = int32(t.Partitions)
		q.lists[t.Name] = span(0, t.Partitions)
	}
	for _, m := range g.Members {
		owned := make(map[string][]int32, len(m.Owned))
		for _, o := range m.Owned {
			owned[o.Topic] = append(owned[o.Topic], o.Partitions...)
		}
		member := kmsg.NewJoinGroupResponseMember()
		member.MemberID = m.ID
		member.ProtocolMetadata = writer.JoinGroupMetadata(m.Topics, owned, m.Generation)
		q.members = append(q.members, member)
	}
	slices.SortFunc(q.members, func(a, b kmsg.JoinGroupResponseMember) int {
		return strings.Compare(a.MemberID, b.MemberID)
	})
	return q
}

// kgoTurn runs anything that franz-go can use, as franz-go uses it.
type kgoTurn struct {
	balancer kgo.GroupBalancer
	member   kgo.GroupMemberBalancer
	topics   map[string]int32
	plan     kgo.IntoSyncAssignment
}

func (t *kgoTurn) decode(q *question) error {
	member, topics, err := t.balancer.MemberBalancer(q.members)
	if err != nil {
		return err
	}
	t.member = member
	t.topics = make(map[string]int32, len(topics))
	for topic := range topics {
		if n, ok := q.topics[topic]; ok {
			t.topics[topic] = n
		}
	}
	return nil
}

func (t *kgoTurn) balance() (err error) {
	if m, ok := t.member.(kgo.GroupMemberBalancerOrError); ok {
		t.plan, err = m.BalanceOrError(t.topics)
		return err
	}
	t.plan = t.member.Balance(t.topics)
	return nil
}

func (t *kgoTurn) encode() (answer, error) {
	all := t.plan.IntoSyncAssignment()
	a := make(answer, len(all))
	for _, one := range all {
		a[one.MemberID] = one.MemberAssignment
	}
	return a, nil
}

// saramaTurn runs a sarama strategy as sarama's consumer group does.
type saramaTurn struct {
	strategy sarama.BalanceStrategy
	members  map[string]sarama.ConsumerGroupMemberMetadata
	topics   map[string][]int32
	plan     sarama.BalanceStrategyPlan
}

func (t *saramaTurn) decode(q *question) (err error) {
	join := sarama.JoinGroupResponse{Members: make([]sarama.GroupMember, len(q.members))}
	for i, m := range q.members {
		join.Members[i] = sarama.GroupMember{MemberId: m.MemberID, Metadata: m.ProtocolMetadata}
	}
	t.members, err = join.GetMembers()
	t.topics = q.lists
	return err
}

func (t *saramaTurn) balance() (err error) {
	t.plan, err = t.strategy.Plan(t.members, t.topics)
	return err
}

func (t *saramaTurn) encode() (answer, error) {
	var request sarama.SyncGroupRequest
	for id, topics := range t.plan {
		data, err := t.strategy.AssignmentData(id, topics, generation+1)
		if err != nil {
			return nil, err
		}
		assignment := sarama.ConsumerGroupMemberAssignment{Topics: topics, UserData: data}
		if err := request.AddGroupAssignmentMember(id, &assignment); err != nil {
			return nil, err
		}
	}
	a := make(answer, len(request.GroupAssignments))
	for _, one := range request.GroupAssignments {
		a[one.MemberId] = one.Assignment
	}
	return a, nil
}

// mapsTurn runs holdfast's core between the same kinds of maps that the others
// work on: names in, member -> topic -> partitions out.
type mapsTurn struct {
	strategy string
	group    holdfast.Group
	plan     map[string]map[string][]int32
}

func (t *mapsTurn) decode(q *question) error {
	var d wire.Decoder
	for _, name := range slices.Sorted(maps.Keys(q.topics)) {
		topic := holdfast.Topic{Name: name, Partitions: int(q.topics[name])}
		t.group.Topics = append(t.group.Topics, topic)
	}
	t.group.Members = make([]holdfast.Member, len(q.members))
	for i, m := range q.members {
		s, _, err := d.Subscription(m.ProtocolMetadata)
		if err != nil {
			return err
		}
		member := holdfast.Member{ID: m.MemberID, Topics: s.Topics, Owned: s.Owned,
			Generation: s.Generation, Rack: s.Rack}
		if t.strategy == sticky {
			data, _ := d.Sticky(s.UserData)
			member.Owned, member.Generation = data.Owned, data.Generation
		}
		t.group.Members[i] = member
	}
	return nil
}

func (t *mapsTurn) balance() error {
	plan, err := ours(t.strategy).Assign(t.group)
	if err != nil {
		return err
	}
	t.plan = plan.Now().Assignment()
	return nil
}

func (t *mapsTurn) encode() (answer, error) {
	a := make(answer, len(t.plan))
	for id, topics := range t.plan {
		var assigned wire.Assignment
		for _, name := range slices.Sorted(maps.Keys(topics)) {
			assigned.Assigned = append(assigned.Assigned,
				holdfast.TopicPartitions{Topic: name, Partitions: topics[name]})
		}
		data, err := wire.AppendAssignment(nil, 0, &assigned)
		if err != nil {
			return nil, err
		}
		a[id] = data
	}
	return a, nil
}
