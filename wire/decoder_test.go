package wire_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

// TestDecoderAgrees: a Decoder that has seen other subscriptions says of each
// what DecodeSubscription says, damaged ones included.
func TestDecoderAgrees(t *testing.T) {
	eachSeed(t, 300, func(t *testing.T, rng *rand.Rand) {
		var d wire.Decoder
		pool := []wire.Subscription{randomSubscription(rng), randomSubscription(rng),
			manyTopics(40, "x"), manyTopics(40, "y"), manyTopics(60, "x")}
		for range 20 {
			s := randomSubscription(rng)
			if rng.IntN(3) > 0 {
				s.Topics = pool[rng.IntN(len(pool))].Topics
			}
			data, err := wire.AppendSubscription(nil, int16(rng.IntN(4)), &s)
			if err != nil {
				t.Fatal(err)
			}
			if rng.IntN(3) == 0 {
				data = data[:rng.IntN(len(data))]
			}
			want, wantFound, wantErr := wire.DecodeSubscription(data)
			got, found, gotErr := d.Subscription(data)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(found, wantFound) ||
				!reflect.DeepEqual(gotErr, wantErr) {
				t.Errorf("%x: got\n%+v %+v %v\nwant\n%+v %+v %v", data, got, found, gotErr,
					want, wantFound, wantErr)
			}
			wantSticky, wantFound := wire.DecodeSticky(data)
			gotSticky, found := d.Sticky(data)
			if !reflect.DeepEqual(gotSticky, wantSticky) || !reflect.DeepEqual(found, wantFound) {
				t.Errorf("%x: got %+v, want %+v", data, gotSticky, wantSticky)
			}
		}
	})
}

// manyTopics is a subscription whose bytes begin like those of others as long.
func manyTopics(n int, last string) (s wire.Subscription) {
	for i := range n - 1 {
		s.Topics = append(s.Topics, fmt.Sprintf("topic-%03d", i))
	}
	s.Topics = append(s.Topics, last)
	return s
}

// TestDecoderShares: equal topics are one slice, equal names one string, also
// when other topics were read in between.
func TestDecoderShares(t *testing.T) {
	var d wire.Decoder
	read := func(owned string, topics ...string) wire.Subscription {
		s := wire.Subscription{Topics: topics,
			Owned: []holdfast.TopicPartitions{{Topic: owned, Partitions: []int32{1}}}}
		data, err := wire.AppendSubscription(nil, 3, &s)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := d.Subscription(data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range data {
			data[i] = 0xff // What was read must not hang on the bytes.
		}
		return got
	}
	x, y := read("one", manyTopics(40, "x").Topics...), read("one", manyTopics(50, "y").Topics...)
	again := read("one", manyTopics(40, "x").Topics...)
	if &x.Topics[0] != &again.Topics[0] || &x.Topics[0] == &y.Topics[0] {
		t.Error("long lists of topics are not shared, or too much")
	}
	a := read("one", "one", "two")
	other := read("two", "two", "three")
	b := read("one", "one", "two")
	c := read("one", "one", "two")
	if &a.Topics[0] != &b.Topics[0] || &b.Topics[0] != &c.Topics[0] {
		t.Error("equal topics are several slices")
	}
	if !sameString(a.Topics[1], other.Topics[0]) ||
		!sameString(a.Topics[1], other.Owned[0].Topic) ||
		!sameString(a.Owned[0].Topic, a.Topics[0]) ||
		!sameString(a.Owned[0].Topic, c.Owned[0].Topic) {
		t.Error("equal names are several strings")
	}
	text := fmt.Sprint(a.Topics, other.Topics, a.Owned)
	if text != "[one two] [two three] [{one [1]}]" {
		t.Error(text)
	}
}

func sameString(a, b string) bool {
	return a == b && unsafe.StringData(a) == unsafe.StringData(b)
}

// TestEncodeOwners: the answers for a whole group are those that AppendAssignment
// writes for each member.
func TestEncodeOwners(t *testing.T) {
	eachSeed(t, 1000, func(t *testing.T, rng *rand.Rand) {
		members := rng.IntN(6)
		want := make([]wire.Assignment, members)
		var topics []holdfast.Topic
		var owners []int32
		for i := range rng.IntN(5) {
			topic := holdfast.Topic{Name: fmt.Sprintf("t%d", i), Partitions: rng.IntN(6)}
			for p := range topic.Partitions {
				m := rng.IntN(members+1) - 1
				owners = append(owners, int32(m))
				if m < 0 {
					continue
				}
				list := &want[m].Assigned
				if n := len(*list); n == 0 || (*list)[n-1].Topic != topic.Name {
					*list = append(*list, holdfast.TopicPartitions{Topic: topic.Name})
				}
				last := &(*list)[len(*list)-1]
				last.Partitions = append(last.Partitions, int32(p))
			}
			topics = append(topics, topic)
		}
		got, err := wire.EncodeOwners(2, topics, owners, members)
		if err != nil || len(got) != members {
			t.Fatalf("%d answers, error %v", len(got), err)
		}
		for m := range want {
			data, err := wire.AppendAssignment(nil, 2, &want[m])
			if err != nil {
				t.Fatal(err)
			}
			if hex.EncodeToString(got[m]) != hex.EncodeToString(data) || cap(got[m]) != len(data) {
				t.Errorf("member %d of %v: got %x, want %x", m, owners, got[m], data)
			}
			byTopic, err := wire.AppendTopics(nil, 2, func(yield func(string, []int32) bool) {
				for _, tp := range want[m].Assigned {
					if !yield(tp.Topic, tp.Partitions) {
						return
					}
				}
			})
			if err != nil || hex.EncodeToString(byTopic) != hex.EncodeToString(data) {
				t.Errorf("by topic: got %x, want %x, error %v", byTopic, data, err)
			}
		}
	})
}
