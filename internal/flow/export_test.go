package flow

import "math/rand/v2"

// Shape says how large the random problems for package flow_test may be.
type Shape struct {
	Members, Topics, Partitions, Racks int
	Spread                             bool
}

// RandomProblem draws a problem for the tests of package flow_test.
func RandomProblem(r *rand.Rand, s Shape) *Problem {
	return randomProblem(r, shape{s.Members, s.Topics, s.Partitions, s.Racks, s.Spread})
}

// Describe prints a problem so that a failure can be read and worked by hand.
var Describe = describe

// Share returns how many cases to run: few by default, many with HOLDFAST_LONG.
var Share = share
