package plain

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/holdfast/holdfast/internal/flow"
)

// A chooser answers the questions from which a problem is made. Asked the same
// questions again after next, an exhaustive one goes through all answers there
// are, the last question first; a random one answers by its seed.
type chooser struct {
	rng    *rand.Rand // nil: exhaustive
	answer []int
	limit  []int
	at     int
}

func (c *chooser) pick(n int) int {
	if c.rng != nil {
		return c.rng.IntN(n)
	}
	if c.at == len(c.answer) {
		c.answer, c.limit = append(c.answer, 0), append(c.limit, n)
	}
	c.at++
	return c.answer[c.at-1]
}

// next goes to the next list of answers, if there is one.
func (c *chooser) next() bool {
	for last := len(c.answer) - 1; last >= 0; last-- {
		if c.answer[last]+1 < c.limit[last] {
			c.answer, c.limit, c.at = c.answer[:last+1], c.limit[:last+1], 0
			c.answer[last]++
			return true
		}
	}
	return false
}

// bounds are the greatest numbers of things in a made problem, each at least 1.
type bounds struct {
	members, topics int
	size, total     int // partitions of one topic, and of all
	racks           int // 0: none
	equal           bool
}

// make builds a problem out of answers: first the sizes, then who reads what,
// then who owned what, then racks.
func (b bounds) make(c *chooser) *flow.Problem {
	members, topics := 1+c.pick(b.members), 1+c.pick(b.topics)
	p := &flow.Problem{Start: []int32{0}}
	for range topics {
		total := int(p.Start[len(p.Start)-1])
		p.Start = append(p.Start, int32(total+c.pick(min(b.size, b.total-total)+1)))
	}
	reads := b.subscriptions(c, members, topics)
	addClasses(p, reads)
	for t := range topics {
		claims := []int32{flow.None}
		for m := range reads {
			if reads[m][t] {
				claims = append(claims, int32(m))
			}
		}
		for range p.Start[t+1] - p.Start[t] {
			p.Owner = append(p.Owner, claims[c.pick(len(claims))])
		}
	}
	if b.racks > 0 {
		addRacks(p, c, b.racks)
	}
	return p
}

func (b bounds) subscriptions(c *chooser, members, topics int) [][]bool {
	reads := make([][]bool, members)
	for m := range reads {
		reads[m] = make([]bool, topics)
		for t := range topics {
			reads[m][t] = b.equal || c.pick(2) == 1
		}
	}
	return reads
}

// addClasses gives members of equal subscription the same class.
func addClasses(p *flow.Problem, reads [][]bool) {
	for m := range reads {
		class := slices.IndexFunc(reads, func(r []bool) bool { return slices.Equal(r, reads[m]) })
		if class < m {
			p.Class = append(p.Class, p.Class[class])
			continue
		}
		var topics []int32
		for t, yes := range reads[m] {
			if yes {
				topics = append(topics, int32(t))
			}
		}
		p.Class = append(p.Class, int32(len(p.Topics)))
		p.Topics = append(p.Topics, topics)
	}
}

// addRacks gives members one rack or none, and partitions a set of racks or none.
func addRacks(p *flow.Problem, c *chooser, racks int) {
	for set := 1; set < 1<<racks; set++ {
		var list []int32
		for r := range racks {
			if set>>r&1 == 1 {
				list = append(list, int32(r))
			}
		}
		p.RackSets = append(p.RackSets, list)
	}
	for range p.Members() {
		p.Rack = append(p.Rack, int32(c.pick(racks+1)-1))
	}
	for range p.Partitions() {
		p.RackSet = append(p.RackSet, int32(c.pick(len(p.RackSets)+1)-1))
	}
}

// long reports whether the long suite runs; the short one takes a share of it.
func long() bool { return os.Getenv("HOLDFAST_LONG") != "" }

// check compares Solve with Enumerate.
func check(t *testing.T, p *flow.Problem, what string) {
	t.Helper()
	got, want := Solve(p), Enumerate(p)
	if !slices.Equal(got, want) {
		t.Fatalf("%s\nproblem %+v\ngot  %v %v\nwant %v %v",
			what, *p, got, Rank(p, got), want, Rank(p, want))
	}
}

// TestSolveAllSmall goes through every problem within tight bounds: all sizes,
// subscriptions, owners and racks.
func TestSolveAllSmall(t *testing.T) {
	share := 13 // a prime, so that no pattern of the answers is left out
	all := []bounds{
		{members: 3, topics: 2, size: 2, total: 4},
		{members: 2, topics: 3, size: 4, total: 4},
		{members: 4, topics: 2, size: 2, total: 2},
		{members: 2, topics: 1, size: 4, total: 4},
		{members: 2, topics: 2, size: 2, total: 2, racks: 2},
	}
	if long() {
		share = 1
		all = append(all, bounds{members: 3, topics: 3, size: 4, total: 4})
	}
	for _, b := range all {
		for _, spread := range []bool{false, true} {
			t.Run(fmt.Sprintf("%+v/spread=%v", b, spread), func(t *testing.T) {
				t.Parallel()
				count := 0
				for c, more := new(chooser), true; more; more = c.next() {
					p := b.make(c)
					p.Spread = spread
					if count++; count%share == 0 {
						check(t, p, fmt.Sprintf("answers %v", c.answer))
					}
				}
				if count < share {
					t.Fatalf("only %d problems", count)
				}
			})
		}
	}
}

// TestSolveSampled takes random problems of up to 4 members, 3 topics of 4
// partitions and 3 racks, of which there are too many to go through.
func TestSolveSampled(t *testing.T) {
	count := uint64(10000)
	if long() {
		count = 200000
	}
	for _, racks := range []int{0, 1, 3} {
		for _, spread := range []bool{false, true} {
			t.Run(fmt.Sprintf("racks=%d/spread=%v", racks, spread), func(t *testing.T) {
				t.Parallel()
				b := bounds{members: 4, topics: 3, size: 4, total: 8, racks: racks}
				for seed := range count {
					b.total = 8
					if seed%50 == 0 {
						b.total = 12
					}
					p := b.make(&chooser{rng: rand.New(rand.NewPCG(seed, uint64(racks)))})
					p.Spread = spread
					check(t, p, fmt.Sprintf("seed %d; rerun: go test ./internal/flow/plain -run '%s'",
						seed, t.Name()))
				}
			})
		}
	}
}

// TestSolveEqualIsTheRecipe compares equal subscriptions with the sticky recipe.
func TestSolveEqualIsTheRecipe(t *testing.T) {
	count := uint64(2000)
	if long() {
		count = 40000
	}
	b := bounds{members: 9, topics: 4, size: 12, total: 40, equal: true}
	for seed := range count {
		p := b.make(&chooser{rng: rand.New(rand.NewPCG(seed, 7))})
		got, want := Solve(p), recipe(p)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d; rerun: go test ./internal/flow/plain -run %s\n%+v\ngot  %v\nwant %v",
				seed, t.Name(), *p, got, want)
		}
	}
}

// recipe is sticky assignment for equal subscriptions, step by step: targets,
// shed, fill.
func recipe(p *flow.Problem) []int32 {
	owner := slices.Clone(p.Owner)
	members := p.Members()
	owned := make([][]int32, members)
	for i, m := range owner {
		if m != flow.None {
			owned[m] = append(owned[m], int32(i))
		}
	}
	order := make([]int, members)
	for m := range order {
		order[m] = m
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(owned[b]) - len(owned[a]) })
	target := make([]int, members)
	for place, m := range order {
		target[m] = len(owner) / members
		if place < len(owner)%members {
			target[m]++
		}
	}
	topicOf := p.TopicOf()
	number := func(i int32) int32 { return i - p.Start[topicOf[i]] }
	now := make([]int, members)
	for m := range owned {
		slices.SortStableFunc(owned[m], func(a, b int32) int { return int(number(a) - number(b)) })
		for len(owned[m]) > target[m] {
			last := len(owned[m]) - 1
			owner[owned[m][last]] = flow.None
			owned[m] = owned[m][:last]
		}
		now[m] = len(owned[m])
	}
	for i, m := range owner {
		if m != flow.None {
			continue
		}
		fewest := -1
		for m := range now {
			if now[m] < target[m] && (fewest < 0 || now[m] < now[fewest]) {
				fewest = m
			}
		}
		owner[i] = int32(fewest)
		now[fewest]++
	}
	return owner
}

// TestSolveKnown holds the examples that a rule of thumb gets wrong.
func TestSolveKnown(t *testing.T) {
	const none = flow.None
	for name, c := range map[string]struct {
		p    flow.Problem
		want []int32
	}{
		// By id alone the extras would go to 0 and 1, and nobody could take b.
		"extras must be feasible": {
			p: flow.Problem{
				Start: []int32{0, 1, 2}, Class: []int32{0, 0, 1, 1},
				Topics: [][]int32{{0}, {1}}, Owner: []int32{none, none},
			},
			want: []int32{0, 2},
		},
		// The one that owns most, and then the smallest id, would cost a move.
		"extras must not cost a move": {
			p: flow.Problem{
				Start: []int32{0, 1, 2}, Class: []int32{0, 1, 1},
				Topics: [][]int32{{0}, {0, 1}}, Owner: []int32{2, none},
			},
			want: []int32{2, 1},
		},
		// X, Y, Z are 0, 1, 2; W, gone, owned the first three.
		"the worked trace": {
			p: flow.Problem{
				Start: []int32{0, 9}, Class: []int32{0, 0, 0}, Topics: [][]int32{{0}},
				Owner: []int32{none, none, none, 0, 0, 0, 0, 1, 1},
			},
			want: []int32{2, 2, 1, 0, 0, 0, 2, 1, 1},
		},
		// D joins; giving it one partition takes a chain of two moves.
		"starved newcomer": {
			p: flow.Problem{
				Start: []int32{0, 1, 2, 3, 4}, Class: []int32{0, 1, 2, 3},
				Topics: [][]int32{{0, 2}, {0, 3}, {1, 2}, {1, 3}}, Owner: []int32{0, 2, 0, 1},
			},
			want: []int32{0, 3, 2, 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, &c.p, name)
			if got := Solve(&c.p); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestSolveStable solves solved problems again: nothing may change, whatever the
// optimum was chosen by.
func TestSolveStable(t *testing.T) {
	b := bounds{members: 12, topics: 8, size: 9, total: 60}
	for seed := range uint64(300) {
		b.racks = int(seed % 4)
		p := b.make(&chooser{rng: rand.New(rand.NewPCG(seed, 11))})
		p.Spread = seed%3 == 0
		first := Solve(p)
		p.Owner = first
		if second := Solve(p); !slices.Equal(second, first) {
			t.Fatalf("seed %d; rerun: go test ./internal/flow/plain -run %s\n%v\n%v",
				seed, t.Name(), first, second)
		}
	}
}

// large is a problem with random subscriptions, each topic read with the given
// chance, and random owners, if any.
type large struct {
	members, topics, size int
	chance                float64
	fresh, spread         bool
}

func (l large) make() *flow.Problem {
	rng := rand.New(rand.NewPCG(1, 5))
	p := &flow.Problem{Start: []int32{0}, Spread: l.spread}
	reads := make([][]bool, l.members)
	for m := range reads {
		reads[m] = make([]bool, l.topics)
		for t := range l.topics {
			reads[m][t] = rng.Float64() < l.chance
		}
	}
	addClasses(p, reads)
	for t := range l.topics {
		p.Start = append(p.Start, p.Start[t]+int32(l.size))
		for range l.size {
			m := int32(rng.IntN(l.members))
			if l.fresh || !reads[m][t] {
				m = flow.None
			}
			p.Owner = append(p.Owner, m)
		}
	}
	return p
}

func BenchmarkSolve(b *testing.B) {
	for _, c := range []large{
		{members: 200, topics: 100, size: 10, chance: 0.5},
		{members: 200, topics: 100, size: 10, chance: 0.5, fresh: true},
		{members: 200, topics: 1000, size: 1, chance: 0.5},
		{members: 200, topics: 1000, size: 1, chance: 0.02},
		{members: 200, topics: 20, size: 50, chance: 0.1},
		{members: 200, topics: 100, size: 10, chance: 0.5, spread: true},
	} {
		name := fmt.Sprintf("members=%d/topics=%d/partitions=%d/chance=%v/fresh=%v/spread=%v",
			c.members, c.topics, c.topics*c.size, c.chance, c.fresh, c.spread)
		b.Run(name, func(b *testing.B) {
			p := c.make()
			b.ReportAllocs()
			for b.Loop() {
				Solve(p)
			}
		})
	}
}
