// Package group is Kafka's consumer group protocol as pure state machines: what
// the coordinator and the members say to each other, without a network, a clock
// or a goroutine. Time comes in as an argument; messages, timers and records go
// out as values.
//
// [Negotiate] answers one question of the protocol on its own: which strategy a
// group uses, given the lists of its members, and whether it can be formed at
// all. [CheckUpgrade] asks it at every step of a rolling change of those lists.
package group
