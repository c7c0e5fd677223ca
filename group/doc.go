// Package group is Kafka's consumer group protocol as pure state machines: what
// the coordinator and the members say to each other, without a network, a clock
// or a goroutine. Time comes in as an argument; messages, timers and records go
// out as values.
//
// The classic protocol has two roles. A [Coordinator] is the broker's half and a
// [Member] the consumer's; each has methods that take the time and what happens, a
// method Ready that returns what came out of them, and a method Deadline that says
// when Tick has to be called. Whoever runs them delivers the messages and keeps
// the clock: see the example of Coordinator, package sim, and the message diagrams in
// testdata. Where Kafka's broker takes the first entry of a hash map (the next
// leader, a tie of votes) the first in a fixed order is taken here.
//
// The consumer protocol (KIP-848) has a [ConsumerCoordinator] and a
// [ConsumerMember]. A [Broker] coordinates a group of either protocol, or of both
// while it migrates.
//
// [Negotiate] answers one question of the protocol on its own: which strategy a
// group uses, given the lists of its members, and whether it can be formed at
// all. [CheckUpgrade] asks it at every step of a rolling change of those lists.
package group
