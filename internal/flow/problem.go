package flow

// None marks a partition without an owner, a member without a rack, and a
// partition whose racks are not known.
const None int32 = -1

// Problem is one assignment to compute. Member numbers follow the order of ids,
// topic numbers the order of names; partitions are numbered through, topic by
// topic. Nothing in it is changed by solving it.
type Problem struct {
	// Start has one entry more than there are topics: topic t has the partitions
	// Start[t] to Start[t+1]-1.
	Start []int32

	// Class is the subscription class of each member, an index into Topics.
	Class []int32

	// Topics lists the topics of each class, ascending, each once. Different
	// classes have different lists; a list may be empty.
	Topics [][]int32

	// Owner is, for each partition, the member whose claim stands and who
	// subscribes to its topic, or None.
	Owner []int32

	// Rack is each member's rack number or None; empty when no member has one.
	Rack []int32

	// RackSet is, for each partition, the index of its set of replica racks in
	// RackSets, or None; empty when racks play no part.
	RackSet []int32

	// RackSets lists rack numbers, ascending, each once, none of the lists empty
	// and no two the same.
	RackSets [][]int32

	// Spread asks for one more rank between moves and the canonical rules: the
	// least sum of squared counts of one topic's partitions at one member.
	Spread bool
}

// Members returns the number of members.
func (p *Problem) Members() int { return len(p.Class) }

// TopicCount returns the number of topics.
func (p *Problem) TopicCount() int { return len(p.Start) - 1 }

// Partitions returns the number of partitions of all topics.
func (p *Problem) Partitions() int { return int(p.Start[len(p.Start)-1]) }

// TopicOf returns the topic of each partition, in O(partitions).
func (p *Problem) TopicOf() []int32 {
	topic := make([]int32, p.Partitions())
	for t := range p.TopicCount() {
		for i := p.Start[t]; i < p.Start[t+1]; i++ {
			topic[i] = int32(t)
		}
	}
	return topic
}

// Racked reports whether racks play a part: some member has a rack and some
// partition has a set of racks.
func (p *Problem) Racked() bool { return len(p.Rack) > 0 && len(p.RackSet) > 0 }

// Miss reports whether partition i at member m counts as a rack miss: both name
// racks, and the member's is not among the partition's. It costs O(racks of i).
func (p *Problem) Miss(i, m int32) bool {
	if !p.Racked() || p.Rack[m] == None || p.RackSet[i] == None {
		return false
	}
	for _, r := range p.RackSets[p.RackSet[i]] {
		if r == p.Rack[m] {
			return false
		}
	}
	return true
}
