package wire

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/holdfast/holdfast"
)

// The least that an element of each kind of array takes.
const (
	leastString          = 2     // its length
	leastPartition       = 4     // its number
	leastTopicPartitions = 2 + 4 // an empty name and an empty list
)

// partitionList is a list of topics with their partitions, checked from end to
// end but not yet taken apart: the owned partitions of a subscription, the
// partitions of an assignment, the claims in sticky user data.
type partitionList struct {
	bytes      []byte // from the first topic on, its count left out
	topics     int
	partitions int
}

// partitionList walks over such a list. Nothing is allocated, so a count that
// lies costs nothing.
func (r *reader) partitionList(field string) partitionList {
	list := partitionList{topics: r.count(field, leastTopicPartitions)}
	start := r.at
	for range list.topics {
		r.name(field)
		n := r.count(field, leastPartition)
		if r.err != nil {
			return partitionList{}
		}
		r.at += n * leastPartition
		list.partitions += n
	}
	list.bytes = r.data[start:r.at]
	return list
}

// read takes a checked list apart: two allocations and what names costs.
func (l partitionList) read(names naming) []holdfast.TopicPartitions {
	if l.topics == 0 {
		return nil
	}
	all := make([]holdfast.TopicPartitions, l.topics)
	numbers := make([]int32, l.partitions)
	names.begin(l.bytes)
	at := 0
	for i := range all {
		n := int(binary.BigEndian.Uint16(l.bytes[at:]))
		at += 2
		all[i].Topic = names.name(at, at+n)
		at += n
		count := int(binary.BigEndian.Uint32(l.bytes[at:]))
		at += 4
		for p := range count {
			numbers[p] = int32(binary.BigEndian.Uint32(l.bytes[at:]))
			at += 4
		}
		all[i].Partitions, numbers = numbers[:count:count], numbers[count:]
	}
	return all
}

// naming turns the bytes of names into strings. With a Decoder it hands out the
// string that it gave for these bytes before; without one it makes one string of
// the whole list and cuts the names out of it.
type naming struct {
	decoder *Decoder
	bytes   []byte
	text    string
}

func (n *naming) begin(list []byte) {
	n.bytes = list
	if n.decoder == nil {
		n.text = string(list)
	}
}

func (n *naming) name(from, to int) string {
	if n.decoder == nil {
		return n.text[from:to]
	}
	return n.decoder.intern(n.bytes[from:to])
}

// partitionList writes topics with their partitions in the order given.
func (w *writer) partitionList(field string, list []holdfast.TopicPartitions) {
	w.length(field, true, len(list))
	for i := range list {
		w.string(field, list[i].Topic)
		w.length(field, true, len(list[i].Partitions))
		for _, p := range list[i].Partitions {
			w.int32(p)
		}
	}
}

// Sorted returns the same partitions with one entry for each topic, topics by
// name, partitions by number and each once: the order in which Kafka's own
// clients write them, and which makes equal claims equal bytes. The argument is
// not changed. It costs O(p log p).
func Sorted(list []holdfast.TopicPartitions) []holdfast.TopicPartitions {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b holdfast.TopicPartitions) int {
		return cmp.Compare(a.Topic, b.Topic)
	})
	merged := sorted[:0]
	for _, tp := range sorted {
		if last := len(merged) - 1; last >= 0 && merged[last].Topic == tp.Topic {
			merged[last].Partitions = append(merged[last].Partitions, tp.Partitions...)
			continue
		}
		tp.Partitions = slices.Clone(tp.Partitions)
		merged = append(merged, tp)
	}
	for i := range merged {
		slices.Sort(merged[i].Partitions)
		merged[i].Partitions = slices.Compact(merged[i].Partitions)
	}
	return merged
}
