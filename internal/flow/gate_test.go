package flow

import (
	"runtime"
	"testing"
)

// allocated returns how many bytes f allocates in all, which is at least what it
// has in use at its peak.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSolveMemory holds all that is allocated, from first to last, under 64 bytes
// for each topic of each member and 16 for each partition where members read 50
// topics or more. Where they read fewer, what there is for each node counts: then
// it is 64 for each partition, and 800 for each member and topic.
func TestSolveMemory(t *testing.T) {
	for _, w := range []workload{uniform(300, 300, 20, 0.5), uniform(300, 300, 20, 0.1),
		patterns(20, 1000, 200, 50), ring(1000, 5), few(1000, 1000, 5), zipf(300, 100),
		hub(300), teams(20, 400, 200, 20), nested(200, 10), equally(1000, 100, 1000)} {
		for _, event := range events {
			p := w.after(event)
			edges := 0
			for _, c := range p.Class {
				edges += len(p.Topics[c])
			}
			limit := 64*edges + 16*p.Partitions()
			if edges < 50*p.Members() {
				limit += 48*p.Partitions() + 800*(p.Members()+p.TopicCount())
			}
			if got := allocated(func() { Solve(p) }); got > uint64(limit) {
				t.Errorf("%s/event=%s: %d bytes, limit %d", w.name, event, got, limit)
			}
		}
	}
}

// TestSolveAllocations holds the number of allocations down where subscriptions are
// equal: it does not grow with members or partitions.
func TestSolveAllocations(t *testing.T) {
	for _, event := range []string{"fresh", "same", "join", "leave"} {
		small, big := equally(100, 10, 100).after(event), equally(1000, 100, 1000).after(event)
		few := testing.AllocsPerRun(3, func() { Solve(small) })
		many := testing.AllocsPerRun(3, func() { Solve(big) })
		if few > 24 || many > 24 {
			t.Errorf("event=%s: %v allocations for a small group, %v for a big one", event,
				few, many)
		}
	}
}
