// Package wirecheck holds the bytes of package wire against those of franz-go's
// kmsg, whose encoders and decoders are generated from Kafka's own definitions:
// for the same value both must write the same bytes, and each must read what the
// other wrote.
package wirecheck

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// random makes the values of one seed.
type random struct{ *rand.Rand }

func (r random) name() string {
	if r.IntN(10) == 0 {
		return ""
	}
	return fmt.Sprintf("name-%d", r.IntN(1000))
}

// nullable gives wire's form of a string that may be null, where "" is null, and
// kmsg's.
func (r random) nullable() (string, *string) {
	if s := r.name(); s != "" {
		return s, &s
	}
	return "", nil
}

func (r random) bytes() []byte {
	if r.IntN(3) == 0 {
		return nil
	}
	b := make([]byte, r.IntN(10))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func (r random) numbers() []int32 {
	list := make([]int32, r.IntN(4))
	for i := range list {
		list[i] = int32(r.Uint32())
	}
	return list
}

func (r random) partitions() []holdfast.TopicPartitions {
	var list []holdfast.TopicPartitions
	for range r.IntN(4) {
		list = append(list, holdfast.TopicPartitions{Topic: r.name(), Partitions: r.numbers()})
	}
	return list
}

// each runs a check on many seeds and prints the one that failed.
func each(t *testing.T, check func(t *testing.T, r random)) {
	t.Helper()
	first, last := 0, 1000
	if text := os.Getenv("HOLDFAST_SEED"); text != "" {
		seed, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		first, last = seed, seed+1
	} else if os.Getenv("HOLDFAST_LONG") != "" {
		last = 100_000
	}
	for seed := first; seed < last; seed++ {
		check(t, random{rand.New(rand.NewPCG(uint64(seed), 1))})
		if t.Failed() {
			t.Fatalf("seed %d: HOLDFAST_SEED=%d go test ./internal/compare/wirecheck -run '^%s$'",
				seed, seed, t.Name())
		}
	}
}

// outcome is one value in its several forms.
type outcome struct {
	ours, theirs  []byte // what each wrote for it
	err           error  // of writing ours
	written, read any    // the value, and what was read from theirs
	found         wire.Findings
}

// check fails if our bytes and theirs differ, or if what we read from theirs is
// not what was written.
func (o outcome) check(t *testing.T) {
	t.Helper()
	if o.err != nil || !bytes.Equal(o.ours, o.theirs) {
		t.Errorf("error %v\nwire %x\nkmsg %x", o.err, o.ours, o.theirs)
	}
	if !reflect.DeepEqual(o.read, o.written) || len(o.found.Warnings) > 0 {
		t.Errorf("read    %+v\nwritten %+v\n%+v", o.read, o.written, o.found)
	}
}

func TestSubscription(t *testing.T) {
	each(t, func(t *testing.T, r random) {
		for version := int16(0); version <= wire.MaxVersion; version++ {
			s := wire.Subscription{Version: version, Topics: []string{}, UserData: r.bytes(),
				Generation: holdfast.NoGeneration}
			m := kmsg.NewConsumerMemberMetadata()
			m.Version, m.UserData = version, s.UserData
			for range r.IntN(4) {
				s.Topics = append(s.Topics, r.name())
			}
			m.Topics = append(m.Topics, s.Topics...)
			if version >= 1 {
				s.Owned = r.partitions()
			}
			for _, tp := range s.Owned {
				m.OwnedPartitions = append(m.OwnedPartitions, kmsg.ConsumerMemberMetadataOwnedPartition(tp))
			}
			if version >= 2 {
				s.Generation = int32(r.Uint32())
				m.Generation = s.Generation
			}
			if version >= 3 {
				s.Rack, m.Rack = r.nullable()
			}
			theirs := m.AppendTo(nil)
			ours, err := wire.AppendSubscription(nil, version, &s)
			read, f, readErr := wire.DecodeSubscription(theirs)
			if readErr != nil {
				t.Fatal(readErr)
			}
			outcome{ours, theirs, err, s, read, f}.check(t)
			back := kmsg.NewConsumerMemberMetadata()
			if err := back.ReadFrom(ours); err != nil || !bytes.Equal(back.AppendTo(nil), theirs) {
				t.Errorf("kmsg reads %+v from %x, error %v", back, ours, err)
			}
		}
	})
}

func TestAssignment(t *testing.T) {
	each(t, func(t *testing.T, r random) {
		for version := int16(0); version <= wire.MaxVersion; version++ {
			a := wire.Assignment{Version: version, Assigned: r.partitions(), UserData: r.bytes()}
			m := kmsg.NewConsumerMemberAssignment()
			m.Version, m.UserData = version, a.UserData
			for _, tp := range a.Assigned {
				m.Topics = append(m.Topics, kmsg.ConsumerMemberAssignmentTopic(tp))
			}
			theirs := m.AppendTo(nil)
			ours, err := wire.AppendAssignment(nil, version, &a)
			read, f, readErr := wire.DecodeAssignment(theirs)
			if readErr != nil {
				t.Fatal(readErr)
			}
			outcome{ours, theirs, err, a, read, f}.check(t)
			back := kmsg.NewConsumerMemberAssignment()
			if err := back.ReadFrom(ours); err != nil || !bytes.Equal(back.AppendTo(nil), theirs) {
				t.Errorf("kmsg reads %+v from %x, error %v", back, ours, err)
			}
		}
	})
}

func TestSticky(t *testing.T) {
	each(t, func(t *testing.T, r random) {
		s := wire.Sticky{Version: 1, Owned: r.partitions(), Generation: int32(r.Uint32())}
		m := kmsg.NewStickyMemberMetadata()
		m.Generation = s.Generation
		for _, tp := range s.Owned {
			m.CurrentAssignment = append(m.CurrentAssignment,
				kmsg.StickyMemberMetadataCurrentAssignment(tp))
		}
		theirs := m.AppendTo(nil)
		ours, err := wire.AppendSticky(nil, 1, &s)
		read, f := wire.DecodeSticky(theirs)
		outcome{ours, theirs, err, s, read, f}.check(t)

		// Version 0 reads as having no generation on both sides.
		v0, err := wire.AppendSticky(nil, 0, &s)
		if err != nil {
			t.Fatal(err)
		}
		back := kmsg.NewStickyMemberMetadata()
		read, f = wire.DecodeSticky(v0)
		if err := back.ReadFrom(v0); err != nil || back.Generation != read.Generation ||
			len(f.Warnings) > 0 || len(back.CurrentAssignment) != len(read.Owned) {
			t.Errorf("%x: kmsg reads %+v (error %v), wire %+v", v0, back, err, read)
		}
	})
}

func TestRecordKey(t *testing.T) {
	each(t, func(t *testing.T, r random) {
		k := wire.RecordKey{Type: wire.GroupMetadataRecord, Group: r.name()}
		m := kmsg.NewGroupMetadataKey()
		m.Version, m.Group = 2, k.Group
		ours, err := wire.AppendRecordKey(nil, &k)
		read, f, _ := wire.DecodeRecordKey(m.AppendTo(nil))
		outcome{ours, m.AppendTo(nil), err, k, read, f}.check(t)

		k = wire.RecordKey{Type: wire.OffsetCommitRecord, Group: r.name(), Topic: r.name(),
			Partition: int32(r.Uint32())}
		o := kmsg.NewOffsetCommitKey()
		o.Version, o.Group, o.Topic, o.Partition = 1, k.Group, k.Topic, k.Partition
		ours, err = wire.AppendRecordKey(nil, &k)
		read, f, _ = wire.DecodeRecordKey(o.AppendTo(nil))
		outcome{ours, o.AppendTo(nil), err, k, read, f}.check(t)
	})
}

func TestGroupMetadata(t *testing.T) {
	each(t, func(t *testing.T, r random) {
		for version := int16(0); version <= wire.MaxGroupMetadataVersion; version++ {
			g, m := randomGroup(r, version)
			theirs := m.AppendTo(nil)
			ours, err := wire.AppendGroupMetadata(nil, version, &g)
			read, f, readErr := wire.DecodeGroupMetadata(theirs)
			if readErr != nil {
				t.Fatal(readErr)
			}
			outcome{ours, theirs, err, g, read, f}.check(t)
			back := kmsg.NewGroupMetadataValue()
			if err := back.ReadFrom(ours); err != nil || !bytes.Equal(back.AppendTo(nil), theirs) {
				t.Errorf("kmsg reads %+v from %x, error %v", back, ours, err)
			}
		}
	})
}

// randomGroup makes one group in both forms, with the fields of the version.
func randomGroup(r random, version int16) (wire.GroupMetadata, kmsg.GroupMetadataValue) {
	g := wire.GroupMetadata{Version: version, ProtocolType: r.name(),
		Generation: int32(r.Uint32()), StateTimestampMs: -1}
	m := kmsg.NewGroupMetadataValue()
	m.Version, m.ProtocolType, m.Generation = version, g.ProtocolType, g.Generation
	g.Protocol, m.Protocol = r.nullable()
	g.Leader, m.Leader = r.nullable()
	if version >= 2 {
		g.StateTimestampMs = int64(r.Uint64())
		m.CurrentStateTimestamp = g.StateTimestampMs
	}
	for range r.IntN(3) {
		ours := wire.GroupMember{ID: r.name(), ClientID: r.name(), ClientHost: r.name(),
			SessionTimeoutMs: int32(r.Uint32()), Subscription: append([]byte{}, r.bytes()...),
			Assignment: append([]byte{}, r.bytes()...)}
		theirs := kmsg.NewGroupMetadataValueMember()
		if version >= 3 {
			ours.InstanceID, theirs.InstanceID = r.nullable()
		}
		ours.RebalanceTimeoutMs = ours.SessionTimeoutMs
		if version >= 1 {
			ours.RebalanceTimeoutMs = int32(r.Uint32())
			theirs.RebalanceTimeoutMillis = ours.RebalanceTimeoutMs
		}
		theirs.MemberID, theirs.ClientID, theirs.ClientHost = ours.ID, ours.ClientID, ours.ClientHost
		theirs.SessionTimeoutMillis = ours.SessionTimeoutMs
		theirs.Subscription, theirs.Assignment = ours.Subscription, ours.Assignment
		g.Members = append(g.Members, ours)
		m.Members = append(m.Members, theirs)
	}
	return g, m
}
