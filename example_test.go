package holdfast_test

import (
	"errors"
	"fmt"

	"github.com/holdfast/holdfast"
)

// W crashed, Z is new: X and Y keep what they can.
func ExampleAssignor_sticky() {
	all := []string{"t"}
	group := holdfast.Group{
		Topics: []holdfast.Topic{{Name: "t", Partitions: 9}},
		Members: []holdfast.Member{
			{ID: "X", Topics: all,
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{3, 4, 5, 6}}}},
			{ID: "Y", Topics: all,
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{7, 8}}}},
			{ID: "Z", Topics: all},
		},
		Departed: []holdfast.Member{
			{ID: "W",
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1, 2}}}},
		},
	}
	plan, err := holdfast.Sticky.Assign(group)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range plan.Members() {
		fmt.Println(id, plan.Of(id))
	}
	fmt.Println("moved", plan.Moved(), "kept", plan.Kept())
	// Output:
	// X map[t:[3 4 5]]
	// Y map[t:[2 7 8]]
	// Z map[t:[0 1 6]]
	// moved 4 kept 5
}

// The same group by each of the strategies without memory.
func ExampleAssignor_stateless() {
	all := []string{"orders", "payments"}
	group := holdfast.Group{
		Topics: []holdfast.Topic{{Name: "orders", Partitions: 3}, {Name: "payments", Partitions: 3}},
		Members: []holdfast.Member{
			{ID: "a", Topics: all},
			{ID: "b", Topics: all},
		},
	}
	for _, strategy := range []holdfast.Assignor{holdfast.Range, holdfast.RoundRobin} {
		plan, err := strategy.Assign(group)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(strategy.Name(), plan.Assignment())
	}
	// Output:
	// range map[a:map[orders:[0 1] payments:[0 1]] b:map[orders:[2] payments:[2]]]
	// roundrobin map[a:map[orders:[0 2] payments:[1]] b:map[orders:[1] payments:[0 2]]]
}

// A member joins a cooperative group: in round one the others keep reading what
// stays with them, and what is to move waits until its reader let go.
func ExamplePlan_Rounds() {
	all := []string{"t"}
	group := holdfast.Group{
		Topics: []holdfast.Topic{{Name: "t", Partitions: 6}},
		Members: []holdfast.Member{
			{ID: "a", Topics: all,
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1, 2}}}},
			{ID: "b", Topics: all,
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{3, 4, 5}}}},
			{ID: "c", Topics: all},
		},
	}
	plan, err := holdfast.CooperativeSticky.Assign(group)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, round := range plan.Rounds() {
		fmt.Println("round", i+1, round.Assignment())
		for _, w := range round.Withheld() {
			fmt.Printf("  %s-%d waits for %v, then goes to %s\n", w.Topic, w.Partition, w.From, w.To)
		}
	}
	// Output:
	// round 1 map[a:map[t:[0 1]] b:map[t:[3 4]] c:map[]]
	//   t-2 waits for [a], then goes to c
	//   t-5 waits for [b], then goes to c
	// round 2 map[a:map[t:[0 1]] b:map[t:[3 4]] c:map[t:[2 5]]]
}

// Why each partition moved: b left, c claims what a newer claim has, nobody ever
// had the last one.
func ExamplePlan_Moves() {
	all := []string{"t"}
	group := holdfast.Group{
		Topics: []holdfast.Topic{{Name: "t", Partitions: 6}},
		Members: []holdfast.Member{
			{ID: "a", Topics: all, Generation: 8,
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1, 2, 3}}}},
			{ID: "c", Topics: all, Generation: 5,
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{2}}}},
		},
		Departed: []holdfast.Member{
			{ID: "b", Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{4}}}},
		},
	}
	plan, err := holdfast.Sticky.Assign(group)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range plan.Moves() {
		fmt.Printf("%s-%d from %q to %q: %v\n", m.Topic, m.Partition, m.From, m.To, m.Cause)
	}
	fmt.Printf("%+v, %d shed would have been enough\n", plan.Causes(), plan.LeastMoves())
	// Output:
	// t-3 from "a" to "c": shed
	// t-4 from "b" to "c": orphaned
	// t-5 from "" to "c": unowned
	// {Shed:1 Orphaned:1 Unsubscribed:0 Contested:0 Unowned:1}, 1 shed would have been enough
}

// TopicsOf is the cheap way to write a member's answer: no map, and the topics in
// the order of their names.
func ExampleDivision_TopicsOf() {
	group := holdfast.Group{
		Topics:  []holdfast.Topic{{Name: "payments", Partitions: 2}, {Name: "orders", Partitions: 3}},
		Members: []holdfast.Member{{ID: "a", Topics: []string{"payments", "orders"}}},
	}
	plan, err := holdfast.Sticky.Assign(group)
	if err != nil {
		fmt.Println(err)
		return
	}
	for topic, partitions := range plan.TopicsOf("a") {
		fmt.Println(topic, partitions)
	}
	// Output:
	// orders [0 1 2]
	// payments [0 1]
}

// A list as partition.assignment.strategy has it.
func ExampleParseStrategies() {
	strategies, err := holdfast.ParseStrategies(
		"cooperative-sticky, org.apache.kafka.clients.consumer.RangeAssignor")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range strategies {
		fmt.Println(s.Name())
	}
	_, err = holdfast.ParseStrategies("fair")
	fmt.Println(errors.Is(err, holdfast.ErrUnknownStrategy))
	// Output:
	// cooperative-sticky
	// range
	// true
}

// Somebody else's assignment, held to what "sticky" promises.
func ExampleNewPlan() {
	all := []string{"t"}
	group := holdfast.Group{
		Topics: []holdfast.Topic{{Name: "t", Partitions: 4}},
		Members: []holdfast.Member{
			{ID: "a", Topics: all,
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1, 2}}}},
			{ID: "b", Topics: all,
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{3}}}},
		},
	}
	plan, err := holdfast.NewPlan(group, "sticky", map[string]map[string][]int32{
		"a": {"t": {0, 3}},
		"b": {"t": {1, 2}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = plan.Verify(group)
	fmt.Println(err)
	fmt.Println(errors.Is(err, holdfast.ErrTooManyMoves))
	// Output:
	// moves are not the fewest: 3 shed, 1 are enough
	// true
}

// A division that is not one is refused with the place.
func ExamplePlanError() {
	group := holdfast.Group{
		Topics: []holdfast.Topic{{Name: "t", Partitions: 2}},
		Members: []holdfast.Member{
			{ID: "a", Topics: []string{"t"}},
			{ID: "b", Topics: []string{"t"}},
		},
	}
	_, err := holdfast.NewPlan(group, "range", map[string]map[string][]int32{
		"a": {"t": {0, 1}},
		"b": {"t": {1}},
	})
	var broken *holdfast.PlanError
	if errors.As(err, &broken) {
		fmt.Println(broken)
		fmt.Println(broken.Topic, broken.Partition, errors.Is(err, holdfast.ErrTwoOwners))
	}
	// Output:
	// partition has two owners: "t" partition 1: member "b": "a" has it too
	// t 1 true
}

// Racks count by default; the options leave them out, or look at the leader's
// rack alone.
func ExampleNewSticky() {
	all := []string{"t"}
	group := holdfast.Group{
		Topics: []holdfast.Topic{{Name: "t", Partitions: 2,
			Racks: [][]string{{"east", "west"}, {"west", "east"}}}},
		Members: []holdfast.Member{
			{ID: "a", Rack: "west", Topics: all},
			{ID: "b", Rack: "east", Topics: all},
		},
	}
	for _, options := range []holdfast.StickyOptions{{}, {LeaderRackOnly: true}, {IgnoreRacks: true}} {
		plan, err := holdfast.NewSticky(options).Assign(group)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(plan.Assignment(), "rack misses:", plan.RackMisses())
	}
	// Output:
	// map[a:map[t:[0]] b:map[t:[1]]] rack misses: 0
	// map[a:map[t:[1]] b:map[t:[0]]] rack misses: 0
	// map[a:map[t:[0]] b:map[t:[1]]] rack misses: 0
}

// Spread asks for each topic to lie as evenly over its readers as the moves allow.
func ExampleNewCooperativeSticky() {
	all := []string{"t", "u"}
	group := holdfast.Group{
		Topics: []holdfast.Topic{{Name: "t", Partitions: 2}, {Name: "u", Partitions: 2}},
		Members: []holdfast.Member{
			{ID: "a", Topics: all,
				Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{0}}}},
			{ID: "b", Topics: all,
				Owned: []holdfast.TopicPartitions{{Topic: "u", Partitions: []int32{0}}}},
		},
	}
	for _, options := range []holdfast.StickyOptions{{}, {Spread: true}} {
		plan, err := holdfast.NewCooperativeSticky(options).Assign(group)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(plan.Assignment(), "spread:", plan.Spread())
	}
	// Output:
	// map[a:map[t:[0 1]] b:map[u:[0 1]]] spread: 8
	// map[a:map[t:[0] u:[1]] b:map[t:[1] u:[0]]] spread: 4
}

// What cannot be used is refused with the part and the reason.
func ExampleGroup_Check() {
	group := holdfast.Group{
		Topics:  []holdfast.Topic{{Name: "t", Partitions: -1}},
		Members: []holdfast.Member{{ID: "a", Topics: []string{"t"}}},
	}
	err := group.Check()
	fmt.Println(err)
	fmt.Println(errors.Is(err, holdfast.ErrPartitionCount))
	// Output:
	// topic "t": partition count out of range: -1 is negative
	// true
}

// Figures of a plan against the best there can be: range gives both extras to a.
func ExamplePlan_Balance() {
	all := []string{"t", "u"}
	group := holdfast.Group{
		Topics: []holdfast.Topic{{Name: "t", Partitions: 3}, {Name: "u", Partitions: 3}},
		Members: []holdfast.Member{
			{ID: "a", Topics: all},
			{ID: "b", Topics: all},
		},
	}
	plan, err := holdfast.Range.Assign(group)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := plan.Balance()
	fmt.Printf("load %d..%d, sum of squares %d, %d is possible\n",
		b.Min, b.Max, b.SumOfSquares, b.LeastSumOfSquares)
	// Output:
	// load 2..4, sum of squares 20, 18 is possible
}
