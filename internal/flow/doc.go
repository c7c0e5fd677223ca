// Package flow solves balanced least-cost assignment on dense integers. It knows
// nothing of Kafka: topics, members and partitions are numbers, in the order
// that the canonical rules go by.
//
// Solve finds the one optimum of a Problem, in these steps, each in files of its
// own; docs/algorithm.md explains them with pictures and proofs.
//
//	compress   members of one subscription become classes, topics with the same
//	           subscribers rows (compress.go, racks.go, bitmap.go)
//	findTiers  the loads that a balanced assignment has, and which row goes where
//	           (tiers.go)
//	leastMoves a flow of least cost within these loads: rack misses, then moves
//	           (moves.go, saturate.go, reprice.go, on the network of network.go,
//	           pool.go and residual.go)
//	keepTight  what is left to choose among the optima (tight.go)
//	rules      R3 who gets an extra partition, R4 what is kept, R5 where the rest
//	           goes (extras.go, keep.go, fill.go, with the searches of blocks.go)
//	spread     where it is asked for, before the rules (spread.go, even.go,
//	           evenrules.go, on the network of convex.go)
//
// Equal is the short way where all subscriptions are equal (equal.go), and Certify
// judges any assignment without using any of this (certify.go).
package flow
