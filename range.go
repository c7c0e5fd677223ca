package holdfast

import (
	"slices"
	"strconv"
	"strings"
)

// Range is the strategy "range", as Kafka's RangeAssignor: each topic is cut into
// contiguous runs for its subscribers, static members first by
// group.instance.id, then the others by id; the first of them get one more where
// the division leaves a remainder. With racks on both sides (KIP-881) a member
// gets partitions of its own rack as far as these numbers allow, and topics with
// equally many partitions and the same subscribers stay cut alike, which then
// need not be contiguous. It looks at no claims, and the extras of all topics
// fall to the same members.
//
// It costs O(members log members + partitions) where topics have the same
// subscribers, and O(members) more for each topic that has others than the one
// before it; with racks O(topics x members + partitions x racks) at worst.
var Range Assignor = rangeAssignor{}

type rangeAssignor struct{}

func (rangeAssignor) Name() string { return "range" }

func (a rangeAssignor) Assign(g Group) (*Plan, error) {
	p, err := newProblem(&g)
	if err != nil {
		return nil, err
	}
	owner := make([]int32, p.partitionCount())
	for i := range owner {
		owner[i] = unowned
	}
	order := p.staticFirst()
	if p.rangeUsesRacks(order) {
		p.rangeByRack(order, owner)
	} else {
		readers := p.readers(order)
		for t := range p.topics {
			p.cut(t, order, readers.of(t), owner)
		}
	}
	return newPlan(a.Name(), p, owner), nil
}

// cut gives a topic's partitions to its readers in contiguous runs.
func (p *problem) cut(t int, order, readers, owner []int32) {
	n := int(p.start[t+1] - p.start[t])
	if n == 0 || len(readers) == 0 {
		return
	}
	share, extra := n/len(readers), n%len(readers)
	i := p.start[t]
	for k, at := range readers {
		run := share
		if k < extra {
			run++
		}
		for range run {
			owner[i] = order[at]
			i++
		}
	}
}

// rangeUsesRacks reports whether racks matter for at least one topic.
func (p *problem) rangeUsesRacks(order []int32) bool {
	racked := false
	for _, m := range p.members {
		racked = racked || m.Rack != ""
	}
	if !racked {
		return false
	}
	readers := p.readers(order)
	for t := range p.topics {
		if p.racksMatter(t, order, readers.of(t)) {
			return true
		}
	}
	return false
}

// racksMatter is KIP-881's question for one topic: some reader's rack holds a
// replica of some partition, and not all partitions have replicas in the same
// racks.
func (p *problem) racksMatter(t int, order, readers []int32) bool {
	racks := p.topics[t].Racks
	all := make(map[string]bool)
	for _, replicas := range racks {
		for _, rack := range replicas {
			if rack != "" {
				all[rack] = true
			}
		}
	}
	shared := false
	for _, at := range readers {
		shared = shared || all[p.members[order[at]].Rack]
	}
	if !shared {
		return false
	}
	for _, replicas := range racks {
		if countDistinct(replicas) != len(all) {
			return true
		}
	}
	return false
}

func countDistinct(racks []string) int {
	n := 0
	for i, rack := range racks {
		if rack != "" && !slices.Contains(racks[:i], rack) {
			n++
		}
	}
	return n
}

// topicCut is a topic that is being given out: how much each reader may get.
type topicCut struct {
	problem *problem
	topic   int
	owner   []int32 // of all partitions
	order   []int32
	readers []int32
	given   []int // by reader
	share   int
	extra   int // how many readers may still get one more than share
	matters bool
}

func (p *problem) newTopicCut(t int, order, readers, owner []int32) *topicCut {
	c := &topicCut{problem: p, topic: t, owner: owner, order: order,
		readers: slices.Clone(readers), given: make([]int, len(readers))}
	if len(readers) > 0 {
		n := p.topics[t].Partitions
		c.share, c.extra = n/len(readers), n%len(readers)
		c.matters = p.racksMatter(t, order, readers)
	}
	return c
}

func (c *topicCut) capacity(reader int) int {
	most := c.share
	if c.extra > 0 {
		most++
	}
	return max(0, most-c.given[reader])
}

func (c *topicCut) give(reader, partition int) {
	c.owner[c.problem.start[c.topic]+int32(partition)] = c.order[c.readers[reader]]
	c.given[reader]++
	if c.given[reader] > c.share {
		c.extra--
	}
}

// matches reports whether the partition has a replica in the reader's rack; a
// reader without a rack matches everything.
func (c *topicCut) matches(reader, partition int) bool {
	rack := c.problem.members[c.order[c.readers[reader]]].Rack
	if rack == "" {
		return true
	}
	racks := c.problem.topics[c.topic].Racks
	return len(racks) > 0 && slices.Contains(racks[partition], rack)
}

// fill gives each reader in turn the first free partitions that it may have.
// Readers of one rack draw from one list that is only ever read forwards, so it
// costs O(readers + partitions x racks).
func (c *topicCut) fill(matching bool) {
	first, n := c.problem.start[c.topic], c.problem.topics[c.topic].Partitions
	next := make(map[string]int) // by rack: where to look for a free partition
	for reader, at := range c.readers {
		rack := c.problem.members[c.order[at]].Rack
		if !matching {
			rack = "" // everything is for everybody
		}
		i := next[rack]
		for room := c.capacity(reader); room > 0 && i < n; i++ {
			if c.owner[first+int32(i)] == unowned && (rack == "" || c.matches(reader, i)) {
				c.give(reader, i)
				room--
			}
		}
		next[rack] = i
	}
}

// rangeByRack is the way of KIP-881: sets of topics that can be cut alike first,
// then single topics by rack, then the rest whatever its rack.
func (p *problem) rangeByRack(order, owner []int32) {
	readers := p.readers(order)
	cuts := make([]*topicCut, len(p.topics))
	alike := make(map[string][]*topicCut)
	var keys []string
	for t := range p.topics {
		cuts[t] = p.newTopicCut(t, order, readers.of(t), owner)
		key := cuts[t].likeness()
		if alike[key] == nil {
			keys = append(keys, key)
		}
		alike[key] = append(alike[key], cuts[t])
	}
	for _, key := range keys {
		set := alike[key]
		switch {
		case !set[0].readersHaveRacks():
			// Without a rack every reader matches and the plain cut is right.
		case len(set) > 1:
			cutAlike(set)
		case set[0].matters:
			set[0].fill(true)
		}
	}
	for _, c := range cuts {
		c.fill(false)
	}
}

// likeness is equal for topics that are to be cut alike: the same readers and as
// many partitions.
func (c *topicCut) likeness() string {
	var key strings.Builder
	key.WriteString(strconv.Itoa(c.problem.topics[c.topic].Partitions))
	for _, at := range c.readers {
		key.WriteByte(' ')
		key.WriteString(strconv.Itoa(int(at)))
	}
	return key.String()
}

func (c *topicCut) readersHaveRacks() bool {
	return slices.ContainsFunc(c.readers, func(at int32) bool {
		return c.problem.members[c.order[at]].Rack != ""
	})
}

// cutAlike gives partition after partition of all topics of the set to the first
// reader that matches in all of them. The room of a reader only shrinks, so each
// rack's readers are a queue: it costs O(readers + topics x partitions x racks).
func cutAlike(set []*topicCut) {
	queues := set[0].queues()
	for partition := range set[0].problem.topics[set[0].topic].Partitions {
		best := -1
		for k, queue := range queues {
			for len(queue) > 0 && slices.ContainsFunc(set, func(c *topicCut) bool {
				return c.capacity(queue[0]) == 0
			}) {
				queue = queue[1:]
			}
			queues[k] = queue
			if len(queue) == 0 || best >= 0 && best < queue[0] {
				continue
			}
			if !slices.ContainsFunc(set, func(c *topicCut) bool {
				return !c.matches(queue[0], partition)
			}) {
				best = queue[0]
			}
		}
		if best < 0 {
			continue
		}
		for _, c := range set {
			c.give(best, partition)
		}
	}
}

// queues lists the readers of each rack, in the order in which the racks appear.
func (c *topicCut) queues() [][]int {
	var queues [][]int
	number := make(map[string]int)
	for reader, at := range c.readers {
		rack := c.problem.members[c.order[at]].Rack
		k, ok := number[rack]
		if !ok {
			k = len(queues)
			number[rack] = k
			queues = append(queues, nil)
		}
		queues[k] = append(queues[k], reader)
	}
	return queues
}
