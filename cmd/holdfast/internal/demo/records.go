package demo

import "sync"

// records follows every record from the producer to whoever processes it.
type records struct {
	mu       sync.Mutex
	all      []record // by id
	produced int
	left     int // produced and not processed yet
	crashed  string
}

type record struct {
	produced bool
	times    uint8  // how often it was processed, up to 2
	by       string // who processed it first
	byCrash  bool   // it was processed again after that member had crashed
}

// next returns the id of a new record.
func (r *records) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, record{})
	return len(r.all) - 1
}

// accept notes that the broker has the record.
func (r *records) accept(id int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[id].produced = true
	r.produced++
	if r.all[id].times == 0 {
		r.left++
	}
}

// process notes that a member has processed the record.
func (r *records) process(id int, member string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id < 0 || id >= len(r.all) {
		return // not from this run
	}
	switch rec := &r.all[id]; rec.times {
	case 0:
		rec.times, rec.by = 1, member
		if rec.produced {
			r.left--
		}
	case 1:
		rec.times, rec.byCrash = 2, rec.by == r.crashed
	}
}

// remaining is the number of records that were produced and not processed yet.
func (r *records) remaining() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}

// crash notes that what the member does not commit any more will be done again.
func (r *records) crash(member string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.crashed = member
}

// count sums up.
func (r *records) count() Records {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := Records{Produced: r.produced, Lost: r.left, Processed: r.produced - r.left}
	for i := range r.all {
		if rec := &r.all[i]; rec.produced && rec.times > 1 {
			n.ProcessedTwice++
			if rec.byCrash {
				n.TwiceByCrash++
			}
		}
	}
	return n
}
