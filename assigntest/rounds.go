package assigntest

import (
	"maps"
	"slices"

	"github.com/holdfast/holdfast"
)

// round is one rebalance of a group: what its members said and were told.
type round struct {
	group  holdfast.Group
	answer Assignment
}

// maxRounds is where a cooperative assignor is taken to go on for ever.
const maxRounds = 10

// rounds plays a group until everything that somebody subscribes to is given
// out. An assignor that does not promise Cooperative gets one round.
func (p *probe) rounds(g holdfast.Group) ([]round, error) {
	var played []round
	for range maxRounds {
		answer, err := p.answer(g)
		if err != nil {
			return nil, err
		}
		if err := valid(g, answer, p.Promises&Cooperative != 0); err != nil {
			return nil, err
		}
		played = append(played, round{g, answer})
		if valid(g, answer, false) == nil {
			return played, nil
		}
		g = after(g, answer)
	}
	return nil, broken(Cooperative, "after %d rounds something is still given to nobody", maxRounds)
}

// after is the group in its next rebalance if nothing else happens: what members
// were told is what they claim.
func after(g holdfast.Group, answer Assignment) holdfast.Group {
	next := clone(g)
	generation := int32(0)
	for _, m := range next.Members {
		generation = max(generation, m.Generation)
	}
	for i := range next.Members {
		m := &next.Members[i]
		m.Owned, m.Generation = nil, min(generation, 1<<30)+1
		for _, topic := range slices.Sorted(maps.Keys(answer[m.ID])) {
			m.Owned = append(m.Owned, holdfast.TopicPartitions{Topic: topic,
				Partitions: slices.Clone(answer[m.ID][topic])})
		}
	}
	next.Departed = nil
	return next
}

// end plays the rounds and returns the last answer as a plan for the group as it
// was before them.
func (p *probe) end(g holdfast.Group) (*holdfast.Plan, error) {
	played, err := p.rounds(g)
	if err != nil {
		return nil, err
	}
	plan, err := holdfast.NewPlan(g, p.Name, tidy(played[len(played)-1].answer))
	if err != nil {
		return nil, broken(Valid, "%v", err)
	}
	return plan, nil
}

// cooperative judges the way of a group from round to round (KIP-429).
func cooperative(p *probe, g holdfast.Group) error {
	played, err := p.rounds(g)
	if err != nil {
		return err
	}
	if len(played) > 2 {
		return broken(Cooperative, "%d rounds, two are enough", len(played))
	}
	for k, r := range played {
		if err := handOver(r, k+1); err != nil {
			return err
		}
	}
	return nil
}

// handOver finds a partition that is given away while a live member that did not
// let go of it may be reading it.
func handOver(r round, number int) error {
	f := factsOf(r.group)
	owner, err := f.owners(r.answer)
	if err != nil {
		return err
	}
	for _, p := range f.all() {
		to := owner[p]
		if to == "" {
			continue
		}
		own := slices.Contains(f.claimants[p], to)
		for _, m := range f.claimants[p] {
			if m != to && !(own && f.generation[to] > f.generation[m]) {
				return broken(Cooperative, "round %d gives %v to %q while %q still claims it",
					number, p, to, m)
			}
		}
	}
	return nil
}
