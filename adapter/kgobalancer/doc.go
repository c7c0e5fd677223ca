// Package kgobalancer puts holdfast's strategies into a franz-go client:
//
//	client, err := kgo.NewClient(
//		kgo.ConsumerGroup("orders"),
//		kgo.ConsumeTopics("orders", "payments"),
//		kgo.Balancers(kgobalancer.New(holdfast.CooperativeSticky, kgobalancer.Options{})),
//	)
//
// The names on the wire are Kafka's own (range, roundrobin, sticky,
// cooperative-sticky), and so are the bytes, so members that use this package
// share a group with Java, librdkafka, franz-go and sarama members; whichever of
// them leads assigns for all.
//
// # What a leader can rely on
//
// No member's bytes stop the group: what cannot be read is read as no claim, or,
// where not even the topics can be read, as no subscription, and is reported as a
// warning. A member that the coordinator lists twice counts once. Every member is
// answered, one that gets nothing with the bytes of an empty assignment. The same
// members with the same bytes are answered with the same bytes, on every call and
// whichever process leads.
//
// Under cooperative-sticky the answer is the first round of the plan: what a live
// member may still be reading goes to nobody until it was given up, and the
// rebalance that follows hands it out.
//
// # What a member says
//
// Subscriptions are written in version 3; franz-go adds the rack of kgo.Rack.
// With sticky the previous assignment and its generation travel in the user data
// (KIP-54, KIP-341). An eager franz-go client forgets what it had before it
// rejoins, so the balancer remembers it: a balancer from [New] belongs to one
// client, and must not be given to two.
//
// Any other strategy is eager, and its members claim as those of sticky do. Those
// of holdfast-weighted add what their partitions weigh ([Options].Weigh) and what
// they can take, so that the leader balances by what all members know. Only
// holdfast has that strategy: a group that is to use it consists of holdfast
// members.
//
// Racks (KIP-881) count when members name theirs: a partition's racks are those of
// all its replicas, in sync or not, as the client's metadata knows them.
package kgobalancer
