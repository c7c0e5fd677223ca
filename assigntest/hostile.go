package assigntest

import (
	"fmt"
	"math"
	"strings"

	"github.com/holdfast/holdfast"
)

func topic(name string, partitions int) holdfast.Topic {
	return holdfast.Topic{Name: name, Partitions: partitions}
}

func member(id string, topics ...string) holdfast.Member {
	return holdfast.Member{ID: id, Topics: topics, Generation: holdfast.NoGeneration}
}

// owner is a member with claims on the topic t.
func owner(id string, generation int32, partitions ...int32) holdfast.Member {
	return holdfast.Member{ID: id, Topics: []string{"t"}, Generation: generation,
		Owned: []holdfast.TopicPartitions{{Topic: "t", Partitions: partitions}}}
}

func group(topics []holdfast.Topic, members ...holdfast.Member) holdfast.Group {
	return holdfast.Group{Topics: topics, Members: members}
}

func topics(list ...holdfast.Topic) []holdfast.Topic { return list }

// hostile lists groups that Check accepts and that nobody should send.
func hostile() []scenario {
	t := topics(topic("t", 5))
	list := []scenario{
		{"no-group", holdfast.Group{}},
		{"no-members", group(t)},
		{"no-topics", group(nil, member("A", "t"), owner("B", 3, 0, 1))},
		{"no-partitions", group(topics(topic("t", 0)), member("A", "t"), owner("B", 3, 0))},
		{"nobody-reads", group(t, member("A"), member("B"))},
		{"topic-read-twice", group(t, member("A", "t", "t", "t"), member("B", "t"))},
		{"claims-out-of-range", group(t, member("A", "t"),
			owner("B", 3, -1, 5, math.MaxInt32, math.MinInt32, 2))},
		{"claim-made-thrice", group(t, member("A", "t"), owner("B", 3, 1, 1, 1))},
		{"all-claim-all", group(t, owner("A", 3, 0, 1, 2, 3, 4), owner("B", 3, 0, 1, 2, 3, 4),
			owner("C", 3, 4, 3, 2, 1, 0))},
		{"generations-at-the-ends", group(t, owner("A", math.MinInt32, 0, 1),
			owner("B", math.MaxInt32, 1, 2), owner("C", 0, 2, 3), owner("D", -7, 3, 4))},
		{"gone-and-here", holdfast.Group{Topics: t,
			Members:  []holdfast.Member{owner("A", 3, 0, 1), member("B", "t")},
			Departed: []holdfast.Member{owner("W", 3, 0, 1, 2), owner("V", 9, 0, -5, 99)}}},
		{"unknown-claims", group(t, member("B", "t"), holdfast.Member{ID: "A",
			Topics: []string{"t", "u"}, Owned: []holdfast.TopicPartitions{
				{Topic: "u", Partitions: []int32{0}}, {Topic: ""}, {Topic: "t"}}})},
		{"no-racks-named", group(topics(holdfast.Topic{Name: "t", Partitions: 3,
			Racks: [][]string{nil, {""}, {"", "a", "a"}}}),
			holdfast.Member{ID: "A", Rack: "a", Topics: []string{"t"}}, member("B", "t"))},
		{"weights-at-the-ends", group(topics(holdfast.Topic{Name: "t", Partitions: 4,
			Weights: []float64{holdfast.MaxWeight, holdfast.MaxWeight, 0, math.SmallestNonzeroFloat64}}),
			holdfast.Member{ID: "A", Capacity: 1 / holdfast.MaxWeight, Topics: []string{"t"}},
			holdfast.Member{ID: "B", Capacity: holdfast.MaxWeight, Topics: []string{"t"}})},
		{"many-partitions", group(topics(topic("t", 50_000)), member("A", "t"),
			owner("B", 3, 0, 49_999), member("C", "t"))},
	}
	for i, name := range []string{" ", "\x00\x07\x1b[31m", "\"'`\\", "a\nb: [c", "\xff\xfe\x80",
		"\u202e\U0001F600\uffff", "../../etc/passwd", "%s%n%d", strings.Repeat("n", 1<<16)} {
		g := group(topics(topic(name, 3)), member(name, name), member(name+"2", name))
		g.Members[0].Owned = []holdfast.TopicPartitions{{Topic: name, Partitions: []int32{2, 0}}}
		g.Members[1].InstanceID, g.Members[1].Rack = name, name
		list = append(list, scenario{fmt.Sprintf("name-%d", i), g})
	}
	return append(list, manyMembers())
}

// manyMembers has far more members than partitions, half of which want what one
// member has.
func manyMembers() scenario {
	g := holdfast.Group{Topics: topics(topic("t", 3), topic("u", 1))}
	for i := range 2000 {
		m := member(fmt.Sprintf("m%d", i), "t")
		if i%2 == 0 {
			m.Topics = []string{"t", "u"}
			m.Generation = int32(i)
			m.Owned = []holdfast.TopicPartitions{{Topic: "u", Partitions: []int32{0}}}
		}
		g.Members = append(g.Members, m)
	}
	return scenario{"many-members", g}
}

// refused lists groups that Check refuses, at least one for each reason.
func refused() []scenario {
	weights := func(w ...float64) holdfast.Group {
		return group(topics(holdfast.Topic{Name: "t", Partitions: 2, Weights: w}), member("A", "t"))
	}
	capacity := func(c float64) holdfast.Group {
		m := member("A", "t")
		m.Capacity = c
		return group(topics(topic("t", 2)), m)
	}
	t := topics(topic("t", 2))
	return []scenario{
		{"topic-without-name", group(topics(topic("", 2)), member("A", "t"))},
		{"topic-twice", group(topics(topic("t", 2), topic("t", 2)), member("A", "t"))},
		{"negative-partitions", group(topics(topic("t", -1)), member("A", "t"))},
		{"too-many-partitions", group(topics(topic("t", 1), topic("u", holdfast.MaxPartitions)),
			member("A", "t", "u"))},
		{"partitions-that-overflow", group(topics(topic("t", math.MaxInt), topic("u", math.MaxInt)),
			member("A", "t", "u"))},
		{"racks-of-another-length", group(topics(holdfast.Topic{Name: "t", Partitions: 2,
			Racks: [][]string{{"a"}}}), member("A", "t"))},
		{"weights-of-another-length", weights(1, 1, 1)},
		{"negative-weight", weights(1, -1)},
		{"infinite-weight", weights(1, math.Inf(1))},
		{"weight-that-is-no-number", weights(math.NaN(), 1)},
		{"member-without-id", group(t, member("", "t"))},
		{"member-twice", group(t, member("A", "t"), member("B", "t"), member("A"))},
		{"member-here-and-gone", holdfast.Group{Topics: t,
			Members: []holdfast.Member{member("A", "t")}, Departed: []holdfast.Member{member("A")}}},
		{"negative-capacity", capacity(-1)},
		{"infinite-capacity", capacity(math.Inf(1))},
		{"capacity-that-is-no-number", capacity(math.NaN())},
	}
}
