package sim

import (
	"cmp"
	"slices"
)

// lanes collect what each process did with each partition.
type lanes struct {
	off   bool
	index map[laneKey]int
	list  []Lane
}

type laneKey struct{ process, partition int32 }

// crashedLane is a partition whose process is gone, while the group believes it is
// there.
type crashedLane struct {
	process *process
	since   Time
}

func (c *crashedLane) begin(p *process, now Time) { *c = crashedLane{p, now} }

// add writes down what a holder did since its state last changed.
func (l *lanes) add(w *world, partition int32, h *holder) {
	if !l.off && h.since < w.now {
		l.append(w, laneKey{h.process.number, partition}, Interval{h.since, w.now, h.state})
	}
}

func (l *lanes) append(w *world, key laneKey, span Interval) {
	at, ok := l.index[key]
	if !ok {
		at = len(l.list)
		l.index[key] = at
		name := w.costs.parts[key.partition].name
		l.list = append(l.list, Lane{Member: w.processes[key.process].spec.ID,
			Topic: name.Topic, Partition: name.Partition})
	}
	lane := &l.list[at]
	if n := len(lane.Intervals); n > 0 && lane.Intervals[n-1].State == span.State &&
		lane.Intervals[n-1].To == span.From {
		lane.Intervals[n-1].To = span.To
		return
	}
	lane.Intervals = append(lane.Intervals, span)
}

// endCrash ends a crashed process's part in a partition.
func (l *lanes) endCrash(w *world, partition int32) {
	c := &w.costs.parts[partition].crashed
	if c.process == nil {
		return
	}
	if !l.off && c.since < w.now {
		l.append(w, laneKey{c.process.number, partition}, Interval{c.since, w.now, Crashed})
	}
	*c = crashedLane{}
}

// finish ends every lane at the end of the scenario and sorts them.
func (l *lanes) finish(w *world) []Lane {
	if l.off {
		return nil
	}
	for n := range w.costs.parts {
		for i := range w.costs.parts[n].holders {
			l.add(w, int32(n), &w.costs.parts[n].holders[i])
		}
		l.endCrash(w, int32(n))
	}
	slices.SortFunc(l.list, func(a, b Lane) int {
		return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Topic, b.Topic),
			cmp.Compare(a.Partition, b.Partition))
	})
	return l.list
}
