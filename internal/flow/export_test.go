package flow

import "math/rand/v2"

// RandomProblem draws a problem for the tests of package flow_test.
func RandomProblem(r *rand.Rand, members, topics, partitions, racks int, spread bool) *Problem {
	return randomProblem(r, shape{members, topics, partitions, racks, spread})
}

// Describe prints a problem so that a failure can be read and worked by hand.
var Describe = describe

// Share returns how many cases to run: few by default, many with HOLDFAST_LONG.
var Share = share
