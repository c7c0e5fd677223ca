package flow

import (
	"runtime"
	"testing"
	"time"
)

// benchmarked are the groups of the tables in docs/algorithm.md.
func benchmarked() []workload {
	return []workload{
		uniform(100, 100, 10, 0.5),
		uniform(500, 500, 10, 0.5),
		uniform(1000, 1000, 20, 0.1),
		uniform(1000, 1000, 20, 0.5),
		patterns(20, 10_000, 1000, 100),
		equally(1000, 100, 100),
		equally(10_000, 1000, 1000),
		ring(10_000, 5),
		few(10_000, 10_000, 5),
		zipf(1000, 300),
		hub(2000),
		teams(100, 2000, 1000, 20),
		nested(1000, 10),
	}
}

// BenchmarkSolve reports, besides the mean, the least time of all runs and the
// processor time of one, which says more on a machine that does other things.
func BenchmarkSolve(b *testing.B) {
	for _, w := range benchmarked() {
		for _, event := range events {
			b.Run(w.name+"/event="+event, func(b *testing.B) {
				p := w.after(event)
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				b.ReportAllocs()
				least, runs, before := time.Hour, 0, cpuTime()
				for b.Loop() {
					start := time.Now()
					Solve(p)
					least = min(least, time.Since(start))
					runs++
				}
				used := cpuTime() - before
				b.ReportMetric(float64(least.Microseconds())/1000, "min-ms")
				b.ReportMetric(float64(used.Microseconds())/1000/float64(runs), "cpu-ms")
			})
		}
	}
}
