package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Partition is one partition of one topic.
type Partition struct {
	Topic  string
	Number int32
}

// String returns topic-number, as Kafka writes it.
func (p Partition) String() string { return fmt.Sprintf("%s-%d", p.Topic, p.Number) }

// Generation is one group record of __consumer_offsets: what the coordinator
// keeps of a completed generation.
type Generation struct {
	Number   int32
	Strategy string // partition.assignment.strategy that the group chose
	Leader   string // client id of the leader, "" in an empty group
	Members  []Assigned
}

// Assigned is one member of a generation.
type Assigned struct {
	ClientID     string
	ID           string
	Subscription wire.Subscription
	Partitions   []Partition
}

// offsetsTopic is where a coordinator keeps groups and their offsets.
const offsetsTopic = "__consumer_offsets"

// History reads the group's completed generations, in order, from the beginning
// of __consumer_offsets to its present end. Each record is read with package wire
// and must give it nothing to warn of and what kmsg reads from it; the error says
// where that is not so.
func (b *Broker) History(ctx context.Context, group string) ([]Generation, error) {
	var history []Generation
	err := b.eachRecord(ctx, offsetsTopic, func(r *kgo.Record) error {
		key, findings, err := wire.DecodeRecordKey(r.Key)
		if err := clean(findings, err); err != nil {
			return fmt.Errorf("key of offset %d: %w", r.Offset, err)
		}
		if key.Type != wire.GroupMetadataRecord || key.Group != group || r.Value == nil {
			return nil
		}
		g, err := readGeneration(r.Value)
		if err != nil {
			return fmt.Errorf("group record at offset %d: %w", r.Offset, err)
		}
		history = append(history, g)
		return nil
	})
	return history, err
}

// eachRecord calls look for every record of a topic that was there at the time of
// the call, each partition in the order of its log. A topic that does not exist
// has none.
func (b *Broker) eachRecord(
	ctx context.Context, topic string, look func(*kgo.Record) error,
) error {
	ends, err := b.admin.ListEndOffsets(ctx, topic)
	if err != nil {
		return err
	}
	if err := ends.Error(); errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil // the broker makes this topic when the first group needs it
	} else if err != nil {
		return err
	}
	left := map[int32]int64{} // partition -> its end, until that is reached
	for _, end := range ends[topic] {
		if end.Offset > 0 {
			left[end.Partition] = end.Offset
		}
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.KeepControlRecords())
	if err != nil {
		return err
	}
	defer client.Close()
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		for _, r := range fetches.Records() {
			if !r.Attrs.IsControl() {
				if err := look(r); err != nil {
					return err
				}
			}
			if end, ok := left[r.Partition]; ok && r.Offset >= end-1 {
				delete(left, r.Partition)
			}
		}
	}
	return nil
}

// readGeneration reads the value of a group record.
func readGeneration(value []byte) (Generation, error) {
	g, findings, err := wire.DecodeGroupMetadata(value)
	if err := clean(findings, err); err != nil {
		return Generation{}, err
	}
	if err := asKmsg(value, &g); err != nil {
		return Generation{}, err
	}
	generation := Generation{Number: g.Generation, Strategy: g.Protocol}
	for _, m := range g.Members {
		if m.ID == g.Leader {
			generation.Leader = m.ClientID
		}
		subscription, findings, err := wire.DecodeSubscription(m.Subscription)
		if err := clean(findings, err); err != nil {
			return Generation{}, fmt.Errorf("subscription of %s: %w", m.ID, err)
		}
		assigned := Assigned{ClientID: m.ClientID, ID: m.ID, Subscription: subscription}
		if len(m.Assignment) > 0 { // no bytes: the leader left the member out
			a, findings, err := wire.DecodeAssignment(m.Assignment)
			if err := clean(findings, err); err != nil {
				return Generation{}, fmt.Errorf("assignment of %s: %w", m.ID, err)
			}
			for _, t := range a.Assigned {
				for _, p := range t.Partitions {
					assigned.Partitions = append(assigned.Partitions, Partition{t.Topic, p})
				}
			}
		}
		generation.Members = append(generation.Members, assigned)
	}
	return generation, nil
}

// clean takes what a decoder tolerated for an error, too: what Kafka itself has
// written must not be odd.
func clean(findings wire.Findings, err error) error {
	if err == nil && len(findings.Warnings) > 0 {
		return fmt.Errorf("package wire warns: %v", findings.Warnings)
	}
	return err
}

// asKmsg holds what package wire read against what franz-go's reader, made from
// Kafka's own message definitions, reads from the same bytes.
func asKmsg(value []byte, g *wire.GroupMetadata) error {
	var want kmsg.GroupMetadataValue
	if err := want.ReadFrom(value); err != nil {
		return fmt.Errorf("kmsg refuses what wire reads: %w", err)
	}
	deref := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	if g.Version != want.Version || g.ProtocolType != want.ProtocolType ||
		g.Generation != want.Generation || g.Protocol != deref(want.Protocol) ||
		g.Leader != deref(want.Leader) || g.StateTimestampMs != want.CurrentStateTimestamp {
		return fmt.Errorf("wire reads %+v, kmsg %+v", g, want)
	}
	same := slices.EqualFunc(g.Members, want.Members,
		func(m wire.GroupMember, w kmsg.GroupMetadataValueMember) bool {
			return m.ID == w.MemberID && m.InstanceID == deref(w.InstanceID) &&
				m.ClientID == w.ClientID && m.ClientHost == w.ClientHost &&
				m.RebalanceTimeoutMs == w.RebalanceTimeoutMillis &&
				m.SessionTimeoutMs == w.SessionTimeoutMillis &&
				bytes.Equal(m.Subscription, w.Subscription) && bytes.Equal(m.Assignment, w.Assignment)
		})
	if !same {
		return fmt.Errorf("wire reads members %+v, kmsg %+v", g.Members, want.Members)
	}
	return nil
}
