package wire_test

import (
	"bytes"
	"reflect"
	"testing"
	"unsafe"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

// The fuzz targets hold every decoder to the same promises, whatever the bytes:
// it does not panic; what it returns takes no more memory than perByte for each
// byte of the input; and what it read without damage is written again as bytes
// that mean the same.

// perByte is the most memory that a decoded value takes for a byte of input: an
// empty topic name takes two bytes and a string header of 16.
const perByte = 10

// seed adds the bytes of one kind from the scenario files to the corpus.
func seed(f *testing.F, kind string) {
	f.Helper()
	for _, path := range []string{"testdata/golden.txt", "testdata/tolerated.txt"} {
		blocks, _ := readBlocks(f, path)
		for _, b := range blocks {
			if b.kind == kind {
				f.Add(b.data)
			}
		}
	}
}

func sizeOfList(list []holdfast.TopicPartitions) int {
	size := cap(list) * int(unsafe.Sizeof(holdfast.TopicPartitions{}))
	for _, tp := range list {
		size += len(tp.Topic) + 4*cap(tp.Partitions)
	}
	return size
}

func bounded(t *testing.T, size int, data []byte) {
	t.Helper()
	if size > perByte*len(data) {
		t.Errorf("%d bytes became %d", len(data), size)
	}
}

func FuzzSubscription(f *testing.F) {
	seed(f, "subscription")
	whole := whole()
	other, _ := wire.AppendSubscription(nil, 3, &whole)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, found, err := wire.DecodeSubscription(data)
		var d wire.Decoder
		for _, each := range [][]byte{data, other, data} {
			shared, sharedFound, sharedErr := d.Subscription(each)
			if bytes.Equal(each, data) && (!reflect.DeepEqual(shared, s) ||
				!reflect.DeepEqual(sharedFound, found) || (sharedErr == nil) != (err == nil)) {
				t.Errorf("a Decoder says\n%+v %+v %v\nnot\n%+v %+v %v",
					shared, sharedFound, sharedErr, s, found, err)
			}
		}
		if err != nil {
			return
		}
		size := sizeOfList(s.Owned) + 16*cap(s.Topics) + len(s.Rack)
		for _, topic := range s.Topics {
			size += len(topic)
		}
		bounded(t, size, data)
		if found.Malformed {
			if s.Owned != nil || s.Generation != holdfast.NoGeneration {
				t.Errorf("damaged, yet it claims %v of generation %d", s.Owned, s.Generation)
			}
			return
		}
		s.Version = min(s.Version, wire.MaxVersion)
		again, err := wire.AppendSubscription(nil, s.Version, &s)
		if err != nil {
			t.Fatal(err)
		}
		back, backFound, err := wire.DecodeSubscription(again)
		// Null and missing user data are both nil; a missing list is written empty.
		if err != nil || !reflect.DeepEqual(back, s) || len(backFound.Warnings) > 0 {
			t.Errorf("read %+v, written and read again %+v %+v %v", s, back, backFound, err)
		}
		s.CooperativeGeneration()
	})
}

func FuzzAssignment(f *testing.F) {
	seed(f, "assignment")
	f.Fuzz(func(t *testing.T, data []byte) {
		a, found, err := wire.DecodeAssignment(data)
		if err != nil {
			return
		}
		bounded(t, sizeOfList(a.Assigned), data)
		if found.Malformed {
			return
		}
		a.Version = min(a.Version, wire.MaxVersion)
		again, err := wire.AppendAssignment(nil, a.Version, &a)
		if err != nil {
			t.Fatal(err)
		}
		back, backFound, err := wire.DecodeAssignment(again)
		if err != nil || !reflect.DeepEqual(back, a) || len(backFound.Warnings) > 0 {
			t.Errorf("read %+v, written and read again %+v %+v %v", a, back, backFound, err)
		}
	})
}

func FuzzUserData(f *testing.F) {
	seed(f, "sticky")
	seed(f, "cooperative")
	f.Fuzz(func(t *testing.T, data []byte) {
		s, found := wire.DecodeSticky(data)
		bounded(t, sizeOfList(s.Owned), data)
		if found.Has(wire.ForeignUserData) && s.Owned != nil {
			t.Errorf("foreign, yet it claims %v", s.Owned)
		}
		again, err := wire.AppendSticky(nil, s.Version, &s)
		if err != nil {
			t.Fatal(err)
		}
		if back, backFound := wire.DecodeSticky(again); !reflect.DeepEqual(back, s) ||
			len(backFound.Warnings) > 0 {
			t.Errorf("read %+v, written and read again %+v %+v", s, back, backFound)
		}
		generation, _ := wire.DecodeCooperative(data)
		back, _ := wire.DecodeCooperative(wire.AppendCooperative(nil, generation))
		if back != generation {
			t.Errorf("generation %d, written and read again %d", generation, back)
		}
	})
}

func FuzzRecordKey(f *testing.F) {
	seed(f, "record-key")
	seed(f, "group-metadata")
	f.Fuzz(func(t *testing.T, data []byte) {
		wire.IsRecordKey(data)
		k, _, err := wire.DecodeRecordKey(data)
		if err != nil || k.Type > wire.CurrentAssignmentRecord {
			return
		}
		bounded(t, len(k.Group)+len(k.Topic)+len(k.Member), data)
		again, err := wire.AppendRecordKey(nil, &k)
		if err != nil || !bytes.HasPrefix(data, again) {
			t.Errorf("read %+v of %x, written %x, error %v", k, data, again, err)
		}
	})
}

func FuzzGroupMetadata(f *testing.F) {
	seed(f, "group-metadata")
	f.Fuzz(func(t *testing.T, data []byte) {
		g, found, err := wire.DecodeGroupMetadata(data)
		if err != nil {
			return
		}
		size := len(g.ProtocolType) + len(g.Protocol) + len(g.Leader) +
			cap(g.Members)*int(unsafe.Sizeof(wire.GroupMember{}))
		for _, m := range g.Members {
			size += len(m.ID) + len(m.InstanceID) + len(m.ClientID) + len(m.ClientHost)
		}
		bounded(t, size, data)
		if found.Malformed {
			return
		}
		g.Version = min(g.Version, wire.MaxGroupMetadataVersion)
		again, err := wire.AppendGroupMetadata(nil, g.Version, &g)
		if err != nil {
			// Only a flexible version can hold a string that others cannot.
			if g.Version < 4 || len(data) < 1<<15 {
				t.Fatal(err)
			}
			return
		}
		back, backFound, err := wire.DecodeGroupMetadata(again)
		if err != nil || !reflect.DeepEqual(back, g) || len(backFound.Warnings) > 0 {
			t.Errorf("read %+v, written and read again %+v %+v %v", g, back, backFound, err)
		}
	})
}
