// Package wire reads and writes the bytes by which the members of a Kafka
// consumer group talk about partitions.
//
// The members speak through the coordinator, which carries their bytes without
// understanding them. Four kinds are known here:
//
//   - [Subscription], versions 0 to 3: what a member tells its leader when it
//     joins (ConsumerProtocolSubscription; KIP-429, KIP-792, KIP-881).
//   - [Assignment], versions 0 to 3: what the leader tells each member
//     (ConsumerProtocolAssignment).
//   - [Sticky] and [AppendCooperative]: what the strategies sticky (KIP-54,
//     KIP-341) and cooperative-sticky put into a subscription's user data.
//   - [RecordKey] and [GroupMetadata], versions 0 to 4: what the coordinator
//     writes of all this to the topic __consumer_offsets.
//
// # What is tolerated
//
// One member with odd bytes must not stop its whole group, so a decoder refuses
// only what gives it nothing to work with, and that with a [*DecodeError] that
// names the byte. All else is accepted and told in [Findings]: a version newer
// than the known ones is read as the newest known one, bytes after the last
// field are counted, a field that the bytes end before is absent. Where the
// bytes are damaged behind a subscription's topics, its topics stand and none of
// its claims does.
//
// # Memory
//
// What a decoder allocates is bounded by the length of its input: a count is
// held against the bytes that are left before anything is allocated for it.
// Byte slices in a decoded value share the memory of the input; strings do not.
//
// A [Decoder] reads the subscriptions of one group and keeps one copy of what
// many members say alike.
package wire
