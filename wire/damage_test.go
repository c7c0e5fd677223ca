package wire_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

// whole is a subscription with something in every field.
func whole() wire.Subscription {
	return wire.Subscription{
		Version: 3, Topics: []string{"a", "bb"}, UserData: []byte{1, 2, 3},
		Owned:      []holdfast.TopicPartitions{{Topic: "a", Partitions: []int32{0, 2}}},
		Generation: 7, Rack: "r1",
	}
}

// TestSubscriptionCutAtEveryByte cuts a subscription off after each byte. Before
// the topics end that is an error; after that the topics stand, and the owned
// partitions only if they were read to their end and nothing behind is damaged.
func TestSubscriptionCutAtEveryByte(t *testing.T) {
	s := whole()
	data, err := wire.AppendSubscription(nil, 3, &s)
	if err != nil {
		t.Fatal(err)
	}
	// Where each field ends, and what is told of bytes that end there.
	ends := map[int]wire.WarningID{13: wire.UserDataMissing, 20: wire.OwnedMissing,
		39: wire.GenerationMissing, 43: wire.RackMissing}
	for n := range data {
		got, f, err := wire.DecodeSubscription(data[:n])
		if n < 13 {
			var bad *wire.DecodeError
			if !errors.As(err, &bad) || bad.Offset > n || !errors.Is(err, wire.ErrTruncated) {
				t.Errorf("cut at %d: error %v", n, err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got.Topics, s.Topics) {
			t.Errorf("cut at %d: topics %q, error %v", n, got.Topics, err)
		}
		missing, atEnd := ends[n]
		switch {
		case len(f.Warnings) != 1 || f.Malformed == atEnd || f.Has(missing) != atEnd:
			t.Errorf("cut at %d: %+v", n, f)
		case f.Malformed && (got.Owned != nil || got.Generation >= 0 || got.Rack != ""):
			t.Errorf("cut at %d: claims are believed: %+v", n, got)
		case n >= 39 && atEnd && !reflect.DeepEqual(got.Owned, s.Owned):
			t.Errorf("cut at %d: owned %v", n, got.Owned)
		}
	}
}

// TestCutAtEveryByte cuts the other kinds off after each byte: nothing panics,
// and nothing that is cut off passes for whole.
func TestCutAtEveryByte(t *testing.T) {
	blocks, _ := readBlocks(t, "testdata/golden.txt")
	for _, b := range blocks {
		full, _ := readBack(t, b.kind, b.data)
		userData := b.kind == "sticky" || b.kind == "cooperative"
		for n := range b.data {
			if n == 0 && userData {
				continue // No user data at all is no claim, and nothing odd.
			}
			got, _ := readBack(t, b.kind, b.data[:n])
			if got == full {
				t.Errorf("golden.txt:%d: cut at %d reads as the whole:\n%s", b.line, n, got)
			}
			told := strings.Contains(got, "error ") || strings.Contains(got, "warning ")
			// Sticky user data does not say its version: without its generation it is
			// version 0, with less than that it has trailing bytes.
			if !told && !(b.kind == "sticky" && n == len(b.data)-4) {
				t.Errorf("golden.txt:%d: cut at %d is told by nothing:\n%s", b.line, n, got)
			}
		}
	}
}

// encoder appends something to dst.
type encoder func(dst []byte) ([]byte, error)

// TestEncodeErrors asks for what no bytes can say.
func TestEncodeErrors(t *testing.T) {
	long := strings.Repeat("x", 32768)
	list := []holdfast.TopicPartitions{{Topic: long}}
	topic := func(name string, n int) []holdfast.Topic {
		return []holdfast.Topic{{Name: name, Partitions: n}}
	}
	owners := func(version int16, topics []holdfast.Topic, owners ...int32) encoder {
		return func(dst []byte) ([]byte, error) {
			_, err := wire.EncodeOwners(version, topics, owners, 2)
			return dst, err
		}
	}
	subscription := func(version int16, s wire.Subscription) encoder {
		return func(dst []byte) ([]byte, error) { return wire.AppendSubscription(dst, version, &s) }
	}
	assignment := func(version int16, a wire.Assignment) encoder {
		return func(dst []byte) ([]byte, error) { return wire.AppendAssignment(dst, version, &a) }
	}
	for _, c := range []struct {
		encode encoder
		reason error
		text   string
	}{
		{subscription(4, wire.Subscription{}), wire.ErrVersion,
			"subscription: version: version out of range: 4, known are 0 to 3"},
		{subscription(-1, wire.Subscription{}), wire.ErrVersion,
			"subscription: version: version out of range: -1, known are 0 to 3"},
		{subscription(0, wire.Subscription{Topics: []string{"a", long}}), wire.ErrTooLong,
			"subscription: topics: too long for its length field: 32768, the most is 32767"},
		{subscription(3, wire.Subscription{Rack: long}), wire.ErrTooLong,
			"subscription: rack: too long for its length field: 32768, the most is 32767"},
		{assignment(5, wire.Assignment{}), wire.ErrVersion,
			"assignment: version: version out of range: 5, known are 0 to 3"},
		{assignment(0, wire.Assignment{Assigned: list}), wire.ErrTooLong,
			"assignment: partitions: too long for its length field: 32768, the most is 32767"},
		{func(dst []byte) ([]byte, error) {
			return wire.AppendTopics(dst, 4, func(func(string, []int32) bool) {})
		}, wire.ErrVersion, "assignment: version: version out of range: 4, known are 0 to 3"},
		{func(dst []byte) ([]byte, error) {
			return wire.AppendSticky(dst, 2, &wire.Sticky{})
		}, wire.ErrVersion, "sticky user data: version: version out of range: 2, known are 0 to 1"},
		{func(dst []byte) ([]byte, error) {
			return wire.AppendRecordKey(dst, &wire.RecordKey{Type: 9})
		}, wire.ErrVersion, "record key: version: version out of range: 9, known are 0 to 8"},
		{func(dst []byte) ([]byte, error) {
			return wire.AppendGroupMetadata(dst, 5, &wire.GroupMetadata{})
		}, wire.ErrVersion, "group metadata: version: version out of range: 5, known are 0 to 4"},
		{owners(4, nil), wire.ErrVersion,
			"assignment: version: version out of range: 4, known are 0 to 3"},
		{owners(0, topic(long, 0)), wire.ErrTooLong,
			"assignment: owners: too long for its length field: topic name of 32768 bytes"},
		{owners(0, topic("a", 1), 2), wire.ErrOwner,
			`assignment: owners: owner out of range: partition 0 of topic "a" has member 2 of 2`},
		{owners(0, topic("a", 2), 0), wire.ErrOwner,
			`assignment: owners: owner out of range: topic "a" has 2 partitions, 1 owners are left`},
		{owners(0, topic("a", -1)), wire.ErrOwner,
			`assignment: owners: owner out of range: topic "a" has -1 partitions, 0 owners are left`},
		{owners(0, topic("a", 1), 0, 1), wire.ErrOwner,
			"assignment: owners: owner out of range: 2 owners for 1 partitions"},
	} {
		got, err := c.encode([]byte("before"))
		if err == nil || !errors.Is(err, c.reason) || err.Error() != c.text {
			t.Errorf("error %v, want %s", err, c.text)
		}
		if string(got) != "before" {
			t.Errorf("%s: dst became %q", c.text, got)
		}
	}
}

// TestStickyTellsVersionsApart: a generation is all that tells version 1 from
// version 0, as in Kafka's own client.
func TestStickyTellsVersionsApart(t *testing.T) {
	s := wire.Sticky{Owned: whole().Owned, Generation: 7}
	for version := range int16(2) {
		data, err := wire.AppendSticky(nil, version, &s)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := wire.DecodeSticky(data)
		if got.Version != version || (got.Generation == 7) != (version == 1) {
			t.Errorf("version %d reads as %+v", version, got)
		}
	}
}

// TestCooperativeGeneration: the subscription's own generation comes before the
// one in the user data, and only one that is there counts.
func TestCooperativeGeneration(t *testing.T) {
	for _, c := range []struct {
		generation int32
		userData   []byte
		want       int32
		warned     bool
	}{
		{7, wire.AppendCooperative(nil, 5), 7, false},
		{0, wire.AppendCooperative(nil, 5), 0, false},
		{holdfast.NoGeneration, wire.AppendCooperative(nil, 5), 5, false},
		{holdfast.NoGeneration, wire.AppendCooperative(nil, -1), holdfast.NoGeneration, false},
		{holdfast.NoGeneration, nil, holdfast.NoGeneration, false},
		{holdfast.NoGeneration, []byte{}, holdfast.NoGeneration, false},
		{holdfast.NoGeneration, []byte("sarama"), holdfast.NoGeneration, true},
	} {
		s := wire.Subscription{Generation: c.generation, UserData: c.userData}
		got, f := s.CooperativeGeneration()
		if got != c.want || f.Has(wire.ForeignUserData) != c.warned {
			t.Errorf("%+v: generation %d, %+v", c, got, f)
		}
	}
}

func TestSorted(t *testing.T) {
	list := []holdfast.TopicPartitions{
		{Topic: "b", Partitions: []int32{10, 9}},
		{Topic: "a"},
		{Topic: "b", Partitions: []int32{1, 9}},
	}
	before := fmt.Sprint(list)
	if got := fmt.Sprint(wire.Sorted(list)); got != "[{a []} {b [1 9 10]}]" {
		t.Errorf("sorted: %s", got)
	}
	if after := fmt.Sprint(list); after != before {
		t.Errorf("the argument became %s", after)
	}
}
