package holdfast

import "hash/maphash"

// topicNumbers finds the number of a topic by its name. Members name the topics
// they read in order as a rule, and own like parts of them, so first the topic is
// tried that came after the last one found when that was last found; then a table
// is asked.
type topicNumbers struct {
	topics []*Topic
	seed   maphash.Seed
	table  []int32 // topic+1 or 0, by hash; a power of two long, at most half full
	after  []int32 // of each topic: the one that was looked up after it
	last   int32   // the topic that was found last
}

func newTopicNumbers(topics []*Topic) *topicNumbers {
	if len(topics) == 0 {
		return &topicNumbers{}
	}
	size := 2
	for size < 2*len(topics) {
		size *= 2
	}
	n := &topicNumbers{topics: topics, seed: maphash.MakeSeed(),
		table: make([]int32, size), after: make([]int32, len(topics))}
	for t, topic := range topics {
		n.after[t] = int32((t + 1) % len(topics))
		*n.slot(topic.Name) = int32(t) + 1
	}
	n.last = int32(len(topics) - 1)
	return n
}

// slot returns where in the table the topic of a name is, or would be.
func (n *topicNumbers) slot(name string) *int32 {
	i := maphash.String(n.seed, name)
	for {
		i &= uint64(len(n.table) - 1)
		if t := n.table[i]; t == 0 || n.topics[t-1].Name == name {
			return &n.table[i]
		}
		i++
	}
}

// of returns the number of the topic, or -1 when there is none of that name.
func (n *topicNumbers) of(name string) int32 {
	if len(n.topics) == 0 {
		return -1
	}
	t := n.after[n.last]
	if n.topics[t].Name != name {
		if t = *n.slot(name) - 1; t < 0 {
			return -1
		}
		n.after[n.last] = t
	}
	n.last = t
	return t
}
