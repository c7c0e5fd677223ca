package kgobalancer

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

// assigned remembers, for the strategy sticky, what the member was assigned last.
// The client does not tell a balancer the generation of an assignment; it is the
// one that the client names when it joins next.
type assigned struct {
	owned      []holdfast.TopicPartitions
	known      bool // there was an assignment
	dated      bool // generation is set
	generation int32
}

// JoinGroupMetadata writes the subscription of this member, version 3. Equal
// arguments give equal bytes as long as the member gets no new assignment.
func (b *balancer) JoinGroupMetadata(
	topics []string, current map[string][]int32, generation int32,
) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := wire.Subscription{Topics: topics, Generation: generation}
	var err error
	switch b.claiming() {
	case inFields:
		s.Owned = listed(current)
		s.UserData = wire.AppendCooperative(nil, generation)
	case inUserData, weighing:
		s.UserData, err = b.claims(topics, current, generation)
	}
	var metadata []byte
	if err == nil {
		metadata, err = wire.AppendSubscription(nil, wire.MaxVersion, &s)
	}
	if err != nil {
		// A topic name is too long for the protocol. No bytes at all make the leader
		// count this member as one without topics, and the group goes on.
		b.log(slog.LevelError, "the subscription cannot be written", slog.Any("error", err))
		return nil
	}
	return metadata
}

// claims writes what the strategy sticky puts into the user data: nothing before
// the first assignment. A client that is eager has let go of everything by now,
// so current is empty and the memory of the last assignment counts; a client that
// ran cooperative-sticky until now still has what current says.
//
// Topics that the member no longer subscribes to are left out. Nobody could give
// them back to it, and a Java leader that tries to, fails.
func (b *balancer) claims(
	topics []string, current map[string][]int32, generation int32,
) ([]byte, error) {
	a := &b.assigned
	if a.known && !a.dated {
		a.generation, a.dated = generation, true
	}
	claimed := wire.Sticky{Owned: a.owned, Generation: a.generation}
	switch {
	case len(current) > 0:
		claimed = wire.Sticky{Owned: listed(current), Generation: generation}
	case !a.known && b.claiming() != weighing:
		return nil, nil
	}
	subscribed := make(map[string]bool, len(topics))
	for _, topic := range topics {
		subscribed[topic] = true
	}
	claimed.Owned = slices.DeleteFunc(slices.Clone(claimed.Owned),
		func(tp holdfast.TopicPartitions) bool { return !subscribed[tp.Topic] })
	if b.claiming() == weighing {
		return b.weigh(claimed)
	}
	return wire.AppendSticky([]byte{}, wire.MaxStickyVersion, &claimed)
}

// listed writes a map of partitions as a list, topics by name.
func listed(current map[string][]int32) []holdfast.TopicPartitions {
	list := make([]holdfast.TopicPartitions, 0, len(current))
	for _, topic := range slices.Sorted(maps.Keys(current)) {
		list = append(list, holdfast.TopicPartitions{Topic: topic, Partitions: current[topic]})
	}
	return wire.Sorted(list)
}

// ParseSyncAssignment reads what the leader assigned to this member: topic ->
// partitions, ascending, each once. No bytes are what the coordinator passes on
// when a leader forgot a member, and mean no partitions.
func (b *balancer) ParseSyncAssignment(data []byte) (map[string][]int32, error) {
	var a wire.Assignment
	if len(data) > 0 {
		var err error
		if a, _, err = wire.DecodeAssignment(data); err != nil {
			return nil, err
		}
	} else {
		b.log(slog.LevelWarn, "the leader left this member out of its answer")
	}
	list := wire.Sorted(a.Assigned)
	partitions := make(map[string][]int32, len(list))
	for i, tp := range list {
		// Sorted puts negative numbers, which nobody can read from, first.
		from, _ := slices.BinarySearch(tp.Partitions, 0)
		list[i].Partitions = tp.Partitions[from:]
		if len(list[i].Partitions) > 0 {
			// The client may change what it is given.
			partitions[tp.Topic] = slices.Clone(list[i].Partitions)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.assigned = assigned{owned: list, known: true}
	b.led.settle()
	return partitions, nil
}

// log writes to the application's logger, if there is one.
func (b *balancer) log(level slog.Level, message string, attrs ...slog.Attr) {
	if b.options.Logger != nil {
		attrs = append(attrs, slog.String("strategy", b.strategy.Name()))
		b.options.Logger.LogAttrs(context.Background(), level, message, attrs...)
	}
}
