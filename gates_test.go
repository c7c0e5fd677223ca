package holdfast

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/holdfast/holdfast/internal/flow"
)

// TestAllocations bounds how often and how much a strategy allocates, by the size
// of the group. The bounds have room for a change of the Go release, not for a
// list or a map that somebody forgot in a loop.
func TestAllocations(t *testing.T) {
	loads := []load{
		{100, 10, 1_000, "equal", "fresh"}, {1_000, 100, 10_000, "equal", "join"},
		{1_000, 100, 100_000, "equal", "join10"}, {2_000, 10, 100_000, "equal", "leave10"},
		{1_000, 100, 10_000, "patterns", "join10"}, {200, 100, 1_000, "half", "join"},
	}
	if long() {
		loads = append(loads, load{10_000, 1_000, 1_000_000, "equal", "join"},
			load{10_000, 1_000, 1_000_000, "equal", "join10"})
	}
	for _, l := range loads {
		g := l.group(t)
		for _, a := range []Assignor{Range, RoundRobin, Sticky, CooperativeSticky} {
			times, bytes := allocated(func() {
				if _, err := a.Assign(g); err != nil {
					t.Fatal(err)
				}
			})
			most := uint64(150 + 2*l.topics)
			room := uint64(64*l.partitions + 400*l.members + 400*l.topics + 20_000)
			if l.subs != "equal" {
				// Members with subscriptions of their own and the arcs of the flow.
				most += uint64(8 * l.members)
				room += uint64(64 * edges(g))
			}
			if a.Name() == CooperativeSticky.Name() {
				room *= 2 // two rounds
			}
			if times > most || bytes > room {
				t.Errorf("%s %v: %d allocations (at most %d) of %d bytes (at most %d)",
					a.Name(), l, times, most, bytes, room)
			}
		}
	}
}

// edges counts the subscriptions of all members.
func edges(g Group) int {
	n := 0
	for i := range g.Members {
		n += len(g.Members[i].Topics)
	}
	return n
}

// allocated runs f and returns what it allocates, the least of a few runs, since
// the runtime allocates a little of its own at any time.
func allocated(f func()) (times, bytes uint64) {
	var before, after runtime.MemStats
	for run := range 3 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		n, size := after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
		if run == 0 || n < times {
			times = n
		}
		if run == 0 || size < bytes {
			bytes = size
		}
	}
	return times, bytes
}

// TestReadersAllocate bounds the ways to read a plan.
func TestReadersAllocate(t *testing.T) {
	g := load{1_000, 100, 10_000, "equal", "join"}.group(t)
	plan, err := Sticky.Assign(g)
	if err != nil {
		t.Fatal(err)
	}
	id := plan.Members()[500]
	for name, c := range map[string]struct {
		most float64
		read func()
	}{
		"Count":      {0, func() { plan.Count(id) }},
		"Owners":     {0, func() { plan.Owners() }},
		"Moved":      {0, func() { plan.Moved() }},
		"Balance":    {0, func() { plan.Balance() }},
		"RackMisses": {0, func() { plan.RackMisses() }},
		"Members":    {1, func() { plan.Members() }},
		"Moves":      {1, func() { plan.Moves() }},
		"EachMove": {1, func() {
			for range plan.EachMove() {
			}
		}},
		"TopicsOf": {4, func() {
			for range plan.TopicsOf(id) {
			}
		}},
		"Of": {8, func() { plan.Of(id) }},
	} {
		if n := testing.AllocsPerRun(20, c.read); n > c.most {
			t.Errorf("%s allocates %v times, at most %v", name, n, c.most)
		}
	}
}

// quickest times two functions in turns, by the processor time of this thread, and
// returns the shortest run of each: what else the machine does hits both, and
// hardly ever every run.
func quickest(runs int, a, b func()) (time.Duration, time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := [2]time.Duration{time.Hour, time.Hour}
	for range runs {
		for k, f := range [2]func(){a, b} {
			begin := cpuTime()
			f()
			best[k] = min(best[k], cpuTime()-begin)
		}
	}
	return best[0], best[1]
}

// checkRatio holds that a takes at most so many times as long as b, by the best
// of some runs, and of more runs if these do not show it.
func checkRatio(t *testing.T, most float64, a, b func()) {
	t.Helper()
	if raceDetector {
		t.Skip("under the race detector a ratio of times says nothing")
	}
	var ratio float64
	for _, runs := range []int{10, 30, 60} {
		x, y := quickest(runs, a, b)
		if ratio = float64(x) / float64(y); ratio <= most {
			t.Logf("%v against %v: %.2f times as long, at most %v", x, y, ratio, most)
			return
		}
	}
	t.Errorf("%.2f times as long, at most %v", ratio, most)
}

var sink []int32

// TestPlanAgainstFill compares the plan for equal subscriptions, numbers in and
// numbers out, with no more than writing as many numbers as it has partitions.
func TestPlanAgainstFill(t *testing.T) {
	const most = 8
	sizes := []load{{members: 2_000, topics: 100, partitions: 200_000, subs: "equal"}}
	if long() {
		sizes = append(sizes, load{members: 10_000, topics: 1_000, partitions: 1_000_000, subs: "equal"})
	}
	for _, l := range sizes {
		fill := func() {
			owner := make([]int32, l.partitions)
			m := int32(0)
			for i := range owner {
				owner[i] = m
				if m++; int(m) == l.members {
					m = 0
				}
			}
			sink = owner
		}
		for _, l.event = range []string{"fresh", "none", "join", "leave", "leave10", "join10"} {
			t.Run(l.String(), func(t *testing.T) {
				g := l.group(t)
				p, err := newProblem(&g)
				if err != nil {
					t.Fatal(err)
				}
				problem := p.flow(StickyOptions{})
				checkRatio(t, most, func() { sink = flow.Solve(problem).Owner }, fill)
			})
		}
	}
}

var nested map[string]map[string][]int32

// TestNestedAgainstMaps compares the plan as nested maps with building such maps
// and nothing else.
func TestNestedAgainstMaps(t *testing.T) {
	g := load{1_000, 100, 100_000, "equal", "join"}.group(t)
	plan, err := Sticky.Assign(g)
	if err != nil {
		t.Fatal(err)
	}
	problem := plan.problem.flow(StickyOptions{})
	same := plan.Assignment()
	build := func() {
		nested = make(map[string]map[string][]int32, len(same))
		for id, topics := range same {
			copied := make(map[string][]int32, len(topics))
			for topic, partitions := range topics {
				copied[topic] = append([]int32(nil), partitions...)
			}
			nested[id] = copied
		}
	}
	checkRatio(t, 1.3, func() {
		d := newDivision(plan.problem, flow.Solve(problem).Owner)
		nested = d.Assignment()
	}, build)
	if fmt.Sprint(nested) != fmt.Sprint(same) {
		t.Error("the two are not the same maps")
	}
}
