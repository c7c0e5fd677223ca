package holdfast

import (
	"iter"

	"github.com/holdfast/holdfast/internal/flow"
)

// Plan is an assignor's answer: the division it ends with, what moved and why.
// It cannot be changed and may be shared between goroutines.
type Plan struct {
	Division
	strategy string
	causes   Causes
	kept     int
	rounds   []Round
	options  StickyOptions
	bound    *bound // on the heaviest load, where the strategy has proven one
}

// Cause says why a partition is not where it was.
type Cause uint8

// Why a partition moved. Each assigned partition that its previous owner does
// not have again has exactly one cause.
const (
	Shed         Cause = iota // the owner is present and gave it up for balance
	Orphaned                  // its owner left the group
	Unsubscribed              // its owner is present but does not subscribe any more
	Contested                 // several members claimed it at one generation
	Unowned                   // nobody claimed it
)

// String returns the cause as the reports name it, such as "orphaned".
func (c Cause) String() string {
	return [...]string{"shed", "orphaned", "unsubscribed", "contested", "unowned"}[c]
}

// Causes counts the moved partitions by cause.
type Causes struct {
	Shed, Orphaned, Unsubscribed, Contested, Unowned int
}

// Total is the number of moved partitions.
func (c Causes) Total() int {
	return c.Shed + c.Orphaned + c.Unsubscribed + c.Contested + c.Unowned
}

// All returns every cause with its count, in the order of their constants.
func (c Causes) All() iter.Seq2[Cause, int] {
	return func(yield func(Cause, int) bool) {
		counts := [...]int{Shed: c.Shed, Orphaned: c.Orphaned, Unsubscribed: c.Unsubscribed,
			Contested: c.Contested, Unowned: c.Unowned}
		for cause, n := range counts {
			if !yield(Cause(cause), n) {
				return
			}
		}
	}
}

// Move is one partition that changed hands.
type Move struct {
	Topic     string
	Partition int32
	From      string // "" when nobody owned it, or it cannot be told who did
	To        string
	Cause     Cause
}

// newPlan judges a division: what it keeps of the standing claims, and the cause
// of each move. It costs O(members + partitions).
func newPlan(strategy string, p *problem, owner []int32) *Plan {
	plan := &Plan{Division: newDivision(p, owner), strategy: strategy}
	unowned := 0
	for i, to := range owner {
		switch from := p.claims.owner[i]; {
		case to < 0:
		case from == to:
			plan.kept++
		case from >= 0:
			plan.causes.Shed++
		default:
			unowned++
		}
	}
	for _, o := range p.claims.prior {
		if owner[o.partition] < 0 {
			continue
		}
		unowned--
		switch o.cause {
		case Orphaned:
			plan.causes.Orphaned++
		case Unsubscribed:
			plan.causes.Unsubscribed++
		case Contested:
			plan.causes.Contested++
		}
	}
	plan.causes.Unowned = unowned
	return plan
}

// Strategy is the protocol name of the strategy that made the plan.
func (p *Plan) Strategy() string { return p.strategy }

// Moved is the number of assigned partitions that are not kept: Causes().Total().
func (p *Plan) Moved() int { return p.causes.Total() }

// Kept is the number of partitions that their previous owner has again.
// Moved + Kept is the number of partitions assigned.
func (p *Plan) Kept() int { return p.kept }

// Causes splits Moved by cause.
func (p *Plan) Causes() Causes { return p.causes }

// Moves lists every partition that moved, by topic and partition. It costs
// O(partitions).
func (p *Plan) Moves() []Move {
	moves := make([]Move, 0, p.Moved())
	for move := range p.EachMove() {
		moves = append(moves, move)
	}
	return moves
}

// EachMove goes through Moves without building the list.
func (p *Plan) EachMove() iter.Seq[Move] {
	return func(yield func(Move) bool) {
		prior := p.problem.claims.prior
		for i, to := range p.owner {
			for len(prior) > 0 && prior[0].partition < int32(i) {
				prior = prior[1:]
			}
			from := p.problem.claims.owner[i]
			if to < 0 || from == to {
				continue
			}
			cause := Shed
			if from == unowned {
				cause = Unowned
				if len(prior) > 0 && prior[0].partition == int32(i) {
					from, cause = prior[0].from, prior[0].cause
				}
			}
			if !yield(p.move(int32(i), from, to, cause)) {
				return
			}
		}
	}
}

func (p *Plan) move(partition, from, to int32, cause Cause) Move {
	name := p.problem.name(partition)
	m := Move{Topic: name.Topic, Partition: name.Partition,
		To: p.problem.members[to].ID, Cause: cause}
	if from >= 0 {
		m.From = p.problem.memberOrDeparted(from).ID
	}
	return m
}

// DroppedClaims lists the claims that do not compete, by member, topic and
// partition.
func (p *Plan) DroppedClaims() []DroppedClaim {
	return append([]DroppedClaim{}, p.problem.claims.dropped...)
}

// Unassigned lists the partitions of topics that nobody subscribes to, by topic
// and partition.
func (p *Plan) Unassigned() []TopicPartition {
	list := []TopicPartition{}
	for i, m := range p.owner {
		if m < 0 {
			list = append(list, p.problem.name(int32(i)))
		}
	}
	return list
}

// MissingTopics lists the topics that members subscribe to and that the group
// does not have, ascending.
func (p *Plan) MissingTopics() []string {
	return append([]string{}, p.problem.missing...)
}

// RackMisses counts the partitions whose racks are known and whose owner is in
// another, known rack. With the option LeaderRackOnly the leader's rack counts.
func (p *Plan) RackMisses() int {
	misses := 0
	for m, member := range p.problem.members {
		if member.Rack == "" {
			continue
		}
		for _, i := range p.of(m) {
			if p.problem.rackMiss(i, member.Rack, p.options.LeaderRackOnly) {
				misses++
			}
		}
	}
	return misses
}

// LeastMoves is the proven least number of partitions that have to be shed
// (moved away from a present, subscribed owner) among all plans that are equally
// good in what ranks above stickiness: the least sum of squared loads, then the
// fewest rack misses. It costs as much as Sticky.Assign.
//
// For a weighted plan, where the heaviest load ranks above, it is what the plan
// sheds if the plan is exact, and -1, not known, if it is not.
func (p *Plan) LeastMoves() int {
	if p.strategy == weightedName {
		if p.bound != nil && p.bound.exact {
			return p.causes.Shed
		}
		return -1
	}
	return p.problem.shed(flow.Solve(p.problem.flow(p.options)))
}

// Rounds lists what a group goes through on the way to a cooperative plan
// (KIP-429): one round if nothing has to be withheld, else two. It is empty for
// the other strategies.
func (p *Plan) Rounds() []Round { return p.rounds }

// Now is the division that a leader answers with in this rebalance: the first
// round of a cooperative plan, else the plan itself.
func (p *Plan) Now() *Division {
	if len(p.rounds) > 0 {
		return &p.rounds[0].Division
	}
	return &p.Division
}
