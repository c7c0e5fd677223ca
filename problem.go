package holdfast

import (
	"cmp"
	"slices"
)

// problem is a Group in numbers: members in the order of their ids, topics in
// the order of their names, partitions numbered through topic by topic. A name
// becomes a number here, once, and this fixes the order of everything.
type problem struct {
	members  []*Member // by id
	departed []*Member // by id
	topics   []*Topic  // by name
	names    []string  // of the topics
	start    []int32   // one longer than topics: the first partition of each
	class    []int32   // subscription class of each member
	classes  [][]int32 // topics of each class, ascending, none without partitions
	near     []int32   // the topic of every 64th partition, and len(topics) at the end
	missing  []string  // subscribed topics that do not exist, sorted
	claims   claims
}

// newProblem checks the group and numbers it. It costs O((members + topics) log
// of that + subscribed topics of each distinct subscription + claims).
func newProblem(g *Group) (*problem, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	p := &problem{
		members:  byID(g.Members),
		departed: byID(g.Departed),
		topics:   make([]*Topic, len(g.Topics)),
		names:    make([]string, len(g.Topics)),
		start:    make([]int32, 1, len(g.Topics)+1),
	}
	for i := range g.Topics {
		p.topics[i] = &g.Topics[i]
	}
	slices.SortFunc(p.topics, func(a, b *Topic) int { return cmp.Compare(a.Name, b.Name) })
	for t, topic := range p.topics {
		p.start = append(p.start, p.start[t]+int32(topic.Partitions))
		p.names[t] = topic.Name
	}
	p.indexTopics()
	names := newTopicNumbers(p.names)
	p.subscribe(names)
	p.claims = resolveClaims(p, names)
	return p, nil
}

func byID(members []Member) []*Member {
	sorted := make([]*Member, len(members))
	for i := range members {
		sorted[i] = &members[i]
	}
	slices.SortFunc(sorted, func(a, b *Member) int { return cmp.Compare(a.ID, b.ID) })
	return sorted
}

// memberNumber returns the position of the member with the id.
func (p *problem) memberNumber(id string) (int, bool) {
	return slices.BinarySearchFunc(p.members, id,
		func(m *Member, id string) int { return cmp.Compare(m.ID, id) })
}

// topicNumber returns the position of the topic with the name.
func (p *problem) topicNumber(name string) (int, bool) {
	return slices.BinarySearchFunc(p.topics, name,
		func(t *Topic, name string) int { return cmp.Compare(t.Name, name) })
}

// nearby is how many partitions share an entry of problem.near.
const nearby = 64

// indexTopics prepares topicAt, in O(topics + partitions / 64).
func (p *problem) indexTopics() {
	p.near = make([]int32, 0, p.partitionCount()/nearby+2)
	t := int32(0)
	for first := 0; first < p.partitionCount(); first += nearby {
		for p.start[t+1] <= int32(first) {
			t++
		}
		p.near = append(p.near, t)
	}
	p.near = append(p.near, int32(len(p.topics)))
}

// topicAt returns the topic of a numbered partition: at once for topics of many
// partitions, else in O(log of the topics that share its entry).
func (p *problem) topicAt(partition int32) int {
	from, to := p.near[partition/nearby], p.near[partition/nearby+1]
	if partition < p.start[from+1] {
		return int(from)
	}
	// Topics without partitions share their start with the next one; the last
	// of them that starts at or before the partition is the one that has it.
	from++
	to = min(to+1, int32(len(p.topics)))
	after, _ := slices.BinarySearch(p.start[from:to], partition+1)
	return int(from) + after - 1
}

func (p *problem) partitionCount() int { return int(p.start[len(p.start)-1]) }

// subscribed returns a bit for each topic of the class.
func (p *problem) subscribed(class int32, into []bool) {
	clear(into)
	for _, t := range p.classes[class] {
		into[t] = true
	}
}
