package holdfast

import (
	"cmp"
	"maps"
	"slices"

	"github.com/holdfast/holdfast/internal/flow"
	"github.com/holdfast/holdfast/internal/flow/plain"
)

// naive answers for a group in the words of the rules, on names and maps and
// with no thought of cost. It shares no code with the package but the readable
// solver for unequal subscriptions.
type naive struct {
	options    StickyOptions
	members    map[string]Member
	departed   map[string]Member
	partitions map[string]int // by topic
	racks      map[string][][]string

	owner map[TopicPartition]string    // whose claim stands
	prior map[TopicPartition]naiveMove // of the others: whose it was, and the cause
}

type naiveMove struct {
	from  string
	cause Cause
}

func newNaive(g Group, o StickyOptions) *naive {
	n := &naive{options: o, members: map[string]Member{}, departed: map[string]Member{},
		partitions: map[string]int{}, racks: map[string][][]string{},
		owner: map[TopicPartition]string{}, prior: map[TopicPartition]naiveMove{}}
	for _, t := range g.Topics {
		n.partitions[t.Name], n.racks[t.Name] = t.Partitions, t.Racks
	}
	for _, m := range g.Members {
		n.members[m.ID] = m
	}
	for _, m := range g.Departed {
		n.departed[m.ID] = m
	}
	for _, at := range n.all() {
		n.weigh(at)
	}
	return n
}

// all lists every partition by topic and number.
func (n *naive) all() []TopicPartition {
	var all []TopicPartition
	for _, topic := range slices.Sorted(maps.Keys(n.partitions)) {
		for p := range n.partitions[topic] {
			all = append(all, TopicPartition{topic, int32(p)})
		}
	}
	return all
}

func (n *naive) ids() []string { return slices.Sorted(maps.Keys(n.members)) }

func (n *naive) reads(id, topic string) bool {
	return slices.Contains(n.members[id].Topics, topic)
}

func (m Member) claims(at TopicPartition) bool {
	return slices.ContainsFunc(m.Owned, func(o TopicPartitions) bool {
		return o.Topic == at.Topic && slices.Contains(o.Partitions, at.Partition)
	})
}

func naiveGeneration(m Member) int32 {
	if m.Generation < 0 {
		return -1
	}
	return m.Generation
}

// weigh decides whose a partition was.
func (n *naive) weigh(at TopicPartition) {
	var valid, others []string
	highest := int32(-2)
	for _, id := range n.ids() {
		m := n.members[id]
		switch {
		case !m.claims(at):
		case !n.reads(id, at.Topic):
			others = append(others, id)
		case naiveGeneration(m) > highest:
			highest, valid = naiveGeneration(m), []string{id}
		case naiveGeneration(m) == highest:
			valid = append(valid, id)
		}
	}
	switch {
	case len(valid) == 1:
		n.owner[at] = valid[0]
	case len(valid) > 1:
		n.prior[at] = naiveMove{"", Contested}
	default:
		n.outsider(at, others)
	}
}

// outsider tells whose a partition was that no subscribed member claims: the
// newest claim says it, that of a member still here before that of one who left.
func (n *naive) outsider(at TopicPartition, unsubscribed []string) {
	newest := int32(-2)
	for _, id := range unsubscribed {
		if g := naiveGeneration(n.members[id]); g > newest {
			newest, n.prior[at] = g, naiveMove{id, Unsubscribed}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(n.departed)) {
		m := n.departed[id]
		if g := naiveGeneration(m); m.claims(at) && g > newest {
			newest, n.prior[at] = g, naiveMove{id, Orphaned}
		}
	}
}

// plan is the sticky answer: partition -> member.
func (n *naive) plan() map[TopicPartition]string {
	if n.equal() && !n.racked() && !n.options.Spread {
		return n.recipe()
	}
	return n.solve(plain.Solve)
}

// equal reports whether all members read the same topics.
func (n *naive) equal() bool {
	ids := n.ids()
	for _, id := range ids {
		for topic, partitions := range n.partitions {
			if partitions > 0 && n.reads(id, topic) != n.reads(ids[0], topic) {
				return false
			}
		}
	}
	return true
}

func (n *naive) racked() bool {
	ofMember, ofPartition := false, false
	for _, m := range n.members {
		ofMember = ofMember || m.Rack != ""
	}
	for _, at := range n.all() {
		ofPartition = ofPartition || len(n.racksOf(at)) > 0
	}
	return ofMember && ofPartition && !n.options.IgnoreRacks
}

// racksOf lists the partition's known racks, each once, ascending.
func (n *naive) racksOf(at TopicPartition) []string {
	var set []string
	if racks := n.racks[at.Topic]; len(racks) > 0 {
		for i, rack := range racks[at.Partition] {
			if rack != "" && (i == 0 || !n.options.LeaderRackOnly) {
				set = append(set, rack)
			}
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

func (n *naive) misses(plan map[TopicPartition]string) int {
	misses := 0
	for at, id := range plan {
		rack, set := n.members[id].Rack, n.racksOf(at)
		if rack != "" && len(set) > 0 && !slices.Contains(set, rack) {
			misses++
		}
	}
	return misses
}

// recipe is the sticky assignment of equal subscriptions, step by step.
func (n *naive) recipe() map[TopicPartition]string {
	plan := map[TopicPartition]string{}
	ids := n.ids()
	if len(ids) == 0 {
		return plan
	}
	var readable []TopicPartition
	owned := map[string][]TopicPartition{}
	for _, at := range n.all() {
		if !n.reads(ids[0], at.Topic) {
			continue
		}
		readable = append(readable, at)
		if id, ok := n.owner[at]; ok {
			owned[id] = append(owned[id], at)
		}
	}
	target := map[string]int{}
	heaviest := slices.Clone(ids)
	slices.SortStableFunc(heaviest, func(a, b string) int { return len(owned[b]) - len(owned[a]) })
	for place, id := range heaviest {
		target[id] = len(readable) / len(ids)
		if place < len(readable)%len(ids) {
			target[id]++
		}
	}
	for _, id := range ids {
		slices.SortFunc(owned[id], func(a, b TopicPartition) int {
			return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Topic, b.Topic))
		})
		owned[id] = owned[id][:min(len(owned[id]), target[id])]
		for _, at := range owned[id] {
			plan[at] = id
		}
	}
	for _, at := range readable {
		if plan[at] != "" {
			continue
		}
		fewest := ""
		for _, id := range ids {
			if len(owned[id]) < target[id] && (fewest == "" || len(owned[id]) < len(owned[fewest])) {
				fewest = id
			}
		}
		plan[at] = fewest
		owned[fewest] = append(owned[fewest], at)
	}
	return plan
}

// solve hands the group to a solver of dense problems and reads its answer.
func (n *naive) solve(solver func(*flow.Problem) []int32) map[TopicPartition]string {
	ids, all := n.ids(), n.all()
	plan := map[TopicPartition]string{}
	for i, m := range solver(n.problem()) {
		if m != flow.None {
			plan[all[i]] = ids[m]
		}
	}
	return plan
}

// problem numbers the group: each member is looked up in each list.
func (n *naive) problem() *flow.Problem {
	ids, all := n.ids(), n.all()
	p := &flow.Problem{Start: []int32{0}, Spread: n.options.Spread}
	topics := slices.Sorted(maps.Keys(n.partitions))
	for t, topic := range topics {
		p.Start = append(p.Start, p.Start[t]+int32(n.partitions[topic]))
	}
	for _, id := range ids {
		var set []int32
		for t, topic := range topics {
			if n.reads(id, topic) && n.partitions[topic] > 0 {
				set = append(set, int32(t))
			}
		}
		class := slices.IndexFunc(p.Topics, func(s []int32) bool { return slices.Equal(s, set) })
		if class < 0 {
			class = len(p.Topics)
			p.Topics = append(p.Topics, set)
		}
		p.Class = append(p.Class, int32(class))
	}
	for _, at := range all {
		owner := flow.None
		if id, ok := n.owner[at]; ok {
			owner = int32(slices.Index(ids, id))
		}
		p.Owner = append(p.Owner, owner)
	}
	if n.racked() {
		n.addRacks(p)
	}
	return p
}

func (n *naive) addRacks(p *flow.Problem) {
	var names []string
	for _, m := range n.members {
		names = append(names, m.Rack)
	}
	for _, at := range n.all() {
		names = append(names, n.racksOf(at)...)
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
	for _, id := range n.ids() {
		p.Rack = append(p.Rack, int32(slices.Index(names, n.members[id].Rack)))
	}
	for _, at := range n.all() {
		var set []int32
		for _, rack := range n.racksOf(at) {
			set = append(set, int32(slices.Index(names, rack)))
		}
		if len(set) == 0 {
			p.RackSet = append(p.RackSet, flow.None)
			continue
		}
		k := slices.IndexFunc(p.RackSets, func(s []int32) bool { return slices.Equal(s, set) })
		if k < 0 {
			k = len(p.RackSets)
			p.RackSets = append(p.RackSets, set)
		}
		p.RackSet = append(p.RackSet, int32(k))
	}
}
