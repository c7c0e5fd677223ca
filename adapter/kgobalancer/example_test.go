package kgobalancer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/adapter/kgobalancer"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A client whose group is assigned by holdfast, and which is told what it did when
// it led. The broker here is an embedded one.
func ExampleNew() {
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(6, "orders"))
	if err != nil {
		log.Fatal(err)
	}
	defer broker.Close()

	plans := make(chan kgobalancer.Leading, 1)
	client, err := kgo.NewClient(
		kgo.SeedBrokers(broker.ListenAddrs()...),
		kgo.ConsumerGroup("billing"),
		kgo.ConsumeTopics("orders"),
		kgo.Balancers(kgobalancer.New(holdfast.CooperativeSticky, kgobalancer.Options{
			OnPlan: func(led kgobalancer.Leading) { plans <- led },
		})),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	go client.PollFetches(context.Background())

	led := <-plans
	fmt.Println("group", led.Group, "generation", led.Generation)
	fmt.Println("the leader has", led.Plan.Of(led.Leader))
	fmt.Printf("moved %d: %+v\n", led.Plan.Moved(), led.Plan.Causes())
	// Output:
	// group billing generation 1
	// the leader has map[orders:[0 1 2 3 4 5]]
	// moved 6: {Shed:0 Orphaned:0 Unsubscribed:0 Contested:0 Unowned:6}
}
