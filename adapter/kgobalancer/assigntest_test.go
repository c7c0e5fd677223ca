package kgobalancer

import (
	"fmt"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/assigntest"
	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestAssigntest puts the balancer through the conformance suite: from what
// members of a group say in bytes to what they are told in bytes, with the
// brokers' racks as the client knows them. A balancer refuses no group because of
// what is in it, so Refuses is not among its promises.
func TestAssigntest(t *testing.T) {
	for _, c := range []struct {
		strategy holdfast.Assignor
		promises assigntest.Promise
	}{
		{holdfast.Range, assigntest.Sound},
		{holdfast.RoundRobin, assigntest.Sound},
		{holdfast.Sticky, assigntest.Sound | assigntest.Exact},
		{holdfast.CooperativeSticky, assigntest.Sound | assigntest.Exact | assigntest.Cooperative},
	} {
		t.Run(c.strategy.Name(), func(t *testing.T) {
			assigntest.Run(t, assigntest.Subject{
				Name:     "kgobalancer " + c.strategy.Name(),
				Promises: c.promises,
				Assign: func(g holdfast.Group) (assigntest.Assignment, error) {
					return leadGroup(New(c.strategy, Options{}), g)
				},
			})
		})
	}
}

// leadGroup lets a balancer lead a group as kgo would have it do.
func leadGroup(b kgo.GroupBalancer, g holdfast.Group) (assigntest.Assignment, error) {
	var joined []kmsg.JoinGroupResponseMember
	for i := range g.Members {
		m, err := joinBytes(b.ProtocolName(), &g.Members[i])
		if err != nil {
			return nil, err
		}
		joined = append(joined, m)
	}
	mb, read, err := b.MemberBalancer(joined)
	if err != nil {
		return nil, err
	}
	// The client looks up the topics that the balancer says are read, and knows
	// nothing of those that do not exist.
	counts := map[string]int32{}
	for _, topic := range g.Topics {
		if _, ok := read[topic.Name]; ok {
			counts[topic.Name] = int32(topic.Partitions)
		}
	}
	mb.(kgo.GroupMemberBalancerInfo).SetBalanceInfo(brokersOf(g))
	into, err := mb.(kgo.GroupMemberBalancerOrError).BalanceOrError(counts)
	if err != nil {
		return nil, err
	}
	answer := assigntest.Assignment{}
	for _, a := range into.IntoSyncAssignment() {
		if _, twice := answer[a.MemberID]; twice {
			return nil, fmt.Errorf("two answers for member %q", a.MemberID)
		}
		if answer[a.MemberID], err = kgo.ParseConsumerSyncAssignment(a.MemberAssignment); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// joinBytes is what a member of the strategy would say.
func joinBytes(strategy string, m *holdfast.Member) (kmsg.JoinGroupResponseMember, error) {
	joined := kmsg.JoinGroupResponseMember{MemberID: m.ID}
	if m.InstanceID != "" {
		joined.InstanceID = &m.InstanceID
	}
	s := wire.Subscription{Topics: m.Topics, Rack: m.Rack, Generation: holdfast.NoGeneration}
	var err error
	switch strategy {
	case "sticky":
		s.UserData, err = wire.AppendSticky(nil, wire.MaxStickyVersion,
			&wire.Sticky{Owned: m.Owned, Generation: m.Generation})
	case cooperative:
		s.Owned, s.Generation = m.Owned, m.Generation
		s.UserData = wire.AppendCooperative(nil, m.Generation)
	}
	if err == nil {
		joined.ProtocolMetadata, err = wire.AppendSubscription(nil, wire.MaxVersion, &s)
	}
	return joined, err
}

// brokersOf is a cluster whose partitions stand in the racks that the group says:
// one broker for each rack, and one that names none.
func brokersOf(g holdfast.Group) kgo.BalanceInfo {
	brokers := map[int32]kgo.BrokerMetadata{0: {}}
	number := map[string]int32{"": 0}
	topics := map[string]kgo.TopicMetadata{}
	for _, topic := range g.Topics {
		var metadata kgo.TopicMetadata
		for p, racks := range topic.Racks {
			partition := kgo.PartitionMetadata{Partition: int32(p), Leader: -1}
			for k, rack := range racks {
				id, known := number[rack]
				if !known {
					id = int32(len(number))
					number[rack] = id
					brokers[id] = kgo.BrokerMetadata{NodeID: id, Rack: &rack}
				}
				if k == 0 {
					partition.Leader = id
				}
				partition.Replicas = append(partition.Replicas, id)
			}
			metadata.Partitions = append(metadata.Partitions, partition)
		}
		topics[topic.Name] = metadata
	}
	return kgo.BalanceInfo{
		Topics:  func() map[string]kgo.TopicMetadata { return topics },
		Brokers: func() map[int32]kgo.BrokerMetadata { return brokers },
	}
}
