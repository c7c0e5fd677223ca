package group_test

import (
	"fmt"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
)

// A member that lists only cooperative-sticky cannot join a group that runs range.
func ExampleNegotiate() {
	n := group.Negotiate([]group.Voter{
		{ID: "old", Protocols: []string{"range"}},
		{ID: "new", Protocols: []string{"cooperative-sticky"}},
	})
	fmt.Println(n.Error, n.Refused)
	// Output: INCONSISTENT_GROUP_PROTOCOL new
}

// The safe way from range to cooperative-sticky takes two bounces.
func ExampleSafeSteps() {
	now := []group.Voter{
		{ID: "a", Protocols: []string{"range"}},
		{ID: "b", Protocols: []string{"range"}},
	}
	steps := group.SafeSteps(now, []string{"cooperative-sticky"})
	for _, step := range steps {
		fmt.Println(step[0].Protocols)
	}
	fmt.Println(group.CheckUpgrade(steps).Why)
	// Output:
	// [range]
	// [range cooperative-sticky]
	// [cooperative-sticky]
	// every list set has a common strategy: range, cooperative-sticky
}

// A coordinator and a member, with the example as their network and clock.
func ExampleCoordinator() {
	c := group.NewCoordinator(group.CoordinatorConfig{InitialRebalanceDelay: time.Second})
	m := group.NewMember(group.MemberConfig{ClientID: "a",
		Assignors: []holdfast.Assignor{holdfast.Range}}, []string{"orders"})
	m.SetMetadata(0, []holdfast.Topic{{Name: "orders", Partitions: 3}})

	now := time.Duration(0)
	for m.State() != group.Joined {
		m.Poll(now)
		for _, request := range m.Ready().Requests {
			c.Step(now, group.Ref{ID: request.ID}, request.Request)
		}
		if at, ok := c.Deadline(); ok && at <= now {
			c.Tick(now)
		}
		for _, reply := range c.Ready().Replies {
			fmt.Println(now, reply.Response)
			m.Receive(now, reply.To.ID, reply.Response)
		}
		now += time.Second
	}
	// Output:
	// 0s JoinGroup MEMBER_ID_REQUIRED a-0.1
	// 2s JoinGroup generation 1 range as a-0.1, leads 1
	// 3s SyncGroup orders[0-2]
}

// A member of the consumer protocol needs one exchange to join, and another one to
// say that it has taken over what it was told.
func ExampleBroker() {
	topics := []holdfast.Topic{{Name: "orders", Partitions: 3}}
	b := group.NewBroker(group.BrokerConfig{}, topics)
	m := group.NewConsumerMember(group.MemberConfig{ClientID: "a"}, "a-1", "", []string{"orders"})

	for now := time.Duration(0); now < 3*time.Second; now += time.Second {
		m.Tick(now)
		m.Poll(now)
		out := m.Ready()
		for out.Callback != nil {
			fmt.Println(now, out.Callback.Kind, out.Callback.Partitions)
			m.Done(now)
			out = m.Ready()
		}
		for _, request := range out.Requests {
			fmt.Println(now, request.Request)
			b.Step(now, group.Ref{ID: request.ID}, request.Request)
		}
		for _, reply := range b.Ready().Replies {
			m.Receive(now, reply.To.ID, reply.Response)
		}
	}
	fmt.Println(b.State())
	// Output:
	// 0s ConsumerHeartbeat a-1 joins [orders]
	// 1s assigned orders[0-2]
	// 2s ConsumerHeartbeat a-1 epoch 1 owns orders[0-2]
	// Stable
}
