// Package makespan divides weighted partitions so that the member with the
// heaviest load, relative to its capacity, is as light as can be found, together
// with a lower bound that no division can beat.
//
// Finding the best division is NP-hard even for two equal members, so this is a
// search, not a proof. It begins with what members own, gives the rest out
// heaviest first, and improves the heaviest member by moves, swaps and chains.
// Where that ends above the lower bound by more than one partition, a rounded
// fractional solution (Lenstra, Shmoys and Tardos 1990) starts it again, which
// bounds the result for members of equal capacity. Small groups are searched
// through to the end and are exact.
//
// All work is bounded by counting steps, never by time, so equal problems have
// equal answers.
package makespan

import (
	"math"
	"slices"

	"github.com/holdfast/holdfast/internal/flow"
)

// Problem is an assignment of weighted partitions to compute. Racks and spread
// of the embedded problem play no part.
type Problem struct {
	*flow.Problem

	// Weight is the load of each partition: finite, not negative.
	Weight []float64

	// Capacity is what each member can take beside the others: finite, above 0.
	Capacity []float64

	// MaxSkew is how far above the lower bound the heaviest load may stay, as a
	// share of it, before partitions are moved to lower it further.
	MaxSkew float64
}

// Result is a division and what is known of it.
type Result struct {
	Owner    []int32 // per partition: member, or flow.None without a subscriber
	Heaviest float64 // the greatest load, weight over capacity
	Bound    float64 // no division has a smaller one
	Exact    bool    // no division has a smaller heaviest load: all were looked at
}

// Solve searches for a division. With n members, p partitions and k distinct
// pairs of subscription and capacity it costs O((n + p k) log n) to give the
// partitions out and a bounded number of improvements, each O(partitions of one
// member x k).
func Solve(p *Problem) Result {
	n := newNetwork(p)
	bound := n.bound()
	enough := bound * (1 + p.MaxSkew)
	best := n.find(bound, enough)
	best.giveBack(max(best.heaviest(), enough))
	exact := best.searchAll(&bound)
	best.addUp()
	return Result{Owner: best.owner, Heaviest: best.heaviest(), Bound: bound, Exact: exact}
}

// Bound returns a load that the heaviest member of no division is below. It costs
// a few flows over rows of topics and kinds of members.
func Bound(p *Problem) float64 { return newNetwork(p).bound() }

// find searches from what is owned, and if that ends too far above the bound
// from the rounded fractional division.
func (n *network) find(bound, enough float64) *state {
	best := newState(n)
	best.keep()
	best.place()
	best.improve(enough)
	if best.heaviest() <= max(enough, bound+n.heaviestItem()) {
		return best
	}
	other := newState(n)
	other.round(bound, n.fractional(bound))
	other.place()
	other.improve(enough)
	if other.heaviest() < best.heaviest() {
		return other
	}
	return best
}

// network is the problem with its topics and members grouped: rows of topics
// that the same classes subscribe to, kinds of members with the same class and
// capacity.
type network struct {
	*Problem
	topic []int32   // of each partition
	rows  []row     // rows with subscribers
	rowOf []int32   // of each topic, or flow.None without a subscriber
	kinds []kind    // by class, then capacity
	kind  []int32   // of each member
	byKey [][]int32 // of each class: its kinds
}

type row struct {
	classes []int32
	kinds   []int32 // of all its classes
	weight  float64
	items   []int32 // partitions, ascending
}

type kind struct {
	class    int32
	capacity float64
	members  []int32
}

func newNetwork(p *Problem) *network {
	n := &network{Problem: p, topic: p.TopicOf(), rowOf: make([]int32, p.TopicCount())}
	n.groupMembers()
	classes := make([][]int32, p.TopicCount())
	for c, topics := range p.Topics {
		for _, t := range topics {
			classes[t] = append(classes[t], int32(c))
		}
	}
	seen := make(map[string]int32)
	for t, of := range classes {
		of = slices.DeleteFunc(of, func(c int32) bool { return len(n.byKey[c]) == 0 })
		n.rowOf[t] = flow.None
		if len(of) == 0 {
			continue
		}
		key := string(appendInts(nil, of))
		r, ok := seen[key]
		if !ok {
			r = int32(len(n.rows))
			seen[key] = r
			n.rows = append(n.rows, row{classes: of})
			for _, c := range of {
				n.rows[r].kinds = append(n.rows[r].kinds, n.byKey[c]...)
			}
		}
		n.rowOf[t] = r
	}
	for i, t := range n.topic {
		if r := n.rowOf[t]; r != flow.None {
			n.rows[r].weight += p.Weight[i]
			n.rows[r].items = append(n.rows[r].items, int32(i))
		}
	}
	return n
}

// groupMembers numbers the kinds by class and capacity, so that no order of the
// input shows.
func (n *network) groupMembers() {
	order := make([]int32, n.Members())
	for m := range order {
		order[m] = int32(m)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		if n.Class[a] != n.Class[b] {
			return int(n.Class[a]) - int(n.Class[b])
		}
		switch {
		case n.Capacity[a] < n.Capacity[b]:
			return -1
		case n.Capacity[a] > n.Capacity[b]:
			return 1
		}
		return 0
	})
	n.kind = make([]int32, n.Members())
	n.byKey = make([][]int32, len(n.Topics))
	for _, m := range order {
		k := len(n.kinds) - 1
		if k < 0 || n.kinds[k].class != n.Class[m] || n.kinds[k].capacity != n.Capacity[m] {
			k++
			n.kinds = append(n.kinds, kind{class: n.Class[m], capacity: n.Capacity[m]})
			n.byKey[n.Class[m]] = append(n.byKey[n.Class[m]], int32(k))
		}
		n.kinds[k].members = append(n.kinds[k].members, m)
		n.kind[m] = int32(k)
	}
}

func appendInts(key []byte, list []int32) []byte {
	for _, v := range list {
		key = append(key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return key
}

// heaviestItem is the greatest weight of a partition that somebody can have.
func (n *network) heaviestItem() float64 {
	most := 0.0
	for i, w := range n.Weight {
		if n.rowOf[n.topic[i]] != flow.None {
			most = max(most, w)
		}
	}
	return most
}

// reads reports whether the member subscribes to the partition's topic.
func (n *network) reads(m, item int32) bool {
	r := n.rowOf[n.topic[item]]
	if r == flow.None {
		return false
	}
	_, ok := slices.BinarySearch(n.rows[r].classes, n.Class[m])
	return ok
}

// whole reports whether every weight is a whole number and all capacities are 1,
// so that every load is a whole number too.
func (n *network) whole() bool {
	for _, w := range n.Weight {
		if w != math.Trunc(w) || w > 1<<52 {
			return false
		}
	}
	for _, c := range n.Capacity {
		if c != 1 {
			return false
		}
	}
	return true
}
