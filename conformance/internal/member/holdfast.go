package member

import (
	"context"
	"fmt"
	"sync"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/adapter/kgobalancer"
	"github.com/holdfast/holdfast/conformance/internal/kafka"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Holdfast is a franz-go client whose balancer is holdfast's.
type Holdfast struct {
	consumed
	id     string
	client *kgo.Client
	cancel context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex
	owned map[kafka.Partition]bool
	led   []kgobalancer.Leading
}

// StartHoldfast starts a member in this process.
func StartHoldfast(c Config, strategy holdfast.Assignor) (*Holdfast, error) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Holdfast{id: c.ClientID, cancel: cancel, done: make(chan struct{}),
		owned: map[kafka.Partition]bool{}}
	balancer := kgobalancer.New(strategy, kgobalancer.Options{OnPlan: m.plan})
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Broker.Addr), kgo.ClientID(c.ClientID),
		kgo.ConsumerGroup(c.Group), kgo.ConsumeTopics(c.Topics...), kgo.Balancers(balancer),
		kgo.MetadataMinAge(metadataAge), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.SessionTimeout(sessionTimeout), kgo.HeartbeatInterval(heartbeat),
		kgo.AutoCommitInterval(commitInterval), kgo.BlockRebalanceOnPoll(),
		kgo.OnPartitionsAssigned(m.assigned), kgo.OnPartitionsRevoked(m.revoked),
		kgo.OnPartitionsLost(m.lost))
	if err != nil {
		cancel()
		return nil, err
	}
	m.client = client
	go m.poll(ctx)
	return m, nil
}

// poll consumes until the context ends.
func (m *Holdfast) poll(ctx context.Context) {
	defer close(m.done)
	for ctx.Err() == nil {
		fetches := m.client.PollFetches(ctx)
		fetches.EachError(func(topic string, partition int32, err error) {
			if ctx.Err() == nil {
				m.fail(fmt.Errorf("%s: fetch %s-%d: %w", m.id, topic, partition, err))
			}
		})
		fetches.EachRecord(func(r *kgo.Record) {
			p := kafka.Partition{Topic: r.Topic, Number: r.Partition}
			m.add(Record{Partition: p, Offset: r.Offset, Value: string(r.Value)})
		})
		m.client.AllowRebalance()
	}
}

// ClientID implements Member.
func (m *Holdfast) ClientID() string { return m.id }

// Leave implements Member.
func (m *Holdfast) Leave() error {
	m.cancel()
	<-m.done
	m.client.CloseAllowingRebalance()
	return m.failure()
}

// Led returns the plans that this member made as the group's leader.
func (m *Holdfast) Led() []kgobalancer.Leading {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]kgobalancer.Leading(nil), m.led...)
}

// Owned returns the partitions that the client was given and has not given back.
func (m *Holdfast) Owned() map[kafka.Partition]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	owned := map[kafka.Partition]bool{}
	for p := range m.owned {
		owned[p] = true
	}
	return owned
}

func (m *Holdfast) plan(l kgobalancer.Leading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.led = append(m.led, l)
}

// set notes what the client is given or gives back; it may be told either twice
// by no rule of the protocol.
func (m *Holdfast) set(topics map[string][]int32, own bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for topic, partitions := range topics {
		for _, number := range partitions {
			p := kafka.Partition{Topic: topic, Number: number}
			if m.owned[p] == own {
				m.fail(fmt.Errorf("%s: %v is assigned or revoked twice in a row", m.id, p))
			}
			m.owned[p] = own
			if !own {
				delete(m.owned, p)
			}
		}
	}
}

func (m *Holdfast) assigned(_ context.Context, _ *kgo.Client, topics map[string][]int32) {
	m.set(topics, true)
}

// revoked commits what was consumed, so that the next owner goes on from there.
func (m *Holdfast) revoked(ctx context.Context, client *kgo.Client, topics map[string][]int32) {
	if err := client.CommitUncommittedOffsets(ctx); err != nil {
		m.fail(fmt.Errorf("%s: commit at revocation: %w", m.id, err))
	}
	m.set(topics, false)
}

// lost is never right in these tests: nobody is slow, and nothing fails.
func (m *Holdfast) lost(_ context.Context, _ *kgo.Client, topics map[string][]int32) {
	m.fail(fmt.Errorf("%s: lost %v", m.id, topics))
	m.set(topics, false)
}
