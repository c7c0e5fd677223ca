package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/holdfast/holdfast"
)

// shape is a group without ownership: topics, the subscriptions that occur, and
// which one each member has. Beyond the members that begin, of lists those that
// join later.
type shape struct {
	partitions []int     // of each topic
	patterns   [][]int32 // topics of each distinct subscription, ascending
	of         []int32   // pattern of each member
	members    int       // how many there are at first
}

// edges is the number of (member, topic) subscriptions at first.
func (s *shape) edges() int {
	n := 0
	for _, p := range s.of[:s.members] {
		n += len(s.patterns[p])
	}
	return n
}

// partitionCount is the number of partitions of all topics.
func (s *shape) partitionCount() int {
	n := 0
	for _, k := range s.partitions {
		n += k
	}
	return n
}

// topics returns the topics by name, which is also their order here.
func (s *shape) topics() []holdfast.Topic {
	list := make([]holdfast.Topic, len(s.partitions))
	for t, n := range s.partitions {
		list[t] = holdfast.Topic{Name: fmt.Sprintf("topic-%05d", t), Partitions: n}
	}
	return list
}

// spare is how many members may join beyond the first n.
func spare(n int) int { return n/10 + 1 }

// fill gives every member, and those that may join, a pattern.
func (s *shape) fill(members int, pattern func(m int) int32) *shape {
	s.members = members
	for m := range members + spare(members) {
		s.of = append(s.of, pattern(m))
	}
	return s
}

// alike returns k topics of n partitions each.
func alike(k, n int) []int {
	list := make([]int, k)
	for t := range list {
		list[t] = n
	}
	return list
}

// span returns the topics from a up to, not including, b.
func span(a, b int) []int32 {
	list := make([]int32, 0, b-a)
	for t := a; t < b; t++ {
		list = append(list, int32(t))
	}
	return list
}

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x686f6c64)) }

// equalShape has one subscription for all.
func equalShape(members, topics, size int) *shape {
	s := &shape{partitions: alike(topics, size), patterns: [][]int32{span(0, topics)}}
	return s.fill(members, func(int) int32 { return 0 })
}

// randomShape lets each member read each topic with the given chance.
func randomShape(members, topics, size, percent int) *shape {
	s := &shape{partitions: alike(topics, size)}
	rng := generator(uint64(percent))
	return s.fill(members, func(m int) int32 {
		s.patterns = append(s.patterns, choose(rng, topics, percent))
		return int32(m)
	})
}

// choose picks each topic with the given chance, and at least one.
func choose(rng *rand.Rand, topics, percent int) []int32 {
	var list []int32
	for t := range topics {
		if rng.IntN(100) < percent {
			list = append(list, int32(t))
		}
	}
	if len(list) == 0 {
		list = append(list, int32(rng.IntN(topics)))
	}
	return list
}

// patternShape deals a few subscriptions, each of 30 % of the topics, out to many
// members.
func patternShape(members, topics, size, patterns int) *shape {
	s := &shape{partitions: alike(topics, size)}
	rng := generator(20)
	for range patterns {
		s.patterns = append(s.patterns, choose(rng, topics, 30))
	}
	return s.fill(members, func(int) int32 { return int32(rng.IntN(patterns)) })
}

// zipfShape lets each member read up to 20 topics whose popularity falls with
// their number; topics differ in size.
func zipfShape(members, topics int) *shape {
	s := &shape{}
	rng := generator(26)
	for range topics {
		s.partitions = append(s.partitions, 1+rng.IntN(40))
	}
	popular := rand.NewZipf(rng, 1.2, 1, uint64(topics-1))
	return s.fill(members, func(m int) int32 {
		var list []int32
		for range 20 {
			list = append(list, int32(popular.Uint64()))
		}
		slices.Sort(list)
		s.patterns = append(s.patterns, slices.Compact(list))
		return int32(m)
	})
}

// bucketShape is the unequal case of Kafka's JMH benchmarks: members and topics
// are cut into five runs, and the members of a run read its topics. Each topic
// has members x ratio / topics partitions, or one where that is none.
func bucketShape(members, ratio, topics int) *shape {
	const buckets = 5
	s := &shape{partitions: alike(topics, max(1, members*ratio/topics))}
	for b := range buckets {
		s.patterns = append(s.patterns, span(b*topics/buckets, (b+1)*topics/buckets))
	}
	return s.fill(members, func(m int) int32 { return int32(min(m*buckets/members, buckets-1)) })
}

// unevenTeamsShape has 100 teams of 1 to 99 members. Each reads topics of its
// own, and some of those of the team after it.
func unevenTeamsShape(members int) *shape {
	const teams, topicsEach = 100, 10
	s := &shape{}
	rng := generator(100)
	for range teams * topicsEach {
		s.partitions = append(s.partitions, 1+rng.IntN(60))
	}
	var weights []int
	for team := range teams {
		topics := span(team*topicsEach, (team+1)*topicsEach)
		for range rng.IntN(3) {
			topics = append(topics, int32((team+1)%teams*topicsEach+rng.IntN(topicsEach)))
		}
		slices.Sort(topics)
		s.patterns = append(s.patterns, slices.Compact(topics))
		for range 1 + rng.IntN(99) {
			weights = append(weights, team)
		}
	}
	return s.fill(members, func(int) int32 { return int32(weights[rng.IntN(len(weights))]) })
}

// ringShape seats members around a ring of topics; each reads the two beside it.
func ringShape(members int) *shape {
	s := &shape{}
	rng := generator(2)
	for m := range members {
		s.partitions = append(s.partitions, 1+rng.IntN(16))
		two := []int32{int32(m), int32((m + 1) % members)}
		slices.Sort(two)
		s.patterns = append(s.patterns, two)
	}
	return s.fill(members, func(m int) int32 {
		if m < members {
			return int32(m)
		}
		return int32(rng.IntN(members))
	})
}

// hubShape has one large topic that all read, and small ones for a few each.
func hubShape(members int) *shape {
	spokes := members / 10
	s := &shape{partitions: []int{members * 2}}
	rng := generator(1)
	for spoke := range spokes {
		s.partitions = append(s.partitions, 1+rng.IntN(100))
		s.patterns = append(s.patterns, []int32{0, int32(spoke + 1)})
	}
	return s.fill(members, func(m int) int32 { return int32(m % spokes) })
}

// nestedShape lets the m-th member read the first m topics.
func nestedShape(members, size int) *shape {
	s := &shape{partitions: alike(members, size)}
	for m := range members {
		s.patterns = append(s.patterns, span(0, m+1))
	}
	rng := generator(3)
	return s.fill(members, func(m int) int32 {
		if m < members {
			return int32(m)
		}
		return int32(rng.IntN(members))
	})
}

// caseOf is one case by name. Its shape is built when it is needed: the large
// ones take a while.
type caseOf struct {
	name  string // family/parameters
	build func() *shape
}

// family is the kind of case, for sums over cases.
func (c caseOf) family() string {
	family, _, _ := strings.Cut(c.name, "/")
	return family
}
