package demo

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/render"
)

// Text writes a demo for a person to read while it runs. Errors in writing stay in
// Err.
type Text struct {
	out io.Writer
	err error
}

// NewText returns a Text that writes to out, and writes the heading.
func NewText(out io.Writer, c Config) *Text {
	t := &Text{out: out}
	t.print("strategy %s (%s), %d members, %d topics of %d partitions, %d records/s\n",
		c.Strategy.Name(), c.Protocol(), c.Members, c.Topics, c.Partitions, c.Rate)
	if c.Embedded() {
		t.print("on the embedded broker (franz-go's kfake), which is not Kafka: " +
			"it has no initial rebalance delay\n")
	} else {
		t.print("on %s, with topics and a group of its own, deleted at the end\n",
			strings.Join(c.Brokers, ", "))
	}
	t.print("session timeout %v, a heartbeat every %v; a partition takes %v to take over, "+
		"%v to give up\n\n", c.SessionTimeout, c.Heartbeat, c.Restore, c.Revoke)
	t.print("%-9s  %3s  %-6s  %-28s  %8s  %10s  %s\n",
		"event", "gen", "leader", "moved", "took", "unconsumed", "partitions")
	return t
}

func (t *Text) print(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.out, format, args...)
	}
}

// Rebalance writes a line about one event.
func (t *Text) Rebalance(r Rebalance) {
	shares := make([]string, len(r.Members))
	for i, s := range r.Members {
		shares[i] = fmt.Sprintf("%s %d", s.Member, s.Partitions)
	}
	t.print("%-9s  %3d  %-6s  %-28s  %6.2f s  %10.2f  %s\n",
		strings.TrimSpace(r.Event+" "+r.Member), r.Generation, r.Leader,
		fmt.Sprint(r.Moved)+render.Causes(r.Causes), r.Duration.Seconds(), r.Unconsumed.Seconds(),
		strings.Join(shares, ", "))
}

// Result writes the sums, and returns the first error of writing.
func (t *Text) Result(r *Result) error {
	var unconsumed time.Duration
	for _, rebalance := range r.Rebalances {
		unconsumed += rebalance.Unconsumed
	}
	n := r.Records
	t.print("\nunconsumed: %.2f partition-seconds in all\n", unconsumed.Seconds())
	t.print("records: %d produced, %d processed, %d lost, %d processed twice%s\n",
		n.Produced, n.Processed, n.Lost, n.ProcessedTwice, twiceText(n))
	t.print("partitions with two owners at one time: %d\n", r.OwnedTwice)
	if r.Dropped > 0 {
		t.print("the coordinator dropped members that were alive: %d. They were too slow for its "+
			"session timeout,\nand the figures are not those of a healthy group.\n", r.Dropped)
	}
	return t.err
}

func twiceText(n Records) string {
	if n.TwiceByCrash == n.ProcessedTwice {
		return " (what the member that crashed had not committed)"
	}
	return fmt.Sprintf(" (%d of them what the member that crashed had not committed)",
		n.TwiceByCrash)
}
