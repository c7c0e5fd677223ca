package holdfast

import (
	"iter"
	"slices"
)

// Division says which member has which partition. Member positions are those of
// [Division.Members], partitions are counted through, topics in the order of
// their names. It cannot be changed; slices that it returns belong to the caller
// unless it says otherwise.
type Division struct {
	problem *problem
	owner   []int32 // per partition: the member, or unowned
	first   []int32 // per member, one more: its first entry in lists
	lists   []int32 // partitions, member by member, ascending
}

// newDivision lists each member's partitions by counting, in O(members +
// partitions).
func newDivision(p *problem, owner []int32) Division {
	d := Division{problem: p, owner: owner, first: make([]int32, len(p.members)+2)}
	for _, m := range owner {
		d.first[m+2]++ // Unassigned partitions are counted at 1, in front of all.
	}
	d.first[1] = 0
	for m := 2; m < len(d.first); m++ {
		d.first[m] += d.first[m-1]
	}
	d.lists = make([]int32, d.first[len(d.first)-1])
	next := d.first[1:]
	for i, m := range owner {
		if m >= 0 {
			d.lists[next[m]] = int32(i)
			next[m]++
		}
	}
	// Each cursor now stands where the next member's list begins.
	d.first = d.first[:len(p.members)+1]
	return d
}

// of returns the partitions of the member at a position, ascending. The slice is
// shared.
func (d *Division) of(m int) []int32 { return d.lists[d.first[m]:d.first[m+1]] }

// Members returns the ids of the members in the group, ascending, in O(members).
func (d *Division) Members() []string {
	ids := make([]string, len(d.problem.members))
	for m, member := range d.problem.members {
		ids[m] = member.ID
	}
	return ids
}

// Owners returns, for each partition of each topic of the group (topics by
// name, partitions by number), the position of its owner in Members, or -1. The
// slice is shared with the Division and must not be changed.
func (d *Division) Owners() []int32 { return d.owner }

// Count returns how many partitions the member has; 0 for an unknown id.
func (d *Division) Count(id string) int {
	m, ok := d.problem.memberNumber(id)
	if !ok {
		return 0
	}
	return len(d.of(m))
}

// Of returns what the member has: partitions ascending, by topic. It is empty,
// not nil, for a member without partitions, and nil for an unknown id. It costs
// O(log members + what the member has).
func (d *Division) Of(id string) map[string][]int32 {
	m, ok := d.problem.memberNumber(id)
	if !ok {
		return nil
	}
	return d.mapOf(m)
}

// mapOf builds the member's map with as much room as it needs.
func (d *Division) mapOf(m int) map[string][]int32 {
	var room [32]topicRun // enough for most, and not allocated
	assigned, _ := d.mapWith(m, room[:0])
	return assigned
}

// topicRun says how many partitions of a topic follow each other in a list.
type topicRun struct{ topic, count int }

// mapWith is mapOf with scratch space that it returns, to be used again.
func (d *Division) mapWith(m int, runs []topicRun) (map[string][]int32, []topicRun) {
	p, list, runs := d.problem, slices.Clone(d.of(m)), runs[:0]
	for at := 0; at < len(list); {
		t := p.topicAt(list[at])
		first := at
		for start, end := p.start[t], p.start[t+1]; at < len(list) && list[at] < end; at++ {
			list[at] -= start
		}
		runs = append(runs, topicRun{t, at - first})
	}
	assigned := make(map[string][]int32, len(runs))
	for _, run := range runs {
		assigned[p.names[run.topic]] = list[:run.count:run.count]
		list = list[run.count:]
	}
	return assigned, runs
}

// TopicsOf returns what the member has, topic by topic in the order of the
// names, partitions ascending; nothing for an unknown id. It is the cheap way to
// write an answer: one allocation, no map.
func (d *Division) TopicsOf(id string) iter.Seq2[string, []int32] {
	m, ok := d.problem.memberNumber(id)
	if !ok {
		return func(func(string, []int32) bool) {}
	}
	return d.topicsOf(m)
}

// All returns every member with its topics and partitions, in the order of the
// ids; each member's topics in the order of their names.
func (d *Division) All() iter.Seq2[string, iter.Seq2[string, []int32]] {
	return func(yield func(string, iter.Seq2[string, []int32]) bool) {
		for m, member := range d.problem.members {
			if !yield(member.ID, d.topicsOf(m)) {
				return
			}
		}
	}
}

func (d *Division) topicsOf(m int) iter.Seq2[string, []int32] {
	return func(yield func(string, []int32) bool) {
		p := d.problem
		rest := slices.Clone(d.of(m))
		t := 0
		for len(rest) > 0 {
			if rest[0] >= p.start[t+1] {
				t = p.topicAt(rest[0])
			}
			n := 0
			for n < len(rest) && rest[n] < p.start[t+1] {
				rest[n] -= p.start[t]
				n++
			}
			if !yield(p.names[t], rest[:n:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// Assignment returns member -> topic -> partitions. Every member has its key;
// partitions ascend. It costs O(members + partitions) and builds as many maps as
// there are members.
func (d *Division) Assignment() map[string]map[string][]int32 {
	all := make(map[string]map[string][]int32, len(d.problem.members))
	var runs []topicRun
	for m, member := range d.problem.members {
		all[member.ID], runs = d.mapWith(m, runs)
	}
	return all
}

// TopicPartition is one partition of one topic.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// name returns the topic and number of a numbered partition.
func (p *problem) name(partition int32) TopicPartition {
	t := p.topicAt(partition)
	return TopicPartition{p.names[t], partition - p.start[t]}
}
