package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/holdfast/holdfast/group"
)

// The queue gives out what a stable sort by time would, timers of processes last.
func TestQueueAgainstSort(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var q queue
		var all []occurrence
		now := Time(0)
		for i := range 300 {
			if rng.IntN(3) == 0 && !q.empty() {
				var o occurrence
				if next := q.next(); next < now {
					t.Fatalf("seed %d: the clock goes back to %v", seed, next)
				}
				q.take(&o)
				now = o.at
				slices.SortStableFunc(all, func(a, b occurrence) int {
					if a.at != b.at {
						return int(a.at - b.at)
					}
					return rank(&a) - rank(&b)
				})
				if want := all[0]; want.at != o.at || want.message.id != o.message.id {
					t.Fatalf("seed %d: took %d at %v, want %d at %v", seed, o.message.id, o.at,
						want.message.id, want.at)
				}
				all = all[1:]
				continue
			}
			o := occurrence{at: now + Time(rng.IntN(20)), kind: occurrenceKind(rng.IntN(12)),
				process: &process{number: int32(i)}, message: &message{id: i}}
			if o.kind == toCoordinator {
				o.at = now + 5
				if rng.IntN(2) == 0 {
					o.message.request, o.message.ref.From = &group.Heartbeat{}, i
				}
			}
			q.put(o)
			all = append(all, o)
		}
	}
}

// rank puts heartbeats after everything else of their time and timers after those,
// by process; the rest keeps its order.
func rank(o *occurrence) int {
	switch {
	case o.kind == processTick:
		return 1000 + int(o.process.number)
	case o.kind == toCoordinator && o.message.request != nil:
		return 1 + o.message.ref.From
	}
	return 0
}
