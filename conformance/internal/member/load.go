package member

import (
	"context"
	"fmt"
	"time"

	"github.com/holdfast/holdfast/conformance/internal/kafka"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Load produces records until it is stopped, in turn to every partition of its
// topics. A record's value is topic/partition/offset.
type Load struct {
	stop chan struct{}
	done chan struct{}
	sent map[kafka.Partition]int64
	err  error
}

// loadInterval is the time between two rounds over all partitions.
const loadInterval = 20 * time.Millisecond

// metadataAge is how often a franz-go client may ask for metadata: its default of
// several seconds is what a client waits that has met a topic too early.
const metadataAge = 100 * time.Millisecond

// StartLoad begins to produce to the partitions 0 to n-1 of each topic, which
// must be empty. It returns when each has its first record.
func StartLoad(b *kafka.Broker, n int32, topics ...string) (*Load, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr), kgo.ClientID("load"),
		kgo.MetadataMinAge(metadataAge), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return nil, err
	}
	l := &Load{stop: make(chan struct{}), done: make(chan struct{}),
		sent: map[kafka.Partition]int64{}}
	if err := l.round(client, n, topics); err != nil {
		client.Close()
		return nil, err
	}
	go func() {
		defer close(l.done)
		defer client.Close()
		for l.err == nil {
			select {
			case <-l.stop:
				return
			case <-time.After(loadInterval):
				l.err = l.round(client, n, topics)
			}
		}
	}()
	return l, nil
}

// round produces one record to each partition and waits for the broker.
func (l *Load) round(client *kgo.Client, n int32, topics []string) error {
	var records []*kgo.Record
	for _, topic := range topics {
		for number := range n {
			p := kafka.Partition{Topic: topic, Number: number}
			value := fmt.Sprintf("%s/%d/%d", topic, number, l.sent[p])
			records = append(records,
				&kgo.Record{Topic: topic, Partition: number, Value: []byte(value)})
			l.sent[p]++
		}
	}
	return client.ProduceSync(context.Background(), records...).FirstErr()
}

// Stop ends the production and returns how many records each partition has.
func (l *Load) Stop() (map[kafka.Partition]int64, error) {
	close(l.stop)
	<-l.done
	return l.sent, l.err
}
