package holdfast

import (
	"math/bits"
	"slices"
)

// subscribe puts members with equal subscriptions into one class.
func (p *problem) subscribe(names *topicNumbers) {
	p.class = make([]int32, len(p.members))
	c := classifier{problem: p, names: names,
		byList: make(map[sharedList]int32), bySet: make(map[uint64]int32)}
	for m, member := range p.members {
		if m > 0 && sameList(member.Topics, p.members[m-1].Topics) {
			p.class[m] = p.class[m-1]
			continue
		}
		p.class[m] = c.classOf(member.Topics)
	}
	slices.Sort(p.missing)
	p.missing = slices.Compact(p.missing)
}

// sameList reports whether both are the same list, at best without a look at its
// names.
func sameList(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	return len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b)
}

// classifier numbers distinct subscriptions by their first appearance.
type classifier struct {
	problem *problem
	names   *topicNumbers
	room    []int32 // what classes' topics are written to, many to an allocation
	byList  map[sharedList]int32
	bySet   map[uint64]int32 // hash of the topic numbers -> the last class that has it
	before  []int32          // of each class: the one before it with that hash, or -1
}

// sharedList is one slice of names. Whoever decodes what members send gives those
// with the same bytes the same slice, and then its names are looked up once.
type sharedList struct {
	first  *string
	length int
}

func (c *classifier) classOf(topics []string) int32 {
	if len(topics) == 0 {
		return c.classOfSet(nil)
	}
	list := sharedList{&topics[0], len(topics)}
	class, ok := c.byList[list]
	if !ok {
		class = c.classOfSet(c.numbers(topics))
		c.byList[list] = class
	}
	return class
}

// numbers returns the topics that exist and have partitions, ascending, once.
func (c *classifier) numbers(topics []string) []int32 {
	if cap(c.room)-len(c.room) < len(topics) {
		c.room = make([]int32, 0, max(1024, len(topics)))
	}
	set := c.room[len(c.room):len(c.room)]
	ascending := true
	for _, name := range topics {
		switch t := c.names.of(name); {
		case t < 0:
			c.problem.missing = append(c.problem.missing, name)
		case c.problem.topics[t].Partitions > 0:
			ascending = ascending && (len(set) == 0 || set[len(set)-1] < t)
			set = append(set, t)
		}
	}
	if !ascending {
		slices.Sort(set)
		set = slices.Compact(set)
	}
	c.room = c.room[:len(c.room)+len(set)]
	return slices.Clip(set)
}

func (c *classifier) classOfSet(set []int32) int32 {
	key := uint64(len(set))
	for _, t := range set {
		key = (bits.RotateLeft64(key, 29) ^ uint64(t)) * 0x9e3779b97f4a7c15
	}
	last, ok := c.bySet[key]
	if !ok {
		last = -1
	}
	for class := last; class >= 0; class = c.before[class] {
		if slices.Equal(c.problem.classes[class], set) {
			return class
		}
	}
	class := int32(len(c.problem.classes))
	c.problem.classes = append(c.problem.classes, set)
	c.before = append(c.before, last)
	c.bySet[key] = class
	return class
}
