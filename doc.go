// Package holdfast computes which member of a Kafka consumer group owns which
// partition: balanced first, then keeping what can be kept, the same bytes on
// every run, with an account of what moved and why.
//
// A [Group] says who is in the group, what each member subscribes to and what
// each one claims to have owned. An [Assignor] turns it into a [Plan]:
//
//	plan, err := holdfast.Sticky.Assign(group)
//	plan.Of("X")      // topic -> partitions, sorted
//	plan.Moved()      // partitions that changed hands
//	plan.Moves()      // which, from whom, to whom and why
//	plan.Verify(group) // the first promise that does not hold, if any
//
// Four strategies carry the names that Kafka's clients use on the wire: [Range]
// and [RoundRobin] answer as the Java client does; [Sticky] and
// [CooperativeSticky] have the least sum of squared loads, then the fewest
// moves, then one canonical choice, for any subscriptions. A fifth, [Weighted],
// divides by the load of partitions and the capacity of members.
//
// Members are ordered by id, topics by name and partitions by number; names
// compare byte by byte. No result depends on the order of the input, on map
// iteration, on time or on goroutines. The package imports the standard
// library alone, starts no goroutine, reads no clock, and all its values may be
// used by many goroutines at once as long as nobody changes a Group that is
// being read.
package holdfast
