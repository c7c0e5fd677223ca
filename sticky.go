package holdfast

import (
	"slices"

	"github.com/holdfast/holdfast/internal/flow"
)

// Sticky is the strategy "sticky": of all divisions with the least sum of squared
// loads the ones with the fewest rack misses (where members and partitions name
// racks), of these the ones that move the fewest partitions, and of these one,
// by fixed rules:
//
//   - the members that owned most get the extra partition, ties to the smaller id;
//   - what a member cannot keep is what has the highest partition numbers, at
//     equal numbers of the later topics;
//   - what is free goes, in the order of topic and partition, to the member that
//     has the fewest and may still get one, ties to the smaller id.
//
// Where a rule names a choice that no optimal division has, the next one that
// some optimal division has is taken. The strategy is named after KIP-54; unlike
// Kafka's own it is exact for unequal subscriptions.
//
// It costs O(members + partitions) where all members subscribe to the same
// topics and racks play no part.
var Sticky = NewSticky(StickyOptions{})

// StickyOptions changes what Sticky and CooperativeSticky rank.
type StickyOptions struct {
	IgnoreRacks    bool // racks play no part
	LeaderRackOnly bool // a partition's racks are that of its leader alone
	Spread         bool // rank the even spread of each topic after moves
}

// NewSticky returns Sticky with other options.
func NewSticky(o StickyOptions) Assignor { return stickyAssignor{o} }

type stickyAssignor struct{ options StickyOptions }

func (stickyAssignor) Name() string { return "sticky" }

func (a stickyAssignor) Assign(g Group) (*Plan, error) {
	p, err := newProblem(&g)
	if err != nil {
		return nil, err
	}
	plan := newPlan(a.Name(), p, a.solve(p))
	plan.options = a.options
	return plan, nil
}

func (a stickyAssignor) solve(p *problem) []int32 {
	return flow.Solve(p.flow(a.options)).Owner
}

// flow states the problem for the engine. The slices are shared, not copied.
func (p *problem) flow(o StickyOptions) *flow.Problem {
	f := &flow.Problem{Start: p.start, Class: p.class, Topics: p.classes,
		Owner: p.claims.owner, Spread: o.Spread}
	if !o.IgnoreRacks {
		p.flowRacks(f, o.LeaderRackOnly)
	}
	return f
}

// flowRacks numbers the racks that members and partitions name. They stay out of
// the problem unless both sides name some.
func (p *problem) flowRacks(f *flow.Problem, leaderOnly bool) {
	names := p.rackNames()
	if names == nil {
		return
	}
	f.Rack = make([]int32, len(p.members))
	for m, member := range p.members {
		f.Rack[m] = flow.None
		if member.Rack != "" {
			f.Rack[m] = rackNumber(names, member.Rack)
		}
	}
	f.RackSet = make([]int32, p.partitionCount())
	sets := make(map[string]int32)
	var set []int32
	for t, topic := range p.topics {
		for i := p.start[t]; i < p.start[t+1]; i++ {
			f.RackSet[i] = flow.None
			if len(topic.Racks) == 0 {
				continue
			}
			set = rackSet(set[:0], topic.Racks[i-p.start[t]], names, leaderOnly)
			if len(set) == 0 {
				continue
			}
			key := rackKey(set)
			number, ok := sets[key]
			if !ok {
				number = int32(len(f.RackSets))
				sets[key] = number
				f.RackSets = append(f.RackSets, slices.Clone(set))
			}
			f.RackSet[i] = number
		}
	}
}

// rackNames returns all rack names, ascending, or nil when racks play no part.
func (p *problem) rackNames() []string {
	var ofMembers, all []string
	for _, m := range p.members {
		if m.Rack != "" {
			ofMembers = append(ofMembers, m.Rack)
		}
	}
	for _, t := range p.topics {
		for _, replicas := range t.Racks {
			for _, rack := range replicas {
				if rack != "" {
					all = append(all, rack)
				}
			}
		}
		slices.Sort(all)
		all = slices.Compact(all)
	}
	if len(ofMembers) == 0 || len(all) == 0 {
		return nil
	}
	all = append(all, ofMembers...)
	slices.Sort(all)
	return slices.Compact(all)
}

func rackNumber(names []string, rack string) int32 {
	n, _ := slices.BinarySearch(names, rack)
	return int32(n)
}

// rackSet appends the numbers of the replicas' racks, ascending, each once.
func rackSet(set []int32, replicas, names []string, leaderOnly bool) []int32 {
	for k, rack := range replicas {
		if rack != "" && (k == 0 || !leaderOnly) {
			set = append(set, rackNumber(names, rack))
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

func rackKey(set []int32) string {
	key := make([]byte, 0, 4*len(set))
	for _, r := range set {
		key = append(key, byte(r), byte(r>>8), byte(r>>16), byte(r>>24))
	}
	return string(key)
}

// leastSumOfSquares is the least that any division reaches.
func (p *problem) leastSumOfSquares() int64 {
	if p.equalSubscriptions() {
		n, m := int64(0), int64(len(p.members))
		for _, t := range p.classes[0] {
			n += int64(p.topics[t].Partitions)
		}
		share, extra := n/m, n%m
		return (m-extra)*share*share + extra*(share+1)*(share+1)
	}
	return flow.Solve(p.flow(StickyOptions{IgnoreRacks: true})).Squares
}
