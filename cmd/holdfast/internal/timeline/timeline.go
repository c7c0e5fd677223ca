// Package timeline draws what a simulation did: a lane for each member, a row in
// it for each partition that the member had, the states of the partition along
// one time axis that all runs of a page share. It writes SVG and self-contained
// HTML by itself; no figure depends on a script or on anything outside the file.
package timeline

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/holdfast/holdfast/sim"
)

// Page is what is drawn: one run, or several of the same events.
type Page struct {
	Title string
	Runs  []Run
}

// Run is one played scenario.
type Run struct {
	Name   string // its strategies
	Report *sim.Report
}

// The figure's measures, in pixels.
const (
	left     = 150 // for the names of the members
	right    = 40
	width    = 1200 // of the time axis
	heading  = 44   // above each run's lanes
	axis     = 28   // below them
	tallest  = 9    // of a row
	smallest = 2
	gap      = 4 // between lanes
	// maxRows is how many rows a run is drawn with; where there are more partitions,
	// a member is one row that shows the state that most of its partitions are in.
	maxRows = 600
)

// states has each state's colour, and the hatch that tells it without colour.
var states = []struct {
	state sim.LaneState
	fill  string
	hatch string // a path in a tile of 6 by 6
	means string
}{
	{sim.Processing, "#2a9d6f", "", "processing"},
	{sim.Restoring, "#5b8def", "M0 6L6 0", "restoring: its new owner gets it ready"},
	{sim.Revoking, "#e9a03b", "M0 0L6 6", "revoking: its owner gives it up"},
	{sim.Stalled, "#b07cc6", "M0 3H6", "stalled: its owner does not poll"},
	{sim.Crashed, "#d1495b", "M0 0L6 6M0 6L6 0", "crashed: its owner is dead, and still a member"},
}

// SVG writes the figure as a file of its own.
func (p *Page) SVG(out io.Writer) error {
	w := bufio.NewWriter(out)
	p.figure(w)
	return w.Flush()
}

// lane is one member's rows.
type lane struct {
	member string
	rows   []sim.Lane
}

// lanesOf lists every member that was ever in the group, with what it had.
func lanesOf(r *sim.Report) []lane {
	byMember := make(map[string][]sim.Lane)
	for _, m := range r.Final {
		byMember[m.Member] = nil
	}
	for i := range r.Rebalances {
		for _, m := range r.Rebalances[i].Members {
			byMember[m.Member] = nil
		}
	}
	for _, l := range r.Lanes {
		byMember[l.Member] = append(byMember[l.Member], l)
	}
	lanes := make([]lane, 0, len(byMember))
	for member, rows := range byMember {
		lanes = append(lanes, lane{member, rows})
	}
	slices.SortFunc(lanes, func(a, b lane) int { return cmp.Compare(a.member, b.member) })
	return lanes
}

// end is the last moment of all runs.
func (p *Page) end() sim.Time {
	end := time.Second
	for _, run := range p.Runs {
		for _, l := range run.Report.Lanes {
			for _, i := range l.Intervals {
				end = max(end, i.To)
			}
		}
		for i := range run.Report.Rebalances {
			end = max(end, run.Report.Rebalances[i].End)
		}
	}
	return end
}

// figure writes the svg element.
func (p *Page) figure(w *bufio.Writer) {
	f := figure{end: p.end()}
	var body strings.Builder
	f.body = &body
	f.legend()
	for i := range p.Runs {
		f.run(&p.Runs[i])
	}
	full := left + width + right
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%d" height="%d" `+
		`viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", full, f.y, full, f.y)
	fmt.Fprintf(w, "<title>%s</title>\n<defs>\n", escape("Timeline of "+p.Title))
	for _, s := range states {
		if s.hatch != "" {
			fmt.Fprintf(w, `<pattern id="%s" width="6" height="6" patternUnits="userSpaceOnUse">`+
				`<rect width="6" height="6" fill="%s"/><path d="%s" stroke="#fff" stroke-width="1.2"/>`+
				"</pattern>\n", s.state, s.fill, s.hatch)
		}
	}
	fmt.Fprintf(w, "</defs>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", full, f.y)
	_, _ = w.WriteString(body.String())
	_, _ = w.WriteString("</svg>\n")
}

// figure is an svg element on its way.
type figure struct {
	body *strings.Builder
	end  sim.Time
	y    int // where the next thing begins
}

func (f *figure) x(t sim.Time) float64 {
	return left + float64(width)*float64(t)/float64(f.end)
}

func (f *figure) text(x float64, y int, anchor, text string) {
	fmt.Fprintf(f.body, `<text x="%.1f" y="%d" text-anchor="%s" fill="#222">%s</text>`+"\n", x, y,
		anchor, escape(text))
}

// paint is how a state is filled.
func paint(state sim.LaneState) string {
	for _, s := range states {
		if s.state == state && s.hatch == "" {
			return s.fill
		}
	}
	return "url(#" + string(state) + ")"
}

// legend says what the fills mean.
func (f *figure) legend() {
	x := 10.0
	for _, s := range states {
		fmt.Fprintf(f.body, `<rect x="%.1f" y="8" width="14" height="12" fill="%s"/>`+"\n", x,
			paint(s.state))
		f.text(x+19, 18, "start", s.means)
		x += 30 + 6.6*float64(len(s.means))
	}
	f.y = 30
}

// run draws one run below what is there.
func (f *figure) run(run *Run) {
	t := &run.Report.Totals
	fmt.Fprintf(f.body, `<text x="10" y="%d" font-weight="bold" fill="#222">%s</text>`+"\n", f.y+18,
		escape(run.Name))
	f.text(10, f.y+34, "start", fmt.Sprintf(
		"rebalances %d, moved %d, lost partition-seconds %.4g, stop the world %.4g s", t.Rebalances,
		t.Moved, t.Lost.Sum(), t.StopTheWorld.Seconds()))
	f.y += heading
	top := f.y
	lanes := lanesOf(run.Report)
	rows := 0
	for _, l := range lanes {
		rows += max(1, len(l.rows))
	}
	for _, l := range lanes {
		f.lane(l, rows)
	}
	f.rebalances(run.Report, top)
	f.axis()
}

// lane draws one member.
func (f *figure) lane(l lane, allRows int) {
	height := tallest
	if allRows > 40 {
		height = max(smallest, tallest*40/allRows)
	}
	rows := l.rows
	if allRows > maxRows {
		rows = []sim.Lane{{Member: l.member, Intervals: mostly(l.rows)}}
		height = tallest
	}
	tall := max(12, height*len(rows))
	fmt.Fprintf(f.body, `<rect x="%d" y="%d" width="%d" height="%d" fill="#f2f2f0"/>`+"\n", left, f.y,
		width, tall)
	f.text(left-8, f.y+tall/2+4, "end", shown(l.member))
	for i := range rows {
		f.row(&rows[i], f.y+i*height, height, len(l.rows) != len(rows))
	}
	f.y += tall + gap
}

func (f *figure) row(l *sim.Lane, y, height int, summed bool) {
	for _, i := range l.Intervals {
		what := fmt.Sprintf("%s[%d]", l.Topic, l.Partition)
		if summed {
			what = "most of its partitions"
		}
		x := f.x(i.From)
		fmt.Fprintf(f.body, `<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"><title>%s</title>`+
			"</rect>\n", x, y, max(f.x(i.To)-x, 0.3), max(height-1, 1), paint(i.State),
			escape(fmt.Sprintf("%s: %s %s, %s to %s", l.Member, what, i.State,
				i.From.Round(time.Millisecond), i.To.Round(time.Millisecond))))
	}
}

// rebalances marks each rebalance from its start to its end, over all lanes.
func (f *figure) rebalances(r *sim.Report, top int) {
	for i := range r.Rebalances {
		rebalance := &r.Rebalances[i]
		x := f.x(rebalance.Start)
		fmt.Fprintf(f.body, `<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="#000" `+
			`fill-opacity="0.18"><title>%s</title></rect>`+"\n", x, top-4,
			max(f.x(rebalance.End)-x, 0.8), f.y-top+4, escape(fmt.Sprintf(
				"generation %d: %s, %s, moved %d", rebalance.Generation, rebalance.Cause,
				rebalance.Strategy, rebalance.Moved)))
	}
}

// axis draws the time below the lanes.
func (f *figure) axis() {
	step := tick(f.end)
	for t := sim.Time(0); t <= f.end; t += step {
		x := f.x(t)
		fmt.Fprintf(f.body, `<path d="M%.1f %dv5" stroke="#222"/>`+"\n", x, f.y)
		f.text(x, f.y+18, "middle", t.String())
	}
	f.y += axis
}

// tick is a round step that divides the axis into ten parts or a few more.
func tick(end sim.Time) sim.Time {
	for _, step := range []time.Duration{100 * time.Millisecond, time.Second, 2 * time.Second,
		5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute,
		5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour} {
		if end/step <= 14 {
			return step
		}
	}
	return (end / 12).Truncate(time.Hour)
}

// escape makes text fit for XML, which has no form at all for some characters.
func escape(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text))
}

// shown is a name that has room beside the lanes.
func shown(name string) string {
	const most = 20
	runes := []rune(name)
	if len(runes) > most {
		return string(runes[:most-2]) + ".."
	}
	return string(runes)
}

// mostly is the state that most of many partitions are in, over time.
func mostly(rows []sim.Lane) []sim.Interval {
	type change struct {
		at    sim.Time
		state sim.LaneState
		by    int
	}
	var changes []change
	for i := range rows {
		for _, in := range rows[i].Intervals {
			changes = append(changes, change{in.From, in.State, 1}, change{in.To, in.State, -1})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	counts := make(map[sim.LaneState]int)
	var all []sim.Interval
	for i, c := range changes {
		counts[c.state] += c.by
		if i+1 < len(changes) && changes[i+1].at == c.at {
			continue
		}
		var most sim.LaneState
		for _, s := range states {
			if counts[s.state] > counts[most] {
				most = s.state
			}
		}
		if n := len(all); n > 0 {
			all[n-1].To = c.at
		}
		if n := len(all); most != "" && (n == 0 || all[n-1].State != most) || n > 0 && most == "" {
			all = append(all, sim.Interval{From: c.at, To: c.at, State: most})
		}
	}
	return slices.DeleteFunc(all, func(i sim.Interval) bool { return i.State == "" })
}
