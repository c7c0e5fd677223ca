package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/render"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/timeline"
	"github.com/holdfast/holdfast/sim"
	"github.com/spf13/cobra"
)

const simulateLong = `simulate plays a group over time on a virtual clock: the protocol as Kafka's
coordinator and clients speak it, with their timeouts. It shows every rebalance,
what moved and why, and how long partitions were not processed.

  group: {topics: {orders: 12}, members: [{id: A}, {id: B}]}   # a group file
  strategies: [cooperative-sticky]     # a member may have its own
  group_protocol: classic              # or consumer (KIP-848), with assignor: uniform or range
  timing: {session_timeout: 45s, heartbeat_interval: 3s, max_poll_interval: 5m,
    initial_rebalance_delay: 3s, metadata_max_age: 5m, poll: 100ms, network: 2ms,
    revoke: 50ms, restore: 2s}         # Kafka's defaults; revoke, restore: per partition
  seed: 1
  faults: {loss: 0.01, duplicate: 0.01, delay_max: 500ms, until: 5m}
  record_rate: 100                     # records a second in each partition
  until: 15m
  events:
  - {at: 10s, join: {id: C}}
  - {at: 25s, leave: C}
  - {at: 30s, crash: B}                # no word: its session must run out
  - {at: 90s, restart: A, down: 8s}
  - {at: 2m, rolling_restart: all, down: 8s, every: 30s}
  - {at: 5m, rolling_upgrade: all, strategies: [cooperative-sticky], down: 8s, every: 30s}
  - {at: 7m, upgrade: A, strategies: [cooperative-sticky], down: 8s}
  - {at: 8m, topic: {orders: 18}}
  - {at: 9m, subscribe: {A: [orders, payments]}}
  - {at: 10m, stall: A, for: 6m}       # stops polling
  - {at: 17m, cut: A, for: 10s}        # nothing reaches or leaves it
  - {at: 18m, failover: 5s}            # the coordinator moves

LOST is in partition-seconds, from a rebalance's start to the next one's: unowned
is what the group had assigned to nobody, stopped what its owner did not process,
restoring what its owner was getting ready. Stop the world is the time in which no
partition was processed.

With --compare the same events are played with each of the strategies as the
members' only one. --svg and --html write the timeline: a lane for each member, on
one time axis. With --exit-code the command ends with 3 if a promise of the
protocol was broken.`

type simulateCommand struct {
	output   string
	compare  string
	svg      string
	html     string
	exitCode bool
}

func newSimulateCommand() *cobra.Command {
	var c simulateCommand
	cmd := &cobra.Command{
		Use:   "simulate SCENARIO",
		Short: "Play a group over time and see what its rebalances cost",
		Long:  simulateLong,
		Example: `  holdfast simulate examples/scenarios/crash.yaml
  holdfast simulate --compare range,sticky,cooperative-sticky examples/scenarios/scale-out.yaml
  holdfast simulate --html timeline.html examples/scenarios/rolling-restart.yaml`,
		Args: exactArgs("SCENARIO"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&c.compare, "compare", "", "play the same events with each of these `STRATEGIES`")
	f.StringVar(&c.svg, "svg", "", "write the timeline to this `FILE`")
	f.StringVar(&c.html, "html", "", "write a page with the timeline and the figures to this `FILE`")
	f.BoolVar(&c.exitCode, "exit-code", false, "end with 3 if a promise of the protocol was broken")
	complete(cmd, "compare", groupfile.StrategyNames()...)
	outputFlag(cmd, &c.output, "text", "json")
	return cmd
}

func (c *simulateCommand) run(cmd *cobra.Command, name string) error {
	if err := checkOutput(cmd, c.output, "text", "json"); err != nil {
		return err
	}
	var strategies []holdfast.Assignor
	if c.compare != "" {
		var err error
		if strategies, err = groupfile.Strategies(c.compare); err != nil {
			return usagef(cmd, "--compare: %v", err)
		}
	}
	source, err := readFile(cmd, name)
	if err != nil {
		return err
	}
	scenario, err := groupfile.ParseScenario(source)
	if err != nil {
		return err
	}
	runs, err := c.play(cmd, scenario, strategies)
	if err != nil {
		return err
	}
	if err := c.write(cmd, runs); err != nil {
		return err
	}
	if err := c.draw(source.Name, runs); err != nil {
		return err
	}
	return c.report(cmd, runs)
}

// play plays the scenario, once or once for each strategy.
func (c *simulateCommand) play(
	cmd *cobra.Command, s *sim.Scenario, strategies []holdfast.Assignor,
) ([]render.Simulation, error) {
	lanes := c.svg != "" || c.html != "" || c.output == "json"
	s.NoLanes = !lanes
	stop := progress(cmd)
	defer stop()
	if strategies == nil {
		report, err := sim.Run(*s)
		return []render.Simulation{{Strategies: listNames(s.Strategies), Report: report,
			Lanes: lanes}}, err
	}
	var runs []render.Simulation
	for _, a := range strategies {
		report, err := sim.Run(only(*s, a))
		if err != nil {
			return nil, err
		}
		runs = append(runs, render.Simulation{Strategies: []string{groupfile.StrategyName(a)},
			Report: report, Lanes: lanes})
	}
	return runs, nil
}

// listNames are the names of a list, Kafka's default where there is none.
func listNames(list []holdfast.Assignor) []string {
	if len(list) == 0 {
		return []string{"range", "cooperative-sticky"}
	}
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = groupfile.StrategyName(a)
	}
	return names
}

// only is the scenario with one strategy for all members, now and later.
func only(s sim.Scenario, a holdfast.Assignor) sim.Scenario {
	list := []holdfast.Assignor{a}
	s.Strategies = list
	s.Members = append([]sim.Member{}, s.Members...)
	for i := range s.Members {
		s.Members[i].Strategies = nil
	}
	s.Events = append([]sim.Event{}, s.Events...)
	for i := range s.Events {
		s.Events[i].Join.Strategies = nil
		if s.Events[i].Strategies != nil {
			s.Events[i].Strategies = list
		}
	}
	return s
}

// progress tells a person who waits that something happens.
func progress(cmd *cobra.Command) (stop func()) {
	w := cmd.ErrOrStderr()
	if !colour(cmd, w) {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		start, tick := time.Now(), time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				fmt.Fprint(w, "\r\x1b[K")
				return
			case <-tick.C:
				fmt.Fprintf(w, "\rsimulating for %v", time.Since(start).Round(time.Second))
			}
		}
	}()
	return func() { close(done); <-gone }
}

func (c *simulateCommand) write(cmd *cobra.Command, runs []render.Simulation) error {
	out := cmd.OutOrStdout()
	if c.output == "json" {
		w := jsonwriter.New(out, 2)
		w.Object(func() {
			w.Key("format_version")
			w.String(render.FormatVersion)
			if c.compare == "" {
				runs[0].JSON(w)
				return
			}
			w.Key("compare")
			w.Array(func() {
				for i := range runs {
					w.Object(func() { runs[i].JSON(w) })
				}
			})
		})
		w.Newline()
		return w.Flush()
	}
	if c.compare == "" {
		return runs[0].Text(out)
	}
	return compareRuns(out, runs)
}

// compareRuns writes one row for each strategy.
func compareRuns(out io.Writer, runs []render.Simulation) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STRATEGY\tREBALANCES\tMOVED\tLOST\tUNOWNED\tSTOPPED\tRESTORING\t"+
		"STOP-THE-WORLD\tREFUSED")
	for i := range runs {
		t := &runs[i].Report.Totals
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%d\n",
			strings.Join(runs[i].Strategies, ","), t.Rebalances, t.Moved,
			render.Number(t.Lost.Sum()), render.Number(t.Lost.Unowned),
			render.Number(t.Lost.Stopped), render.Number(t.Lost.Restoring),
			render.Clock(t.StopTheWorld), len(runs[i].Report.Refused))
	}
	return w.Flush()
}

// draw writes the timelines that were asked for.
func (c *simulateCommand) draw(name string, runs []render.Simulation) error {
	page := timeline.Page{Title: name}
	for i := range runs {
		page.Runs = append(page.Runs, timeline.Run{Name: strings.Join(runs[i].Strategies, ", "),
			Report: runs[i].Report})
	}
	if c.svg != "" {
		if err := create(c.svg, page.SVG); err != nil {
			return err
		}
	}
	if c.html != "" {
		return create(c.html, page.HTML)
	}
	return nil
}

// create writes a file, all of it or an error.
func create(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return fileError(err)
	}
	return errors.Join(write(file), file.Close())
}

// report says which promises were broken: it is a defect of the model, or of the
// strategy that the leader uses.
func (c *simulateCommand) report(cmd *cobra.Command, runs []render.Simulation) error {
	found := false
	for i := range runs {
		for _, v := range runs[i].Report.Violations {
			found = true
			say(cmd, "finding", "%s, %s at %s: %s", strings.Join(runs[i].Strategies, ","), v.Check,
				render.Clock(v.At), v.Detail)
		}
	}
	if found && c.exitCode {
		return errFinding
	}
	return nil
}
