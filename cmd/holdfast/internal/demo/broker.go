package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// broker is where the demo runs: topics and a group of its own, on the embedded
// broker or on a cluster.
type broker struct {
	addrs  []string
	topics []string
	group  string
	admin  *kadm.Client
	fake   *kfake.Cluster // nil on a cluster
}

// openBroker brings up or reaches a broker and creates the topics, under names
// that nobody else uses.
func openBroker(ctx context.Context, c Config) (*broker, error) {
	b := &broker{addrs: c.Brokers, group: "holdfast-demo-" + rand.Text()[:10]}
	for i := range c.Topics {
		b.topics = append(b.topics, fmt.Sprintf("%s-%d", b.group, i+1))
	}
	if c.Embedded() {
		fake, err := kfake.NewCluster(kfake.NumBrokers(1),
			kfake.GroupMinSessionTimeout(c.SessionTimeout))
		if err != nil {
			return nil, fmt.Errorf("the embedded broker does not start: %w", err)
		}
		b.fake, b.addrs = fake, fake.ListenAddrs()
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.addrs...), kgo.ClientID("holdfast-demo"),
		kgo.DisableClientMetrics())
	if err != nil {
		b.closeFake()
		return nil, err
	}
	b.admin = kadm.NewClient(client)
	reaching, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := client.Ping(reaching); err != nil {
		return nil, errors.Join(fmt.Errorf("no broker answers at %s: %w",
			strings.Join(b.addrs, ", "), err), b.close(false))
	}
	if err := b.create(ctx, int32(c.Partitions)); err != nil {
		return nil, errors.Join(err, b.close(true))
	}
	return b, nil
}

// create creates the topics and waits until every partition has a leader.
func (b *broker) create(ctx context.Context, partitions int32) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	created, err := b.admin.CreateTopics(ctx, partitions, -1, nil, b.topics...)
	if err == nil {
		err = created.Error()
	}
	if err != nil {
		return fmt.Errorf("creating topics: %w", err)
	}
	for {
		details, err := b.admin.ListTopics(ctx, b.topics...)
		if err == nil && b.ready(details, int(partitions)) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the topics: %w", errors.Join(ctx.Err(), err))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (b *broker) ready(details kadm.TopicDetails, partitions int) bool {
	for _, topic := range b.topics {
		detail, ok := details[topic]
		if !ok || detail.Err != nil || len(detail.Partitions) != partitions {
			return false
		}
		for _, p := range detail.Partitions {
			if p.Err != nil || p.Leader < 0 {
				return false
			}
		}
	}
	return true
}

// close deletes what the demo created and closes the broker. Whatever ended the
// demo, this gets its time.
func (b *broker) close(created bool) error {
	defer b.closeFake()
	defer b.admin.Close()
	if b.fake != nil || !created {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	var errs []error
	deleted, err := b.admin.DeleteTopics(ctx, b.topics...)
	if err == nil {
		err = deleted.Error()
	}
	if err != nil {
		errs = append(errs, fmt.Errorf("deleting topics %s-*: %w", b.group, err))
	}
	// The group goes with its last member's session; until then it is not empty.
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		_, err = b.admin.DeleteGroup(ctx, b.group)
		if err == nil || errors.Is(err, kerr.GroupIDNotFound) {
			return errors.Join(errs...)
		}
		select {
		case <-ctx.Done():
			return errors.Join(append(errs, fmt.Errorf("deleting group %s: %w", b.group, err))...)
		case <-time.After(wait):
		}
	}
}

func (b *broker) closeFake() {
	if b.fake != nil {
		b.fake.Close()
	}
}
