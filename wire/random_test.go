package wire_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

// eachSeed runs a property on seeded random inputs, and on failure prints the
// command that reruns the one seed.
func eachSeed(t *testing.T, n int, property func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	first, last := 0, n
	if text := os.Getenv("HOLDFAST_SEED"); text != "" {
		seed, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		first, last = seed, seed+1
	} else if os.Getenv("HOLDFAST_LONG") != "" {
		last = 100 * n
	}
	for seed := first; seed < last; seed++ {
		property(t, rand.New(rand.NewPCG(uint64(seed), 0)))
		if t.Failed() {
			t.Fatalf("seed %d: HOLDFAST_SEED=%d go test ./wire -run '^%s$'", seed, seed, t.Name())
		}
	}
}

// randomName favours short names, and now and then one that no topic may have.
func randomName(rng *rand.Rand) string {
	switch rng.IntN(20) {
	case 0:
		return ""
	case 1:
		return "\xff\x00 \"\n"
	case 2:
		return strings.Repeat("x", rng.IntN(1000))
	}
	return fmt.Sprintf("t%d", rng.IntN(12))
}

func randomBytes(rng *rand.Rand) []byte {
	if rng.IntN(3) == 0 {
		return nil
	}
	b := make([]byte, rng.IntN(20))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func randomList(rng *rand.Rand) []holdfast.TopicPartitions {
	var list []holdfast.TopicPartitions
	for range rng.IntN(5) {
		tp := holdfast.TopicPartitions{Topic: randomName(rng), Partitions: []int32{}}
		for range rng.IntN(5) {
			tp.Partitions = append(tp.Partitions, int32(rng.Uint32()))
		}
		list = append(list, tp)
	}
	return list
}

func randomSubscription(rng *rand.Rand) wire.Subscription {
	s := wire.Subscription{Topics: []string{}, UserData: randomBytes(rng),
		Owned: randomList(rng), Generation: int32(rng.Uint32())}
	for range rng.IntN(6) {
		s.Topics = append(s.Topics, randomName(rng))
	}
	if rng.IntN(2) == 0 {
		s.Rack = randomName(rng)
	}
	return s
}

func randomGroup(rng *rand.Rand) wire.GroupMetadata {
	g := wire.GroupMetadata{ProtocolType: randomName(rng), Generation: int32(rng.Uint32()),
		Protocol: randomName(rng), Leader: randomName(rng), StateTimestampMs: int64(rng.Uint64())}
	for range rng.IntN(4) {
		g.Members = append(g.Members, wire.GroupMember{ID: randomName(rng),
			InstanceID: randomName(rng), ClientID: randomName(rng), ClientHost: randomName(rng),
			RebalanceTimeoutMs: int32(rng.Uint32()), SessionTimeoutMs: int32(rng.Uint32()),
			Subscription: append([]byte{}, randomBytes(rng)...),
			Assignment:   append([]byte{}, randomBytes(rng)...)})
	}
	return g
}

// same compares a value with what came back for it, bytes that are left and
// warnings included.
func same(t *testing.T, got, want any, f wire.Findings) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%#v\nwant\n%#v", got, want)
	}
	if !reflect.DeepEqual(f, wire.Findings{}) {
		t.Errorf("findings: %+v", f)
	}
}

func TestSubscriptionRoundTrip(t *testing.T) {
	eachSeed(t, 2000, func(t *testing.T, rng *rand.Rand) {
		s := randomSubscription(rng)
		for version := int16(0); version <= wire.MaxVersion; version++ {
			data, err := wire.AppendSubscription([]byte("before"), version, &s)
			if err != nil {
				t.Fatal(err)
			}
			want := s
			want.Version = version
			if version < 1 {
				want.Owned = nil
			}
			if version < 2 {
				want.Generation = holdfast.NoGeneration
			}
			if version < 3 {
				want.Rack = ""
			}
			got, f, err := wire.DecodeSubscription(data[len("before"):])
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want, f)
		}
	})
}

func TestAssignmentRoundTrip(t *testing.T) {
	eachSeed(t, 2000, func(t *testing.T, rng *rand.Rand) {
		a := wire.Assignment{Assigned: randomList(rng), UserData: randomBytes(rng)}
		for version := int16(0); version <= wire.MaxVersion; version++ {
			data, err := wire.AppendAssignment(nil, version, &a)
			if err != nil {
				t.Fatal(err)
			}
			got, f, err := wire.DecodeAssignment(data)
			if err != nil {
				t.Fatal(err)
			}
			a.Version = version
			same(t, got, a, f)
		}
	})
}

func TestStickyRoundTrip(t *testing.T) {
	eachSeed(t, 2000, func(t *testing.T, rng *rand.Rand) {
		s := wire.Sticky{Owned: randomList(rng), Generation: holdfast.NoGeneration}
		for version := int16(0); version <= wire.MaxStickyVersion; version++ {
			if s.Version = version; version == 1 {
				s.Generation = int32(rng.Uint32())
			}
			data, err := wire.AppendSticky(nil, version, &s)
			if err != nil {
				t.Fatal(err)
			}
			got, f := wire.DecodeSticky(data)
			same(t, got, s, f)
		}
	})
}

func TestGroupMetadataRoundTrip(t *testing.T) {
	eachSeed(t, 2000, func(t *testing.T, rng *rand.Rand) {
		g := randomGroup(rng)
		for version := int16(0); version <= wire.MaxGroupMetadataVersion; version++ {
			data, err := wire.AppendGroupMetadata(nil, version, &g)
			if err != nil {
				t.Fatal(err)
			}
			got, f, err := wire.DecodeGroupMetadata(data)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, asVersion(g, version), f)
			if wire.IsRecordKey(data) {
				t.Errorf("taken for a key: %x", data)
			}
		}
	})
}

// asVersion is the group without what the version has no field for.
func asVersion(g wire.GroupMetadata, version int16) wire.GroupMetadata {
	g.Version = version
	g.Members = append([]wire.GroupMember(nil), g.Members...)
	if version < 2 {
		g.StateTimestampMs = -1
	}
	for i := range g.Members {
		if version < 3 {
			g.Members[i].InstanceID = ""
		}
		if version < 1 {
			g.Members[i].RebalanceTimeoutMs = g.Members[i].SessionTimeoutMs
		}
	}
	return g
}

func TestRecordKeyRoundTrip(t *testing.T) {
	eachSeed(t, 2000, func(t *testing.T, rng *rand.Rand) {
		k := wire.RecordKey{Type: wire.RecordType(rng.IntN(9)), Group: randomName(rng)}
		switch k.Type {
		case wire.OffsetCommitRecordV0, wire.OffsetCommitRecord:
			k.Topic, k.Partition = randomName(rng), int32(rng.Uint32())
		case wire.MemberMetadataRecord, wire.TargetAssignmentRecord, wire.CurrentAssignmentRecord:
			k.Member = randomName(rng)
		}
		data, err := wire.AppendRecordKey(nil, &k)
		if err != nil {
			t.Fatal(err)
		}
		got, f, err := wire.DecodeRecordKey(data)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, k, f)
		if !wire.IsRecordKey(data) {
			t.Errorf("not taken for a key: %x", data)
		}
	})
}
