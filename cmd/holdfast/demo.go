package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/demo"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/spf13/cobra"
)

const demoLong = `demo runs a consumer group whose members are real clients with holdfast's
balancer, while records flow. A member joins, one crashes without leaving, one
leaves; for each the demo shows who led, what moved and why, how long it took and
how long partitions were not consumed.

Without --brokers it brings its own broker, franz-go's kfake, which differs from
Kafka: it has no initial rebalance delay. On a cluster it creates topics and a
group under names of its own (holdfast-demo-..) and deletes them at the end.

Unconsumed partition-seconds: for each partition that somebody consumed, the time
from the group's beginning to rebalance in which nobody consumes it, summed. The
time that it takes to notice a crash is not in it. Run it with sticky or range,
which are eager, and with cooperative-sticky to see the difference.

No record is ever lost, and no partition has two owners: either ends the command
with 1. Records are processed twice where a member crashed that had processed
them and not yet committed.`

type demoCommand struct {
	config   demo.Config
	strategy string
	output   string
}

func newDemoCommand() *cobra.Command {
	var c demoCommand
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch a live group rebalance, on a broker of its own",
		Long:  demoLong,
		Example: `  holdfast demo
  holdfast demo --strategy range
  holdfast demo --members 5 --topics 3 --partitions 12 -o json
  holdfast demo --brokers localhost:9092`,
		Args:              maxArgs(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&c.strategy, "strategy", "cooperative-sticky", "the group's strategy")
	f.IntVar(&c.config.Members, "members", 3, "`NUMBER` of members that start the group")
	f.IntVar(&c.config.Topics, "topics", 2, "`NUMBER` of topics")
	f.IntVar(&c.config.Partitions, "partitions", 6, "`NUMBER` of partitions of each topic")
	f.StringSliceVar(&c.config.Brokers, "brokers", nil,
		"addresses of a cluster, `HOST:PORT`, instead of the embedded broker")
	f.IntVar(&c.config.Rate, "rate", 0,
		"records per second over all partitions (default 100 for each, 1000 to 20000 in all)")
	f.DurationVar(&c.config.SessionTimeout, "session-timeout", 0,
		"after which a silent member counts as crashed (default 2s, on a cluster 6s)")
	f.DurationVar(&c.config.Heartbeat, "heartbeat-interval", 0,
		"time between a member's heartbeats (default 100ms, on a cluster 250ms)")
	f.DurationVar(&c.config.Restore, "restore", 50*time.Millisecond,
		"what it costs a member to take over one partition")
	f.DurationVar(&c.config.Revoke, "revoke", 10*time.Millisecond,
		"what it costs a member to give up one partition")
	f.DurationVar(&c.config.Pause, "pause", time.Second, "time between the events")
	outputFlag(cmd, &c.output, "text", "json")
	var names []string
	for _, s := range holdfast.Strategies() {
		names = append(names, s.Name())
	}
	complete(cmd, "strategy", names...)
	return cmd
}

func (c *demoCommand) run(cmd *cobra.Command) error {
	if err := checkOutput(cmd, c.output, "text", "json"); err != nil {
		return err
	}
	list, err := holdfast.ParseStrategies(c.strategy)
	switch {
	case err != nil:
		return usagef(cmd, "--strategy: %v", err)
	case len(list) > 1:
		return usagef(cmd, "--strategy %q: the demo's members have one strategy", c.strategy)
	}
	// 0 stands for the default in a Config; whoever writes it means none.
	for _, name := range []string{"members", "topics", "partitions", "rate"} {
		if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "0" {
			return usagef(cmd, "--%s 0: want at least 1", name)
		}
	}
	c.config.Strategy = list[0]
	config, err := c.config.Check()
	if err != nil {
		return usagef(cmd, "%v", err)
	}
	// Interrupted, it still deletes what it created on a cluster.
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
	defer stop()
	result, err := c.play(ctx, cmd, config)
	if err == nil {
		err = result.Err()
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted")
	}
	return err
}

// play runs the demo and shows it.
func (c *demoCommand) play(
	ctx context.Context, cmd *cobra.Command, config demo.Config,
) (*demo.Result, error) {
	out := cmd.OutOrStdout()
	if c.output == "json" {
		result, err := demo.Run(ctx, config, nil)
		if err != nil {
			return nil, err
		}
		w := jsonwriter.New(out, 2)
		result.JSON(w, config)
		return &result, w.Flush()
	}
	text := demo.NewText(out, config)
	result, err := demo.Run(ctx, config, text.Rebalance)
	if err != nil {
		return nil, err
	}
	return &result, text.Result(&result)
}
