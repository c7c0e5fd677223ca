package holdfast

import "github.com/holdfast/holdfast/internal/makespan"

// Weighted is the strategy "weighted", on the wire "holdfast-weighted":
// partitions have weights ([Topic].Weights), members capacities
// ([Member].Capacity), and the member with the greatest load, weight over
// capacity, is to be as light as can be found. [Plan.Load] gives that load beside
// a proven lower bound.
//
// It keeps what members own, gives out the rest heaviest first, and lowers the
// heaviest member by moves, exchanges and chains of moves. With equal capacities
// no member ends above the lower bound plus the heaviest partition (Lenstra,
// Shmoys and Tardos 1990); groups of up to 24 partitions are searched through and
// are exact as a rule ([Load].Exact tells). Racks play no part. It costs
// O((members + partitions x k) log members) for k distinct pairs of subscription
// and capacity, and a bounded number of improvements.
var Weighted = NewWeighted(WeightedOptions{})

// weightedName is how plans and the command name the strategy.
const weightedName = "weighted"

// WeightedOptions says how much balance is worth moving partitions for.
type WeightedOptions struct {
	// MaxSkew is how far above the lower bound the heaviest load may stay, as a
	// share of it: with 0.1, loads up to 1.1 times the bound are good enough, and
	// what needs no move to get there stays. It is 0 or more.
	MaxSkew float64
}

// NewWeighted returns Weighted with other options.
func NewWeighted(o WeightedOptions) Assignor { return weightedAssignor{o} }

type weightedAssignor struct{ options WeightedOptions }

func (weightedAssignor) Name() string { return "holdfast-weighted" }

func (a weightedAssignor) Assign(g Group) (*Plan, error) {
	p, err := newProblem(&g)
	if err != nil {
		return nil, err
	}
	r := makespan.Solve(p.makespan(max(0, a.options.MaxSkew)))
	plan := newPlan(weightedName, p, r.Owner)
	plan.bound = &bound{r.Bound, r.Exact}
	return plan, nil
}

// makespan states the problem for the search.
func (p *problem) makespan(maxSkew float64) *makespan.Problem {
	w := &makespan.Problem{Problem: p.flow(StickyOptions{IgnoreRacks: true}),
		MaxSkew: maxSkew, Weight: make([]float64, p.partitionCount()),
		Capacity: make([]float64, len(p.members))}
	for t, topic := range p.topics {
		for i := p.start[t]; i < p.start[t+1]; i++ {
			w.Weight[i] = 1
			if len(topic.Weights) > 0 {
				w.Weight[i] = topic.Weights[i-p.start[t]]
			}
		}
	}
	for m, member := range p.members {
		w.Capacity[m] = member.capacity()
	}
	return w
}

func (m *Member) capacity() float64 {
	if m.Capacity == 0 {
		return 1
	}
	return m.Capacity
}

// Load says how heavy the members of a plan are: weight over capacity.
type Load struct {
	Heaviest   float64            // of all members
	LowerBound float64            // no division of the group has a smaller one
	Exact      bool               // the least heaviest load is known, and LowerBound is it
	Members    map[string]float64 // of each member
}

// Gap is how far the heaviest load is above the lower bound, as a share of it; 0
// where both are 0.
func (l Load) Gap() float64 {
	if l.LowerBound == 0 {
		return 0
	}
	return max(0, l.Heaviest/l.LowerBound-1)
}

// bound is what a search has proven about the least heaviest load.
type bound struct {
	load  float64
	exact bool
}

// Load measures the plan by the weights and capacities of its group; without
// weights every partition weighs 1. A weighted plan brings its bound along; for
// others it costs a flow over topics and subscriptions.
func (p *Plan) Load() Load {
	w := p.problem.makespan(0)
	l := Load{Members: make(map[string]float64, len(p.problem.members))}
	proven := p.bound
	if proven == nil {
		proven = &bound{load: makespan.Bound(w)}
	}
	l.LowerBound, l.Exact = proven.load, proven.exact
	for m, member := range p.problem.members {
		weight := 0.0
		for _, i := range p.of(m) {
			weight += w.Weight[i]
		}
		l.Members[member.ID] = weight / w.Capacity[m]
		l.Heaviest = max(l.Heaviest, l.Members[member.ID])
	}
	return l
}
