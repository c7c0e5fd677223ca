package makespan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/holdfast/holdfast/internal/flow"
)

// rounding is how far sums of the same weights in another order may lie apart.
const rounded = 1e-9

// shape says how large and how uneven a random problem may be.
type shape struct {
	members, topics, partitions int
	equal                       bool // subscriptions
	capacities                  bool // other than 1
	weight                      func(*rand.Rand) float64
}

func (s shape) random(seed uint64) *Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	members, topics := 1+rng.IntN(s.members), 1+rng.IntN(s.topics)
	p := &Problem{Problem: &flow.Problem{Start: []int32{0}}}
	for t := range topics {
		count := rng.IntN(s.partitions/topics + 1)
		p.Start = append(p.Start, p.Start[t]+int32(count))
	}
	p.subscribe(rng, members, topics, s.equal)
	for range p.Partitions() {
		p.Weight = append(p.Weight, s.weight(rng))
	}
	for range members {
		capacity := 1.0
		if s.capacities {
			capacity = []float64{0.5, 1, 2, 3.5}[rng.IntN(4)]
		}
		p.Capacity = append(p.Capacity, capacity)
	}
	p.Owner = make([]int32, p.Partitions())
	for i, t := range p.TopicOf() {
		p.Owner[i] = flow.None
		if m := int32(rng.IntN(members)); rng.IntN(3) > 0 && slices.Contains(p.Topics[p.Class[m]], t) {
			p.Owner[i] = m
		}
	}
	return p
}

func (p *Problem) subscribe(rng *rand.Rand, members, topics int, equal bool) {
	classes := make(map[string]int32)
	for range members {
		var list []int32
		for t := range topics {
			if equal || rng.IntN(2) == 0 {
				list = append(list, int32(t))
			}
		}
		key := fmt.Sprint(list)
		class, ok := classes[key]
		if !ok {
			class = int32(len(p.Topics))
			classes[key] = class
			p.Topics = append(p.Topics, list)
		}
		p.Class = append(p.Class, class)
	}
}

// lowest tries every division and returns the lightest heaviest load, and the
// fewest moves within limit(that load).
func (p *Problem) lowest(limit func(best float64) float64) (best float64, moves int) {
	readers := p.readerLists()
	walk := func(visit func(heaviest float64, moved int)) {
		load := make([]float64, p.Members())
		var next func(i, moved int)
		next = func(i, moved int) {
			if i == p.Partitions() {
				heaviest := 0.0
				for m, l := range load {
					heaviest = max(heaviest, l/p.Capacity[m])
				}
				visit(heaviest, moved)
				return
			}
			if len(readers[i]) == 0 {
				next(i+1, moved)
			}
			for _, m := range readers[i] {
				cost := 0
				if p.Owner[i] != flow.None && p.Owner[i] != m {
					cost = 1
				}
				load[m] += p.Weight[i]
				next(i+1, moved+cost)
				load[m] -= p.Weight[i]
			}
		}
		next(0, 0)
	}
	best, moves = math.Inf(1), math.MaxInt
	walk(func(heaviest float64, _ int) { best = min(best, heaviest) })
	walk(func(heaviest float64, moved int) {
		if heaviest <= limit(best)*(1+rounded) {
			moves = min(moves, moved)
		}
	})
	return best, moves
}

func (p *Problem) readerLists() [][]int32 {
	lists := make([][]int32, p.Partitions())
	for i, t := range p.TopicOf() {
		for m, c := range p.Class {
			if slices.Contains(p.Topics[c], t) {
				lists[i] = append(lists[i], int32(m))
			}
		}
	}
	return lists
}

// check tests what holds for every result, and returns how many partitions it
// moved.
func check(t *testing.T, p *Problem, r Result) int {
	t.Helper()
	load := make([]float64, p.Members())
	moved := 0
	for i, readers := range p.readerLists() {
		m := r.Owner[i]
		if m == flow.None && len(readers) == 0 {
			continue
		}
		if !slices.Contains(readers, m) {
			t.Fatalf("partition %d is at member %d, its readers are %v", i, m, readers)
		}
		load[m] += p.Weight[i] / p.Capacity[m]
		if p.Owner[i] != flow.None && p.Owner[i] != m {
			moved++
		}
	}
	heaviest := 0.0
	for _, l := range load {
		heaviest = max(heaviest, l)
	}
	if math.Abs(heaviest-r.Heaviest) > rounded*heaviest {
		t.Fatalf("heaviest load is %v, the result says %v", heaviest, r.Heaviest)
	}
	if r.Bound > r.Heaviest*(1+rounded) {
		t.Fatalf("bound %v above the heaviest load %v", r.Bound, r.Heaviest)
	}
	return moved
}

func longOr(long, short int) int {
	if os.Getenv("HOLDFAST_LONG") != "" {
		return long
	}
	return short
}

func rerun(t *testing.T, seed uint64) {
	t.Logf("seed %d; rerun: go test ./internal/makespan -run '%s'", seed, t.Name())
}

func small(rng *rand.Rand) float64 { return float64(rng.IntN(12)) }

// TestSmallGroupsAreExact compares with every division there is: the heaviest
// load, and the fewest moves where some skew is accepted.
func TestSmallGroupsAreExact(t *testing.T) {
	for seed := range uint64(longOr(20_000, 1_500)) {
		s := shape{members: 4, topics: 3, partitions: 8, equal: seed%2 == 0,
			capacities: seed%3 == 0, weight: small}
		p := s.random(seed)
		p.MaxSkew = []float64{0, 0.1, 0.5}[seed/7%3]
		r := Solve(p)
		bound := r.Bound
		best, moves := p.lowest(func(best float64) float64 { return max(best, bound*(1+p.MaxSkew)) })
		moved := check(t, p, r)
		if !r.Exact || r.Bound > best*(1+rounded) {
			rerun(t, seed)
			t.Fatalf("exact %v, bound %v, best %v", r.Exact, r.Bound, best)
		}
		if p.MaxSkew == 0 && r.Heaviest > best*(1+rounded) {
			rerun(t, seed)
			t.Fatalf("heaviest %v, best %v", r.Heaviest, best)
		}
		if r.Heaviest > max(best, bound*(1+p.MaxSkew))*(1+rounded) || moved != moves {
			rerun(t, seed)
			t.Fatalf("heaviest %v, best %v; moved %d, least %d", r.Heaviest, best, moved, moves)
		}
	}
}

// TestSearchAlone holds the search without the exhaustive end to its figures on
// small random groups: nearly all optimal, none far off.
func TestSearchAlone(t *testing.T) {
	optimal, all, worst := 0, longOr(20_000, 2_000), 1.0
	for seed := range uint64(all) {
		s := shape{members: 4, topics: 3, partitions: 8, equal: seed%2 == 0, weight: small}
		p := s.random(seed)
		n := newNetwork(p)
		bound := n.bound()
		best, _ := p.lowest(func(float64) float64 { return math.Inf(1) })
		if bound > best*(1+rounded) {
			rerun(t, seed)
			t.Fatalf("bound %v above the best there is, %v", bound, best)
		}
		state := n.find(bound, bound)
		if state.heaviest() > bound+n.heaviestItem() {
			rerun(t, seed)
			t.Fatalf("heaviest %v, bound %v and heaviest partition %v", state.heaviest(), bound,
				n.heaviestItem())
		}
		if state.heaviest() <= best*(1+rounded) {
			optimal++
		} else {
			worst = max(worst, state.heaviest()/best)
		}
	}
	t.Logf("%d of %d optimal, worst ratio %.3f", optimal, all, worst)
	if optimal < all*97/100 || worst > 1.5 {
		t.Errorf("%d of %d optimal, worst ratio %.3f; want 97 %% and 1.5", optimal, all, worst)
	}
}

// TestRounding holds the fractional way alone to its promise.
func TestRounding(t *testing.T) {
	for seed := range uint64(longOr(20_000, 3_000)) {
		s := shape{members: 12, topics: 10, partitions: 60, equal: seed%4 == 0, weight: small}
		p := s.random(seed)
		n := newNetwork(p)
		bound := n.bound()
		state := newState(n)
		state.round(bound, n.fractional(bound))
		for r := range n.rows {
			for _, i := range n.rows[r].items {
				if state.owner[i] == flow.None && p.Weight[i] > 0 {
					rerun(t, seed)
					t.Fatalf("partition %d is nowhere", i)
				}
			}
		}
		if state.heaviest() > (bound+n.heaviestItem())*(1+rounded) {
			rerun(t, seed)
			t.Fatalf("heaviest %v, bound %v and heaviest partition %v", state.heaviest(), bound,
				n.heaviestItem())
		}
	}
}

// TestLargeGaps holds large groups to a gap below 0.1 %, or the heaviest
// partition.
func TestLargeGaps(t *testing.T) {
	weights := map[string]func(*rand.Rand) float64{
		"uniform": func(rng *rand.Rand) float64 { return float64(1 + rng.IntN(1000)) },
		"zipf":    func(rng *rand.Rand) float64 { return math.Floor(1e6 / float64(1+rng.IntN(40_000))) },
		"heavy":   func(rng *rand.Rand) float64 { return math.Floor(math.Pow(1-rng.Float64(), -1/1.2)) },
	}
	for _, name := range []string{"uniform", "zipf", "heavy"} {
		for _, equal := range []bool{true, false} {
			t.Run(fmt.Sprintf("weights=%s/equal=%v", name, equal), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(7, 7))
				p := &Problem{Problem: &flow.Problem{Start: []int32{0}}}
				for k := range 20 {
					p.Start = append(p.Start, p.Start[k]+500)
				}
				p.subscribe(rng, 100, 20, equal)
				p.Owner = make([]int32, p.Partitions())
				for i := range p.Owner {
					p.Owner[i] = flow.None
					p.Weight = append(p.Weight, weights[name](rng))
				}
				p.Capacity = slices.Repeat([]float64{1}, 100)
				r := Solve(p)
				check(t, p, r)
				gap := r.Heaviest/r.Bound - 1
				t.Logf("heaviest %v, bound %v, gap %.5f %%", r.Heaviest, r.Bound, 100*gap)
				if gap > 0.001 {
					t.Errorf("gap %.4f %%", 100*gap)
				}
			})
		}
	}
}
