package wire_test

import (
	"encoding/hex"
	"fmt"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

// An old Go client calls its subscription version 1 and leaves out the owned
// partitions.
func ExampleDecodeSubscription() {
	data, _ := hex.DecodeString("00010000000100036f6e65ffffffff")
	s, found, err := wire.DecodeSubscription(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Version, s.Topics, s.Owned, s.Generation)
	for _, w := range found.Warnings {
		fmt.Println(w)
	}
	// Output:
	// 1 [one] [] -1
	// owned-missing: version 1 ends at byte 15, before its owned partitions
}

func ExampleDecoder() {
	// What the members of a group say: the same topics, each its own partition.
	var joined [][]byte
	for m := range int32(3) {
		data, err := wire.AppendSubscription(nil, 3, &wire.Subscription{
			Topics:     []string{"orders", "payments"},
			Owned:      []holdfast.TopicPartitions{{Topic: "orders", Partitions: []int32{m}}},
			Generation: 7,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		joined = append(joined, data)
	}

	var d wire.Decoder
	first, _, _ := d.Subscription(joined[0])
	for _, data := range joined {
		s, _, err := d.Subscription(data)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Topics, s.Owned, "shared:", &s.Topics[0] == &first.Topics[0])
	}
	// Output:
	// [orders payments] [{orders [0]}] shared: true
	// [orders payments] [{orders [1]}] shared: true
	// [orders payments] [{orders [2]}] shared: true
}

func ExampleAppendSubscription() {
	s := wire.Subscription{
		Topics:     []string{"a", "bb"},
		Owned:      []holdfast.TopicPartitions{{Topic: "a", Partitions: []int32{0, 2}}},
		Generation: 7,
		Rack:       "r1",
	}
	for version := int16(0); version <= wire.MaxVersion; version++ {
		data, err := wire.AppendSubscription(nil, version, &s)
		fmt.Printf("%x %v\n", data, err)
	}
	// Output:
	// 00000000000200016100026262ffffffff <nil>
	// 00010000000200016100026262ffffffff00000001000161000000020000000000000002 <nil>
	// 00020000000200016100026262ffffffff0000000100016100000002000000000000000200000007 <nil>
	// 00030000000200016100026262ffffffff000000010001610000000200000000000000020000000700027231 <nil>
}

// The answers for a whole group, straight from the numbers of the owners.
func ExampleEncodeOwners() {
	topics := []holdfast.Topic{{Name: "a", Partitions: 3}, {Name: "bb", Partitions: 2}}
	owners := []int32{0, 1, 0, 1, -1} // bb's partition 1 waits for its claimant
	answers, err := wire.EncodeOwners(3, topics, owners, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, data := range answers {
		a, _, err := wire.DecodeAssignment(data)
		fmt.Println(a.Assigned, err)
	}
	// Output:
	// [{a [0 2]}] <nil>
	// [{a [1]} {bb [0]}] <nil>
}

func ExampleDecodeAssignment() {
	data, _ := hex.DecodeString("0003000000020001610000000200000000" +
		"00000002000262620000000100000001ffffffff")
	a, _, err := wire.DecodeAssignment(data)
	fmt.Println(a.Assigned, err)

	_, _, err = wire.DecodeAssignment(data[:20])
	fmt.Println(err)
	// Output:
	// [{a [0 2]} {bb [1]}] <nil>
	// assignment: byte 9: partitions: the bytes end too early: length 2, bytes left: 7
}

func ExampleDecodeSticky() {
	data, _ := hex.DecodeString("0000000100016100000002000000000000000200000007")
	claims, _ := wire.DecodeSticky(data)
	fmt.Println(claims.Owned, claims.Generation)

	_, found := wire.DecodeSticky([]byte("hello, leader"))
	fmt.Println(found.Has(wire.ForeignUserData))
	// Output:
	// [{a [0 2]}] 7
	// true
}

func ExampleDecodeGroupMetadata() {
	data, _ := hex.DecodeString("00030008636f6e73756d657200000005000572616e676500026d31" +
		"0000018bcfe568000000000100026d31ffff0002633100092f31302e302e302e31000493e00000afc8" +
		"0000000d000000000001000161ffffffff000000150000000000010001610000000100000000ffffffff")
	g, _, err := wire.DecodeGroupMetadata(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.ProtocolType, "generation", g.Generation, g.Protocol, "led by", g.Leader)
	for _, m := range g.Members {
		s, _, _ := wire.DecodeSubscription(m.Subscription)
		a, _, _ := wire.DecodeAssignment(m.Assignment)
		fmt.Println(m.ID, m.ClientHost, s.Topics, a.Assigned)
	}
	// Output:
	// consumer generation 5 range led by m1
	// m1 /10.0.0.1 [a] [{a [0]}]
}
