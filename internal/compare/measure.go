package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"syscall"
	"time"

	"github.com/holdfast/holdfast"
)

// phase is what one part of a turn cost.
type phase struct {
	Seconds float64 `json:"seconds"`
	Bytes   uint64  `json:"bytes"`
	Allocs  uint64  `json:"allocs"`
}

func (p *phase) add(o phase) {
	p.Seconds += o.Seconds
	p.Bytes += o.Bytes
	p.Allocs += o.Allocs
}

// least keeps the smaller time; what is allocated hardly varies.
func (p *phase) least(o phase) {
	if p.Allocs == 0 && p.Seconds == 0 || o.Seconds < p.Seconds {
		*p = o
	}
}

// result is what one assignor did with one event of one case. Times are the
// least of the runs, for each part; a rolling restart is the sum of its steps.
type result struct {
	Case     string `json:"case"`
	Assignor string `json:"assignor"`
	Strategy string `json:"strategy"`
	Event    string `json:"event"`

	// State is "" when all went well, else why there are no figures.
	State string `json:"state,omitempty"`

	Steps   int     `json:"steps"`
	Decode  phase   `json:"decode"`
	Balance phase   `json:"balance"`
	Encode  phase   `json:"encode"`
	Runs    int     `json:"runs"`
	Answers int     `json:"answers"` // different ones to the same question, the most of any step
	Score   score   `json:"score"`
	Best    float64 `json:"best,omitempty"` // of whole turns, seconds
}

// line is what a measuring process writes: that a turn begins or has ended, or a
// result. What is done between turns does not count against the cap.
type line struct {
	Begin  string  `json:"begin,omitempty"`
	End    string  `json:"end,omitempty"`
	Result *result `json:"result,omitempty"`
}

// limits say how often a turn is repeated.
type limits struct {
	runs  int           // at most, and at least 2 unless the first is very long
	spend time.Duration // no more runs of a step once they have taken this long
	cpu   bool          // times are the processor's, not the wall's

	// budget is what the turns of one case may take in all; events that come after
	// it is used up are not tried.
	budget time.Duration
}

// veryLong is how long a turn is run once only.
const veryLong = 10 * time.Second

// more reports whether a step is run once more.
func (l limits) more(runs int, spent time.Duration) bool {
	switch runs {
	case 0:
		return true
	case 1:
		return spent < veryLong
	}
	return runs < l.runs && spent < l.spend
}

// measurer takes the figures of one assignor and case.
type measurer struct {
	assignor assignor
	limits   limits
	out      *json.Encoder
	spent    time.Duration // on the turns so far
}

// measure goes through the events and writes a line before and after each turn
// and after each event, so that whoever reads along knows what takes too long.
func (m *measurer) measure(j job) error {
	h, err := begin(j.build())
	if err != nil {
		return err
	}
	for _, event := range j.events {
		r := result{Case: j.name, Assignor: m.assignor.name, Strategy: j.strategy, Event: event}
		if m.spent > m.limits.budget {
			r.State = fmt.Sprintf("not tried: %v are used up", m.limits.budget)
		} else if err := m.event(&r, h); err != nil {
			r.State = "failed: " + err.Error()
		}
		if err := m.out.Encode(line{Result: &r}); err != nil {
			return err
		}
	}
	return nil
}

// event measures the rebalances of one event.
func (m *measurer) event(r *result, h *history) error {
	steps, err := h.steps(r.Event)
	if err != nil {
		return err
	}
	r.Steps = len(steps)
	for i := range steps {
		if err := m.step(r, &steps[i]); err != nil {
			return err
		}
	}
	return nil
}

// step measures one rebalance and adds it to the result.
func (m *measurer) step(r *result, g *holdfast.Group) error {
	n := numbersOf(g)
	q := ask(*g, r.Strategy)
	var best [3]phase
	var whole float64 // seconds of the best turn
	var last []int32
	answers := make(map[uint64]bool)
	first := m.limits.now()
	runs := 0
	for m.limits.more(runs, m.limits.now()-first) {
		if err := m.out.Encode(line{Begin: r.Event}); err != nil {
			return err
		}
		parts, a, err := m.limits.oneTurn(m.assignor.turn(r.Strategy), q)
		if err != nil {
			return err
		}
		if err := m.out.Encode(line{End: r.Event}); err != nil {
			return err
		}
		sum := 0.0
		for k := range parts {
			best[k].least(parts[k])
			sum += parts[k].Seconds
		}
		m.spent += time.Duration(sum * float64(time.Second))
		if runs == 0 || sum < whole {
			whole = sum
		}
		if last, err = n.owners(a); err != nil {
			return err
		}
		answers[fingerprint(last)] = true
		runs++
	}
	if m.assignor.name == nameHoldfast && r.Strategy == sticky {
		if err := n.verify(last); err != nil {
			return err
		}
	}
	r.Decode.add(best[0])
	r.Balance.add(best[1])
	r.Encode.add(best[2])
	r.Best += whole
	r.Runs = runs
	r.Answers = max(r.Answers, len(answers))
	r.Score.add(n.judge(last))
	return nil
}

// oneTurn runs the three parts and says what each cost.
func (l limits) oneTurn(t turn, q *question) (parts [3]phase, a answer, err error) {
	runtime.GC()
	parts[0] = l.cost(func() { err = t.decode(q) })
	if err != nil {
		return parts, nil, fmt.Errorf("decode: %w", err)
	}
	parts[1] = l.cost(func() { err = t.balance() })
	if err != nil {
		return parts, nil, fmt.Errorf("balance: %w", err)
	}
	parts[2] = l.cost(func() { a, err = t.encode() })
	if err != nil {
		return parts, nil, fmt.Errorf("encode: %w", err)
	}
	return parts, a, nil
}

// cost runs f and says what it took and allocated.
func (l limits) cost(f func()) phase {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := l.now()
	f()
	took := l.now() - start
	runtime.ReadMemStats(&after)
	return phase{Seconds: took.Seconds(), Bytes: after.TotalAlloc - before.TotalAlloc,
		Allocs: after.Mallocs - before.Mallocs}
}

// begun is what now counts from.
var begun = time.Now()

// now reads the chosen clock.
func (l limits) now() time.Duration {
	if l.cpu {
		return processorTime()
	}
	return time.Since(begun)
}

// processorTime is what this process has used, all its threads together.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(fmt.Sprintf("compare: no processor time: %v", err))
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// newMeasurer writes to out.
func newMeasurer(a assignor, l limits, out io.Writer) *measurer {
	return &measurer{assignor: a, limits: l, out: json.NewEncoder(out)}
}
