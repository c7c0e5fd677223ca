package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast/holdfast/adapter/kgobalancer"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// commitInterval is how often a member commits what it has processed. Each time
// that a member crashes, what it did since is done again.
const commitInterval = 250 * time.Millisecond

// rebalanceTimeout is how long the coordinator waits for the members to join, on top
// of what giving up all partitions takes. The embedded broker drops a member whose
// session runs out while it waits for the others, and never answers it; a client then
// tries again soon after this time.
const rebalanceTimeout = 5 * time.Second

// member is one consumer of the group: a real client in this process.
type member struct {
	name    string
	journal *journal
	records *records
	fail    func(error)
	client  *kgo.Client
	network network
	state   takeover
	stop    context.CancelFunc // stops polling
	polled  chan struct{}      // closed when polling has stopped
	die     context.CancelFunc // ends the client's own context
	dead    atomic.Bool
	working sync.Mutex // held while a record is processed
}

// startMember starts a consumer. fail is called with what should not happen.
func (r *run) startMember(name string) (*member, error) {
	m := &member{name: name, journal: r.journal, records: &r.records, fail: r.fail,
		polled: make(chan struct{}),
		state:  takeover{restore: r.config.Restore, revoke: r.config.Revoke}}
	options := kgobalancer.Options{OnPlan: func(l kgobalancer.Leading) { r.journal.led(name, l) }}
	var balancer kgo.GroupBalancer
	if r.config.balancer != nil {
		balancer = r.config.balancer(options)
	} else {
		balancer = kgobalancer.New(r.config.Strategy, options)
	}
	alive, die := context.WithCancel(context.Background())
	client, err := kgo.NewClient(
		kgo.WithContext(alive),
		kgo.WithHooks(m),
		kgo.Dialer(m.network.dial),
		kgo.SeedBrokers(r.broker.addrs...),
		kgo.ClientID(name),
		kgo.ConsumerGroup(r.broker.group),
		kgo.ConsumeTopics(r.broker.topics...),
		kgo.Balancers(balancer),
		kgo.SessionTimeout(r.config.SessionTimeout),
		kgo.RebalanceTimeout(rebalanceTimeout+time.Duration(len(r.journal.parts))*r.config.Revoke),
		kgo.HeartbeatInterval(r.config.Heartbeat),
		kgo.AutoCommitInterval(commitInterval),
		kgo.BlockRebalanceOnPoll(),
		kgo.FetchMaxWait(50*time.Millisecond),
		kgo.MetadataMinAge(250*time.Millisecond),
		kgo.DisableClientMetrics(),
		kgo.OnPartitionsAssigned(m.assigned),
		kgo.OnPartitionsRevoked(m.revoked),
		kgo.OnPartitionsLost(m.lost),
	)
	if err != nil {
		die()
		return nil, err
	}
	r.journal.start(name)
	polling, stop := context.WithCancel(alive)
	m.client, m.stop, m.die = client, stop, die
	go m.poll(polling)
	return m, nil
}

// poll consumes until the context ends.
func (m *member) poll(ctx context.Context) {
	defer close(m.polled)
	for ctx.Err() == nil {
		fetches := m.client.PollRecords(ctx, 500)
		fetches.EachError(func(topic string, p int32, err error) {
			if ctx.Err() != nil {
				return
			}
			if topic != "" {
				err = fmt.Errorf("reading %s partition %d: %w", topic, p, err)
			}
			m.trouble(err)
		})
		fetches.EachRecord(m.process)
		m.client.AllowRebalance()
	}
}

// trouble ends the demo unless it is of the kind that passes: a request that was
// not answered, a coordinator that moved, a member that was too slow and was
// dropped. What comes of these shows in the figures.
func (m *member) trouble(err error) {
	var code *kerr.Error
	passes := !errors.As(err, &code) || code.Retriable ||
		errors.Is(err, kerr.UnknownMemberID) || errors.Is(err, kerr.IllegalGeneration) ||
		errors.Is(err, kerr.RebalanceInProgress)
	if !passes && !m.dead.Load() {
		m.fail(fmt.Errorf("%s: %w", m.name, err))
	}
}

// process is the work that the group is there for. A crash happens between two
// records.
func (m *member) process(r *kgo.Record) {
	m.working.Lock()
	defer m.working.Unlock()
	if m.dead.Load() {
		return
	}
	id, err := strconv.Atoi(string(r.Value))
	if err != nil {
		m.fail(fmt.Errorf("%s: %s partition %d has a record that is not the demo's: %q",
			m.name, r.Topic, r.Partition, r.Value))
		return
	}
	m.records.process(id, m.name)
	m.journal.processed(m.name, partition{r.Topic, r.Partition}, time.Now())
}

func (m *member) assigned(_ context.Context, c *kgo.Client, topics map[string][]int32) {
	var as membership
	as.id, as.generation = c.GroupMetadata()
	m.journal.assigned(m.name, as, topics, time.Now())
	m.state.begin(c, topics)
}

// revoked saves and commits what was processed, so that the next owner goes on from
// there. The client calls it at every rebalance, also with nothing to give up.
func (m *member) revoked(ctx context.Context, c *kgo.Client, topics map[string][]int32) {
	m.journal.stirred(m.name, time.Now())
	if len(topics) == 0 || m.dead.Load() {
		return
	}
	m.journal.paused(m.name, topics, time.Now())
	m.state.end(c, topics)
	if err := c.CommitUncommittedOffsets(ctx); err != nil {
		m.trouble(fmt.Errorf("commit before giving up partitions: %w", err))
	}
	m.journal.released(m.name, topics)
	m.journal.resumed(m.name, time.Now())
}

// lost is told too late that the coordinator has dropped this member: others have
// the partitions by now.
func (m *member) lost(_ context.Context, c *kgo.Client, topics map[string][]int32) {
	m.journal.paused(m.name, topics, time.Now())
	m.state.end(c, topics)
	m.journal.released(m.name, topics)
	m.journal.resumed(m.name, time.Now())
}

// crash ends the member as a power cut does: no request of it leaves any more, and
// it does nothing with what it has read.
func (m *member) crash() {
	m.working.Lock()
	m.dead.Store(true)
	m.network.cut()
	m.records.crash(m.name)
	m.journal.crash(m.name, time.Now())
	m.working.Unlock()
	m.stop()
	m.die()
}

// leave ends the member in good order: it processes what it has read, commits,
// gives up its partitions and says goodbye.
func (m *member) leave() {
	m.stop()
	<-m.polled
	m.client.CloseAllowingRebalance()
	m.journal.left(m.name)
	m.die()
}

// OnBrokerWrite implements kgo.HookBrokerWrite: it notes when the member asks to
// join or leave.
func (m *member) OnBrokerWrite(
	_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error,
) {
	now := time.Now()
	switch {
	case err != nil:
	case key == int16(kmsg.JoinGroup):
		m.journal.note(m.name, func(l *life) { l.joins = append(l.joins, now) })
	case key == int16(kmsg.LeaveGroup):
		m.journal.note(m.name, func(l *life) { l.leave = now })
	}
}

// OnBrokerE2E implements kgo.HookBrokerE2E: it notes when the coordinator heard of
// the member, whose session every such request starts anew.
func (m *member) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e kgo.BrokerE2E) {
	switch kmsg.Key(key) {
	case kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.OffsetCommit:
	default:
		return
	}
	if e.WriteErr == nil && e.ReadErr == nil {
		written := time.Now().Add(-e.ReadWait - e.TimeToRead)
		m.journal.note(m.name, func(l *life) {
			if written.After(l.contact) {
				l.contact = written
			}
		})
	}
}

// network is the member's cable.
type network struct {
	mu    sync.Mutex
	conns []net.Conn
	off   bool
}

var errCut = errors.New("the network of this member was cut")

func (n *network) dial(ctx context.Context, network, host string) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, host)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.off {
		return nil, errors.Join(errCut, conn.Close())
	}
	n.conns = append(n.conns, conn)
	return conn, nil
}

// cut closes every connection and lets no new one come up.
func (n *network) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.off = true
	for _, conn := range n.conns {
		_ = conn.Close() // What matters is that nothing passes any more.
	}
}
