package kgobalancer

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Pieces of subscriptions in hex.
const (
	v3TopicsABb = "0003" + "00000002" + "000161" + "00026262"
	noUserData  = "ffffffff"
	noOwned     = "00000000"
	noRack      = "ffff"
	aOwns02     = "00000001" + "000161" + "00000002" + "00000000" + "00000002"
)

func join(
	t *testing.T, strategy holdfast.Assignor, current map[string][]int32, generation int32,
) string {
	t.Helper()
	return hex.EncodeToString(
		New(strategy, Options{}).JoinGroupMetadata([]string{"a", "bb"}, current, generation))
}

// The bytes are those of Java members (golden bytes of the protocol).
func TestJoinGroupMetadata(t *testing.T) {
	current := map[string][]int32{"a": {0, 2}}
	check(t, "range", join(t, holdfast.Range, current, 7),
		v3TopicsABb+noUserData+noOwned+"00000007"+noRack)
	check(t, "roundrobin", join(t, holdfast.RoundRobin, nil, -1),
		v3TopicsABb+noUserData+noOwned+"ffffffff"+noRack)
	check(t, "first sticky", join(t, holdfast.Sticky, nil, -1),
		v3TopicsABb+noUserData+noOwned+"ffffffff"+noRack)
	check(t, "sticky after a cooperative generation", join(t, holdfast.Sticky, current, 7),
		v3TopicsABb+"00000017"+aOwns02+"00000007"+noOwned+"00000007"+noRack)
	check(t, "first cooperative", join(t, holdfast.CooperativeSticky, nil, -1),
		v3TopicsABb+"00000004"+"ffffffff"+noOwned+"ffffffff"+noRack)
	check(t, "cooperative", join(t, holdfast.CooperativeSticky, current, 7),
		v3TopicsABb+"00000004"+"00000007"+aOwns02+"00000007"+noRack)
}

// franz-go adds the rack by reading and rewriting the bytes with kmsg; nothing
// may get lost on the way.
func TestMetadataSurvivesTheClient(t *testing.T) {
	for _, strategy := range holdfast.Strategies() {
		b := New(strategy, Options{})
		data := b.JoinGroupMetadata([]string{"a", "bb"}, map[string][]int32{"a": {0, 2}}, 7)
		var meta kmsg.ConsumerMemberMetadata
		if err := meta.ReadFrom(data); err != nil {
			t.Fatal(err)
		}
		check(t, strategy.Name(), hex.EncodeToString(meta.AppendTo(nil)), hex.EncodeToString(data))
		rack := "r1"
		meta.Rack = &rack
		s, found, err := wire.DecodeSubscription(meta.AppendTo(nil))
		if err != nil || s.Rack != "r1" || len(found.Warnings) > 0 {
			t.Errorf("%s: rack %q, warnings %v, error %v", strategy.Name(), s.Rack, found.Warnings, err)
		}
	}
}

func stickyClaims(t *testing.T, metadata []byte) wire.Sticky {
	t.Helper()
	s, _, err := wire.DecodeSubscription(metadata)
	if err != nil {
		t.Fatal(err)
	}
	if s.UserData == nil {
		t.Fatal("no user data")
	}
	claims, found := wire.DecodeSticky(s.UserData)
	if len(found.Warnings) > 0 {
		t.Fatal(found.Warnings)
	}
	return claims
}

// An eager client has let go of everything when it joins; what it was assigned
// last, and when, is the balancer's to remember.
func TestStickyRemembers(t *testing.T) {
	b := New(holdfast.Sticky, Options{})
	assign := func(assigned ...holdfast.TopicPartitions) {
		t.Helper()
		data, err := wire.AppendAssignment(nil, 3, &wire.Assignment{Assigned: assigned})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.ParseSyncAssignment(data); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, metadata []byte, generation int32, want string) {
		t.Helper()
		claims := stickyClaims(t, metadata)
		check(t, what, claimText(claims.Owned), want)
		if claims.Generation != generation || claims.Version != 1 {
			t.Errorf("%s: version %d, generation %d, want 1 and %d",
				what, claims.Version, claims.Generation, generation)
		}
	}
	both := []string{"t", "u"}
	assign(holdfast.TopicPartitions{Topic: "u", Partitions: []int32{1}},
		holdfast.TopicPartitions{Topic: "t", Partitions: []int32{4, 2, 2}})
	expect("after generation 3", b.JoinGroupMetadata(both, nil, 3), 3, "t[2 4] u[1]")
	// Generation 4 was joined but never synced: the assignment is still that of 3.
	expect("after a failed sync", b.JoinGroupMetadata(both, nil, 4), 3, "t[2 4] u[1]")
	expect("without t", b.JoinGroupMetadata([]string{"u"}, nil, 4), 3, "u[1]")
	assign()
	expect("nothing was assigned", b.JoinGroupMetadata(both, nil, 5), 5, "")
}

func claimText(owned []holdfast.TopicPartitions) string {
	var parts []string
	for _, tp := range owned {
		parts = append(parts, fmt.Sprint(tp.Topic, tp.Partitions))
	}
	return strings.Join(parts, " ")
}

func TestTopicNameTooLong(t *testing.T) {
	b := New(holdfast.CooperativeSticky, Options{})
	if data := b.JoinGroupMetadata([]string{strings.Repeat("x", 1<<15)}, nil, -1); data != nil {
		t.Errorf("metadata of %d bytes, want none", len(data))
	}
}

func TestParseSyncAssignment(t *testing.T) {
	entry := func(topic string, partitions string) string {
		return "000" + "1" + hex.EncodeToString([]byte(topic)) + partitions
	}
	cases := []struct {
		name, data string
		want       map[string][]int32
		err        error
	}{
		{"no bytes", "", map[string][]int32{}, nil},
		{"empty", "0003" + "00000000" + "ffffffff", map[string][]int32{}, nil},
		{"one topic", "0000" + "00000001" + entry("t", "00000002"+"00000004"+"00000001") + "ffffffff",
			map[string][]int32{"t": {1, 4}}, nil},
		{"topic twice", "0001" + "00000002" + entry("t", "00000001"+"00000004") +
			entry("t", "00000002"+"00000004"+"00000001") + "ffffffff", map[string][]int32{"t": {1, 4}}, nil},
		{"negative partition", "0001" + "00000002" + entry("t", "00000001"+"80000000") +
			entry("u", "00000002"+"ffffffff"+"00000001") + "ffffffff", map[string][]int32{"u": {1}}, nil},
		{"future version, trailing bytes", "0009" + "00000001" + entry("t", "00000001"+"00000000") +
			"00000001" + "ff" + "abcd", map[string][]int32{"t": {0}}, nil},
		{"count that lies", "0000" + "7fffffff" + entry("t", "00000000"), nil, wire.ErrTruncated},
		{"cut short", "0000" + "00", nil, wire.ErrTruncated},
	}
	for _, c := range cases {
		data, err := hex.DecodeString(c.data)
		if err != nil {
			t.Fatal(err)
		}
		for _, strategy := range holdfast.Strategies() {
			got, err := New(strategy, Options{}).ParseSyncAssignment(data)
			if !maps.EqualFunc(got, c.want, slices.Equal) || !errors.Is(err, c.err) ||
				(got == nil) != (err != nil) {
				t.Errorf("%s: %v, %v; want %v, %v", c.name, got, err, c.want, c.err)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, strategy := range holdfast.Strategies() {
		b := New(strategy, Options{})
		if b.ProtocolName() != strategy.Name() ||
			b.IsCooperative() != (strategy.Name() == "cooperative-sticky") {
			t.Errorf("%s: name %s, cooperative %v", strategy.Name(), b.ProtocolName(), b.IsCooperative())
		}
	}
	ignoring := holdfast.NewCooperativeSticky(holdfast.StickyOptions{IgnoreRacks: true})
	if b := New(ignoring, Options{}); !b.IsCooperative() {
		t.Error("cooperative-sticky with options is not cooperative")
	}
}
