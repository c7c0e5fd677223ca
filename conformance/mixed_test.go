package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/conformance/internal/kafka"
	"github.com/holdfast/holdfast/conformance/internal/member"
)

const (
	mixedPartitions = 6                // of each of two topics
	settleWithin    = 90 * time.Second // a JVM's start and two rounds, on a busy machine
)

// The names of one strategy: ours, and the class that Kafka's consumer knows.
var (
	cooperativeSticky = strategy{holdfast.CooperativeSticky, "CooperativeStickyAssignor"}
	sticky            = strategy{holdfast.Sticky, "StickyAssignor"}
)

type strategy struct {
	ours holdfast.Assignor
	java string
}

// TestHoldfastLeads has holdfast join first, so that its plans are what Kafka's
// own consumer and librdkafka follow.
func TestHoldfastLeads(t *testing.T) {
	g := newMixed(t, cooperativeSticky)
	hold := g.startHoldfast(t, "holdfast")
	g.settle(t, map[string]int{"holdfast": 12}, 12)
	g.startJava(t)
	g.settle(t, map[string]int{"holdfast": 6, "java": 6}, 6)
	g.startLibrdkafka(t)
	g.settle(t, map[string]int{"holdfast": 4, "java": 4, "librdkafka": 4}, 4)
	g.leave(t, "java")
	g.settle(t, map[string]int{"holdfast": 6, "librdkafka": 6}, 4)
	g.finish(t, "holdfast")
	checkLed(t, hold)
}

// TestHoldfastFollows has Kafka's consumer join first, so that its assignor
// decides over a member of ours.
func TestHoldfastFollows(t *testing.T) {
	g := newMixed(t, cooperativeSticky)
	g.startJava(t)
	g.settle(t, map[string]int{"java": 12}, 12)
	hold := g.startHoldfast(t, "holdfast")
	g.settle(t, map[string]int{"holdfast": 6, "java": 6}, 6)
	g.startLibrdkafka(t)
	g.settle(t, map[string]int{"holdfast": 4, "java": 4, "librdkafka": 4}, 4)
	g.leave(t, "librdkafka")
	g.settle(t, map[string]int{"holdfast": 6, "java": 6}, 4)
	g.finish(t, "java")
	if led := hold.Led(); len(led) > 0 {
		t.Errorf("holdfast made %d plans, the leader was Java", len(led))
	}
}

// TestStickyLeads has holdfast read the user data by which Kafka's StickyAssignor
// says what its member had: if it could not, more would move.
func TestStickyLeads(t *testing.T) {
	g := newMixed(t, sticky)
	hold := g.startHoldfast(t, "holdfast")
	g.settle(t, map[string]int{"holdfast": 12}, 12)
	g.startJava(t)
	g.settle(t, map[string]int{"holdfast": 6, "java": 6}, 6)
	g.startHoldfast(t, "newcomer")
	g.settle(t, map[string]int{"holdfast": 4, "java": 4, "newcomer": 4}, 4)
	g.leave(t, "newcomer")
	g.settle(t, map[string]int{"holdfast": 6, "java": 6}, 4)
	g.finish(t, "holdfast")
	checkLed(t, hold)
}

// TestStickyFollows has Kafka's StickyAssignor read the user data of ours.
func TestStickyFollows(t *testing.T) {
	g := newMixed(t, sticky)
	g.startJava(t)
	g.settle(t, map[string]int{"java": 12}, 12)
	g.startHoldfast(t, "holdfast")
	g.settle(t, map[string]int{"holdfast": 6, "java": 6}, 6)
	g.startHoldfast(t, "newcomer")
	g.settle(t, map[string]int{"holdfast": 4, "java": 4, "newcomer": 4}, 4)
	g.leave(t, "newcomer")
	g.settle(t, map[string]int{"holdfast": 6, "java": 6}, 4)
	g.finish(t, "java")
}

// checkLed looks at the plans that our leader made.
func checkLed(t *testing.T, hold *member.Holdfast) {
	t.Helper()
	led := hold.Led()
	if len(led) == 0 {
		t.Error("holdfast made no plan")
	}
	for _, l := range led {
		t.Logf("holdfast led generation %d: moved %d, causes %+v, %v", l.Generation,
			l.Plan.Moved(), l.Plan.Causes(), l.Duration)
		if len(l.Warnings) > 0 {
			t.Errorf("generation %d: members' bytes were odd: %v", l.Generation, l.Warnings)
		}
	}
}

// mixed is one group of several clients with a load on its topics.
type mixed struct {
	ctx      context.Context
	strategy strategy
	config   member.Config
	load     *member.Load
	members  map[string]member.Member // by client id; those that are in the group
	gone     []member.Member
	settled  kafka.Generation // what the group came to last
}

// newMixed makes two topics, named after the test, and begins to fill them.
func newMixed(t *testing.T, s strategy) *mixed {
	t.Helper()
	g := &mixed{ctx: need(t), strategy: s, members: map[string]member.Member{}}
	topics := []string{t.Name() + "-a", t.Name() + "-b"}
	g.config = member.Config{Tools: tools, Broker: broker, Group: t.Name(), Topics: topics}
	if err := broker.CreateTopics(g.ctx, mixedPartitions, topics...); err != nil {
		t.Fatal(err)
	}
	load, err := member.StartLoad(broker, mixedPartitions, topics...)
	if err != nil {
		t.Fatal(err)
	}
	g.load = load
	t.Cleanup(func() { // what a failed test has left running
		for _, m := range g.members {
			_ = m.Leave()
		}
		if g.load != nil {
			_, _ = g.load.Stop()
		}
	})
	return g
}

func (g *mixed) startHoldfast(t *testing.T, clientID string) *member.Holdfast {
	t.Helper()
	m, err := member.StartHoldfast(g.as(clientID), g.strategy.ours)
	if err != nil {
		t.Fatal(err)
	}
	g.members[clientID] = m
	return m
}

func (g *mixed) startJava(t *testing.T) {
	t.Helper()
	m, err := member.StartJava(g.as("java"), g.strategy.java)
	if err != nil {
		t.Fatal(err)
	}
	g.members[m.ClientID()] = m
}

func (g *mixed) startLibrdkafka(t *testing.T) {
	t.Helper()
	m, err := member.StartLibrdkafka(g.as("librdkafka"), g.strategy.ours.Name())
	if err != nil {
		t.Fatal(err)
	}
	g.members[m.ClientID()] = m
}

func (g *mixed) as(clientID string) member.Config {
	c := g.config
	c.ClientID = clientID
	return c
}

// leave ends one member.
func (g *mixed) leave(t *testing.T, clientID string) {
	t.Helper()
	m := g.members[clientID]
	delete(g.members, clientID)
	g.gone = append(g.gone, m)
	if err := m.Leave(); err != nil {
		t.Fatal(err)
	}
}

// settle waits until the group's newest generation gives every partition to
// exactly one member, and each member as many as it should have. Then as many
// partitions must have changed hands since it was settled last as must.
func (g *mixed) settle(t *testing.T, want map[string]int, moves int) {
	t.Helper()
	from := time.Now()
	why := "no generation yet"
	for time.Since(from) < settleWithin {
		history, err := broker.History(g.ctx, g.config.Group)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(history); n > 0 {
			last := history[n-1]
			err := last.Covers(mixedPartitions, g.config.Topics...)
			if err == nil && maps.Equal(last.Counts(), want) {
				moved, err := kafka.Moved(&g.settled, &last)
				if err != nil || moved != moves {
					t.Errorf("moved %d partitions (%v), want %d", moved, err, moves)
				}
				t.Logf("%v after %.1f s in generation %d, led by %s, moved %d", want,
					time.Since(from).Seconds(), last.Number, last.Leader, moved)
				g.settled = last
				return
			}
			why = fmt.Sprintf("generation %d has %v: %v", last.Number, last.Counts(), err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the group did not come to %v within %v: %s", want, settleWithin, why)
}

// finish ends the load, waits until everything was consumed, ends the members and
// judges the whole history: one leader, nothing unsafe, nothing lost.
func (g *mixed) finish(t *testing.T, leader string) {
	t.Helper()
	sent, err := g.load.Stop()
	g.load = nil
	if err != nil {
		t.Fatal(err)
	}
	g.drain(t, sent)
	for _, id := range slices.Sorted(maps.Keys(g.members)) {
		g.leave(t, id)
	}
	history, err := broker.History(g.ctx, g.config.Group)
	if err != nil {
		t.Fatal(err)
	}
	cooperative := g.strategy == cooperativeSticky
	for _, unsafe := range kafka.Unsafe(history, cooperative) {
		t.Error(unsafe)
	}
	for _, one := range history {
		if one.Number > g.settled.Number || len(one.Members) == 0 {
			break // members leave, the leader among them
		}
		if name := g.strategy.ours.Name(); one.Strategy != name || one.Leader != leader {
			t.Errorf("generation %d: strategy %s led by %s, want %s led by %s", one.Number,
				one.Strategy, one.Leader, name, leader)
		}
	}
	if last := history[len(history)-1]; len(last.Members) != 0 {
		t.Errorf("after all have left, generation %d still has members: %v", last.Number,
			last.Counts())
	}
}

// drainWithin bounds how long the members may take for what was produced last.
const drainWithin = 60 * time.Second

// drain waits until each record was consumed by somebody, and checks that each
// value is the one produced at its offset. Records consumed twice are counted:
// a hand-over may repeat what was not yet committed.
func (g *mixed) drain(t *testing.T, sent map[kafka.Partition]int64) {
	t.Helper()
	var total int64
	for _, n := range sent {
		total += n
	}
	for from := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		seen, twice := g.consumed(t)
		var left int64
		for p, n := range sent {
			left += n - int64(len(seen[p]))
		}
		if left == 0 {
			t.Logf("%d records produced, all consumed; again by another member: %v", total, twice)
			return
		}
		if time.Since(from) > drainWithin {
			t.Fatalf("%d of %d records were not consumed within %v", left, total, drainWithin)
		}
	}
}

// consumed merges what all members have consumed: for each partition the offsets
// and who read them first, and how many records each pair of members read both.
func (g *mixed) consumed(t *testing.T) (
	seen map[kafka.Partition]map[int64]string, twice map[string]int,
) {
	t.Helper()
	seen, twice = map[kafka.Partition]map[int64]string{}, map[string]int{}
	for _, m := range append(slices.Collect(maps.Values(g.members)), g.gone...) {
		for _, r := range m.Records() {
			want := fmt.Sprintf("%s/%d/%d", r.Partition.Topic, r.Partition.Number, r.Offset)
			if r.Value != want {
				t.Fatalf("%s read %q at offset %d of %v, want %q", m.ClientID(), r.Value, r.Offset,
					r.Partition, want)
			}
			if seen[r.Partition] == nil {
				seen[r.Partition] = map[int64]string{}
			}
			if other := seen[r.Partition][r.Offset]; other != "" {
				twice[other+" and "+m.ClientID()]++
			}
			seen[r.Partition][r.Offset] = m.ClientID()
		}
	}
	return seen, twice
}
