package main

import (
	"slices"
	"strings"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/advise"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/spf13/cobra"
)

const adviseLong = `advise judges how a consumer group is configured, without a cluster: from a
group file, from a client's configuration, or from both. It finds what is known
to go wrong, with the figures of this very group, recommends a strategy and says
why, prints the configuration to use for five clients, and the way from here to
there as steps that negotiate calls safe.

A group file is that of the other commands; a member's protocols are its list of
strategies. Where neither a member nor the key strategy names any, Java's default
is assumed. A file for negotiate will do too, with the steps that are planned, but
tells nothing of partitions. Groups of up to 50 members and 1000 partitions are also played on the
simulator, where a member needs --restore to get a partition ready: what it costs
when one joins and leaves again, and when all are restarted.

--config reads what a client is configured with: a Java client's or librdkafka's
properties, confluent-kafka's settings as JSON, a Spring application.yaml or
.properties. The file tells whose it is; --client says otherwise. With a group
file beside it, the members run with that configuration, or, where the group file
names strategies, they are to be restarted with it.

Findings are errors (a client or the broker refuses it), warnings (it works, and
costs) and infos. With --exit-code the command ends with 3 if there is an error
or a warning. With --pauses-ok nobody minds that the group stands still while it
rebalances: then sticky will do.`

type adviseCommand struct {
	config   string
	client   string
	pausesOK bool
	exitCode bool
	restore  time.Duration
	output   string
}

func newAdviseCommand() *cobra.Command {
	var c adviseCommand
	cmd := &cobra.Command{
		Use:   "advise [FILE]",
		Short: "Find what is wrong with a group's configuration, and say what to use",
		Long:  adviseLong,
		Example: `  holdfast advise group.yaml
  holdfast advise --config consumer.properties
  holdfast advise --config application.yaml --client spring group.yaml
  holdfast advise --exit-code -o json --config librdkafka.json`,
		Args: maxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&c.config, "config", "", "a client's configuration, `FILE`, or - for stdin")
	f.StringVar(&c.client, "client", "",
		"whose configuration it is: java, spring or librdkafka (default: what the file looks like)")
	f.BoolVar(&c.pausesOK, "pauses-ok", false, "nobody minds when the group stands still")
	f.BoolVar(&c.exitCode, "exit-code", false, "end with 3 if there is an error or a warning")
	f.DurationVar(&c.restore, "restore", time.Second,
		"what it costs a member to get one partition ready, for what is simulated")
	outputFlag(cmd, &c.output, "text", "json")
	complete(cmd, "client", clientNames()...)
	return cmd
}

func clientNames() []string {
	var names []string
	for _, c := range advise.Clients() {
		names = append(names, string(c))
	}
	return names
}

func (c *adviseCommand) run(cmd *cobra.Command, args []string) error {
	if err := checkOutput(cmd, c.output, "text", "json"); err != nil {
		return err
	}
	in, err := c.input(cmd, args)
	if err != nil {
		return err
	}
	advice, err := advise.Advise(in)
	if err != nil {
		return err
	}
	if c.output == "json" {
		w := jsonwriter.New(cmd.OutOrStdout(), 3)
		advice.JSON(w)
		err = w.Flush()
	} else {
		err = advice.Text(cmd.OutOrStdout())
		for _, warning := range advice.Warnings {
			say(cmd, "warning", "%s", warning)
		}
	}
	if err == nil && c.exitCode && advice.Worth() {
		return errFinding
	}
	return err
}

// input reads the files that are named.
func (c *adviseCommand) input(cmd *cobra.Command, args []string) (advise.Input, error) {
	in := advise.Input{PausesHarmless: c.pausesOK, Restore: c.restore}
	given := cmd.Flags().Changed("config")
	switch {
	case c.restore < 0:
		return in, usagef(cmd, "--restore %v is not a time from 0 on", c.restore)
	case cmd.Flags().Changed("client") && !slices.Contains(clientNames(), c.client):
		return in, usagef(cmd, "--client %q is not one of %s", c.client,
			strings.Join(clientNames(), ", "))
	case !given && len(args) == 0:
		return in, usagef(cmd, "nothing to judge: name a group file, or a configuration with --config")
	case !given && c.client != "":
		return in, usagef(cmd, "--client says whose configuration --config is, which is missing")
	case given && len(args) > 0 && c.config == "-" && args[0] == "-":
		return in, usagef(cmd, "stdin is one file: it cannot be both the group and the configuration")
	}
	if len(args) > 0 {
		source, err := readFile(cmd, args[0])
		if err != nil {
			return in, err
		}
		if err := readGroup(&in, source); err != nil {
			return in, err
		}
	}
	if given {
		source, err := readFile(cmd, c.config)
		if err != nil {
			return in, err
		}
		if in.Config, err = advise.ParseConfig(source, advise.Client(c.client)); err != nil {
			return in, err
		}
	}
	return in, nil
}

// readGroup reads a group file, or else a file that negotiate reads, which says
// nothing but the members' lists, now and in the steps that are planned.
func readGroup(in *advise.Input, source groupfile.Source) error {
	file, err := groupfile.Parse(source)
	if err == nil {
		in.Group = file
		return nil
	}
	lists, second := groupfile.ParseNegotiation(source)
	if second != nil {
		return err
	}
	now, steps := lists.Start(), lists.Steps
	if len(now) == 0 && len(steps) > 0 {
		now, steps = steps[0], steps[1:]
	}
	in.Group, in.Steps = &groupfile.File{Warnings: []string{
		"lists-only: read as a file for negotiate; as a group file, " + err.Error()}}, steps
	for _, v := range now {
		in.Group.Group.Members = append(in.Group.Group.Members, holdfast.Member{ID: v.ID,
			InstanceID: v.InstanceID, Generation: holdfast.NoGeneration})
		in.Group.Protocols = append(in.Group.Protocols, v.Protocols)
	}
	return nil
}
