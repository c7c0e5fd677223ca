package assigntest

import (
	"fmt"
	"strings"
	"time"

	"github.com/holdfast/holdfast"
)

// Assignment is what a leader answers: member -> topic -> partitions. A member
// that is missing gets nothing; the order of the partitions has no meaning.
type Assignment = map[string]map[string][]int32

// Subject is an assignor to be tried.
type Subject struct {
	// Name is for the reports.
	Name string

	// Assign is what a leader answers to the group in this one rebalance. It is
	// called from several goroutines if Concurrent is promised.
	Assign func(holdfast.Group) (Assignment, error)

	// Promises is what Assign is held to. With Cooperative, an answer may leave out
	// what waits for another member to let go, and what balance and stickiness are
	// judged by is where the group's rounds end.
	Promises Promise

	// Plan returns the plan behind the answer, for subjects that promise Accounted.
	Plan func(holdfast.Group) (*holdfast.Plan, error)

	// Groups is the number of random groups for each promise; 0 stands for 200, and
	// for 5,000 where the environment has HOLDFAST_LONG.
	Groups int

	// Timeout is how long one call of Assign may take; 0 stands for 30 s. After a
	// call that did not return the subject is not called again.
	Timeout time.Duration
}

// Of returns the subject for a holdfast.Assignor: its answer is the first round
// of its plan.
func Of(a holdfast.Assignor, promises Promise) Subject {
	return Subject{
		Name:     a.Name(),
		Promises: promises,
		Plan:     a.Assign,
		Assign: func(g holdfast.Group) (Assignment, error) {
			plan, err := a.Assign(g)
			if err != nil {
				return nil, err
			}
			return plan.Now().Assignment(), nil
		},
	}
}

// Promise is a set of things that an assignor can promise.
type Promise uint32

// What can be promised.
const (
	// Answers: an answer to every group that holdfast.Group.Check accepts, without
	// an error, a panic, or more time than Subject.Timeout.
	Answers Promise = 1 << iota

	// Valid: partitions that exist go to members of the group that subscribe to
	// them, each to one; no partition that somebody subscribes to is left out, but,
	// with Cooperative, those that a member still claims.
	Valid

	// Idempotent: asked again with the answer as the claims, the answer is the same.
	Idempotent

	// Repeatable: the same group, called again, gets the same answer.
	Repeatable

	// OrderFree: the order in which the group lists things does not show.
	OrderFree

	// NameFree: other names in the same order get the same answer under those names.
	NameFree

	// Concurrent: goroutines that share the assignor and the group get the same
	// answer. Run the race detector on it, too.
	Concurrent

	// Pure: the group is as it was.
	Pure

	// Robust: no panic and no endless search on groups that nobody should send, and
	// a valid answer or an error.
	Robust

	// Refuses: an error for each group that holdfast.Group.Check refuses.
	Refuses

	// Balanced: the least sum of squared loads that the subscriptions allow.
	Balanced

	// FewestMoves: balanced, and of all balanced divisions one that takes the fewest
	// partitions away from members that have them and could keep them.
	FewestMoves

	// Generations: FewestMoves as well where members contradict each other and where
	// some say what was true generations ago (KIP-792).
	Generations

	// RackAware: balanced, then the fewest partitions away from their racks, then
	// the fewest moves, where members and partitions name racks.
	RackAware

	// Cooperative: a partition is given to nobody while another live member claims
	// it, unless the new owner's claim on it is strictly newer; and in two rounds at
	// most everything is given out. Both together mean that what the first round
	// leaves with a member the second does not move.
	Cooperative

	// Accounted: the plan behind the answer verifies, and its moves and their causes
	// are those that the claims and the answer give.
	Accounted

	afterLast
)

// Sets of promises that go together.
const (
	// Sound is what every assignor should promise.
	Sound = Answers | Valid | Idempotent | Repeatable | OrderFree | NameFree | Concurrent |
		Pure | Robust

	// Exact is what holdfast's sticky strategies promise of their plans.
	Exact = Balanced | FewestMoves | Generations | RackAware

	// All is everything, Cooperative included.
	All = afterLast - 1
)

// String lists the names of the set, such as "valid, balanced".
func (p Promise) String() string {
	var names []string
	for _, each := range promises {
		if p&each.promise != 0 {
			names = append(names, each.name)
		}
	}
	return strings.Join(names, ", ")
}

// probe is a subject while it is tried.
type probe struct {
	Subject

	stuck bool // a call did not return
}

// notAnswered is the error of a call that gave no answer.
type notAnswered struct {
	err     error
	timeout bool
	panic   bool
}

func (e *notAnswered) Error() string { return e.err.Error() }

// answer calls Assign on a copy of the group, so that an assignor that changes it
// spoils nothing but its own promise.
func (p *probe) answer(g holdfast.Group) (Assignment, error) { return p.call(clone(g)) }

// call calls Assign with a guard against panics and endless searches.
func (p *probe) call(g holdfast.Group) (Assignment, error) {
	type result struct {
		answer Assignment
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if reason := recover(); reason != nil {
				r.err = &notAnswered{err: fmt.Errorf("panic: %v", reason), panic: true}
			}
			done <- r
		}()
		if r.answer, r.err = p.Assign(g); r.err != nil {
			r.err = &notAnswered{err: fmt.Errorf("error: %w", r.err)}
		}
	}()
	limit := p.Timeout
	if limit == 0 {
		limit = 30 * time.Second
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-timer.C:
		p.stuck = true
		return nil, &notAnswered{err: fmt.Errorf("no answer in %v", limit), timeout: true}
	}
}
