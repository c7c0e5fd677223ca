package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// report writes what was measured as Markdown.
type report struct {
	out      io.Writer
	cpu      bool // times are the processor's
	machine  machine
	command  string
	date     time.Time
	took     time.Duration
	capTime  time.Duration
	capBytes int64
	results  []result
	floor    floor
	plot     string // file name of the picture, "" for none
}

// key names one turn of one assignor.
type key struct{ name, strategy, event, assignor string }

func (r *report) index() map[key]*result {
	all := make(map[key]*result, len(r.results))
	for i := range r.results {
		x := &r.results[i]
		all[key{x.Case, x.Strategy, x.Event, x.Assignor}] = x
	}
	return all
}

func (r *report) printf(format string, args ...any) { fmt.Fprintf(r.out, format, args...) }

// write writes the whole report.
func (r *report) write() {
	r.head()
	r.writeGoals()
	r.ratios()
	r.leader()
	r.floors()
	if r.plot != "" {
		r.printf("## Growth\n\n![time of a whole turn against size](%s)\n\n", r.plot)
		r.printf("A tenth of the members join, `sticky`, bytes in and bytes out. A line ends " +
			"where its\nassignor did not finish within the cap.\n\n")
	}
	r.details()
}

func (r *report) head() {
	r.printf("# Benchmarks\n\n")
	r.printf(`holdfast beside the sticky assignors of franz-go and sarama: the same groups, the same
JoinGroup bytes in, SyncGroup bytes out, in one run of one program. To repeat it:

    %s

`, r.command)
	r.printf("| | |\n|---|---|\n")
	for _, row := range r.machine.rows() {
		r.printf("| %s | %s |\n", row[0], row[1])
	}
	r.printf("| date | %s, %v in all |\n", r.date.UTC().Format("2006-01-02 15:04 UTC"),
		r.took.Round(time.Second))
	r.printf("| load average | %s at the beginning, %s at the end |\n", r.machine.load, loadAverage())
	r.printf("| caps | %v for one turn, %d GiB for one process |\n\n", r.capTime, r.capBytes>>30)
	r.printf("How it was measured:\n\n")
	if r.cpu {
		r.printf("- Times, caps too, are **processor time** on one core, not time on the wall: other\n" +
			"  work shared the machine.\n")
	}
	for _, a := range assignors {
		r.printf("- **%s**: %s.\n", a.name, a.what)
	}
	r.printf(`- A turn is what the leader of a group does: decode the members' bytes, balance, encode
  the answers. Each part is timed apart. Times are the least of up to %d runs for each part;
  all assignors get the same bytes, and what the members own before an event is holdfast's
  plan of the group without it.
- Each assignor and case has a process of its own. "> 1m0s" did not finish in that time;
  what is no smaller than something unfinished of its family is not tried, nor what comes
  after the turns of a case have taken the budget.
- The load averages say how busy the machine was with other work. Compare figures of one
  case, not of different days.
- *squares* and *moved* are computed from the answers alone. The least is holdfast's figure;
  holdfast.Plan.Verify has passed each of holdfast's sticky answers.

`, maxRuns)
}

// ratios sums up franz-go's times over holdfast's.
func (r *report) ratios() {
	all := r.index()
	var families []string
	groups := make(map[string][]pair)
	for _, x := range r.results {
		p, ok := pairOf(all, x)
		if !ok || x.Strategy != sticky {
			continue
		}
		names := []string{caseOf{name: x.Case}.family()}
		if names[0] != "equal" && names[0] != "leader" {
			names = append(names, "all unequal")
		}
		for _, name := range names {
			if groups[name] == nil {
				families = append(families, name)
			}
			groups[name] = append(groups[name], p)
		}
	}
	if len(families) == 0 {
		return // franz-go was not measured beside holdfast; nothing is said of it
	}
	r.printf("## holdfast and franz-go\n\n")
	r.printf("franz-go's time divided by holdfast's, `sticky`: above 1 holdfast is faster.\n" +
		"*Balance* is between the same nested maps of names, *turn* is bytes to bytes.\n\n")
	r.printf("| cases | turns | balance: mean | worst | turn: mean | worst |\n" +
		"|---|--:|--:|--:|--:|--:|\n")
	slices.SortStableFunc(families, func(a, b string) int {
		return boolInt(a == "all unequal") - boolInt(b == "all unequal")
	})
	for _, family := range families {
		r.ratioRow(family, groups[family])
	}
	r.printf("\nMeans are geometric. ")
	r.slowest(all)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pair is one turn of both.
type pair struct {
	name, event   string
	balance, turn float64 // franz-go's time over holdfast's
	franzBalance  float64 // seconds
}

// pairOf returns the pair of a result of franz-go.
func pairOf(all map[key]*result, x result) (pair, bool) {
	if x.Assignor != nameFranz || x.State != "" {
		return pair{}, false
	}
	if isGrowth(x.Case) {
		return pair{}, false
	}
	nested := all[key{x.Case, x.Strategy, x.Event, nameMaps}]
	whole := all[key{x.Case, x.Strategy, x.Event, nameHoldfast}]
	if nested == nil || whole == nil || nested.State != "" || whole.State != "" {
		return pair{}, false
	}
	return pair{name: x.Case, event: x.Event, franzBalance: x.Balance.Seconds,
		balance: x.Balance.Seconds / nested.Balance.Seconds, turn: x.Best / whole.Best}, true
}

func (r *report) ratioRow(family string, pairs []pair) {
	balance, turn := 0.0, 0.0
	worstBalance, worstTurn := math.Inf(1), math.Inf(1)
	for _, p := range pairs {
		balance += math.Log(p.balance)
		turn += math.Log(p.turn)
		worstBalance, worstTurn = min(worstBalance, p.balance), min(worstTurn, p.turn)
	}
	n := float64(len(pairs))
	r.printf("| %s | %d | %.1f | %.2f | %.1f | %.2f |\n", family, len(pairs),
		math.Exp(balance/n), worstBalance, math.Exp(turn/n), worstTurn)
}

// slowest names the turns on which holdfast does worst, and where franz-go takes
// a second or more.
func (r *report) slowest(all map[key]*result) {
	var slower, long []pair
	for _, x := range r.results {
		p, ok := pairOf(all, x)
		if !ok || x.Strategy != sticky {
			continue
		}
		if p.balance < 1/1.1 {
			slower = append(slower, p)
		}
		if p.franzBalance >= 1 {
			long = append(long, p)
		}
	}
	if len(slower) == 0 {
		r.printf("On no turn is holdfast's balance more than 1.1 times slower.\n\n")
	} else {
		r.printf("holdfast's balance is more than 1.1 times slower on %d:\n\n", len(slower))
		for _, p := range slower {
			r.printf("- %s, %s: %.2f\n", p.name, p.event, p.balance)
		}
		r.printf("\n")
	}
	if len(long) > 0 {
		r.printf("Turns on which franz-go's balance takes a second or more, and how " +
			"many times\nfaster holdfast is:\n\n" +
			"| case | event | franz-go, ms | balance | turn |\n|---|---|--:|--:|--:|\n")
		for _, p := range long {
			r.printf("| %s | %s | %s | %.1f | %.1f |\n", p.name, p.event,
				milliseconds(p.franzBalance), p.balance, p.turn)
		}
		r.printf("\n")
	}
}

// leader shows whole turns of large groups under cooperative-sticky.
func (r *report) leader() {
	if !slices.ContainsFunc(r.results, func(x result) bool {
		return x.Strategy == cooperativeSticky
	}) {
		return
	}
	r.printf("## A leader's whole turn\n\n")
	r.printf("`cooperative-sticky`, milliseconds and megabytes allocated, bytes in and bytes out.\n\n")
	r.printf("| case | event | assignor | decode | balance | encode | turn | MB | allocations |\n" +
		"|---|---|---|--:|--:|--:|--:|--:|--:|\n")
	for _, x := range r.results {
		if x.Strategy != cooperativeSticky || x.Assignor == nameMaps {
			continue
		}
		if x.State != "" {
			r.printf("| %s | %s | %s | %s | | | | | |\n", x.Case, x.Event, x.Assignor, x.State)
			continue
		}
		r.printf("| %s | %s | %s | %s | %s | %s | %s | %s | %d |\n", x.Case, x.Event, x.Assignor,
			milliseconds(x.Decode.Seconds), milliseconds(x.Balance.Seconds),
			milliseconds(x.Encode.Seconds), milliseconds(x.Best), megabytes(x.bytes()), x.allocs())
	}
	r.printf("\n")
}

// floors shows what no assignor can be faster than.
func (r *report) floors() {
	f := r.floor
	if f.maps == 0 {
		return
	}
	r.printf("## The floor\n\n")
	r.printf("%s, one joins. Building the nested maps of the answer and nothing else: %s ms.\n"+
		"holdfast from Group to nested maps: %s ms, %.2f times that; to the flat plan: %s\nms.\n\n",
		f.name, milliseconds(f.maps), milliseconds(f.nested), f.nested/f.maps, milliseconds(f.flat))
}

// details is one table for each case.
func (r *report) details() {
	r.printf("## Every figure\n\n")
	r.printf("`sticky`. "+`Milliseconds; *maps* is holdfast's balance with nested maps built;
squares beyond the least; moves beyond the least, which is in brackets; different answers
to the same question, of so many runs. A rolling restart is the sum of %d rebalances.

`, rollingSteps)
	all := r.index()
	last := ""
	for _, x := range r.results {
		if x.Strategy != sticky || x.Assignor == nameMaps {
			continue
		}
		if x.Case != last {
			last = x.Case
			r.printf("\n### %s\n\n", x.Case)
			r.printf("| event | assignor | decode | balance | encode | turn | maps | MB | " +
				"allocations | squares | moved | answers |\n" +
				"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		}
		r.detail(all, x)
	}
}

func (r *report) detail(all map[key]*result, x result) {
	if x.State != "" {
		r.printf("| %s | %s | %s | | | | | | | | | |\n", x.Event, x.Assignor, x.State)
		return
	}
	maps := ""
	if x.Assignor == nameHoldfast {
		if m := all[key{x.Case, x.Strategy, x.Event, nameMaps}]; m != nil && m.State == "" {
			maps = milliseconds(m.Balance.Seconds)
		}
	}
	squares, moved := "?", "?"
	if best := all[key{x.Case, x.Strategy, x.Event, nameHoldfast}]; best != nil && best.State == "" {
		squares = fmt.Sprintf("%+d", x.Score.Squares-best.Score.Squares)
		moved = fmt.Sprintf("%+d (%d)", x.Score.Moved-best.Score.Moved, best.Score.Moved)
	}
	r.printf("| %s | %s | %s | %s | %s | %s | %s | %s | %d | %s | %s | %d/%d |\n",
		x.Event, x.Assignor, milliseconds(x.Decode.Seconds), milliseconds(x.Balance.Seconds),
		milliseconds(x.Encode.Seconds), milliseconds(x.Best), maps, megabytes(x.bytes()),
		x.allocs(), squares, moved, x.Answers, x.Runs)
}

func (r *result) bytes() uint64 { return r.Decode.Bytes + r.Balance.Bytes + r.Encode.Bytes }

func (r *result) allocs() uint64 { return r.Decode.Allocs + r.Balance.Allocs + r.Encode.Allocs }

// milliseconds writes a time with three digits that count.
func milliseconds(seconds float64) string {
	ms := seconds * 1e3
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.0f", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f", ms)
	case ms >= 1:
		return fmt.Sprintf("%.2f", ms)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.3f", ms), "0")
}

func megabytes(n uint64) string {
	mb := float64(n) / 1e6
	if mb >= 10 {
		return fmt.Sprintf("%.0f", mb)
	}
	return fmt.Sprintf("%.1f", mb)
}
