// Command compare holds holdfast against the sticky assignors of other Go
// clients: the same groups, the same bytes in, in one program and one run.
//
//	go run . -o ../../docs/benchmarks.md    measures everything and writes the report
//	go run . -cases '^equal/'               some cases, to the terminal
//	go run . promises -o ../../docs/peers.md   puts all through the conformance suite
//	go run . search -o testdata             looks for groups that sarama fails on
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(os.Stderr, "compare: error: %v\n", err)
		}
		os.Exit(1)
	}
}

// run is the program. Without a command it measures; measure is what it starts
// to have one assignor measured.
func run(args []string) error {
	command := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	switch command {
	case "":
		return runCompare(args)
	case "measure":
		return runMeasure(args)
	case "search":
		return runSearch(args)
	case "promises":
		return runPromises(args)
	}
	return fmt.Errorf("no command %q (known: promises, search, or none)", command)
}

// selection is what to measure, as the flags say.
type selection struct {
	cases, events, assignors string
}

func (s *selection) flags(set *flag.FlagSet) {
	set.StringVar(&s.cases, "cases", "", "regular expression of case names")
	set.StringVar(&s.events, "events", "", "events, comma separated; all where empty")
	set.StringVar(&s.assignors, "assignors", "holdfast,holdfast-maps,franz-go,sarama",
		"assignors, comma separated")
}

// pick returns the chosen jobs and assignors.
func (s *selection) pick() (jobs []job, chosen []assignor, err error) {
	wanted, err := regexp.Compile(s.cases)
	if err != nil {
		return nil, nil, err
	}
	for _, j := range allJobs() {
		if !wanted.MatchString(j.name) {
			continue
		}
		if s.events != "" {
			j.events = strings.Split(s.events, ",")
		}
		jobs = append(jobs, j)
	}
	if len(jobs) == 0 {
		return nil, nil, fmt.Errorf("no case matches %q", s.cases)
	}
	for name := range strings.SplitSeq(s.assignors, ",") {
		a, err := findAssignor(name)
		if err != nil {
			return nil, nil, err
		}
		chosen = append(chosen, a)
	}
	return jobs, chosen, nil
}

// maxRuns is how often a turn is run unless a flag says otherwise.
const maxRuns = 30

func limitFlags(set *flag.FlagSet, l *limits) {
	set.IntVar(&l.runs, "runs", maxRuns, "runs of each turn, at most")
	set.DurationVar(&l.spend, "spend", 300*time.Millisecond, "no more runs of a turn after this long")
	set.DurationVar(&l.budget, "budget", time.Minute, "what the turns of one case may take in all")
	set.BoolVar(&l.cpu, "cpu", false, "measure processor time on one core, for a busy machine")
}

// runCompare measures, shows each result as it comes, and writes the report.
func runCompare(args []string) error {
	set := flag.NewFlagSet("compare", flag.ContinueOnError)
	var s selection
	s.flags(set)
	r := &runner{program: os.Args[0]}
	limitFlags(set, &r.limits)
	set.DurationVar(&r.capTime, "cap", time.Minute, "longest time for one turn")
	gib := set.Int64("memory", 8, "greatest resident memory of a measuring process, in GiB")
	set.BoolVar(&r.tryAll, "all", false, "try also what is larger than something unfinished")
	path := set.String("o", "", "where to write the report, as Markdown; its picture goes beside it")
	if err := set.Parse(args); err != nil {
		return err
	}
	r.capBytes = *gib << 30
	jobs, chosen, err := s.pick()
	if err != nil {
		return err
	}
	rep := report{cpu: r.limits.cpu, machine: thisMachine(), date: time.Now(), capTime: r.capTime,
		capBytes: r.capBytes, command: "cd internal/compare && go run ." + quoted(args)}
	r.report = func(x result) {
		rep.results = append(rep.results, x)
		fmt.Printf("%-24s %-15s %-14s %s\n", x.Case, x.Event, x.Assignor, x.brief())
	}
	if *path != "" {
		name := "equal/10000x1M"
		rep.floor, err = measureFloor(name, equalShape(10_000, 1000, 1000), r.limits)
		if err != nil {
			return err
		}
	}
	for _, j := range jobs {
		for _, a := range chosen {
			if a.name == nameMaps && isGrowth(j.name) {
				continue
			}
			if err := r.run(a, j); err != nil {
				return err
			}
		}
		if *path != "" {
			// After each case, so that a run that is stopped leaves what it found.
			if err := rep.save(*path); err != nil {
				return err
			}
		}
	}
	return nil
}

// quoted writes arguments as one would type them.
func quoted(args []string) string {
	var b strings.Builder
	for _, a := range args {
		b.WriteByte(' ')
		if strings.ContainsAny(a, " ^$*?|()[]&;<>\\\"'") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		b.WriteString(a)
	}
	return b.String()
}

// save writes report and picture.
func (r *report) save(path string) error {
	r.took = time.Since(r.date)
	var picture, text strings.Builder
	drawPanels(&picture, panels(r.results))
	svg := strings.TrimSuffix(path, filepath.Ext(path)) + ".svg"
	if err := os.WriteFile(svg, []byte(picture.String()), 0o644); err != nil {
		return err
	}
	r.plot = filepath.Base(svg)
	r.out = &text
	r.write()
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// brief is a result on one line.
func (r *result) brief() string {
	if r.State != "" {
		return r.State
	}
	return fmt.Sprintf("%8s %8s %8s ms %6s MB  moved %d squares %d, %d/%d answers",
		milliseconds(r.Decode.Seconds), milliseconds(r.Balance.Seconds),
		milliseconds(r.Encode.Seconds), megabytes(r.bytes()),
		r.Score.Moved, r.Score.Squares, r.Answers, r.Runs)
}

// runMeasure is the measuring process.
func runMeasure(args []string) error {
	set := flag.NewFlagSet("compare measure", flag.ContinueOnError)
	var l limits
	limitFlags(set, &l)
	name := set.String("case", "", "case")
	assignorName := set.String("assignor", "", "assignor")
	strategy := set.String("strategy", sticky, "strategy")
	chosen := set.String("events", "", "events, comma separated")
	if err := set.Parse(args); err != nil {
		return err
	}
	a, err := findAssignor(*assignorName)
	if err != nil {
		return err
	}
	for _, j := range allJobs() {
		if j.name == *name {
			j.strategy, j.events = *strategy, strings.Split(*chosen, ",")
			return newMeasurer(a, l, os.Stdout).measure(j)
		}
	}
	return fmt.Errorf("no case %q", *name)
}
