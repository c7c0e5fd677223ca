package kgobalancer

import (
	"slices"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

// weigh writes a member's claims with what they weigh.
func (b *balancer) weigh(claimed wire.Sticky) ([]byte, error) {
	w := wire.Weighted{Sticky: claimed, Weights: []float64{}}
	w.Capacity = usableCapacity(b.options.Capacity)
	for _, tp := range claimed.Owned {
		for _, p := range tp.Partitions {
			w.Weights = append(w.Weights, b.weightOf(tp.Topic, p))
		}
	}
	return wire.AppendWeighted([]byte{}, &w)
}

// weightOf asks the application; a weight that is none is one it does not know.
func (b *balancer) weightOf(topic string, partition int32) float64 {
	if b.options.Weigh == nil {
		return wire.UnknownWeight
	}
	weight, known := b.options.Weigh(topic, partition)
	if !known {
		return wire.UnknownWeight
	}
	return usableWeight(weight)
}

// usableWeight makes a weight that the core would refuse one that is not known:
// no member may stop the group with it.
func usableWeight(weight float64) float64 {
	if !(weight >= 0 && weight <= holdfast.MaxWeight) {
		return wire.UnknownWeight
	}
	return weight
}

// usableCapacity makes a capacity that the core would refuse the usual one.
func usableCapacity(capacity float64) float64 {
	if !(capacity >= 1/holdfast.MaxWeight && capacity <= holdfast.MaxWeight) {
		return 0
	}
	return capacity
}

// addWeights puts the weights of all partitions into the topics: what members
// told first, then what this application knows, then averages. Topics stay
// without weights where nobody knows any.
func (t *turn) addWeights(topics []holdfast.Topic) {
	if t.balancer.claiming() != weighing {
		return
	}
	told := t.toldWeights(topics)
	var all average
	perTopic := make([]average, len(topics))
	for i, topic := range topics {
		for p := range told[i] {
			if told[i][p] == wire.UnknownWeight {
				told[i][p] = t.balancer.weightOf(topic.Name, int32(p))
			}
			perTopic[i].add(told[i][p])
			all.add(told[i][p])
		}
	}
	if all.count == 0 {
		return
	}
	for i := range topics {
		for p, weight := range told[i] {
			if weight == wire.UnknownWeight {
				told[i][p] = perTopic[i].or(all.or(1))
			}
		}
		topics[i].Weights = told[i]
	}
}

// toldWeights lists, for each topic, what members told of its partitions. Of
// several that tell of one, the newest generation counts; at equal generations the
// greater weight, so that the order of the members does not show.
func (t *turn) toldWeights(topics []holdfast.Topic) [][]float64 {
	number := make(map[string]int, len(topics))
	told := make([][]float64, len(topics))
	for i, topic := range topics {
		number[topic.Name] = i
		told[i] = slices.Repeat([]float64{wire.UnknownWeight}, topic.Partitions)
	}
	reports := slices.Clone(t.weighed)
	slices.SortStableFunc(reports, func(a, b wire.Weighted) int {
		return int(min(1, max(-1, int64(b.Generation)-int64(a.Generation))))
	})
	generation := make(map[holdfast.TopicPartition]int32)
	for _, r := range reports {
		next := 0
		for _, tp := range r.Owned {
			i, known := number[tp.Topic]
			for _, p := range tp.Partitions {
				weight := usableWeight(r.Weights[next])
				next++
				if !known || p < 0 || int(p) >= len(told[i]) || weight == wire.UnknownWeight {
					continue
				}
				at := holdfast.TopicPartition{Topic: tp.Topic, Partition: p}
				switch newest, seen := generation[at]; {
				case !seen:
					generation[at], told[i][p] = r.Generation, weight
				case newest == r.Generation:
					told[i][p] = max(told[i][p], weight)
				}
			}
		}
	}
	return told
}

// average is the mean of the known weights.
type average struct {
	sum   float64
	count int
}

func (a *average) add(weight float64) {
	if weight != wire.UnknownWeight {
		a.sum += weight
		a.count++
	}
}

// or returns the mean, or another value where there is none.
func (a *average) or(other float64) float64 {
	if a.count == 0 {
		return other
	}
	return a.sum / float64(a.count)
}
