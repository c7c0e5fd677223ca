package holdfast

import (
	"cmp"
	"slices"
)

// CooperativeSticky is the strategy "cooperative-sticky" of KIP-429: the balance
// and stickiness of [Sticky], reached in at most two rounds so that nobody stops
// reading what it keeps.
//
// In round one each member is told what it keeps and what nobody else may still
// be reading. A partition is withheld when a live member other than its new
// owner claims it, subscribed or not, unless the new owner's own claim on it is
// of a strictly newer generation. Round two is the strategy's answer to the
// claims that round one leaves behind, as in a real group, whose leader
// remembers nothing; it gives out what was withheld and takes nothing away: with
// every member keeping what round one left it, the plan of round one is still
// balanced, so no plan that moves anything is as good.
//
// The end has the balance, the rack misses and the number of kept partitions of
// Sticky's plan, though an extra may fall to another member. There is one
// exception: a partition that Sticky leaves with its owner is withheld from that
// owner, too, while a live member that does not subscribe to the topic claims it
// at the same or a newer generation. Nobody claims it in round two, so it may
// then fall to another member, and is one more that moved.
//
// Racks and topic spread count as in Sticky. It costs twice what Sticky costs,
// and O(claims) more.
var CooperativeSticky = NewCooperativeSticky(StickyOptions{})

// NewCooperativeSticky returns CooperativeSticky with other options.
func NewCooperativeSticky(o StickyOptions) Assignor {
	return cooperativeAssignor{stickyAssignor{o}}
}

type cooperativeAssignor struct{ sticky stickyAssignor }

func (cooperativeAssignor) Name() string { return "cooperative-sticky" }

func (a cooperativeAssignor) Assign(g Group) (*Plan, error) {
	p, err := newProblem(&g)
	if err != nil {
		return nil, err
	}
	target := a.sticky.solve(p)
	held := p.withhold(target)
	rounds := []Round{newRound(p, target, held)}
	owner := target
	if len(held) > 0 {
		after := p.afterRound(&rounds[0])
		owner = a.sticky.solve(after)
		rounds = append(rounds, newRound(after, owner, after.withhold(owner)))
	}
	plan := newPlan(a.Name(), p, owner)
	plan.rounds, plan.options = rounds, a.sticky.options
	return plan, nil
}

// withhold finds the partitions that somebody other than the new owner may still
// be reading.
func (p *problem) withhold(owner []int32) []withheld {
	c := &p.claims
	mine := make([]bool, len(owner)) // the new owner claims it too
	for m := range p.members {
		for _, i := range c.claimedBy(m) {
			if owner[i] == int32(m) {
				mine[i] = true
			}
		}
	}
	var waits []wait
	for m := range p.members {
		for _, i := range c.claimedBy(m) {
			to := owner[i]
			if to < 0 || to == int32(m) ||
				mine[i] && p.members[to].generation() > p.members[m].generation() {
				continue
			}
			waits = append(waits, wait{i, int32(m)})
		}
	}
	return waitingFor(waits, owner)
}

// wait is one claimant that has to let go of one partition.
type wait struct{ partition, claimant int32 }

// waitingFor gathers the claimants of each partition. It sorts waits.
func waitingFor(waits []wait, owner []int32) []withheld {
	slices.SortFunc(waits, func(a, b wait) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.claimant, b.claimant))
	})
	waits = slices.Compact(waits) // A member may claim a partition twice.
	claimants := make([]int32, len(waits))
	var held []withheld
	first := 0 // the first of the claimants of the partition
	for k, w := range waits {
		claimants[k] = w.claimant
		if k == 0 || w.partition != waits[k-1].partition {
			held = append(held, withheld{partition: w.partition, to: owner[w.partition]})
			first = k
		}
		held[len(held)-1].from = claimants[first : k+1 : k+1]
	}
	return held
}

// newRound takes the withheld partitions out of the division, and lists what
// each member claims without being told to keep it.
func newRound(p *problem, owner []int32, held []withheld) Round {
	if len(held) > 0 {
		owner = slices.Clone(owner)
		for _, w := range held {
			owner[w.partition] = unowned
		}
	}
	r := Round{Division: newDivision(p, owner), withheld: held,
		first: make([]int32, 1, len(p.members)+1)}
	for m := range p.members {
		from := len(r.revoked)
		for _, i := range p.claims.claimedBy(m) {
			if owner[i] != int32(m) {
				r.revoked = append(r.revoked, i)
			}
		}
		slices.Sort(r.revoked[from:])
		r.revoked = r.revoked[:from+len(slices.Compact(r.revoked[from:]))]
		r.first = append(r.first, int32(len(r.revoked)))
	}
	return r
}

// afterRound is the group once the round is over: every member claims what the
// round left it, all at one generation, and those that are gone are forgotten.
func (p *problem) afterRound(r *Round) *problem {
	next := *p
	next.departed = nil
	next.claims = claims{owner: r.owner, first: r.Division.first, lists: r.lists}
	return &next
}
