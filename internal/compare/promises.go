package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/adapter/kgobalancer"
	"github.com/holdfast/holdfast/assigntest"
)

// promised is one strategy of one client, and what it is held to.
type promised struct {
	client   string
	strategy string
	promises assigntest.Promise
	turn     func() turn
}

// allPromised lists the strategies that go by Kafka's names. Balance and
// stickiness are asked of those alone that are made for them.
func allPromised() []promised {
	kgoBalancer := func(b func() kgo.GroupBalancer) func() turn {
		return func() turn { return &kgoTurn{balancer: b()} }
	}
	saramaStrategy := func(s func() sarama.BalanceStrategy) func() turn {
		return func() turn { return &saramaTurn{strategy: s()} }
	}
	const sound, exact = assigntest.Sound, assigntest.Sound | assigntest.Exact
	const cooperative = exact | assigntest.Cooperative
	list := []promised{
		{nameFranz, "range", sound, kgoBalancer(kgo.RangeBalancer)},
		{nameFranz, "roundrobin", sound, kgoBalancer(kgo.RoundRobinBalancer)},
		{nameFranz, sticky, exact, kgoBalancer(kgo.StickyBalancer)},
		{nameFranz, cooperativeSticky, cooperative, kgoBalancer(kgo.CooperativeStickyBalancer)},
		{nameSarama, "range", sound, saramaStrategy(sarama.NewBalanceStrategyRange)},
		{nameSarama, "roundrobin", sound, saramaStrategy(sarama.NewBalanceStrategyRoundRobin)},
		{nameSarama, sticky, exact, saramaStrategy(sarama.NewBalanceStrategySticky)},
		{nameSarama, cooperativeSticky, cooperative,
			saramaStrategy(sarama.NewBalanceStrategyCooperativeSticky)},
	}
	for _, s := range []holdfast.Assignor{holdfast.Range, holdfast.RoundRobin, holdfast.Sticky,
		holdfast.CooperativeSticky} {
		own := promised{nameHoldfast, s.Name(), sound, kgoBalancer(func() kgo.GroupBalancer {
			return kgobalancer.New(s, kgobalancer.Options{})
		})}
		switch s.Name() {
		case sticky:
			own.promises = exact
		case cooperativeSticky:
			own.promises = cooperative
		}
		list = append(list, own)
	}
	return list
}

// subject lets a strategy answer from bytes to bytes. Racks and instance ids are
// left out: a sarama strategy cannot know them. What a balancer is handed cannot
// be refused, so nothing is asked of that.
func (p promised) subject(groups int) assigntest.Subject {
	without := assigntest.RackAware | assigntest.Refuses
	return assigntest.Subject{
		Name: p.client + " " + p.strategy, Promises: p.promises &^ without,
		Groups: groups, Timeout: 30 * time.Second,
		Assign: func(g holdfast.Group) (assigntest.Assignment, error) {
			if name := tooLong(g); name > 0 {
				return nil, fmt.Errorf("a name of %d bytes does not fit the protocol", name)
			}
			return assignBytes(p.turn(), ask(g, p.strategy))
		},
	}
}

// tooLong returns the length of a topic's name that no bytes of a member could
// carry, or 0.
func tooLong(g holdfast.Group) int {
	for _, m := range g.Members {
		for _, topic := range m.Topics {
			if len(topic) > math.MaxInt16 {
				return len(topic)
			}
		}
		for _, owned := range m.Owned {
			if len(owned.Topic) > math.MaxInt16 {
				return len(owned.Topic)
			}
		}
	}
	return 0
}

// assignBytes takes a leader's turn and reads what it would send.
func assignBytes(t turn, q *question) (assigntest.Assignment, error) {
	sent, err := takeTurn(t, q)
	if err != nil {
		return nil, err
	}
	assigned := assigntest.Assignment{}
	for _, m := range q.members {
		data, told := sent[m.MemberID]
		if !told {
			continue
		}
		if assigned[m.MemberID], err = kgo.ParseConsumerSyncAssignment(data); err != nil {
			return nil, err
		}
	}
	return assigned, nil
}

// runPromises puts every strategy through the conformance suite and writes what
// each one does not keep.
func runPromises(args []string) error {
	flags := flag.NewFlagSet("promises", flag.ContinueOnError)
	out := flags.String("o", "", "where to write the report, as Markdown")
	groups := flags.Int("groups", 200, "random groups for each promise")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var report strings.Builder
	for _, p := range allPromised() {
		broken := assigntest.Check(p.subject(*groups))
		fmt.Fprintf(os.Stderr, "%s %s: %d promises broken\n", p.client, p.strategy, len(broken))
		writeBroken(&report, p, broken)
	}
	text := fmt.Sprintf(promisesHead, strings.Join(thisMachine().modules, ", "), *groups) +
		report.String()
	if *out == "" {
		fmt.Print(text)
		return nil
	}
	return os.WriteFile(*out, []byte(text), 0o644)
}

const promisesHead = `# What assignors of Go clients keep of their promises

Each strategy below was put through the conformance suite of package assigntest, from the bytes of
the members to the bytes of the answers, through its client's public API:
%s.
For each promise %d random groups and the suite's scenarios were tried; racks and instance ids are
left out. A promise that is not kept is listed with the smallest group that the suite came to.
Strategies that answer at random can differ from run to run.

    cd internal/compare && go run . promises -o ../../docs/peers.md

A finding is not always a fault there: only the leader's one answer is ever used, so a strategy that
is not repeatable still works; holdfast promises more than Kafka's protocol asks for.
`

func writeBroken(w io.Writer, p promised, broken []assigntest.Broken) {
	fmt.Fprintf(w, "\n## %s: %s\n\n", p.client, p.strategy)
	if len(broken) == 0 {
		fmt.Fprintln(w, "Keeps all that it was asked for.")
		return
	}
	for _, b := range broken {
		fmt.Fprintf(w, "- **%s** (%s): %s\n\n", b.Name, b.Case, b.Detail)
		for line := range strings.Lines(assigntest.GroupFile(b.Group)) {
			fmt.Fprintf(w, "      %s", line)
		}
		fmt.Fprintln(w)
	}
}
