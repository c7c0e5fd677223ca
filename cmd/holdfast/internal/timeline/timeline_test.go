package timeline

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/sim"
)

// played runs a scenario in which a member with an odd name comes and goes.
func played(t *testing.T, name string, partitions int) *Page {
	t.Helper()
	page := &Page{Title: "a " + name}
	for _, a := range []holdfast.Assignor{holdfast.Sticky, holdfast.CooperativeSticky} {
		report, err := sim.Run(sim.Scenario{
			Topics:     []holdfast.Topic{{Name: name, Partitions: partitions}},
			Members:    []sim.Member{{ID: "a"}, {ID: "b"}},
			Strategies: []holdfast.Assignor{a},
			Timing:     sim.Timing{Restore: time.Second, Revoke: 50 * time.Millisecond},
			Events: []sim.Event{{At: time.Minute, Kind: sim.Join, Join: sim.Member{ID: name}},
				{At: 2 * time.Minute, Kind: sim.Crash, Member: "a"}},
			Until: 4 * time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		page.Runs = append(page.Runs, Run{Name: a.Name(), Report: report})
	}
	return page
}

// parseXML reads all of a document and counts its elements.
func parseXML(t *testing.T, text []byte) map[string]int {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	elements := map[string]int{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
}

// TestSVG: the figure is XML whatever a member is called, has each state that
// there is, and is the same each time.
func TestSVG(t *testing.T) {
	for _, name := range []string{"c", `</title><script>alert(1)</script>`, `" onload="x`,
		"\x1b[31m\x00", strings.Repeat("x", 1<<12), "\u202e&amp;"} {
		page := played(t, name, 6)
		var out, again bytes.Buffer
		if err := page.SVG(&out); err != nil {
			t.Fatal(err)
		}
		elements := parseXML(t, out.Bytes())
		if elements["script"] > 0 || elements["svg"] != 1 || elements["pattern"] != 4 {
			t.Errorf("%.20q: elements %v", name, elements)
		}
		for _, state := range []string{"processing", "restoring", "revoking", "crashed"} {
			if !strings.Contains(out.String(), " "+state+", ") {
				t.Errorf("%.20q: no partition is %s", name, state)
			}
		}
		if err := page.SVG(&again); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Errorf("%.20q: the second drawing is another one: %v", name, err)
		}
	}
}

// TestManyPartitions: where there are too many for a row each, a lane is one row.
func TestManyPartitions(t *testing.T) {
	var few, many bytes.Buffer
	if err := played(t, "t", 12).SVG(&few); err != nil {
		t.Fatal(err)
	}
	if err := played(t, "t", 5000).SVG(&many); err != nil {
		t.Fatal(err)
	}
	if many.Len() > 2*few.Len() || !strings.Contains(many.String(), "most of its partitions") {
		t.Errorf("%d bytes for 5000 partitions, %d for 12", many.Len(), few.Len())
	}
}

// TestHTML: the page is one file that loads nothing, and escapes what it shows.
func TestHTML(t *testing.T) {
	page := played(t, `</style><script>alert(1)</script>`, 6)
	var out bytes.Buffer
	if err := page.HTML(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, bad := range []string{"<script", "src=", "href=", "@import", "url(http"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	for _, want := range []string{"<svg ", "<h2>sticky</h2>", "<h2>cooperative-sticky</h2>",
		"session of a expires", "</html>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestMostly(t *testing.T) {
	s := time.Second
	rows := []sim.Lane{
		{Intervals: []sim.Interval{{From: 0, To: 10 * s, State: sim.Processing}}},
		{Intervals: []sim.Interval{{From: 2 * s, To: 4 * s, State: sim.Restoring},
			{From: 4 * s, To: 8 * s, State: sim.Processing}}},
		{Intervals: []sim.Interval{{From: 3 * s, To: 6 * s, State: sim.Restoring},
			{From: 12 * s, To: 13 * s, State: sim.Stalled}}},
	}
	want := []sim.Interval{{From: 0, To: 3 * s, State: sim.Processing},
		{From: 3 * s, To: 4 * s, State: sim.Restoring}, {From: 4 * s, To: 10 * s, State: sim.Processing},
		{From: 12 * s, To: 13 * s, State: sim.Stalled}}
	got := mostly(rows)
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
}
