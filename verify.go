package holdfast

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Promises that a plan can break. A *PlanError wraps one of them.
var (
	ErrNoMember      = errors.New("no such member")
	ErrNoPartition   = errors.New("no such partition")
	ErrNotSubscribed = errors.New("owner does not subscribe to the topic")
	ErrTwoOwners     = errors.New("partition has two owners")
	ErrNoOwner       = errors.New("partition of a subscribed topic has no owner")
	ErrUnbalanced    = errors.New("sum of squared loads is not the least")
	ErrRackMisses    = errors.New("rack misses are not the fewest")
	ErrTooManyMoves  = errors.New("moves are not the fewest")
	ErrUnsafe        = errors.New("partition is given away while a live member may read it")
	ErrRounds        = errors.New("cooperative rounds do not lead to the plan")
	ErrOtherGroup    = errors.New("plan was made for another group")
)

// PlanError says which promise a plan breaks, and where.
type PlanError struct {
	Reason    error  // one of the Err values of this package
	Member    string // "" where no single member is to blame
	Topic     string // "" where no single partition is to blame
	Partition int32
	Value     string // the figures, in words
}

// Error returns the reason and the place on one line.
func (e *PlanError) Error() string {
	text := e.Reason.Error()
	if e.Topic != "" {
		text += fmt.Sprintf(": %q partition %d", e.Topic, e.Partition)
	}
	if e.Member != "" {
		text += fmt.Sprintf(": member %q", e.Member)
	}
	if e.Value != "" {
		text += ": " + e.Value
	}
	return text
}

// Unwrap returns the Reason, for errors.Is.
func (e *PlanError) Unwrap() error { return e.Reason }

// NewPlan makes a Plan of somebody else's assignment (another client's, one read
// from a cluster), so that it can be measured and verified as ours can: member ->
// topic -> partitions; a member that is missing has nothing. The strategy is a
// name to report; [Plan.Verify] holds the plan to what that name promises.
//
// The error is a *GroupError when the group cannot be used, and a *PlanError when
// the assignment is not a division of its partitions: it gives something to nobody
// of the group, what does not exist, what its owner does not subscribe to, or one
// partition twice; or it leaves out a partition of a subscribed topic. The first
// such place in the order of members, topics and partitions is named. It costs
// O(partitions log partitions + claims).
func NewPlan(g Group, strategy string, a map[string]map[string][]int32) (*Plan, error) {
	p, err := newProblem(&g)
	if err != nil {
		return nil, err
	}
	owner, err := p.read(a)
	if err != nil {
		return nil, err
	}
	if err := p.complete(owner); err != nil {
		return nil, err
	}
	return newPlan(strategy, p, owner), nil
}

// read numbers an assignment.
func (p *problem) read(a map[string]map[string][]int32) ([]int32, error) {
	owner := make([]int32, p.partitionCount())
	for i := range owner {
		owner[i] = unowned
	}
	subscribed := make([]bool, len(p.topics))
	for _, id := range slices.Sorted(maps.Keys(a)) {
		m, known := p.memberNumber(id)
		if !known {
			return nil, &PlanError{Reason: ErrNoMember, Member: id}
		}
		p.subscribed(p.class[m], subscribed)
		for _, topic := range slices.Sorted(maps.Keys(a[id])) {
			t, known := p.topicNumber(topic)
			for _, n := range slices.Sorted(slices.Values(a[id][topic])) {
				e := &PlanError{Member: id, Topic: topic, Partition: n}
				switch {
				case !known || n < 0 || int(n) >= p.topics[t].Partitions:
					e.Reason = ErrNoPartition
				case !subscribed[t]:
					e.Reason = ErrNotSubscribed
				case owner[p.start[t]+n] != unowned:
					e.Reason = ErrTwoOwners
					e.Value = fmt.Sprintf("%q has it too", p.members[owner[p.start[t]+n]].ID)
				default:
					owner[p.start[t]+n] = int32(m)
					continue
				}
				return nil, e
			}
		}
	}
	return owner, nil
}

// complete checks that nothing is left out that somebody subscribes to.
func (p *problem) complete(owner []int32) error {
	read := make([]bool, len(p.topics))
	for _, topics := range p.classes {
		for _, t := range topics {
			read[t] = true
		}
	}
	for t := range p.topics {
		for i := p.start[t]; i < p.start[t+1]; i++ {
			if read[t] && owner[i] == unowned {
				return &PlanError{Reason: ErrNoOwner, Topic: p.topics[t].Name,
					Partition: i - p.start[t]}
			}
		}
	}
	return nil
}

// Verify returns the first promise that the plan breaks for the group, as a
// *PlanError, or nil. It trusts nothing that the plan says of itself: names are
// resolved anew and every figure is computed from the group and the assignment.
//
// Every plan promises a valid division. A plan of sticky or cooperative-sticky
// promises the least sum of squared loads, then the fewest rack misses, then the
// fewest moves (see [CooperativeSticky] for the one exception that it needs); a
// cooperative one also that at most two rounds lead to it, that each round gives
// out all but what a live member may still be reading, and that nothing that
// round one leaves with a member moves in round two.
func (p *Plan) Verify(g Group) error {
	judged, err := NewPlan(g, p.strategy, p.Assignment())
	if err != nil {
		return err
	}
	judged.options = p.options
	if judged.causes != p.causes || judged.kept != p.kept {
		return &PlanError{Reason: ErrOtherGroup, Value: fmt.Sprintf(
			"moves by cause %+v, the plan says %+v", judged.causes, p.causes)}
	}
	switch p.strategy {
	case "sticky":
		return judged.verifyBest()
	case "cooperative-sticky":
		if len(p.rounds) > 0 {
			if err := judged.verifyRounds(p.rounds); err != nil {
				return err
			}
		}
		return judged.verifyBest()
	}
	return nil
}

// verifyBest asks for a proof that nothing ranks above the plan.
func (p *Plan) verifyBest() error {
	better, worse := p.Better()
	if errors.Is(worse, ErrTooManyMoves) &&
		p.causes.Shed-p.forcedSheds() <= better.causes.Shed {
		return nil
	}
	return worse
}

// forcedSheds counts the moves that the rounds of a cooperative plan can force
// on it: partitions that round one has to withhold from their owner itself, and
// that somebody else has in the end.
func (p *Plan) forcedSheds() int {
	if p.strategy != (cooperativeAssignor{}).Name() {
		return 0
	}
	forced := 0
	for _, w := range p.problem.withhold(p.problem.claims.owner) {
		if p.owner[w.partition] != w.to {
			forced++
		}
	}
	return forced
}

// verifyRounds follows the rounds from the claims of the group to the plan.
func (p *Plan) verifyRounds(rounds []Round) error {
	if len(rounds) > 2 {
		return &PlanError{Reason: ErrRounds, Value: fmt.Sprintf("%d rounds", len(rounds))}
	}
	now := p.problem
	for k := range rounds {
		owner, err := now.verifyRound(&rounds[k], k+1)
		if err != nil {
			return err
		}
		last := k == len(rounds)-1
		for i, m := range owner {
			before := unowned
			if k > 0 {
				before = now.claims.owner[i]
			}
			if before >= 0 && before != m || last && m != p.owner[i] {
				return now.roundError(ErrRounds, int32(i), k+1)
			}
		}
		now = now.afterRound(&Round{Division: newDivision(now, owner)})
	}
	return nil
}

// verifyRound checks that a round withholds what it has to, and no more, and
// returns what it gives out.
func (p *problem) verifyRound(r *Round, number int) ([]int32, error) {
	owner, err := p.read(r.Assignment())
	if err != nil {
		return nil, err
	}
	whole := r.Assignment()
	for _, w := range r.Withheld() {
		whole[w.To][w.Topic] = append(whole[w.To][w.Topic], w.Partition)
	}
	target, err := p.read(whole)
	if err != nil {
		return nil, err
	}
	if err := p.complete(target); err != nil {
		return nil, err
	}
	held := p.withhold(target)
	for _, w := range held {
		if owner[w.partition] != unowned {
			return nil, p.roundError(ErrUnsafe, w.partition, number)
		}
		target[w.partition] = unowned
	}
	for i := range target {
		if target[i] != owner[i] {
			return nil, p.roundError(ErrRounds, int32(i), number)
		}
	}
	return owner, nil
}

func (p *problem) roundError(reason error, partition int32, number int) error {
	name := p.name(partition)
	return &PlanError{Reason: reason, Topic: name.Topic, Partition: name.Partition,
		Value: fmt.Sprintf("in round %d", number)}
}
