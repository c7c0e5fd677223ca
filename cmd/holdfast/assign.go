package main

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/render"
	"github.com/spf13/cobra"
)

const assignLong = `assign computes who owns which partition of a group, from a file or from flags,
and says what moved and why.

The group file is YAML, or JSON where it begins with { or [ or is named .json:

  strategy: sticky              # the flag wins; default sticky
  topics:
    orders: 9                   # a partition count
    payments:                   # or more about a topic
      partitions: 3
      weights: [900, 1, 1]      # load of each partition, for weighted
      racks: [[a, b], [b, c], [c, a]]   # of each one's replicas, leader first
  members:                      # the members now in the group
  - id: X
    instance_id: pod-0          # group.instance.id
    rack: a                     # client.rack
    subscription: [orders]      # absent: every topic of the file
    owned: {orders: 3-6}        # "3-6", "0,2,5-7" or [3, 4, 5, 6]
    generation: 7
    capacity: 1.0               # for weighted
  - id: Z
  departed:                     # owners that are gone
  - {id: W, owned: {orders: 0-2}}

Of several strategies, as partition.assignment.strategy lists them, the first is
used: it is what a group chooses whose members all have that list.

With --batch the input is many YAML documents between lines of ---, or one JSON
document a line; the output is one line of JSON for each, in order, and a
document that is in error gives a line that says so.

With --exit-code the command ends with 3 if more than --max-moves partitions
move, if more are shed than have to be, or if the plan breaks a promise of its
strategy.`

type assignCommand struct {
	input    groupInput
	strategy strategyInput
	output   string
	batch    bool
	moves    bool
	exitCode bool
	maxMoves int
	list     []holdfast.Assignor // of --strategy
}

func newAssignCommand() *cobra.Command {
	var c assignCommand
	cmd := &cobra.Command{
		Use:   "assign [FILE]",
		Short: "Compute who owns which partition, what moved and why",
		Long:  assignLong,
		Example: `  holdfast assign --topic t=9 --member X=3-6 --member Y=7,8 --member Z --departed W=0-2
  holdfast assign group.yaml -o json
  holdfast assign --strategy cooperative-sticky --moves group.yaml
  holdfast assign --exit-code --max-moves 10 group.yaml
  holdfast assign --batch < groups.yaml`,
		Args: maxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.input.addFlags(cmd)
	c.strategy.addFlags(cmd, "strategy, or a list of which the first is used (default what the "+
		"file says, else sticky)")
	f := cmd.Flags()
	f.BoolVar(&c.batch, "batch", false, "many documents in, one line of JSON out for each")
	f.BoolVar(&c.moves, "moves", false, "list every move in the text")
	f.BoolVar(&c.exitCode, "exit-code", false, "end with 3 if there is a finding")
	f.IntVar(&c.maxMoves, "max-moves", math.MaxInt,
		"more moved partitions than this `NUMBER` are a finding")
	f.Lookup("max-moves").DefValue = "no limit"
	outputFlag(cmd, &c.output, "text", "json")
	return cmd
}

func (c *assignCommand) run(cmd *cobra.Command, args []string) (err error) {
	if err := checkOutput(cmd, c.output, "text", "json"); err != nil {
		return err
	}
	if err := c.strategy.check(cmd); err != nil {
		return err
	}
	if c.maxMoves < 0 {
		return usagef(cmd, "--max-moves %d is negative", c.maxMoves)
	}
	if c.list, err = c.strategy.listed(cmd); err != nil {
		return err
	}
	if c.batch {
		return c.runBatch(cmd, args)
	}
	file, err := c.input.group(cmd, args)
	if err != nil {
		return err
	}
	answer, err := c.answer(cmd, file)
	if err != nil {
		return err
	}
	if err := c.write(cmd, file, answer); err != nil {
		return err
	}
	return c.report(cmd, c.findings(answer.Plan, file.Group), "")
}

// chosen is the strategy for a file: the flag's, the file's, or sticky.
func (c *assignCommand) chosen(file *groupfile.File) holdfast.Assignor {
	switch {
	case len(c.list) > 0:
		return c.list[0]
	case len(file.Strategies) > 0:
		return file.Strategies[0]
	}
	return holdfast.Sticky
}

func (c *assignCommand) answer(cmd *cobra.Command, file *groupfile.File) (*render.Answer, error) {
	strategy := c.chosen(file)
	plan, err := c.strategy.assign(strategy, file.Group)
	if err != nil {
		return nil, err
	}
	return &render.Answer{Plan: plan, Spread: c.strategy.spread,
		Warnings: append(file.Warnings, c.strategy.ignored(cmd, strategy)...)}, nil
}

func (c *assignCommand) write(cmd *cobra.Command, file *groupfile.File, a *render.Answer) error {
	if c.output == "json" {
		w := jsonwriter.New(cmd.OutOrStdout(), 2)
		w.Object(func() { a.JSON(w) })
		w.Newline()
		return w.Flush()
	}
	text := render.Text{OneTopic: len(file.Group.Topics) == 1, Moves: c.moves,
		Colour: colour(cmd, cmd.OutOrStdout())}
	if err := text.Write(cmd.OutOrStdout(), a); err != nil {
		return err
	}
	for _, warning := range a.AllWarnings() {
		say(cmd, "warning", "%s", warning)
	}
	for _, note := range a.Notes() {
		say(cmd, "note", "%s", note)
	}
	return nil
}

// findings are what --exit-code is about. They cost as much as the plan, so they
// are looked for only if somebody asks.
func (c *assignCommand) findings(plan *holdfast.Plan, g holdfast.Group) []string {
	var found []string
	if plan.Moved() > c.maxMoves {
		found = append(found, fmt.Sprintf("%d partitions move, more than --max-moves %d",
			plan.Moved(), c.maxMoves))
	}
	if !c.exitCode {
		return found
	}
	if least := plan.LeastMoves(); least >= 0 && plan.Causes().Shed > least {
		found = append(found, fmt.Sprintf("%d partitions are shed where %d would do",
			plan.Causes().Shed, least))
	}
	if err := plan.Verify(g); err != nil {
		found = append(found, fmt.Sprintf("the plan breaks a promise: %v", err))
	}
	return found
}

// report says what was found and ends the command accordingly.
func (c *assignCommand) report(cmd *cobra.Command, found []string, where string) error {
	for _, f := range found {
		say(cmd, "finding", "%s%s", where, f)
	}
	if len(found) > 0 && c.exitCode {
		return errFinding
	}
	return nil
}

// runBatch answers document after document.
func (c *assignCommand) runBatch(cmd *cobra.Command, args []string) error {
	switch {
	case c.moves || cmd.Flags().Changed("output") && c.output != "json":
		return usagef(cmd, "--batch writes JSON, one line for each document")
	case len(c.input.flags.Topics)+len(c.input.flags.Members)+len(c.input.flags.Departed) > 0:
		return usagef(cmd, "--batch reads its groups from a file or stdin, not from flags")
	}
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	in, shown, err := open(cmd, name)
	if err != nil {
		return err
	}
	err = c.answerAll(cmd, groupfile.NewDocuments(shown, in))
	return errors.Join(err, in.Close())
}

func (c *assignCommand) answerAll(cmd *cobra.Command, docs *groupfile.Documents) error {
	w := jsonwriter.New(cmd.OutOrStdout(), 0)
	failed, finding := 0, error(nil)
	index := 0
	for ; ; index++ {
		source, err := docs.Next()
		var bad *groupfile.Error
		switch {
		case errors.Is(err, io.EOF):
			return c.endBatch(cmd, failed, index, finding)
		case err != nil && !errors.As(err, &bad):
			return err
		}
		var file *groupfile.File
		var answer *render.Answer
		if err == nil {
			file, err = groupfile.Parse(source)
		}
		if err == nil {
			answer, err = c.answer(cmd, file)
		}
		w.Object(func() {
			w.Key("index")
			w.Int(int64(index))
			if err != nil {
				w.Key("error")
				w.String(err.Error())
				return
			}
			answer.JSON(w)
		})
		w.Newline()
		if werr := w.Flush(); werr != nil {
			return werr
		}
		if err != nil {
			failed++
			continue
		}
		found := c.findings(answer.Plan, file.Group)
		if f := c.report(cmd, found, fmt.Sprintf("document %d: ", index)); f != nil {
			finding = f
		}
	}
}

func (c *assignCommand) endBatch(cmd *cobra.Command, failed, all int, finding error) error {
	if failed == 0 {
		return finding
	}
	say(cmd, "error", "%d of %d documents are in error", failed, all)
	return errReported
}
