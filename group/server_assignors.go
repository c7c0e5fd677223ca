package group

import (
	"cmp"
	"slices"
	"strings"

	"github.com/holdfast/holdfast"
)

// subscriber is a member as the server assignors see it.
type subscriber struct {
	id, instance string
	topics       []string
	before       Partitions // the target so far
	target       Partitions
}

// serverAssignor computes the target of every member of a consumer group from the
// targets so far. Members are sorted by id, topics by name. It fills in target.
type serverAssignor func(members []*subscriber, topics []holdfast.Topic)

// serverAssignorOf returns the assignor of that name, nil if the broker has none.
func serverAssignorOf(name string) serverAssignor {
	switch name {
	case "uniform":
		return assignUniform
	case "range":
		return assignRange
	}
	return nil
}

// assignRange gives each topic out in contiguous ranges, to static members first.
// Who owned what plays no part. A topic that does not exist has no partitions here;
// Kafka's broker fails to assign.
func assignRange(members []*subscriber, topics []holdfast.Topic) {
	order := slices.Clone(members)
	slices.SortStableFunc(order, func(a, b *subscriber) int {
		switch {
		case (a.instance == "") != (b.instance == ""):
			return cmp.Compare(b.instance, "") - cmp.Compare(a.instance, "")
		case a.instance != b.instance:
			return strings.Compare(a.instance, b.instance)
		}
		return strings.Compare(a.id, b.id)
	})
	for i := range topics {
		var readers []*subscriber
		for _, m := range order {
			if _, found := slices.BinarySearch(m.topics, topics[i].Name); found {
				readers = append(readers, m)
			}
		}
		next := 0
		for k, m := range readers {
			count := topics[i].Partitions / len(readers)
			if k < topics[i].Partitions%len(readers) {
				count++
			}
			if count > 0 {
				m.target = append(m.target, holdfast.TopicPartitions{Topic: topics[i].Name,
					Partitions: rangeOf(next, next+count)})
			}
			next += count
		}
	}
}

func rangeOf(from, to int) []int32 {
	numbers := make([]int32, 0, to-from)
	for n := from; n < to; n++ {
		numbers = append(numbers, int32(n))
	}
	return numbers
}

// slot is one partition while a target is being put together.
type slot struct {
	topic     int
	partition int32
}

// assignUniform balances the numbers of partitions and keeps what it can.
func assignUniform(members []*subscriber, topics []holdfast.Topic) {
	if len(members) == 0 {
		return
	}
	same := !slices.ContainsFunc(members, func(m *subscriber) bool {
		return !slices.Equal(m.topics, members[0].topics)
	})
	var owned [][]slot
	if same {
		owned = uniformForAll(members, topics)
	} else {
		owned = uniformForEach(members, topics)
	}
	for i, m := range members {
		m.target = slotPartitions(owned[i], topics)
	}
}

// slotPartitions turns slots into a set.
func slotPartitions(slots []slot, topics []holdfast.Topic) Partitions {
	slices.SortFunc(slots, func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.partition, b.partition))
	})
	var p Partitions
	for _, s := range slots {
		name := topics[s.topic].Name
		if n := len(p); n == 0 || p[n-1].Topic != name {
			p = append(p, holdfast.TopicPartitions{Topic: name})
		}
		last := &p[len(p)-1]
		last.Partitions = append(last.Partitions, s.partition)
	}
	return p
}

// kept lists what the member has of topics that exist and that it subscribes to.
func (m *subscriber) kept(topics []holdfast.Topic) []slot {
	var slots []slot
	for _, t := range m.before {
		at, found := findTopic(topics, t.Topic)
		if _, subscribed := slices.BinarySearch(m.topics, t.Topic); !found || !subscribed {
			continue
		}
		for _, n := range t.Partitions {
			if int(n) < topics[at].Partitions {
				slots = append(slots, slot{at, n})
			}
		}
	}
	return slots
}

// taken marks which partitions somebody has.
type taken [][]bool

func newTaken(topics []holdfast.Topic) taken {
	t := make(taken, len(topics))
	for i := range topics {
		t[i] = make([]bool, topics[i].Partitions)
	}
	return t
}

func (t taken) mark(s slot) bool {
	if t[s.topic][s.partition] {
		return false
	}
	t[s.topic][s.partition] = true
	return true
}

// uniformForAll is for members that all subscribe to the same topics. The first
// members get the partitions that do not divide evenly, whatever they had; each
// keeps what it had up to its share, and what is free goes, before what was let go,
// to those with room.
func uniformForAll(members []*subscriber, topics []holdfast.Topic) [][]slot {
	total := 0
	for i := range topics {
		if _, found := slices.BinarySearch(members[0].topics, topics[i].Name); found {
			total += topics[i].Partitions
		}
	}
	has := newTaken(topics)
	owned := make([][]slot, len(members))
	quota := make([]int, len(members))
	var released []slot
	for i, m := range members {
		quota[i] = total / len(members)
		if i < total%len(members) {
			quota[i]++
		}
		for _, s := range m.kept(topics) {
			switch {
			case !has.mark(s):
			case len(owned[i]) < quota[i]:
				owned[i] = append(owned[i], s)
			default:
				released = append(released, s)
			}
		}
	}
	free := append(has.free(members[0].topics, topics), released...)
	for i := range members {
		n := min(quota[i]-len(owned[i]), len(free))
		owned[i] = append(owned[i], free[:n]...)
		free = free[n:]
	}
	return owned
}

// free lists what nobody has of the topics named.
func (t taken) free(names []string, topics []holdfast.Topic) []slot {
	var slots []slot
	for i := range topics {
		if _, found := slices.BinarySearch(names, topics[i].Name); !found {
			continue
		}
		for n, has := range t[i] {
			if !has {
				slots = append(slots, slot{i, int32(n)})
			}
		}
	}
	return slots
}

// maxSweeps bounds the balancing of unequal subscriptions.
const maxSweeps = 16

// uniformForEach is for members with different subscriptions. Everybody keeps what
// it still subscribes to; what is free goes topic by topic, the ones with the most
// partitions for each subscriber first, to the subscriber with the fewest; then
// topics are swept until no subscribers of one topic differ by more than one, or
// maxSweeps times.
func uniformForEach(members []*subscriber, topics []holdfast.Topic) [][]slot {
	has := newTaken(topics)
	owned := make([][]slot, len(members))
	readers := make([][]int, len(topics))
	for i, m := range members {
		for _, s := range m.kept(topics) {
			if has.mark(s) {
				owned[i] = append(owned[i], s)
			}
		}
		for _, name := range m.topics {
			if at, found := findTopic(topics, name); found {
				readers[at] = append(readers[at], i)
			}
		}
	}
	order := make([]int, 0, len(topics))
	for i := range topics {
		if len(readers[i]) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		perA := topics[a].Partitions * len(readers[b])
		perB := topics[b].Partitions * len(readers[a])
		return cmp.Or(cmp.Compare(perB, perA), cmp.Compare(len(readers[a]), len(readers[b])))
	})
	for _, at := range order {
		for n, taken := range has[at] {
			if !taken {
				least := slices.MinFunc(readers[at], func(a, b int) int {
					return cmp.Compare(len(owned[a]), len(owned[b]))
				})
				owned[least] = append(owned[least], slot{at, int32(n)})
			}
		}
	}
	for range maxSweeps {
		moved := false
		for _, at := range order {
			for len(readers[at]) > 1 && levelTopic(at, readers[at], owned) {
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	return owned
}

// levelTopic moves one partition of the topic from the fullest of its readers that
// has one to the emptiest, if they differ by more than one.
func levelTopic(topic int, readers []int, owned [][]slot) bool {
	least := slices.MinFunc(readers, func(a, b int) int {
		return cmp.Compare(len(owned[a]), len(owned[b]))
	})
	most, which := -1, 0
	for _, i := range readers {
		if most >= 0 && len(owned[i]) <= len(owned[most]) {
			continue
		}
		// The last one is the first to go.
		for k := len(owned[i]) - 1; k >= 0; k-- {
			if owned[i][k].topic == topic {
				most, which = i, k
				break
			}
		}
	}
	if most < 0 || len(owned[most])-len(owned[least]) < 2 {
		return false
	}
	owned[least] = append(owned[least], owned[most][which])
	owned[most] = slices.Delete(owned[most], which, which+1)
	return true
}
