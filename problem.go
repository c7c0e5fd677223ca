package holdfast

import (
	"cmp"
	"hash/maphash"
	"slices"
)

// problem is a Group in numbers: members in the order of their ids, topics in
// the order of their names, partitions numbered through topic by topic. A name
// becomes a number here, once, and this fixes the order of everything.
type problem struct {
	members  []*Member // by id
	departed []*Member // by id
	topics   []*Topic  // by name
	start    []int32   // one longer than topics: the first partition of each
	class    []int32   // subscription class of each member
	classes  [][]int32 // topics of each class, ascending, none without partitions
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
		start:    make([]int32, 1, len(g.Topics)+1),
	}
	for i := range g.Topics {
		p.topics[i] = &g.Topics[i]
	}
	slices.SortFunc(p.topics, func(a, b *Topic) int { return cmp.Compare(a.Name, b.Name) })
	for t, topic := range p.topics {
		p.start = append(p.start, p.start[t]+int32(topic.Partitions))
	}
	names := p.topicNumbers()
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

// topicNumbers finds the number of a topic by its name. Members name the topics
// in order as a rule, so the topic after the last one found is tried first.
type topicNumbers struct {
	topics []*Topic
	number map[string]int32
	next   int
}

func (p *problem) topicNumbers() *topicNumbers {
	n := &topicNumbers{topics: p.topics, number: make(map[string]int32, len(p.topics))}
	for t, topic := range p.topics {
		n.number[topic.Name] = int32(t)
	}
	return n
}

// of returns the number of the topic, or -1 when there is none of that name.
func (n *topicNumbers) of(name string) int32 {
	if n.next < len(n.topics) && n.topics[n.next].Name == name {
		n.next++
		return int32(n.next - 1)
	}
	t, ok := n.number[name]
	if !ok {
		return -1
	}
	n.next = int(t) + 1
	return t
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

// topicAt returns the topic of a numbered partition, in O(log topics).
func (p *problem) topicAt(partition int32) int {
	after, _ := slices.BinarySearch(p.start, partition+1)
	// Topics without partitions share their start with the next one; the last
	// of them that starts at or before the partition is the one that has it.
	return after - 1
}

func (p *problem) partitionCount() int { return int(p.start[len(p.start)-1]) }

// subscribe puts members with equal subscriptions into one class. Members of a
// group mostly have the same list, often the very same slice, so a list is
// compared with those seen before it is looked up name by name.
func (p *problem) subscribe(names *topicNumbers) {
	p.class = make([]int32, len(p.members))
	c := classifier{problem: p, names: names, seed: maphash.MakeSeed(),
		byList: map[uint64][]int32{}, bySet: map[uint64][]int32{}}
	for m, member := range p.members {
		if m > 0 && sameSlice(member.Topics, p.members[m-1].Topics) {
			p.class[m] = p.class[m-1]
			continue
		}
		p.class[m] = c.classOf(member.Topics)
	}
	slices.Sort(p.missing)
	p.missing = slices.Compact(p.missing)
}

// sameSlice reports whether both are the same list, at best without a look at
// its names.
func sameSlice(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	return len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b)
}

// classifier numbers distinct subscriptions by their first appearance, so the
// random seed of its hashes cannot show.
type classifier struct {
	problem *problem
	names   *topicNumbers
	seed    maphash.Seed
	lists   [][]string
	ofList  []int32            // class of each list
	byList  map[uint64][]int32 // hash of the names as given -> lists
	bySet   map[uint64][]int32 // hash of the sorted topic numbers -> classes
}

func (c *classifier) classOf(topics []string) int32 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, name := range topics {
		h.WriteString(name)
		h.WriteByte(0)
	}
	key := h.Sum64()
	for _, l := range c.byList[key] {
		if slices.Equal(c.lists[l], topics) {
			return c.ofList[l]
		}
	}
	class := c.classOfSet(c.numbers(topics))
	c.byList[key] = append(c.byList[key], int32(len(c.lists)))
	c.lists = append(c.lists, topics)
	c.ofList = append(c.ofList, class)
	return class
}

// numbers returns the topics that exist and have partitions, ascending, once.
func (c *classifier) numbers(topics []string) []int32 {
	set := make([]int32, 0, len(topics))
	for _, name := range topics {
		switch t := c.names.of(name); {
		case t < 0:
			c.problem.missing = append(c.problem.missing, name)
		case c.problem.topics[t].Partitions > 0:
			set = append(set, t)
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

func (c *classifier) classOfSet(set []int32) int32 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, t := range set {
		h.Write([]byte{byte(t), byte(t >> 8), byte(t >> 16), byte(t >> 24)})
	}
	key := h.Sum64()
	for _, class := range c.bySet[key] {
		if slices.Equal(c.problem.classes[class], set) {
			return class
		}
	}
	class := int32(len(c.problem.classes))
	c.problem.classes = append(c.problem.classes, set)
	c.bySet[key] = append(c.bySet[key], class)
	return class
}

// subscribed returns a bit for each topic of the class.
func (p *problem) subscribed(class int32, into []bool) {
	clear(into)
	for _, t := range p.classes[class] {
		into[t] = true
	}
}
