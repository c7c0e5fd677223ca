package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/render"
	"github.com/spf13/cobra"
)

const compareLong = `compare runs every strategy on the same group and shows one row for each.

  LOAD         the least and the greatest number of partitions of a member
  SQUARES      sum of the squared loads, and the least that is possible
  SPREAD       sum, over topics and members, of squared counts: the smaller, the
               more evenly each topic lies over the members
  MOVED, ..    partitions that moved, and by cause
  LEAST-MOVES  the fewest that have to be shed for a plan with the least squares
               and the fewest rack misses; - where it is not known
  ROUNDS       rebalances until the plan is reached

Where partitions have weights or members capacities, HEAVIEST is the heaviest
member, LOWER-BOUND what no assignment goes below, and GAP the distance.`

type compareCommand struct {
	input    groupInput
	strategy strategyInput
	output   string
}

func newCompareCommand() *cobra.Command {
	var c compareCommand
	cmd := &cobra.Command{
		Use:   "compare [FILE]",
		Short: "Run every strategy on one group, side by side",
		Long:  compareLong,
		Example: `  holdfast compare group.yaml
  holdfast compare -o json group.yaml
  holdfast compare --strategy range,sticky --topic t=9 --member X=3-6 --member Y --member Z`,
		Args: maxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.input.addFlags(cmd)
	c.strategy.addFlags(cmd, "strategies to compare (default all)")
	outputFlag(cmd, &c.output, "text", "json")
	return cmd
}

func (c *compareCommand) run(cmd *cobra.Command, args []string) error {
	if err := checkOutput(cmd, c.output, "text", "json"); err != nil {
		return err
	}
	if err := c.strategy.check(cmd); err != nil {
		return err
	}
	strategies, err := c.strategy.listed(cmd)
	if err != nil {
		return err
	}
	if strategies == nil {
		strategies = holdfast.Strategies()
	}
	file, err := c.input.group(cmd, args)
	if err != nil {
		return err
	}
	plans := make([]*holdfast.Plan, len(strategies))
	for i, a := range strategies {
		if plans[i], err = c.strategy.assign(a, file.Group); err != nil {
			return err
		}
	}
	bound, err := lowerBound(plans, file.Group)
	if err != nil {
		return err
	}
	if c.output == "json" {
		return compareJSON(cmd, plans, file, bound)
	}
	if err := compareText(cmd, plans, bound); err != nil {
		return err
	}
	for _, w := range compareWarnings(plans, file) {
		say(cmd, "warning", "%s", w)
	}
	return nil
}

// lowerBound is the best proof of how light the heaviest member can be at all:
// that of weighted, which looks hardest. It is -1 where nothing has a weight.
func lowerBound(plans []*holdfast.Plan, g holdfast.Group) (float64, error) {
	if !weighed(g) {
		return -1, nil
	}
	weighted, err := holdfast.Weighted.Assign(g)
	if err != nil {
		return 0, err
	}
	bound := weighted.Load().LowerBound
	for _, plan := range plans {
		bound = max(bound, plan.Load().LowerBound)
	}
	return bound, nil
}

// weighed reports whether partitions or members differ in weight.
func weighed(g holdfast.Group) bool {
	for _, t := range g.Topics {
		if len(t.Weights) > 0 {
			return true
		}
	}
	for _, m := range g.Members {
		if m.Capacity != 0 {
			return true
		}
	}
	return false
}

// loadOf is the plan's load beside a bound that may be better than its own.
func loadOf(plan *holdfast.Plan, bound float64) holdfast.Load {
	load := plan.Load()
	load.LowerBound = bound
	return load
}

func roundsOf(plan *holdfast.Plan) int { return max(1, len(plan.Rounds())) }

// compareWarnings are the same for every strategy.
func compareWarnings(plans []*holdfast.Plan, file *groupfile.File) []string {
	if len(plans) == 0 {
		return file.Warnings
	}
	a := render.Answer{Plan: plans[0], Warnings: file.Warnings}
	return a.AllWarnings()
}

func compareJSON(
	cmd *cobra.Command, plans []*holdfast.Plan, file *groupfile.File, bound float64,
) error {
	w := jsonwriter.New(cmd.OutOrStdout(), 2)
	w.Object(func() {
		w.Key("format_version")
		w.String(render.FormatVersion)
		w.Key("strategies")
		w.Array(func() {
			for _, plan := range plans {
				w.Object(func() {
					w.Key("strategy")
					w.String(plan.Strategy())
					render.BalanceJSON(w, plan.Balance())
					render.Figures(w, plan)
					w.Key("rack_misses")
					w.Int(int64(plan.RackMisses()))
					render.RanksJSON(w, plan)
					w.Key("spread")
					w.Int(plan.Spread())
					w.Key("rounds")
					w.Int(int64(roundsOf(plan)))
					if bound >= 0 {
						render.LoadJSON(w, loadOf(plan, bound), nil)
					}
				})
			}
		})
		w.Key("warnings")
		render.WarningsJSON(w, compareWarnings(plans, file))
	})
	w.Newline()
	return w.Flush()
}

func compareText(cmd *cobra.Command, plans []*holdfast.Plan, bound float64) error {
	header := []string{"STRATEGY", "LOAD", "SQUARES", "SPREAD", "MOVED", "SHED", "ORPHANED",
		"UNSUBSCRIBED", "CONTESTED", "UNOWNED", "LEAST-MOVES", "RACK-MISSES", "ROUNDS"}
	if bound >= 0 {
		header = append(header, "HEAVIEST", "LOWER-BOUND", "GAP")
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, plan := range plans {
		b, causes, least := plan.Balance(), plan.Causes(), "-"
		if n := plan.LeastMoves(); n >= 0 {
			least = strconv.Itoa(n)
		}
		row := []string{plan.Strategy(), fmt.Sprintf("%d..%d", b.Min, b.Max),
			fmt.Sprintf("%d/%d", b.SumOfSquares, b.LeastSumOfSquares),
			strconv.FormatInt(plan.Spread(), 10), strconv.Itoa(plan.Moved()),
			strconv.Itoa(causes.Shed), strconv.Itoa(causes.Orphaned),
			strconv.Itoa(causes.Unsubscribed), strconv.Itoa(causes.Contested),
			strconv.Itoa(causes.Unowned), least, strconv.Itoa(plan.RackMisses()),
			strconv.Itoa(roundsOf(plan))}
		if bound >= 0 {
			load := loadOf(plan, bound)
			row = append(row, render.Number(load.Heaviest), render.Number(load.LowerBound),
				render.Share(load.Gap()))
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}
