package kgobalancer

import (
	"github.com/holdfast/holdfast"
	"github.com/twmb/franz-go/pkg/kgo"
)

// addRacks gives each partition the racks of its replicas, leader first, as far
// as the client's metadata has them. Like Kafka's own client it takes every
// replica that a partition is assigned, offline or out of sync, and no replica on
// a broker without a rack. Where no member names a rack nothing is looked up.
//
// Metadata may be older than the partition counts: what it does not have stays
// without racks.
func (t *turn) addRacks(topics []holdfast.Topic) {
	if t.info.Topics == nil || t.info.Brokers == nil || !t.membersHaveRacks() {
		return
	}
	brokers := make(map[int32]string)
	for id, broker := range t.info.Brokers() {
		if broker.Rack != nil && *broker.Rack != "" {
			brokers[id] = *broker.Rack
		}
	}
	if len(brokers) == 0 {
		return
	}
	metadata := t.info.Topics()
	for i := range topics {
		topic := &topics[i]
		racks := make([][]string, topic.Partitions)
		for _, p := range metadata[topic.Name].Partitions {
			if p.Partition >= 0 && int(p.Partition) < len(racks) {
				racks[p.Partition] = replicaRacks(&p, brokers)
			}
		}
		topic.Racks = racks
	}
}

func (t *turn) membersHaveRacks() bool {
	for i := range t.members {
		if t.members[i].Rack != "" {
			return true
		}
	}
	return false
}

// replicaRacks lists a partition's racks; the leader's comes first even where the
// leader is not the first replica.
func replicaRacks(p *kgo.PartitionMetadata, brokers map[int32]string) []string {
	racks := make([]string, 0, len(p.Replicas))
	leads := false
	for _, id := range p.Replicas {
		leads = leads || id == p.Leader
	}
	if rack, ok := brokers[p.Leader]; ok && leads {
		racks = append(racks, rack)
	}
	for _, id := range p.Replicas {
		if rack, ok := brokers[id]; ok && id != p.Leader {
			racks = append(racks, rack)
		}
	}
	return racks
}
