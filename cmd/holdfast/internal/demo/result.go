package demo

import (
	"errors"
	"fmt"
	"time"

	"github.com/holdfast/holdfast"
)

// Result is what a demo measured.
type Result struct {
	Strategy   string
	Protocol   string // eager or cooperative
	Rebalances []Rebalance
	Records    Records

	// OwnedTwice is the number of partitions that had two owners at one time.
	OwnedTwice int

	// Dropped is how often the coordinator dropped a member that was alive, because
	// it was too slow: with more than 0 the figures are not of a healthy group.
	Dropped int
}

// Rebalance is what one event did to the group, over as many generations as the
// group needed for it.
type Rebalance struct {
	Event      string // start, join, crash or leave
	Member     string // who joined, crashed or left; "" for start
	Generation int32  // the last one
	Leader     string // in that generation
	Moved      int
	Causes     holdfast.Causes
	Duration   time.Duration // from the group's beginning to rebalance to the last assignment

	// Unconsumed is summed over partitions: see the package comment.
	Unconsumed time.Duration

	// Members lists the members of the last generation, by name, with the number of
	// their partitions.
	Members []Share
}

// Share is how many partitions a member has.
type Share struct {
	Member     string
	Partitions int
}

// Records counts records.
type Records struct {
	Produced       int // accepted by the broker
	Processed      int // by somebody, at least once
	ProcessedTwice int // more than once

	// TwiceByCrash are those of ProcessedTwice that a member processed after its
	// last commit before it crashed.
	TwiceByCrash int

	Lost int // produced and never processed
}

// What a demo must not show.
var (
	ErrLost       = errors.New("records were lost")
	ErrOwnedTwice = errors.New("partitions had two owners at one time")
)

// Err returns ErrLost or ErrOwnedTwice, with the figure, or nil.
func (r *Result) Err() error {
	switch {
	case r.OwnedTwice > 0:
		return fmt.Errorf("%d %w", r.OwnedTwice, ErrOwnedTwice)
	case r.Records.Lost > 0:
		return fmt.Errorf("%d %w", r.Records.Lost, ErrLost)
	}
	return nil
}
