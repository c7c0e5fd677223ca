package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/spf13/cobra"
)

// groupInput is where a command gets its group from: a file or flags.
type groupInput struct {
	flags groupfile.Flags
}

// addFlags adds the flags that stand for a group file.
func (in *groupInput) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&in.flags.Topics, "topic", nil,
		"a topic and its number of partitions, as `NAME=PARTITIONS`; instead of a file")
	f.StringArrayVar(&in.flags.Members, "member", nil,
		"a member and what it owns, as `ID`, ID=3-6 or 'ID=orders:3-6;payments:0'")
	f.StringArrayVar(&in.flags.Departed, "departed", nil,
		"an owner that is gone, as `ID=OWNED`, written like --member")
	for _, flag := range []string{"topic", "member", "departed"} {
		complete(cmd, flag)
	}
}

// group reads the group and what the file says beside it. Exactly one of file
// and flags must be there.
func (in *groupInput) group(cmd *cobra.Command, args []string) (*groupfile.File, error) {
	flagged := len(in.flags.Topics)+len(in.flags.Members)+len(in.flags.Departed) > 0
	switch {
	case flagged && len(args) > 0:
		return nil, usagef(cmd, "a group comes from a file or from flags, not from both")
	case !flagged && len(args) == 0:
		return nil, usagef(cmd, "no group: name a file, - for stdin, or use --topic and --member")
	case flagged:
		group, err := in.flags.Group()
		if err != nil {
			return nil, usagef(cmd, "%v", err)
		}
		return &groupfile.File{Group: group}, nil
	}
	source, err := readFile(cmd, args[0])
	if err != nil {
		return nil, err
	}
	return groupfile.Parse(source)
}

// open opens a file for reading; - is stdin.
func open(cmd *cobra.Command, name string) (in io.ReadCloser, shown string, err error) {
	if name == "-" {
		return io.NopCloser(cmd.InOrStdin()), "stdin", nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, name, fileError(err)
	}
	return file, name, nil
}

// fileError says what cannot be opened, in words that start with its name.
func fileError(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", groupfile.Printable(path.Path), path.Err)
	}
	return err
}

func readFile(cmd *cobra.Command, name string) (groupfile.Source, error) {
	in, shown, err := open(cmd, name)
	if err != nil {
		return groupfile.Source{}, err
	}
	source, err := groupfile.Read(shown, in)
	return source, errors.Join(fileError(err), in.Close())
}

// strategyInput is which strategy a command uses and what it ranks.
type strategyInput struct {
	list    string
	spread  bool
	racks   string
	maxSkew float64
}

// addFlags adds the flags; what says what the list of --strategy means.
func (s *strategyInput) addFlags(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	f.StringVarP(&s.list, "strategy", "s", "", what)
	f.BoolVar(&s.spread, "spread", false,
		"sticky, cooperative-sticky: spread each topic evenly, as far as no move is added")
	f.StringVar(&s.racks, "racks", "all",
		"which replicas' racks count: all, leader or none")
	f.Float64Var(&s.maxSkew, "max-skew", 0,
		"weighted: how far above the lower bound the heaviest member may stay to save moves")
	complete(cmd, "strategy", groupfile.StrategyNames()...)
	complete(cmd, "racks", "all", "leader", "none")
	complete(cmd, "max-skew")
}

// check refuses values that no strategy can work with.
func (s *strategyInput) check(cmd *cobra.Command) error {
	switch {
	case s.racks != "all" && s.racks != "leader" && s.racks != "none":
		return usagef(cmd, "--racks %q is not one of all, leader, none", s.racks)
	case !(s.maxSkew >= 0) || math.IsInf(s.maxSkew, 1):
		return usagef(cmd, "--max-skew %v is not a finite number from 0 on", s.maxSkew)
	}
	return nil
}

// listed are the strategies that the flag names, nil where it is not given.
func (s *strategyInput) listed(cmd *cobra.Command) ([]holdfast.Assignor, error) {
	if !cmd.Flags().Changed("strategy") {
		return nil, nil
	}
	list, err := groupfile.Strategies(s.list)
	if err != nil {
		return nil, usagef(cmd, "--strategy: %v", err)
	}
	return list, nil
}

// assign computes the plan of one strategy under the options.
func (s *strategyInput) assign(a holdfast.Assignor, g holdfast.Group) (*holdfast.Plan, error) {
	options := holdfast.StickyOptions{IgnoreRacks: s.racks == "none",
		LeaderRackOnly: s.racks == "leader", Spread: s.spread}
	switch groupfile.StrategyName(a) {
	case "sticky":
		return holdfast.NewSticky(options).Assign(g)
	case "cooperative-sticky":
		return holdfast.NewCooperativeSticky(options).Assign(g)
	case "weighted":
		return holdfast.NewWeighted(holdfast.WeightedOptions{MaxSkew: s.maxSkew}).Assign(g)
	}
	plan, err := a.Assign(s.withRacks(g))
	if err != nil || s.racks == "all" {
		return plan, err
	}
	// The figures are to be those of the group as it is.
	return holdfast.NewPlan(g, plan.Strategy(), plan.Assignment())
}

// withRacks is the group with only those racks that count.
func (s *strategyInput) withRacks(g holdfast.Group) holdfast.Group {
	if s.racks == "all" {
		return g
	}
	topics := make([]holdfast.Topic, len(g.Topics))
	for i, t := range g.Topics {
		if s.racks == "none" {
			t.Racks = nil
		}
		racks := make([][]string, len(t.Racks))
		for p, replicas := range t.Racks {
			racks[p] = replicas[:min(1, len(replicas))]
		}
		t.Racks = racks
		topics[i] = t
	}
	g.Topics = topics
	return g
}

// ignored warns of options that have no part in a strategy.
func (s *strategyInput) ignored(cmd *cobra.Command, a holdfast.Assignor) []string {
	var warnings []string
	name := groupfile.StrategyName(a)
	ignore := func(flag string, heeds ...string) {
		for _, h := range heeds {
			if h == name {
				return
			}
		}
		if cmd.Flags().Changed(flag) {
			warnings = append(warnings, fmt.Sprintf("ignored-option: --%s has no part in %s", flag, name))
		}
	}
	ignore("spread", "sticky", "cooperative-sticky")
	ignore("racks", "range", "sticky", "cooperative-sticky")
	ignore("max-skew", "weighted")
	return warnings
}
