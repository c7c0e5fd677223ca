package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
)

// asProgram makes the test binary behave as the program, for the processes that
// a runner starts.
const asProgram = "HOLDFAST_COMPARE_AS_PROGRAM"

// neverEnds is an assignor whose balance does not return.
const neverEnds = "never-ends"

type endlessTurn struct{ mapsTurn }

func (*endlessTurn) balance() error { select {} }

func TestMain(m *testing.M) {
	assignors = append(assignors, assignor{neverEnds, "a test",
		func(string) turn { return &endlessTurn{} }})
	if os.Getenv(asProgram) != "" {
		if err := run(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// long reports whether the long suite runs.
func long() bool { return os.Getenv("HOLDFAST_LONG") != "" }

// smallJobs are every family in a size that takes milliseconds.
func smallJobs() []job {
	var list []job
	for name, build := range map[string]func() *shape{
		"equal":        func() *shape { return equalShape(20, 4, 13) },
		"random-10":    func() *shape { return randomShape(30, 30, 5, 10) },
		"random-50":    func() *shape { return randomShape(30, 30, 5, 50) },
		"patterns":     func() *shape { return patternShape(60, 30, 5, 5) },
		"zipf":         func() *shape { return zipfShape(30, 60) },
		"ring":         func() *shape { return ringShape(40) },
		"hub":          func() *shape { return hubShape(40) },
		"nested":       func() *shape { return nestedShape(30, 4) },
		"uneven-teams": func() *shape { return unevenTeamsShape(300) },
		"teams":        func() *shape { return bucketShape(50, 10, 10) },
	} {
		list = append(list, job{caseOf{name + "/small", build}, sticky, events})
	}
	slices.SortFunc(list, func(a, b job) int { return strings.Compare(a.name, b.name) })
	return list
}

// TestAnswers holds every assignor's answer to every kind of case against the
// figures that holdfast proves: nobody is better, and what franz-go promises, it
// keeps.
func TestAnswers(t *testing.T) {
	for _, j := range smallJobs() {
		h, err := begin(j.build())
		if err != nil {
			t.Fatal(err)
		}
		for _, event := range j.events {
			t.Run(j.name+"/"+event, func(t *testing.T) {
				steps, err := h.steps(event)
				if err != nil {
					t.Fatal(err)
				}
				for i := range steps {
					compareAnswers(t, &steps[i])
				}
			})
		}
	}
}

func compareAnswers(t *testing.T, g *holdfast.Group) {
	t.Helper()
	n := numbersOf(g)
	first, err := planOf(nameHoldfast, sticky, g)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.verify(first); err != nil {
		t.Fatal(err)
	}
	best := n.judge(first)
	for _, name := range []string{nameHoldfast, nameMaps, nameFranz} {
		owner, err := planOf(name, sticky, g)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := n.judge(owner); got != best {
			t.Errorf("%s: %+v, holdfast %+v", name, got, best)
		}
		if name != nameFranz && fingerprint(owner) != fingerprint(first) {
			t.Errorf("%s gives another answer to the same question", name)
		}
	}
}

// TestSarama looks at sarama on cases that it finishes at once.
func TestSarama(t *testing.T) {
	h, err := begin(bucketShape(20, 5, 10))
	if err != nil {
		t.Fatal(err)
	}
	finished := 0
	for _, event := range events {
		steps, err := h.steps(event)
		if err != nil {
			t.Fatal(err)
		}
		n := numbersOf(&steps[0])
		owner, ok := saramaPlan(t, sticky, &steps[0])
		if !ok {
			continue
		}
		finished++
		ours, err := planOf(nameHoldfast, sticky, &steps[0])
		if err != nil {
			t.Fatal(err)
		}
		got, best := n.judge(owner), n.judge(ours)
		if got.Squares < best.Squares || got.Squares == best.Squares && got.Moved < best.Moved {
			t.Errorf("%s: sarama %+v beats holdfast %+v", event, got, best)
		}
	}
	if finished < len(events)/2 {
		t.Errorf("sarama finished %d of %d events", finished, len(events))
	}
}

// saramaPlan asks sarama, and gives up on an answer that does not come: what it
// does depends on the order of maps.
func saramaPlan(t *testing.T, strategy string, g *holdfast.Group) (owner []int32, ok bool) {
	t.Helper()
	type outcome struct {
		owner []int32
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		owner, err := planOf(nameSarama, strategy, g)
		done <- outcome{owner, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			t.Fatal(o.err)
		}
		return o.owner, true
	case <-time.After(5 * time.Second):
		t.Log("sarama does not come to an end")
		return nil, false
	}
}

// TestCases proves holdfast's plans on every case of the report, the large ones
// in the long suite.
func TestCases(t *testing.T) {
	seen := make(map[string]bool)
	for _, j := range allJobs() {
		if seen[j.name] || j.strategy != sticky {
			continue
		}
		seen[j.name] = true
		t.Run(j.name, func(t *testing.T) {
			s := j.build()
			s.checkShape(t)
			if size := s.edges() + s.partitionCount(); size > 15_000 && !long() {
				return // the shape is checked; the plans are for the long suite
			}
			h, err := begin(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, event := range j.events {
				steps, err := h.steps(event)
				if err != nil {
					t.Fatal(err)
				}
				for i := range steps {
					plan, err := holdfast.Sticky.Assign(steps[i])
					if err != nil {
						t.Fatal(err)
					}
					if err := plan.Verify(steps[i]); err != nil {
						t.Fatalf("%s: %v", event, err)
					}
				}
			}
		})
	}
}

// checkShape checks what the rest relies on.
func (s *shape) checkShape(t *testing.T) {
	t.Helper()
	if len(s.of) != s.members+spare(s.members) {
		t.Fatalf("%d patterns for %d members", len(s.of), s.members)
	}
	for _, n := range s.partitions {
		if n < 1 {
			t.Fatal("a topic without partitions")
		}
	}
	for _, p := range s.patterns {
		if len(p) == 0 || !slices.IsSorted(p) || len(slices.Compact(slices.Clone(p))) != len(p) {
			t.Fatalf("pattern %v is empty, unsorted or has a topic twice", p)
		}
		if last := p[len(p)-1]; int(last) >= len(s.partitions) {
			t.Fatalf("pattern names topic %d of %d", last, len(s.partitions))
		}
	}
}

// TestEvents checks who is in the group after each event.
func TestEvents(t *testing.T) {
	h, err := begin(randomShape(40, 20, 5, 30))
	if err != nil {
		t.Fatal(err)
	}
	for event, want := range map[string]struct{ members, departed, without, steps int }{
		"fresh": {40, 0, 40, 1}, "same": {40, 0, 0, 1},
		"1 joins": {41, 0, 1, 1}, "1 leaves": {39, 1, 0, 1},
		"10% leave": {36, 4, 0, 1}, "10% join": {44, 0, 4, 1},
		"rolling restart": {40, 1, 1, rollingSteps},
	} {
		steps, err := h.steps(event)
		if err != nil {
			t.Fatal(err)
		}
		if len(steps) != want.steps {
			t.Errorf("%s: %d steps, want %d", event, len(steps), want.steps)
		}
		for _, g := range steps {
			without := 0
			for _, m := range g.Members {
				if m.Generation == holdfast.NoGeneration {
					without++
				}
			}
			if len(g.Members) != want.members || len(g.Departed) != want.departed ||
				without != want.without {
				t.Errorf("%s: %d members, %d gone, %d without a claim, want %+v",
					event, len(g.Members), len(g.Departed), without, want)
			}
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(events)), slices.Sorted(maps.Keys(map[string]int{
		"fresh": 0, "same": 0, "1 joins": 0, "1 leaves": 0, "10% leave": 0, "10% join": 0,
		"rolling restart": 0}))) {
		t.Errorf("events are %q", events)
	}
}

// testRunner starts this test binary as the program.
func testRunner(t *testing.T) (*runner, *[]result) {
	t.Helper()
	t.Setenv(asProgram, "1")
	var results []result
	return &runner{
		program: os.Args[0], capTime: 20 * time.Second, capBytes: 4 << 30,
		limits: limits{runs: 3, spend: time.Second, budget: time.Minute},
		report: func(x result) { results = append(results, x) },
	}, &results
}

// jobNamed returns a job of the report with few events.
func jobNamed(t *testing.T, name string, chosen ...string) job {
	t.Helper()
	for _, j := range allJobs() {
		if j.name == name {
			j.events = chosen
			return j
		}
	}
	t.Fatalf("no job %q", name)
	return job{}
}

func TestRunner(t *testing.T) {
	for _, cpu := range []bool{false, true} {
		t.Run(fmt.Sprintf("cpu=%v", cpu), func(t *testing.T) { testRun(t, cpu) })
	}
}

func testRun(t *testing.T, cpu bool) {
	r, results := testRunner(t)
	r.limits.cpu = cpu
	j := jobNamed(t, "equal/100x1k", "same", "1 joins")
	for _, name := range []string{nameHoldfast, nameMaps, nameFranz} {
		a, err := findAssignor(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.run(a, j); err != nil {
			t.Fatal(err)
		}
	}
	if len(*results) != 6 {
		t.Fatalf("%d results", len(*results))
	}
	for _, x := range *results {
		if x.State != "" || x.Runs < 2 || x.Balance.Seconds <= 0 || x.Balance.Allocs == 0 {
			t.Errorf("%+v", x)
		}
		want := score{Squares: 10_000}
		if x.Event == "1 joins" {
			want = score{Squares: 9910, Moved: 9}
		}
		if x.Score != want {
			t.Errorf("%s, %s: %+v, want %+v", x.Assignor, x.Event, x.Score, want)
		}
	}
}

// TestRunnerCaps stops what does not end or grows too large, and does not try
// what is larger.
func TestRunnerCaps(t *testing.T) {
	r, results := testRunner(t)
	r.capTime = 300 * time.Millisecond
	a, err := findAssignor(neverEnds)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"equal/100x1k", "equal/1000x10k"} {
		if err := r.run(a, jobNamed(t, name, "same", "1 joins")); err != nil {
			t.Fatal(err)
		}
	}
	r.capTime, r.capBytes, r.overrun = time.Minute, 1, nil
	if err := r.run(a, jobNamed(t, "equal/100x1k", "same")); err != nil {
		t.Fatal(err)
	}
	r.capBytes, r.limits.budget = 4<<30, time.Nanosecond
	if a, err = findAssignor(nameHoldfast); err != nil {
		t.Fatal(err)
	}
	if err := r.run(a, jobNamed(t, "equal/100x1k", "same", "1 joins")); err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, x := range *results {
		states = append(states, x.State)
	}
	want := []string{"> 300ms", "not tried: did not finish same",
		"not tried: did not finish equal/100x1k", "not tried: did not finish equal/100x1k",
		"> 0 GiB", "", "not tried: 1ns are used up"}
	if !slices.Equal(states, want) {
		t.Errorf("got  %q\nwant %q", states, want)
	}
}

// TestReport writes a small report and checks that it holds what was measured.
func TestReport(t *testing.T) {
	r, results := testRunner(t)
	for _, j := range []job{
		jobNamed(t, "teams/100x5x10", "1 joins"),
		jobNamed(t, growthPartitions+"/1000", "10% join"),
		jobNamed(t, growthPartitions+"/3000", "10% join"),
		jobNamed(t, growthEdges+"/1012", "10% join"),
	} {
		for _, a := range assignors[:3] {
			if err := r.run(a, j); err != nil {
				t.Fatal(err)
			}
		}
	}
	rep := report{results: *results, machine: thisMachine(), command: "a command",
		date: time.Unix(0, 0), capTime: time.Minute, capBytes: 8 << 30, plot: "x.svg",
		floor: floor{"equal", 1, 1.2, 0.1}}
	var text, picture strings.Builder
	rep.out = &text
	rep.write()
	for _, want := range []string{"    a command\n", "| franz-go |", "### teams/100x5x10",
		"| all unequal | 1 |", "1.20 times", "1970-01-01 00:00 UTC", "](x.svg)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, text.String())
		}
	}
	alone := report{results: slices.DeleteFunc(slices.Clone(*results),
		func(x result) bool { return x.Assignor == nameFranz }), out: new(strings.Builder)}
	alone.write()
	for _, unproven := range []string{"than franz-go", "On no turn", "A leader's whole turn"} {
		if text := fmt.Sprint(alone.out); strings.Contains(text, unproven) {
			t.Errorf("%q in a report without franz-go:\n%s", unproven, text)
		}
	}
	drawPanels(&picture, panels(*results))
	checkXML(t, picture.String())
	if n := strings.Count(picture.String(), "<polyline"); n != 4 {
		t.Errorf("%d lines in the picture", n)
	}
}

// TestFound puts the groups through holdfast on which sarama fails.
func TestFound(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d groups, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			g, err := readGroup(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range []holdfast.Assignor{holdfast.Sticky, holdfast.CooperativeSticky} {
				plan, err := a.Assign(g)
				if err != nil {
					t.Fatal(err)
				}
				if err := plan.Verify(g); err != nil {
					t.Errorf("%s: %v", a.Name(), err)
				}
			}
			for _, strategy := range []string{sticky, cooperativeSticky} {
				owner, err := planOf(nameHoldfast, strategy, &g)
				if err != nil {
					t.Fatal(err)
				}
				if strategy == sticky {
					continue // eager members have let everything go
				}
				if i, yes := handedOver(&g, owner); yes {
					t.Errorf("partition %d is handed over", i)
				}
			}
		})
	}
}

// TestFoundStillFail checks that the groups show what their files say: sarama
// hands over what is still held, and its search does not end.
func TestFoundStillFail(t *testing.T) {
	paths, err := filepath.Glob("testdata/sarama-" + unsafe + "-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no groups", err)
	}
	for _, path := range paths {
		g, err := readGroup(path)
		if err != nil {
			t.Fatal(err)
		}
		yes := false
		for range 50 { // its answer depends on the order of a map
			owner, ok := saramaPlan(t, cooperativeSticky, &g)
			if !ok {
				break
			}
			if _, yes = handedOver(&g, owner); yes {
				break
			}
		}
		if !yes {
			t.Errorf("%s: sarama hands nothing over", path)
		}
	}
}
