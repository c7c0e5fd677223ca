package kgobalancer

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// weighing is what an application knows of the topic t.
func knows(weights map[int32]float64) func(string, int32) (float64, bool) {
	return func(topic string, p int32) (float64, bool) {
		w, ok := weights[p]
		return w, ok && topic == "t"
	}
}

// joined lets a member with the options join after it was assigned partitions.
func joined(t *testing.T, id string, o Options, owned []int32) kmsg.JoinGroupResponseMember {
	t.Helper()
	b := New(holdfast.Weighted, o)
	if owned != nil {
		answer, err := wire.AppendAssignment(nil, 0, &wire.Assignment{
			Assigned: []holdfast.TopicPartitions{{Topic: "t", Partitions: owned}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.ParseSyncAssignment(answer); err != nil {
			t.Fatal(err)
		}
	}
	return kmsg.JoinGroupResponseMember{MemberID: id,
		ProtocolMetadata: b.JoinGroupMetadata([]string{"t"}, nil, 5)}
}

// weighedGroup is two members that tell what they own weighs, and a new one.
func weighedGroup(t *testing.T) []kmsg.JoinGroupResponseMember {
	t.Helper()
	return []kmsg.JoinGroupResponseMember{
		joined(t, "a", Options{Weigh: knows(map[int32]float64{0: 900, 1: 100, 2: 100})},
			[]int32{0, 1, 2}),
		joined(t, "b", Options{Weigh: knows(map[int32]float64{3: 100, 4: 100})}, []int32{3, 4, 5}),
		joined(t, "c", Options{Capacity: 0.5}, nil),
	}
}

func leadWeighed(
	t *testing.T, o Options, members []kmsg.JoinGroupResponseMember, partitions int32,
) *holdfast.Plan {
	t.Helper()
	var plan *holdfast.Plan
	o.OnPlan = func(l Leading) {
		plan = l.Plan
		if len(l.Warnings) > 0 {
			t.Errorf("warnings %v", l.Warnings)
		}
	}
	lead(t, New(holdfast.Weighted, o), members, map[string]int32{"t": partitions})
	return plan
}

// TestWeightsTravel: the leader balances by what the others know, by what it
// knows itself, and by the average where nobody knows.
func TestWeightsTravel(t *testing.T) {
	members := weighedGroup(t)
	leader := Options{Weigh: knows(map[int32]float64{0: 1, 6: 40})}
	plan := leadWeighed(t, leader, members, 8)
	// Five are told, partition 6 the leader knows, 5 and 7 weigh the average of
	// the six: (900 + 4 x 100 + 40) / 6.
	total := 0.0
	load := plan.Load()
	for id, capacity := range map[string]float64{"a": 1, "b": 1, "c": 0.5} {
		total += load.Members[id] * capacity
	}
	if want := 1340 + 2*1340.0/6; math.Abs(total-want) > 1e-9 {
		t.Errorf("all partitions weigh %v, want %v", total, want)
	}
	if load.Heaviest != 900 || !slices.Equal(plan.Of("a")["t"], []int32{0}) {
		t.Errorf("heaviest %v, a has %v", load.Heaviest, plan.Of("a"))
	}
	slices.Reverse(members)
	if again := leadWeighed(t, leader, members, 8); !reflect.DeepEqual(again.Owners(), plan.Owners()) {
		t.Error("the order of the members shows")
	}
}

// TestWeightsContradict: the newest generation tells, then the greater weight.
func TestWeightsContradict(t *testing.T) {
	told := func(generation int32, weight float64) wire.Weighted {
		return wire.Weighted{Weights: []float64{weight}, Sticky: wire.Sticky{Generation: generation,
			Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{0}}}}}
	}
	topics := []holdfast.Topic{{Name: "t", Partitions: 1}}
	for _, reports := range [][]wire.Weighted{
		{told(4, 100), told(5, 7), told(5, 3)},
		{told(5, 3), told(4, 100), told(5, 7)},
		{told(5, 3), told(5, 7), told(6, wire.UnknownWeight)},
	} {
		turn := &turn{balancer: &balancer{strategy: holdfast.Weighted}, weighed: reports}
		if got := turn.toldWeights(topics); got[0][0] != 7 {
			t.Errorf("%v: weight %v, want 7", reports, got[0][0])
		}
	}
}

// TestWeightsOfNobody: without a weight anywhere each partition counts as one.
func TestWeightsOfNobody(t *testing.T) {
	members := []kmsg.JoinGroupResponseMember{
		joined(t, "a", Options{}, []int32{0, 1, 2, 3}), joined(t, "b", Options{}, nil)}
	plan := leadWeighed(t, Options{}, members, 4)
	if plan.Load().Heaviest != 2 || plan.Moved() != 2 {
		t.Errorf("load %+v, moved %d", plan.Load(), plan.Moved())
	}
}

// TestOddWeights: what an application gives and is no weight counts as not known.
func TestOddWeights(t *testing.T) {
	odd := knows(map[int32]float64{0: math.NaN(), 1: math.MaxFloat64, 2: -1, 3: 5})
	members := []kmsg.JoinGroupResponseMember{
		joined(t, "a", Options{Weigh: odd, Capacity: math.Inf(1)}, []int32{0, 1, 2, 3})}
	plan := leadWeighed(t, Options{Weigh: odd}, members, 4)
	if load := plan.Load(); load.Heaviest != 20 {
		t.Errorf("load %+v, want four times the one weight that is known", load)
	}
}

// TestHostileWeights: bytes that no holdfast member writes do not stop the group.
func TestHostileWeights(t *testing.T) {
	data, err := wire.AppendWeighted(nil, &wire.Weighted{Capacity: math.SmallestNonzeroFloat64,
		Weights: []float64{math.MaxFloat64, 7}, Sticky: wire.Sticky{Generation: 5,
			Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1}}}}})
	if err != nil {
		t.Fatal(err)
	}
	metadata, err := wire.AppendSubscription(nil, 3,
		&wire.Subscription{Topics: []string{"t"}, UserData: data, Generation: 5})
	if err != nil {
		t.Fatal(err)
	}
	plan := leadWeighed(t, Options{},
		[]kmsg.JoinGroupResponseMember{{MemberID: "a", ProtocolMetadata: metadata}}, 2)
	if load := plan.Load(); load.Heaviest != 14 {
		t.Errorf("load %+v, want twice the one weight that can be used", load)
	}
}
