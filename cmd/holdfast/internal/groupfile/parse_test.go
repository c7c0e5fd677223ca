package groupfile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast/holdfast"
)

func parse(t *testing.T, name, text string) *File {
	t.Helper()
	file, err := Parse(Source{Name: name, Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// everything has every key of a group file.
const everything = `
strategy: org.apache.kafka.clients.consumer.CooperativeStickyAssignor, range
topics:
  orders: 9
  payments:
    partitions: 3
    weights: [900, 1.5, 0]
    racks: [[a, b], [], null]
  2024: 1
partition_racks: {orders: [[a], [b], [a], [b], [a], [b], [a], [b], [a]]}
members:
- id: X
  instance_id: pod-0
  rack: a
  subscription: [orders, elsewhere, orders]
  owned: {orders: 3-6, payments: "0, 2", elsewhere: 7, "2024": [0, -1, 4-5]}
  generation: 7
  capacity: 2.5
  protocols: [range, sticky]
- {id: 007, subscription: [], owned: {}, generation: -1}
- {id: yes, subscription: ~, rack: null}
departed:
- {id: W, owned: {orders: 0-2}}
case: these are comments
event: X joined
expect: {counts: {X: 1}}
assumed: []
after: [X]
before: [X]
previous: {}
process: {}
lags: {orders: [1]}
metadata_partition_order: {orders: [1, 0]}
`

func TestParseEverything(t *testing.T) {
	file := parse(t, "group.yaml", everything)
	all := []string{"orders", "payments", "2024"}
	want := holdfast.Group{
		Topics: []holdfast.Topic{
			{Name: "orders", Partitions: 9, Racks: [][]string{{"a"}, {"b"}, {"a"}, {"b"}, {"a"},
				{"b"}, {"a"}, {"b"}, {"a"}}},
			{Name: "payments", Partitions: 3, Racks: [][]string{{"a", "b"}, {}, {}},
				Weights: []float64{900, 1.5, 0}},
			{Name: "2024", Partitions: 1},
		},
		Members: []holdfast.Member{
			{ID: "X", InstanceID: "pod-0", Rack: "a",
				Topics: []string{"orders", "elsewhere", "orders"}, Generation: 7, Capacity: 2.5,
				Owned: []holdfast.TopicPartitions{{Topic: "orders", Partitions: []int32{3, 4, 5, 6}},
					{Topic: "payments", Partitions: []int32{0, 2}},
					{Topic: "elsewhere", Partitions: []int32{7}},
					{Topic: "2024", Partitions: []int32{0, -1, 4, 5}}}},
			{ID: "007", Topics: []string{}, Generation: -1},
			{ID: "yes", Topics: all, Generation: -1},
		},
		Departed: []holdfast.Member{{ID: "W", Topics: all, Generation: -1,
			Owned: []holdfast.TopicPartitions{{Topic: "orders", Partitions: []int32{0, 1, 2}}}}},
	}
	if !reflect.DeepEqual(file.Group, want) {
		t.Errorf("got  %+v\nwant %+v", file.Group, want)
	}
	if len(file.Strategies) != 2 || file.Strategies[0] != holdfast.CooperativeSticky {
		t.Errorf("got strategies %v", file.Strategies)
	}
	if want := [][]string{{"range", "sticky"}, nil, nil}; !reflect.DeepEqual(file.Protocols, want) {
		t.Errorf("got protocols %q, want %q", file.Protocols, want)
	}
}

// TestUserData reads the claims out of user data where a member has none.
func TestUserData(t *testing.T) {
	const (
		v1 = "0000000100017400000002000000000000000200000005" // t: 0, 2 in generation 5
		v0 = "00000001000174000000020000000000000002"
	)
	for _, c := range []struct {
		name, member string
		owned        []int32
		generation   int32
		warnings     int
	}{
		{"version 1", "user_data_hex: " + v1, []int32{0, 2}, 5, 0},
		{"version 0", "user_data_hex: " + v0 + "\n  generation: 3", []int32{0, 2}, 3, 0},
		{"own claims first", "user_data_hex: " + v1 + "\n  owned: {t: 1}", []int32{1}, -1, 0},
		{"empty claims", "owned: {}\n  user_data_hex: " + v1, []int32{0, 2}, 5, 0},
		{"empty", "user_data_hex: ''", nil, -1, 0},
		{"foreign", "user_data_hex: '010203'", nil, -1, 1},
		{"not hex", "user_data_hex: xyz", nil, -1, 1},
	} {
		file := parse(t, "g.yaml", "topics: {t: 3}\nmembers:\n- id: X\n  "+c.member+"\n")
		m := file.Group.Members[0]
		var owned []int32
		for _, tp := range m.Owned {
			owned = append(owned, tp.Partitions...)
		}
		if !slices.Equal(owned, c.owned) || m.Generation != c.generation {
			t.Errorf("%s: got %v of generation %d, want %v, %d", c.name, owned, m.Generation,
				c.owned, c.generation)
		}
		if len(file.Warnings) != c.warnings {
			t.Errorf("%s: warnings %q, want %d", c.name, file.Warnings, c.warnings)
		}
		for _, w := range file.Warnings {
			if !strings.HasPrefix(w, "foreign-user-data: user_data_hex of member X, on line 4: "+
				"read as no claim; ") {
				t.Errorf("%s: warning %q", c.name, w)
			}
		}
	}
}

// TestJSONReadsAsYAML writes random groups as JSON and reads the same text by
// both rules, as JSON is YAML.
func TestJSONReadsAsYAML(t *testing.T) {
	for seed := range uint64(300) {
		text := randomGroup(rand.New(rand.NewPCG(seed, 7)))
		asJSON := parse(t, "group.json", text)
		// A comment in front makes it YAML.
		asYAML := parse(t, "group.yaml", "# a comment\n"+text)
		if !reflect.DeepEqual(asJSON, asYAML) {
			t.Fatalf("seed %d: %s\nas JSON %+v\nas YAML %+v", seed, text, asJSON, asYAML)
		}
	}
}

// randomGroup writes a group with odd names and every form of claims.
func randomGroup(rng *rand.Rand) string {
	names := []string{"t", "a.b", "\u00e9\"\\/", "\u2028 ", "x\ty", "\U0001f600", "null", "1"}
	topics, owned := map[string]any{}, map[string]any{}
	for i := range 1 + rng.IntN(4) {
		name := names[rng.IntN(len(names))] + strconv.Itoa(i)
		n := rng.IntN(5)
		weights, racks := make([]float64, n), make([][]string, n)
		for p := range n {
			weights[p] = float64(rng.IntN(1000)) / 8
			racks[p] = names[:rng.IntN(3)]
		}
		topics[name] = []any{n, map[string]any{"partitions": n, "weights": weights},
			map[string]any{"partitions": n, "racks": racks}}[rng.IntN(3)]
		owned[name] = []any{"0-3", []any{0, "2-4", -1}, 3, "1,2", nil, []int{}}[rng.IntN(6)]
	}
	group := map[string]any{"topics": topics, "members": []any{
		map[string]any{"id": names[rng.IntN(len(names))] + "!", "owned": owned,
			"generation": rng.IntN(9) - 1, "subscription": names[:rng.IntN(4)], "rack": nil},
		map[string]any{"id": 12, "capacity": 1.5, "instance_id": "i"},
	}, "departed": []any{map[string]any{"id": "gone", "owned": owned}}}
	text, err := json.Marshal(group)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestRanges checks the text form of claims against a plain list.
func TestRanges(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 8))
		var want []int32
		var parts []string
		for range 1 + rng.IntN(5) {
			first, n := rng.Int32N(100), rng.Int32N(4)
			part := fmt.Sprint(first)
			if n > 0 {
				part = fmt.Sprintf("%d-%d", first, first+n)
			}
			parts = append(parts, part)
			for p := first; p <= first+n; p++ {
				want = append(want, p)
			}
		}
		text := strings.Join(parts, []string{",", ", ", " ,"}[rng.IntN(3)])
		got, err := appendRanges(nil, text, maxClaims)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("seed %d: %q: got %v, %v, want %v", seed, text, got, err, want)
		}
	}
}

// TestPrintable: what a terminal would act on, or not show, is quoted.
func TestPrintable(t *testing.T) {
	for name, want := range map[string]string{
		"pod-0.example_1": "pod-0.example_1", "a b": "a b", "\u00e9": "\u00e9", "": `""`,
		"\x1b[31m": `"\x1b[31m"`, " x": `" x"`, "a\tb": `"a\tb"`, `"x"`: `"\"x\""`, "\xff": `"\xff"`,
		"\u202eabc": `"\u202eabc"`, "a\u200bb": `"a\u200bb"`, "a\nX: 1": `"a\nX: 1"`,
	} {
		if got := Printable(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}
