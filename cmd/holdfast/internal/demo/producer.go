package demo

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// producer writes records into all partitions in turn, at a steady rate, until it
// is told to stop.
type producer struct {
	client *kgo.Client
	cancel context.CancelFunc
	done   chan struct{}
}

func (r *run) startProducer() (*producer, error) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(r.broker.addrs...),
		kgo.ClientID("producer"),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.DisableClientMetrics(),
	)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &producer{client: client, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		r.produce(ctx, client)
	}()
	return p, nil
}

// produce writes what is due by now, every few milliseconds.
func (r *run) produce(ctx context.Context, client *kgo.Client) {
	start, written := time.Now(), 0
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		due := int(time.Since(start).Seconds() * float64(r.config.Rate))
		for ; written < due; written++ {
			id := r.records.next()
			record := &kgo.Record{
				Topic:     r.broker.topics[written%len(r.broker.topics)],
				Partition: int32(written / len(r.broker.topics) % r.config.Partitions),
				Value:     strconv.AppendInt(nil, int64(id), 10),
			}
			client.Produce(context.Background(), record, func(rec *kgo.Record, err error) {
				if err != nil {
					r.fail(fmt.Errorf("producing to %s partition %d: %w", rec.Topic, rec.Partition, err))
					return
				}
				r.records.accept(id)
			})
		}
	}
}

// stop ends production and waits until the broker has every record.
func (p *producer) stop(ctx context.Context) error {
	p.cancel()
	<-p.done
	err := p.client.Flush(ctx)
	p.client.Close()
	return err
}
