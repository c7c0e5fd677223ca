package kgobalancer

import (
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kgo"
)

// clusterInfo is what a client knows: broker n stands in racks[n], and partition
// p of topic t has its replicas on the brokers replicas[p], the first one leading
// unless leaders says otherwise.
func clusterInfo(racks []string, replicas [][]int32, leaders map[int32]int32) kgo.BalanceInfo {
	brokers := make(map[int32]kgo.BrokerMetadata)
	for id := range racks {
		broker := kgo.BrokerMetadata{NodeID: int32(id)}
		if racks[id] != "-" {
			broker.Rack = &racks[id]
		}
		brokers[int32(id)] = broker
	}
	topic := kgo.TopicMetadata{Topic: "t"}
	for p, on := range replicas {
		leader, ok := leaders[int32(p)]
		if !ok {
			leader = on[0]
		}
		topic.Partitions = append(topic.Partitions, kgo.PartitionMetadata{Topic: "t",
			Partition: int32(p), Leader: leader, Replicas: on, OfflineReplicas: on})
	}
	return kgo.BalanceInfo{
		Topics:  func() map[string]kgo.TopicMetadata { return map[string]kgo.TopicMetadata{"t": topic} },
		Brokers: func() map[int32]kgo.BrokerMetadata { return brokers },
	}
}

func racked(rack string) wire.Subscription {
	return wire.Subscription{Topics: []string{"t"}, Generation: -1, Rack: rack}
}

func TestRacks(t *testing.T) {
	cases := []struct {
		name           string
		strategy       holdfast.Assignor
		racks          []string
		replicas       [][]int32
		leaders        map[int32]int32
		memberA, rackB string
		want           string
	}{
		{"range by rack", holdfast.Range, []string{"r1", "r2"}, [][]int32{{1}, {0}, {1}, {0}}, nil,
			"r1", "r2", "a: t[1 3]; b: t[0 2]"},
		{"sticky by rack", holdfast.Sticky, []string{"r1", "r2"}, [][]int32{{1}, {1}, {0}, {0}}, nil,
			"r1", "r2", "a: t[2 3]; b: t[0 1]"},
		{"cooperative by rack", holdfast.CooperativeSticky, []string{"r1", "r2"},
			[][]int32{{1}, {1}, {0}, {0}}, nil, "r1", "r2", "a: t[2 3]; b: t[0 1]"},
		{"racks ignored", holdfast.NewSticky(holdfast.StickyOptions{IgnoreRacks: true}),
			[]string{"r1", "r2"}, [][]int32{{1}, {1}, {0}, {0}}, nil, "r1", "r2", "a: t[0 2]; b: t[1 3]"},
		{"every replica counts", holdfast.Range, []string{"r1", "r2", "r3"},
			[][]int32{{2, 1}, {2, 0}, {1, 2}, {0, 2}}, nil, "r1", "r2", "a: t[1 3]; b: t[0 2]"},
		{"the leader alone counts", holdfast.NewSticky(holdfast.StickyOptions{LeaderRackOnly: true}),
			[]string{"r1", "r2"}, [][]int32{{0, 1}, {0, 1}, {0, 1}, {0, 1}}, map[int32]int32{0: 1, 1: 1},
			"r1", "r2", "a: t[2 3]; b: t[0 1]"},
		{"members without racks", holdfast.Range, []string{"r1", "r2"},
			[][]int32{{1}, {0}, {1}, {0}}, nil, "", "", "a: t[0 1]; b: t[2 3]"},
		{"brokers without racks", holdfast.Range, []string{"-", "-"},
			[][]int32{{1}, {0}, {1}, {0}}, nil, "r1", "r2", "a: t[0 1]; b: t[2 3]"},
		{"metadata older than the counts", holdfast.Range, []string{"r1", "r2"},
			[][]int32{{1}, {0}}, nil, "r1", "r2", "a: t[1 2]; b: t[0 3]"},
		{"metadata newer than the counts", holdfast.Range, []string{"r1", "r2"},
			[][]int32{{1}, {0}, {1}, {0}, {0}, {0}}, nil, "r1", "r2", "a: t[1 3]; b: t[0 2]"},
		{"a leader that is no replica", holdfast.NewSticky(holdfast.StickyOptions{LeaderRackOnly: true}),
			[]string{"r1", "r2"}, [][]int32{{1}, {1}, {0}, {0}},
			map[int32]int32{0: -1, 1: 7, 2: -1, 3: 1}, "r1", "r2", "a: t[2 3]; b: t[0 1]"},
	}
	for _, c := range cases {
		group := members(t, said{id: "a", subscription: racked(c.memberA), version: 3},
			said{id: "b", subscription: racked(c.rackB), version: 3})
		info := clusterInfo(c.racks, c.replicas, c.leaders)
		four := map[string]int32{"t": 4}
		check(t, c.name, text(t, leadInfo(t, New(c.strategy, Options{}), group, four, info)), c.want)
	}
}

// A leader that knows nothing of racks assigns without them.
func TestRacksUnknown(t *testing.T) {
	group := members(t, said{id: "a", subscription: racked("r1"), version: 3},
		said{id: "b", subscription: racked("r2"), version: 3})
	unknown := kgo.BalanceInfo{
		Topics:  func() map[string]kgo.TopicMetadata { return nil },
		Brokers: func() map[int32]kgo.BrokerMetadata { return nil },
	}
	for _, info := range []kgo.BalanceInfo{{}, unknown} {
		check(t, "answers", text(t, leadInfo(t, New(holdfast.Range, Options{}), group,
			map[string]int32{"t": 4}, info)), "a: t[0 1]; b: t[2 3]")
	}
}
