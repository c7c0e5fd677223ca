package wire_test

import (
	"fmt"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

// The shape of a large group: every member subscribes to all topics and owns
// one partition of some of them.
type largeGroup struct {
	topics  []holdfast.Topic
	owners  []int32
	members int
	bytes   [][]byte // the subscriptions
}

func newLargeGroup(tb testing.TB, members, topics, perTopic int) largeGroup {
	tb.Helper()
	g := largeGroup{members: members}
	s := wire.Subscription{Generation: 7}
	for t := range topics {
		name := fmt.Sprintf("topic-%04d", t)
		s.Topics = append(s.Topics, name)
		g.topics = append(g.topics, holdfast.Topic{Name: name, Partitions: perTopic})
	}
	owned := make([][]holdfast.TopicPartitions, members)
	for i := range topics * perTopic {
		m := i % members
		g.owners = append(g.owners, int32(m))
		owned[m] = append(owned[m], holdfast.TopicPartitions{
			Topic: s.Topics[i/perTopic], Partitions: []int32{int32(i % perTopic)}})
	}
	for m := range members {
		s.Owned = owned[m]
		data, err := wire.AppendSubscription(nil, 3, &s)
		if err != nil {
			tb.Fatal(err)
		}
		g.bytes = append(g.bytes, data)
	}
	return g
}

// TestDecoderAllocations: once a Decoder knows the topics, a member costs two
// slices for what it owns, and nothing if it owns nothing.
func TestDecoderAllocations(t *testing.T) {
	g := newLargeGroup(t, 50, 20, 10)
	var d wire.Decoder
	read := func(data []byte) {
		if _, f, err := d.Subscription(data); err != nil || f.Warnings != nil {
			t.Fatal(f, err)
		}
	}
	for _, data := range g.bytes {
		read(data)
	}
	m := 0
	if n := testing.AllocsPerRun(100, func() { read(g.bytes[m%50]); m++ }); n > 2 {
		t.Errorf("%v allocations for a member that owns something", n)
	}
	nothing, err := wire.AppendSubscription(nil, 3, &wire.Subscription{Topics: topicNames(g)})
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { read(nothing) }); n > 0 {
		t.Errorf("%v allocations for a member that owns nothing", n)
	}
}

func topicNames(g largeGroup) []string {
	names := make([]string, len(g.topics))
	for i, topic := range g.topics {
		names[i] = topic.Name
	}
	return names
}

// TestEncoderAllocations: with room in dst, the encoders allocate nothing, or a
// fixed few for an iterator, and EncodeOwners four slices for a whole group.
func TestEncoderAllocations(t *testing.T) {
	g := newLargeGroup(t, 50, 20, 10)
	s, _, err := wire.DecodeSubscription(g.bytes[0])
	if err != nil {
		t.Fatal(err)
	}
	a := wire.Assignment{Assigned: s.Owned}
	sticky := wire.Sticky{Owned: s.Owned}
	dst := make([]byte, 0, 1<<16)
	each := func(yield func(string, []int32) bool) {
		for i := range a.Assigned {
			if !yield(a.Assigned[i].Topic, a.Assigned[i].Partitions) {
				return
			}
		}
	}
	for _, c := range []struct {
		name string
		most float64
		run  func() error
	}{
		{"AppendSubscription", 0, func() error {
			_, err := wire.AppendSubscription(dst, 3, &s)
			return err
		}},
		{"AppendAssignment", 0, func() error {
			_, err := wire.AppendAssignment(dst, 3, &a)
			return err
		}},
		{"AppendSticky", 0, func() error {
			_, err := wire.AppendSticky(dst, 1, &sticky)
			return err
		}},
		{"AppendTopics", 4, func() error { _, err := wire.AppendTopics(dst, 3, each); return err }},
		{"EncodeOwners", 4, func() error {
			_, err := wire.EncodeOwners(3, g.topics, g.owners, g.members)
			return err
		}},
	} {
		n := testing.AllocsPerRun(100, func() {
			if err := c.run(); err != nil {
				t.Fatal(err)
			}
		})
		if n > c.most {
			t.Errorf("%s: %v allocations, at most %v", c.name, n, c.most)
		}
	}
}

func BenchmarkDecodeGroup(b *testing.B) {
	for _, c := range []struct{ members, topics, perTopic int }{
		{100, 10, 100}, {1000, 100, 100}, {10000, 1000, 1000},
	} {
		name := fmt.Sprintf("members=%d/topics=%d/partitions=%d",
			c.members, c.topics, c.topics*c.perTopic)
		b.Run(name, func(b *testing.B) {
			g := newLargeGroup(b, c.members, c.topics, c.perTopic)
			b.ReportAllocs()
			for b.Loop() {
				var d wire.Decoder
				all := make([]wire.Subscription, len(g.bytes))
				for m, data := range g.bytes {
					s, _, err := d.Subscription(data)
					if err != nil {
						b.Fatal(err)
					}
					all[m] = s
				}
			}
		})
	}
}

func BenchmarkEncodeOwners(b *testing.B) {
	for _, c := range []struct{ members, topics, perTopic int }{
		{100, 10, 100}, {1000, 100, 100}, {10000, 1000, 1000},
	} {
		name := fmt.Sprintf("members=%d/topics=%d/partitions=%d",
			c.members, c.topics, c.topics*c.perTopic)
		b.Run(name, func(b *testing.B) {
			g := newLargeGroup(b, c.members, c.topics, c.perTopic)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wire.EncodeOwners(3, g.topics, g.owners, g.members); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
