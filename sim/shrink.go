package sim

import (
	"slices"
	"time"
)

// Shrink makes a scenario that fails shorter, as long as it fails: fewer events,
// members and topics, no faults, smaller and rounder numbers. fails is called with
// one candidate after the other, some hundreds at most for a scenario of ordinary
// size, and has to give the same answer for the same scenario. The result fails;
// s has to.
func Shrink(s Scenario, fails func(Scenario) bool) Scenario {
	for {
		before := s.size()
		for _, simpler := range []func(Scenario, func(Scenario) bool) Scenario{
			withoutEvents, withoutMembers, withoutTopics, withoutFaults, withSmallerNumbers,
		} {
			s = simpler(s, fails)
		}
		if s.size() == before {
			return s
		}
	}
}

// size is what Shrink makes smaller.
func (s *Scenario) size() int { return len(s.String()) }

// attempt returns the candidate if it can be played and fails, else s.
func attempt(s, candidate Scenario, fails func(Scenario) bool) (Scenario, bool) {
	if candidate.Check() == nil && fails(candidate) {
		return candidate, true
	}
	return s, false
}

// withoutEvents leaves out runs of events, long ones first.
func withoutEvents(s Scenario, fails func(Scenario) bool) Scenario {
	for length := len(s.Events); length > 0; length /= 2 {
		for from := 0; from+length <= len(s.Events); {
			c := s
			c.Events = slices.Delete(slices.Clone(s.Events), from, from+length)
			var done bool
			if s, done = attempt(s, c, fails); !done {
				from++
			}
		}
	}
	return s
}

// withoutMembers leaves out members, and the events that name them.
func withoutMembers(s Scenario, fails func(Scenario) bool) Scenario {
	for i := 0; i < len(s.Members); {
		c := s
		id := s.Members[i].ID
		c.Members = slices.Delete(slices.Clone(s.Members), i, i+1)
		c.Events = slices.DeleteFunc(slices.Clone(s.Events), func(e Event) bool {
			return e.Member == id
		})
		var done bool
		if s, done = attempt(s, c, fails); !done {
			i++
		}
	}
	return s
}

// withoutTopics leaves out topics and halves the partitions of the others.
func withoutTopics(s Scenario, fails func(Scenario) bool) Scenario {
	for i := 0; i < len(s.Topics); {
		c := s
		c.Topics = slices.Delete(slices.Clone(s.Topics), i, i+1)
		var done bool
		if s, done = attempt(s, c, fails); !done {
			i++
		}
	}
	for i := range s.Topics {
		for s.Topics[i].Partitions > 1 {
			c := s
			c.Topics = slices.Clone(s.Topics)
			c.Topics[i].Partitions /= 2
			var done bool
			if s, done = attempt(s, c, fails); !done {
				break
			}
		}
	}
	return s
}

// withoutFaults takes out one fault of the network after the other.
func withoutFaults(s Scenario, fails func(Scenario) bool) Scenario {
	for _, drop := range []func(*Faults){
		func(f *Faults) { *f = Faults{} },
		func(f *Faults) { f.Loss = 0 },
		func(f *Faults) { f.Duplicate = 0 },
		func(f *Faults) { f.DelayMax = 0 },
	} {
		c := s
		drop(&c.Faults)
		if c.Faults != s.Faults {
			s, _ = attempt(s, c, fails)
		}
	}
	return s
}

// withSmallerNumbers takes out what the timing says beyond the defaults, rounds
// times, and ends earlier.
func withSmallerNumbers(s Scenario, fails func(Scenario) bool) Scenario {
	s.Events = slices.Clone(s.Events)
	try := func(field *Time, value Time) {
		old := *field
		if *field = value; old != value && (s.Check() != nil || !fails(s)) {
			*field = old
		}
	}
	t := &s.Timing
	for _, field := range []*Time{&t.Revoke, &t.Restore, &t.Commit, &t.Start, &t.Network} {
		try(field, 0)
	}
	for _, unit := range []Time{10 * time.Second, time.Second} {
		for i := range s.Events {
			e := &s.Events[i]
			for _, field := range []*Time{&e.At, &e.Down, &e.For, &e.Every} {
				try(field, *field/unit*unit)
			}
		}
		try(&s.Until, s.Until/unit*unit)
	}
	return s
}
