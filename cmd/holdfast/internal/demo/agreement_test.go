package demo

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/adapter/kgobalancer"
	"github.com/holdfast/holdfast/sim"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// history is what happens to a group whose first member is m0: members join,
// leave and crash, one at a time, and the group settles in between.
type history struct {
	strategy holdfast.Assignor
	topics   []holdfast.Topic
	events   []sim.Event
}

// A crashed member is missed after this time; long enough for a busy machine not
// to miss anybody else.
const historySession = 1500 * time.Millisecond

func randomHistory(seed uint64) history {
	rng := rand.New(rand.NewPCG(seed, 11))
	strategies := []holdfast.Assignor{holdfast.Range, holdfast.RoundRobin, holdfast.Sticky,
		holdfast.CooperativeSticky}
	h := history{strategy: strategies[rng.IntN(len(strategies))]}
	for k := range 1 + rng.IntN(2) {
		h.topics = append(h.topics,
			holdfast.Topic{Name: fmt.Sprint("t", k), Partitions: 1 + rng.IntN(8)})
	}
	alive := []string{"m0"}
	for k := range 3 + rng.IntN(3) {
		event := sim.Event{At: time.Duration(k+1) * time.Minute}
		switch kind := rng.IntN(5); {
		case len(alive) == 1 || kind < 3:
			event.Kind, event.Join = sim.Join, sim.Member{ID: fmt.Sprint("m", k+1)}
			alive = append(alive, event.Join.ID)
		default:
			event.Kind = []sim.EventKind{sim.Leave, sim.Crash}[kind-3]
			gone := rng.IntN(len(alive))
			event.Member = alive[gone]
			alive = slices.Delete(alive, gone, gone+1)
		}
		h.events = append(h.events, event)
	}
	return h
}

// expected is what the model says of the group after the first n events: its
// generation and everybody's partitions.
func (h history) expected(t *testing.T, n int) string {
	t.Helper()
	report, err := sim.Run(sim.Scenario{Topics: h.topics, Members: []sim.Member{{ID: "m0"}},
		Strategies: []holdfast.Assignor{h.strategy},
		Timing:     sim.Timing{SessionTimeout: 10 * time.Second, InitialRebalanceDelay: -1},
		Events:     h.events[:n], Until: time.Duration(n+1) * time.Minute, NoLanes: true})
	if err != nil {
		t.Fatal(err)
	}
	owned := make(map[string][]string)
	for _, m := range report.Final {
		owned[m.Member] = []string{}
		for _, tp := range m.Partitions {
			for _, p := range tp.Partitions {
				owned[m.Member] = append(owned[m.Member], fmt.Sprintf("%s-%d", tp.Topic, p))
			}
		}
	}
	return describe(report.Rebalances[len(report.Rebalances)-1].Generation, owned)
}

func describe(generation int32, owned map[string][]string) string {
	text := fmt.Sprintf("generation %d", generation)
	for _, id := range slices.Sorted(maps.Keys(owned)) {
		text += fmt.Sprintf(" %s[%s]", id, strings.Join(slices.Sorted(slices.Values(owned[id])), " "))
	}
	return text
}

// liveGroup is the group on the embedded broker.
type liveGroup struct {
	history history
	cluster *kfake.Cluster
	mu      sync.Mutex
	owned   map[string]map[string]bool
	clients map[string]*kgo.Client
	cuts    map[string]*network
}

func (g *liveGroup) join(id string) error {
	note := func(have bool) func(context.Context, *kgo.Client, map[string][]int32) {
		return func(_ context.Context, _ *kgo.Client, topics map[string][]int32) {
			g.mu.Lock()
			defer g.mu.Unlock()
			for topic, partitions := range topics {
				for _, p := range partitions {
					name := fmt.Sprintf("%s-%d", topic, p)
					if delete(g.owned[id], name); have {
						g.owned[id][name] = true
					}
				}
			}
		}
	}
	g.owned[id], g.cuts[id] = map[string]bool{}, &network{}
	var topics []string
	for _, topic := range g.history.topics {
		topics = append(topics, topic.Name)
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(g.cluster.ListenAddrs()...), kgo.Dialer(g.cuts[id].dial),
		kgo.ClientID(id), kgo.ConsumerGroup("group"), kgo.ConsumeTopics(topics...),
		kgo.Balancers(kgobalancer.New(g.history.strategy, kgobalancer.Options{})),
		kgo.SessionTimeout(historySession), kgo.HeartbeatInterval(20*time.Millisecond),
		kgo.DisableClientMetrics(), kgo.OnPartitionsAssigned(note(true)),
		kgo.OnPartitionsRevoked(note(false)), kgo.OnPartitionsLost(note(false)))
	g.clients[id] = client
	return err
}

func (g *liveGroup) play(e sim.Event) error {
	id := e.Member
	switch e.Kind {
	case sim.Join:
		return g.join(e.Join.ID)
	case sim.Leave:
		g.clients[id].Close()
	case sim.Crash:
		g.cuts[id].cut()
		go g.clients[id].Close() // It may try for a while to tell its broker.
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.owned, id)
	delete(g.clients, id)
	return nil
}

// now describes the group as its members see it; members that are not in one
// generation have none.
func (g *liveGroup) now() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	owned := make(map[string][]string)
	generations := make(map[int32]bool)
	last := int32(-1)
	for id, client := range g.clients {
		_, last = client.GroupMetadata()
		generations[last] = true
		owned[id] = slices.Collect(maps.Keys(g.owned[id]))
	}
	if len(generations) != 1 {
		last = -1
	}
	return describe(last, owned)
}

// await waits until the group is as expected and stays so for a while.
func (g *liveGroup) await(want string) (got string, ok bool) {
	since := time.Time{}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if got = g.now(); got != want {
			since = time.Time{}
		} else if since.IsZero() {
			since = time.Now()
		} else if time.Since(since) > 150*time.Millisecond {
			return got, true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return got, false
}

// TestModelAgreesWithEmbeddedBroker plays random histories on the embedded broker
// with real clients and on the simulator, and compares the generation and every
// partition's owner after each event. Both start without an initial rebalance
// delay, which the embedded broker does not have; static members are left out,
// whose restarts it treats otherwise than Kafka: there the model follows Kafka.
// HOLDFAST_LONG=1 plays 200 of them.
//
// The clients are real, and a cooperative round that one of them is late for takes
// one generation more. So a history has three tries, and fails if no one agrees.
func TestModelAgreesWithEmbeddedBroker(t *testing.T) {
	histories := 8
	if os.Getenv("HOLDFAST_LONG") != "" {
		histories = 200
	}
	seeds := make(chan uint64)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for seed := range seeds {
				for try := 1; ; try++ {
					text := disagreement(t, randomHistory(seed))
					if text == "" {
						break
					}
					t.Logf("seed %d, try %d: %s", seed, try, text)
					if try == 3 {
						t.Errorf("seed %d: no agreement; rerun: go test ./internal/demo -run '%s'",
							seed, t.Name())
						break
					}
				}
			}
		})
	}
	for seed := range uint64(histories) {
		seeds <- seed
	}
	close(seeds)
	wait.Wait()
}

// disagreement plays one history on both and says where they part.
func disagreement(t *testing.T, h history) string {
	t.Helper()
	options := []kfake.Opt{kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(historySession)}
	for _, topic := range h.topics {
		options = append(options, kfake.SeedTopics(int32(topic.Partitions), topic.Name))
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		return err.Error()
	}
	defer cluster.Close()
	g := &liveGroup{history: h, cluster: cluster, owned: map[string]map[string]bool{},
		clients: map[string]*kgo.Client{}, cuts: map[string]*network{}}
	defer func() {
		for _, client := range g.clients {
			client.Close()
		}
	}()
	if err := g.join("m0"); err != nil {
		return err.Error()
	}
	for n := 0; ; n++ {
		want := h.expected(t, n)
		if got, ok := g.await(want); !ok {
			return fmt.Sprintf("%s, after %v the broker has %s, the model %s",
				h.strategy.Name(), h.events[:n], got, want)
		}
		if n == len(h.events) {
			return ""
		}
		if err := g.play(h.events[n]); err != nil {
			return err.Error()
		}
	}
}
