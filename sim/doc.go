// Package sim runs a consumer group on a virtual clock: the protocol of package
// group, a network that may delay, lose and repeat messages, and consumers that
// start, stop, crash and stall.
//
// [Run] plays a [Scenario] and returns a [Report]: every rebalance, what moved and
// why, how long each partition was not processed, and which promise of the
// protocol was broken, if any. A scenario and its seed decide everything: the same
// scenario gives the same report, whatever else runs.
//
// [Random] makes a scenario from a seed, with faults, and [Shrink] makes a
// scenario that breaks a promise short. Together they test the protocol, and this
// package's checkers.
//
// # What is modelled
//
// An application polls every Timing.Poll. Its client learns of a rebalance with a
// heartbeat and joins in the next poll; a member that owns nothing waits in poll
// and so loses no time there. Giving up a partition takes Timing.Revoke each, one
// after the other, in which the partition is not processed; getting one takes
// Timing.Restore each, one after the other, after which it is. Messages take
// Timing.Network each way. What changes nothing is not played event by event:
// polls that find nothing to do and, while the group is stable and the network
// sound, heartbeats.
//
// The protocol is followed as it is, gaps included. What it promises is checked in
// every run and reported as Violations if it does not hold; where Kafka itself does
// not hold it, that is reported as Gaps. The times follow recorded histories of
// Kafka's broker and Java consumer (testdata/histories) within the time that their
// processes took to start.
package sim
