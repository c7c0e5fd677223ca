package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/render"
	"github.com/holdfast/holdfast/group"
	"github.com/spf13/cobra"
)

const negotiateLong = `negotiate tells which strategy a group uses, given each member's list in order
of preference, as the broker counts: of the strategies that all members list, the
one with the most votes. A tie is undetermined, as the broker's answer to it
depends on the order of a hash map. Where there is none that all list, the member
whose joining fails is named.

The members of the file are in the order of joining:

  members:
  - {id: a, protocols: [cooperative-sticky, range]}
  - {id: b, protocols: [range]}

With steps it is a rolling change, and the verdict says whether every set of
lists on the way has a strategy. Each step is the whole group, one list for each
member in turn, or only the members that change:

  steps:
  - [[range], [range]]
  - {a: [cooperative-sticky, range]}
  - {b: [cooperative-sticky, range]}

A step's members that are not named are called m1, m2 and so on; those of the
file, where they have lists, are the group before the first step. Members that
change in one step are restarted one after the other.

A member's rebalance protocol is cooperative only if its whole list is. With
--exit-code the command ends with 3 unless a strategy is certain, at every step.`

type negotiateCommand struct {
	output   string
	exitCode bool
}

func newNegotiateCommand() *cobra.Command {
	var c negotiateCommand
	cmd := &cobra.Command{
		Use:   "negotiate FILE",
		Short: "Tell which strategy a group chooses, now or through a rolling change",
		Long:  negotiateLong,
		Example: `  holdfast negotiate group.yaml
  holdfast negotiate --exit-code upgrade.yaml
  holdfast negotiate -o json - < upgrade.yaml`,
		Args: exactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	cmd.Flags().BoolVar(&c.exitCode, "exit-code", false,
		"end with 3 unless a strategy is certain")
	outputFlag(cmd, &c.output, "text", "json")
	return cmd
}

func (c *negotiateCommand) run(cmd *cobra.Command, name string) error {
	if err := checkOutput(cmd, c.output, "text", "json"); err != nil {
		return err
	}
	source, err := readFile(cmd, name)
	if err != nil {
		return err
	}
	file, err := groupfile.ParseNegotiation(source)
	if err != nil {
		return err
	}
	var certain bool
	if file.Steps == nil {
		n := group.Negotiate(file.Members)
		certain = n.Selected != ""
		err = c.writeOne(cmd, &n)
	} else {
		u := group.CheckUpgradeFrom(file.Start(), file.Steps)
		certain = u.Verdict == group.Safe
		err = c.writeSteps(cmd, &u)
	}
	if err == nil && c.exitCode && !certain {
		return errFinding
	}
	return err
}

func (c *negotiateCommand) writeOne(cmd *cobra.Command, n *group.Negotiation) error {
	if c.output == "json" {
		w := jsonwriter.New(cmd.OutOrStdout(), 2)
		w.Object(func() {
			w.Key("format_version")
			w.String(render.FormatVersion)
			negotiationJSON(w, n)
		})
		w.Newline()
		return w.Flush()
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, outcome(n))
	fmt.Fprintln(w, "MEMBER\tVOTE\tREBALANCE-PROTOCOL")
	for _, m := range n.Members {
		note := ""
		if m.StickinessLost {
			note = " (loses its stickiness)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s%s\n", groupfile.Printable(m.ID), orDash(m.Vote), m.Protocol, note)
	}
	return w.Flush()
}

// outcome says in one line what was chosen.
func outcome(n *group.Negotiation) string {
	switch {
	case n.Error != group.None:
		return fmt.Sprintf("strategy = none: %s is refused with %v", groupfile.Printable(n.Refused),
			n.Error)
	case len(n.Members) == 0:
		return "strategy = none: there are no members"
	case !n.Determinate:
		return "strategy = undetermined: a tie between " + printables(n.Candidates)
	}
	votes := 0
	for _, v := range n.Votes {
		if v.Protocol == n.Selected {
			votes = v.Votes
		}
	}
	return fmt.Sprintf("strategy = %s (%d of %d votes)", groupfile.Printable(n.Selected), votes,
		len(n.Members))
}

func printables(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = groupfile.Printable(name)
	}
	return strings.Join(shown, ", ")
}

func orDash(name string) string {
	if name == "" {
		return "-"
	}
	return groupfile.Printable(name)
}

func (c *negotiateCommand) writeSteps(cmd *cobra.Command, u *group.Upgrade) error {
	if c.output == "json" {
		return stepsJSON(cmd, u)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STEP\tMEMBERS\tEAGER\tCOOPERATIVE\tOUTCOME")
	passage := 0
	for i := range u.Steps {
		for ; passage < len(u.Passages) && u.Passages[passage].Step == i; passage++ {
			p := &u.Passages[passage]
			stepText(w, "", &p.Negotiation, ", after "+groupfile.Printable(p.Changed))
		}
		stepText(w, fmt.Sprint(i+1), &u.Steps[i], "")
	}
	fmt.Fprintf(w, "verdict = %s: %s\n", u.Verdict, groupfile.Printable(u.Why))
	return w.Flush()
}

func stepText(w *tabwriter.Writer, step string, n *group.Negotiation, note string) {
	eager := 0
	for _, m := range n.Members {
		if m.Protocol == group.Eager {
			eager++
		}
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s%s\n", step, len(n.Members), eager, len(n.Members)-eager,
		outcome(n), note)
}

func stepsJSON(cmd *cobra.Command, u *group.Upgrade) error {
	w := jsonwriter.New(cmd.OutOrStdout(), 2)
	w.Object(func() {
		w.Key("format_version")
		w.String(render.FormatVersion)
		w.Key("steps")
		w.Array(func() {
			for i := range u.Steps {
				w.Object(func() { negotiationJSON(w, &u.Steps[i]) })
			}
		})
		w.Key("passages")
		w.Array(func() {
			for i := range u.Passages {
				p := &u.Passages[i]
				w.Object(func() {
					w.Key("step")
					w.Int(int64(p.Step + 1))
					w.Key("changed")
					w.String(p.Changed)
					negotiationJSON(w, &p.Negotiation)
				})
			}
		})
		w.Key("verdict")
		w.String(string(u.Verdict))
		w.Key("why")
		w.String(u.Why)
	})
	w.Newline()
	return w.Flush()
}

// negotiationJSON writes the keys of one outcome into an object.
func negotiationJSON(w *jsonwriter.Writer, n *group.Negotiation) {
	w.Key("selected")
	w.StringOrNull(n.Selected)
	w.Key("determinate")
	w.Bool(n.Determinate)
	w.Key("candidates")
	w.Strings(n.Candidates)
	w.Key("votes")
	w.Object(func() {
		for _, v := range n.Votes {
			w.Key(v.Protocol)
			w.Int(int64(v.Votes))
		}
	})
	w.Key("members")
	w.Array(func() {
		for _, m := range n.Members {
			w.Object(func() {
				w.Key("id")
				w.String(m.ID)
				w.Key("vote")
				w.StringOrNull(m.Vote)
				w.Key("rebalance_protocol")
				w.String(m.Protocol.String())
				w.Key("stickiness_lost")
				w.Bool(m.StickinessLost)
			})
		}
	})
	w.Key("error")
	if n.Error == group.None {
		w.Null()
	} else {
		w.String(n.Error.String())
	}
	w.Key("refused")
	w.StringOrNull(n.Refused)
}
