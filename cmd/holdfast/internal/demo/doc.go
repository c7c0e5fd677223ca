// Package demo runs a consumer group with holdfast's balancer and records flowing,
// lets one member join, one crash and one leave, and measures what each change
// costs.
//
// # What is measured
//
// Everything is seen from the clients: their callbacks, their requests and the
// records that they process. Nothing depends on the broker being the embedded one.
//
//   - A partition is consumed from the first record that its owner processes until
//     the owner is told to give it up, dies or stops.
//   - A group begins to rebalance when the member that joins sends its JoinGroup,
//     when the one that leaves sends its LeaveGroup, and when the session of the one
//     that crashed runs out, which is its last accepted request plus the session
//     timeout; or when another member first notices, should that be earlier.
//   - The unconsumed partition-seconds of an event are the sum, over the partitions
//     that were consumed when it was set off, of the time from that beginning on in
//     which nobody consumes them, until all of them are consumed again.
//   - Moves and their causes compare who had what when the event was set off with
//     who has it at its end, over all rebalances between, with holdfast's own
//     definitions.
//   - A partition has two owners when a member is assigned it, in some generation of
//     the group, while another member of that generation has it, between its assigned
//     and its revoked callback. A member that the coordinator has dropped is in no
//     generation any more, whether it knows it or not, and no commit of it would be
//     accepted.
//
// # What is promised
//
// No record is lost and no partition has two owners. Records can be processed
// twice: what a member processed after its last commit before it crashed is
// processed again by the next owner, because nobody else can know of it. A member
// that gives up a partition or leaves commits first, so that no other record is.
package demo
