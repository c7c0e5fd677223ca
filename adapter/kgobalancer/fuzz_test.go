package kgobalancer

import (
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// FuzzMemberMetadata lets a leader read whatever members say. Nothing may stop
// the group: no error, no panic, an answer for each member that every client can
// read, and the same one for the same bytes in another order.
func FuzzMemberMetadata(f *testing.F) {
	for _, strategy := range holdfast.Strategies() {
		metadata := New(strategy, Options{}).JoinGroupMetadata(
			[]string{"t", "u"}, map[string][]int32{"t": {0, 2}}, 7)
		f.Add(metadata, metadata[:len(metadata)-3])
	}
	f.Add([]byte{}, []byte{0, 1, 0, 0, 0, 1, 0, 1, 't', 0xff, 0xff, 0xff, 0xff})
	f.Add(kgoMetadata(kgo.StickyBalancer()), kgoMetadata(kgo.CooperativeStickyBalancer()))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		good := wire.Subscription{Topics: []string{"t"}, Owned: owns(1), Generation: 7}
		group := append(members(t, said{id: "good", subscription: good, version: 3}),
			kmsg.JoinGroupResponseMember{MemberID: "a", ProtocolMetadata: first},
			kmsg.JoinGroupResponseMember{MemberID: "b", ProtocolMetadata: second})
		topics := map[string]int32{"t": 4, "u": 1}
		for _, strategy := range holdfast.Strategies() {
			want := text(t, lead(t, New(strategy, Options{}), group, topics))
			turned := []kmsg.JoinGroupResponseMember{group[2], group[0], group[1], group[2]}
			if got := text(t, lead(t, New(strategy, Options{}), turned, topics)); got != want {
				t.Fatalf("%s:\n%s\n%s", strategy.Name(), want, got)
			}
		}
	})
}

// FuzzParseSyncAssignment reads whatever a leader answers.
func FuzzParseSyncAssignment(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 1, 0, 0, 0, 5, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		b := New(holdfast.Sticky, Options{})
		assigned, err := b.ParseSyncAssignment(data)
		if (assigned == nil) != (err != nil) {
			t.Fatalf("%v, %v", assigned, err)
		}
		for topic, partitions := range assigned {
			for i, p := range partitions {
				if p < 0 || i > 0 && p <= partitions[i-1] {
					t.Fatalf("%s %v", topic, partitions)
				}
			}
		}
		// What the member then says it had can be read by any leader.
		stickyReadable(t, b.JoinGroupMetadata([]string{"t"}, nil, 3))
	})
}

func stickyReadable(t *testing.T, metadata []byte) {
	t.Helper()
	s, found, err := wire.DecodeSubscription(metadata)
	if err != nil || len(found.Warnings) > 0 {
		t.Fatal(found.Warnings, err)
	}
	if _, found := wire.DecodeSticky(s.UserData); len(found.Warnings) > 0 {
		t.Fatal(found.Warnings)
	}
}

func kgoMetadata(b kgo.GroupBalancer) []byte {
	return b.JoinGroupMetadata([]string{"t"}, map[string][]int32{"t": {3}}, 4)
}
