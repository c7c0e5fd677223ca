// Package assigntest holds any assignor of partitions to what it promises:
// holdfast's own, a user's, an adapter's, or another client's behind a few lines
// of code.
//
//	func TestMine(t *testing.T) {
//		assigntest.Run(t, assigntest.Of(mine, assigntest.Sound|assigntest.Balanced))
//	}
//
// A [Subject] is a function from a group to what the leader would answer, with
// the set of things that it promises. [Run] fails the test for each promise that
// is broken; [Check] returns the broken ones, each with a small group that shows
// it, for reports about assignors that are not ours to mend.
//
// Every promise is tried on written scenarios, on hostile or random groups, as it
// needs, and on what follows from them: the same group shuffled, renamed, asked
// for again and by many goroutines at once, and the rebalances that come after.
// Rounds of a cooperative assignor (KIP-429) are played as a real group plays
// them: its answer becomes the next round's claims, and no one remembers more.
//
// Validity and hand-overs are judged here, by rules of a few lines; how balanced
// an answer could be and how few moves would do is asked of package holdfast.
//
// A run takes the first 200 seeds for each promise, or all that the environment
// variable HOLDFAST_LONG=1 asks for (5,000), or the one seed in HOLDFAST_SEED.
package assigntest
