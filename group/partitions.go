package group

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast/holdfast"
)

// Partitions is a set of partitions: topics by name, partitions ascending, no
// topic without partitions. It is shared between messages and never changed.
type Partitions []holdfast.TopicPartitions

// NewPartitions sorts what it is given and drops what is said twice. It costs
// O(p log p).
func NewPartitions(lists []holdfast.TopicPartitions) Partitions {
	sorted := make(Partitions, 0, len(lists))
	for _, t := range lists {
		if len(t.Partitions) > 0 {
			sorted = append(sorted, holdfast.TopicPartitions{Topic: t.Topic,
				Partitions: slices.Clone(t.Partitions)})
		}
	}
	slices.SortStableFunc(sorted, func(a, b holdfast.TopicPartitions) int {
		return cmp.Compare(a.Topic, b.Topic)
	})
	merged := sorted[:0]
	for _, t := range sorted {
		if n := len(merged); n > 0 && merged[n-1].Topic == t.Topic {
			merged[n-1].Partitions = append(merged[n-1].Partitions, t.Partitions...)
			continue
		}
		merged = append(merged, t)
	}
	for i := range merged {
		slices.Sort(merged[i].Partitions)
		merged[i].Partitions = slices.Compact(merged[i].Partitions)
	}
	return merged
}

// topicPartitions names partitions of one topic.
func topicPartitions(topic string, numbers []int32) holdfast.TopicPartitions {
	return holdfast.TopicPartitions{Topic: topic, Partitions: numbers}
}

// Len is the number of partitions, over all topics.
func (p Partitions) Len() int {
	n := 0
	for _, t := range p {
		n += len(t.Partitions)
	}
	return n
}

// Equal reports whether both sets are the same.
func (p Partitions) Equal(q Partitions) bool {
	return slices.EqualFunc(p, q, func(a, b holdfast.TopicPartitions) bool {
		return a.Topic == b.Topic && slices.Equal(a.Partitions, b.Partitions)
	})
}

// Minus returns what is in p and not in q, in O(p + q). Where nothing is taken
// away the result shares its memory with p.
func (p Partitions) Minus(q Partitions) Partitions {
	return p.split(q, false)
}

// And returns what is in both p and q, in O(p + q).
func (p Partitions) And(q Partitions) Partitions {
	return p.split(q, true)
}

// split returns the part of p that is in q, or the part that is not.
func (p Partitions) split(q Partitions, in bool) Partitions {
	if len(p) == 0 {
		return nil
	}
	var result Partitions
	at := 0
	for _, t := range p {
		for at < len(q) && q[at].Topic < t.Topic {
			at++
		}
		var other []int32
		if at < len(q) && q[at].Topic == t.Topic {
			other = q[at].Partitions
		}
		if kept := splitNumbers(t.Partitions, other, in); len(kept) > 0 {
			result = append(result, holdfast.TopicPartitions{Topic: t.Topic, Partitions: kept})
		}
	}
	return result
}

// splitNumbers returns the numbers of a that are in b, or those that are not. If
// all are, it is a itself.
func splitNumbers(a, b []int32, in bool) []int32 {
	same := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			same, i, j = same+1, i+1, j+1
		}
	}
	switch {
	case in && same == len(a), !in && same == 0:
		return a
	case in && same == 0, !in && same == len(a):
		return nil
	}
	kept := make([]int32, 0, len(a))
	for _, n := range a {
		if _, found := slices.BinarySearch(b, n); found == in {
			kept = append(kept, n)
		}
	}
	return kept
}

// Plus returns what is in p or in q.
func (p Partitions) Plus(q Partitions) Partitions {
	switch {
	case len(q) == 0:
		return p
	case len(p) == 0:
		return q
	}
	return NewPartitions(slices.Concat(p, q))
}

// Of returns the part of p whose topics are among the given ones, which are
// sorted.
func (p Partitions) Of(topics []string) Partitions {
	all := true
	for _, t := range p {
		if _, found := slices.BinarySearch(topics, t.Topic); !found {
			all = false
		}
	}
	if all {
		return p
	}
	var result Partitions
	for _, t := range p {
		if _, found := slices.BinarySearch(topics, t.Topic); found {
			result = append(result, t)
		}
	}
	return result
}

// Has reports whether the partition is in the set.
func (p Partitions) Has(topic string, partition int32) bool {
	for _, t := range p {
		if t.Topic == topic {
			_, found := slices.BinarySearch(t.Partitions, partition)
			return found
		}
	}
	return false
}

// String writes the set as "orders[0-3,7] payments[0]", and "nothing" if it is
// empty.
func (p Partitions) String() string {
	if len(p) == 0 {
		return "nothing"
	}
	var b strings.Builder
	for i, t := range p {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Topic)
		b.WriteByte('[')
		for from := 0; from < len(t.Partitions); {
			to := from
			for to+1 < len(t.Partitions) && t.Partitions[to+1] == t.Partitions[to]+1 {
				to++
			}
			if from > 0 {
				b.WriteByte(',')
			}
			if from == to {
				fmt.Fprint(&b, t.Partitions[from])
			} else {
				fmt.Fprintf(&b, "%d-%d", t.Partitions[from], t.Partitions[to])
			}
			from = to + 1
		}
		b.WriteByte(']')
	}
	return b.String()
}
