package plain

import (
	"slices"

	"github.com/holdfast/holdfast/internal/flow"
)

// Rank returns what a complete assignment costs: the sum of squared loads, the
// rack misses, the partitions that are not kept, and the sum over topics and
// members of squared counts, which is 0 unless p.Spread asks for it. The smaller
// list, compared from the front, is the better assignment. Partitions without an
// owner count in no rank. It costs O(partitions).
func Rank(p *flow.Problem, owner []int32) [4]int64 {
	t := newTally(p)
	topicOf := p.TopicOf()
	for i, m := range owner {
		if m != flow.None {
			t.give(int32(i), topicOf[i], m)
		}
	}
	return t.cost
}

// Enumerate solves a problem by looking at all assignments there are. It is for
// tests, as the last word on small problems: with n subscribers to each of p
// partitions it costs O(n^p).
func Enumerate(p *flow.Problem) []int32 {
	left := Optima(p)
	left = filterExtras(p, left)
	left = filterKept(p, left)
	return pickPlaces(p, left)
}

// Optima returns every assignment that no other one beats in the ranks of Rank,
// in lexicographic order. It is for tests, and costs O(n^p) like Enumerate.
func Optima(p *flow.Problem) [][]int32 {
	e := &enumeration{
		tally: newTally(p), subscribers: subscribersOf(p), topicOf: p.TopicOf(),
		owner: make([]int32, p.Partitions()),
	}
	e.walk(0)
	return e.best
}

// tally adds up the ranks of an assignment, partition by partition.
type tally struct {
	p     *flow.Problem
	load  []int64
	count []int64 // topic by topic, one number for each member
	cost  cost
}

func newTally(p *flow.Problem) *tally {
	return &tally{
		p: p, load: make([]int64, p.Members()),
		count: make([]int64, p.Members()*p.TopicCount()),
	}
}

// give counts partition i, of topic t, for member m.
func (t *tally) give(i, topic, m int32) {
	t.cost[rankLoad] += 2*t.load[m] + 1
	t.load[m]++
	if t.p.Miss(i, m) {
		t.cost[rankMiss]++
	}
	if t.p.Owner[i] != m {
		t.cost[rankMoved]++
	}
	if t.p.Spread {
		count := &t.count[int(topic)*t.p.Members()+int(m)]
		t.cost[rankSpread] += 2**count + 1
		*count++
	}
}

// take undoes give for the loads and counts; the cost is put back by the caller.
func (t *tally) take(topic, m int32) {
	t.load[m]--
	if t.p.Spread {
		t.count[int(topic)*t.p.Members()+int(m)]--
	}
}

// enumeration is a walk through all assignments.
type enumeration struct {
	*tally
	subscribers [][]int32
	topicOf     []int32
	owner       []int32
	best        [][]int32
	bestCost    cost
}

// walk tries every subscriber for partition i and all later ones.
func (e *enumeration) walk(i int) {
	// No rank falls when a partition is added, so what is worse already stays so.
	if len(e.best) > 0 && e.bestCost.less(e.cost) {
		return
	}
	if i == len(e.owner) {
		if len(e.best) > 0 && e.cost.less(e.bestCost) {
			e.best = e.best[:0]
		}
		e.bestCost = e.cost
		e.best = append(e.best, slices.Clone(e.owner))
		return
	}
	topic := e.topicOf[i]
	if len(e.subscribers[topic]) == 0 {
		e.owner[i] = flow.None
		e.walk(i + 1)
		return
	}
	before := e.cost
	for _, m := range e.subscribers[topic] {
		e.owner[i] = m
		e.give(int32(i), topic, m)
		e.walk(i + 1)
		e.take(topic, m)
		e.cost = before
	}
}

// keepOnly returns the assignments that satisfy a condition.
func keepOnly(all [][]int32, condition func(owner []int32) bool) [][]int32 {
	var some [][]int32
	for _, owner := range all {
		if condition(owner) {
			some = append(some, owner)
		}
	}
	return some
}

// loadOf counts what a member has.
func loadOf(owner []int32, m int32) int {
	load := 0
	for _, o := range owner {
		if o == m {
			load++
		}
	}
	return load
}

// filterExtras applies the rule who gets an extra: members that owned more come
// first, then smaller numbers, and each has as much as what is left allows.
func filterExtras(p *flow.Problem, left [][]int32) [][]int32 {
	order := make([]int32, p.Members())
	for m := range order {
		order[m] = int32(m)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return loadOf(p.Owner, b) - loadOf(p.Owner, a)
	})
	for _, m := range order {
		most := 0
		for _, owner := range left {
			most = max(most, loadOf(owner, m))
		}
		left = keepOnly(left, func(owner []int32) bool { return loadOf(owner, m) == most })
	}
	return left
}

// filterKept applies the rule what stays: owned partitions by their number within
// the topic, then by topic; each stays if something left keeps it.
func filterKept(p *flow.Problem, left [][]int32) [][]int32 {
	for number := range int32(p.Partitions()) {
		for t := range p.TopicCount() {
			i := p.Start[t] + number
			if i >= p.Start[t+1] || p.Owner[i] == flow.None {
				continue
			}
			stays := func(owner []int32) bool { return owner[i] == p.Owner[i] }
			if with := keepOnly(left, stays); len(with) > 0 {
				left = with
			}
		}
	}
	return left
}

// pickPlaces applies the rule where the rest goes, which leaves one assignment.
// A partition that stays has the same owner in all that is left.
func pickPlaces(p *flow.Problem, left [][]int32) []int32 {
	now := make([]int, p.Members())
	stays := make([]bool, p.Partitions())
	for i, m := range left[0] {
		if m != flow.None && m == p.Owner[i] {
			stays[i] = true
			now[m]++
		}
	}
	for i := range stays {
		if stays[i] || left[0][i] == flow.None {
			continue
		}
		chosen := flow.None
		for _, owner := range left {
			m := owner[i]
			if chosen == flow.None || now[m] < now[chosen] || now[m] == now[chosen] && m < chosen {
				chosen = m
			}
		}
		left = keepOnly(left, func(owner []int32) bool { return owner[i] == chosen })
		now[chosen]++
	}
	return left[0]
}
