package holdfast

import "hash/maphash"

// topicNumbers finds the number of a topic by its name. Members name the topics
// they read in order as a rule, and own like parts of them, so first the topic is
// tried that came after the last one found when that was last found; then a table
// is asked.
type topicNumbers struct {
	names []string // by number
	seed  maphash.Seed
	table []int32 // topic+1 or 0, by hash; a power of two long, at most half full
	after []int32 // of each topic: the one that was looked up after it
	last  int     // the topic that was found last
}

func newTopicNumbers(names []string) *topicNumbers {
	size := 2
	for size < 2*len(names) {
		size *= 2
	}
	n := &topicNumbers{names: names, seed: maphash.MakeSeed(),
		table: make([]int32, size), after: make([]int32, len(names))}
	for t, name := range names {
		n.after[t] = int32((t + 1) % len(names))
		*n.slot(name) = int32(t) + 1
	}
	n.last = len(names) - 1
	return n
}

// slot returns where in the table the topic of a name is, or would be.
func (n *topicNumbers) slot(name string) *int32 {
	i := maphash.String(n.seed, name)
	for {
		i &= uint64(len(n.table) - 1)
		if t := n.table[i]; t == 0 || n.names[t-1] == name {
			return &n.table[i]
		}
		i++
	}
}

// of returns the number of the topic, or -1 when there is none of that name.
func (n *topicNumbers) of(name string) int32 {
	if n.last >= 0 {
		if t := n.after[n.last]; n.names[t] == name {
			n.last = int(t)
			return t
		}
	}
	return n.find(name)
}

// find is of without a guess.
func (n *topicNumbers) find(name string) int32 {
	t := *n.slot(name) - 1
	if t >= 0 {
		n.after[n.last] = t
		n.last = int(t)
	}
	return t
}
