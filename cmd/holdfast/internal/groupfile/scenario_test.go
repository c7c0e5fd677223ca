package groupfile

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/sim"
)

// TestScenarioRoundTrip writes random scenarios as files and reads them back.
func TestScenarioRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		text := sim.Random(seed).String()
		s, err := ParseScenario(Source{Name: "s.yaml", Text: []byte(text)})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if got := s.String(); got != text {
			t.Fatalf("seed %d: got\n%s\nfrom\n%s", seed, got, text)
		}
	}
}

// TestScenario has every key of a scenario.
func TestScenario(t *testing.T) {
	const text = `
group: {topics: {orders: 12, u: {partitions: 2, racks: [[a], [b]]}}, members: [{id: A, rack: a,
  instance_id: i, capacity: 2, subscription: [], strategies: [sticky], group_protocol: consumer,
  owned: {orders: 3}, generation: 3}, {id: B}]}
strategies: [cooperative-sticky, range]
group_protocol: classic
assignor: range
timing: {session_timeout: 10s, revoke: 50ms, poll: 0, initial_rebalance_delay: 0s}
seed: 7
faults: {loss: 0.01, duplicate: 0.5, delay_max: 500ms, until: 1m}
record_rate: 12.5
until: 1h15m
events:
- {at: 0, join: {id: C, subscription: [orders]}}
- {at: 20s, topic: {v: 3, orders: 18}}
- {at: 30s, subscribe: {A: [orders, v], B: []}}
- {at: 40s, upgrade: A, strategies: [range], group_protocol: classic, down: 8s}
- {at: 1m, failover: 5s}
- {at: 2m, rolling_restart: all, down: 1s, every: 2s}
- {at: 3m, stall: C, for: 6m}
- {at: 10m, leave: C}
- {at: 11m, join: {id: C}}
`
	s, err := ParseScenario(Source{Name: "s.yaml", Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	sec := time.Second
	want := &sim.Scenario{
		Topics: []holdfast.Topic{{Name: "orders", Partitions: 12},
			{Name: "u", Partitions: 2, Racks: [][]string{{"a"}, {"b"}}}},
		Members: []sim.Member{{ID: "A", Rack: "a", InstanceID: "i", Capacity: 2, Topics: []string{},
			Strategies: []holdfast.Assignor{holdfast.Sticky}, Protocol: sim.Consumer}, {ID: "B"}},
		Strategies: []holdfast.Assignor{holdfast.CooperativeSticky, holdfast.Range},
		Protocol:   sim.Classic, ServerAssignor: "range", Seed: 7, RecordRate: 12.5,
		Timing: sim.Timing{SessionTimeout: 10 * sec, Revoke: 50 * time.Millisecond, Poll: -1,
			InitialRebalanceDelay: -1},
		Faults: sim.Faults{Loss: 0.01, Duplicate: 0.5, DelayMax: sec / 2, Until: 60 * sec},
		Until:  75 * time.Minute,
		Events: []sim.Event{
			{Kind: sim.Join, Join: sim.Member{ID: "C", Topics: []string{"orders"}}},
			{At: 20 * sec, Kind: sim.ChangeTopic, Topic: holdfast.Topic{Name: "v", Partitions: 3}},
			{At: 20 * sec, Kind: sim.ChangeTopic, Topic: holdfast.Topic{Name: "orders", Partitions: 18}},
			{At: 30 * sec, Kind: sim.ChangeSubscribe, Member: "A", Topics: []string{"orders", "v"}},
			{At: 30 * sec, Kind: sim.ChangeSubscribe, Member: "B", Topics: []string{}},
			{At: 40 * sec, Kind: sim.Upgrade, Member: "A", Down: 8 * sec, Protocol: sim.Classic,
				Strategies: []holdfast.Assignor{holdfast.Range}},
			{At: 60 * sec, Kind: sim.Failover, Down: 5 * sec},
			{At: 120 * sec, Kind: sim.RollingRestart, Down: sec, Every: 2 * sec},
			{At: 180 * sec, Kind: sim.Stall, Member: "C", For: 6 * time.Minute},
			{At: 600 * sec, Kind: sim.Leave, Member: "C"},
			{At: 660 * sec, Kind: sim.Join, Join: sim.Member{ID: "C"}},
		},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

func TestBadScenario(t *testing.T) {
	const group = "group: {topics: {t: 1}, members: [{id: A}]}\n"
	for _, c := range []struct{ text, want string }{
		{"until: 1m\n", "s.yaml:1: group: missing, and a scenario needs it"},
		{"group: {members: 3}\n", "s.yaml:1: group.members: 3 where a list of members belongs"},
		{"group: {topics: {t: -1}}\n", "s.yaml:1: group.topics.t: -1 partitions are fewer than none"},
		{"group: {members: [{id: A}, {id: A}]}\n",
			`s.yaml:1: group.members[1].id: member "A" is there twice (first on line 1)`},
		{"group: {members: [{id: A, strategies: [fair]}]}\n",
			`s.yaml:1: group.members[0].strategies: unknown strategy "fair" ` +
				"(known: range, roundrobin, sticky, cooperative-sticky, weighted)"},
		{group + "group_protocol: modern\n", `s.yaml:1: "modern": unknown group protocol`},
		{group + "assignor: x\n", `s.yaml:1: "x": unknown server assignor`},
		{group + "timing: {session: 1s}\n", "s.yaml:2: timing.session: unknown key (known here: " +
			"session_timeout, heartbeat_interval, max_poll_interval, initial_rebalance_delay, " +
			"metadata_max_age, poll, network, revoke, restore, start, request_timeout, commit)"},
		{group + "timing: {poll: 5}\n",
			"s.yaml:2: timing.poll: 5 is not a time, such as 45s or 1m30s"},
		{group + "until: -1s\n", "s.yaml:2: until: \"-1s\" is negative, and a time is not"},
		{group + "until: 999999h\n", `s.yaml:2: until: "999999h" is more than ten years`},
		{group + "faults: {loss: 2}\n", "s.yaml:2: faults.loss: 2 is not a probability, from 0 to 1"},
		{group + "seed: -1\n", "s.yaml:2: seed: -1 is not a seed"},
		{group + "events:\n- {at: 1s, leave: B}\n",
			`s.yaml:3: events: "B": no such member at that time`},
		{group + "events:\n- {at: 9s, leave: A}\n- {at: 1s, crash: A}\n",
			`s.yaml:3: events: "A": no such member at that time`},
		{group + "events:\n- {at: 1s, join: {id: A}}\n",
			`s.yaml:3: events: "A": member is there already`},
		{group + "events:\n- {leave: A}\n", "s.yaml:3: events[0].at: missing, and an event needs it"},
		{group + "events:\n- {at: 1s}\n", "s.yaml:3: events[0]: nothing happens (an event has one of " +
			"join, leave, crash, restart, rolling_restart, upgrade, rolling_upgrade, topic, subscribe, " +
			"stall, cut, failover)"},
		{group + "events:\n- {at: 1s, leave: A, crash: A}\n",
			"s.yaml:3: events[0]: one event is both leave and crash"},
		{group + "events:\n- {at: 1s, leave: A, down: 3s}\n",
			"s.yaml:3: events[0].down: leave has no such key"},
		{group + "events:\n- {at: 1s, rolling_restart: A}\n",
			`s.yaml:3: events[0].rolling_restart: "A" where all belongs`},
		{group + "events:\n- {at: 1s, topic: {t: x}}\n",
			`s.yaml:3: events[0].topic.t: "x" is not a number of partitions`},
		{group + "events:\n- {at: 1s, subscribe: {A: t}}\n",
			`s.yaml:3: events[0].subscribe.A: "t" where a list of topics belongs`},
		{group + "events: {}\n", "s.yaml:2: events: a mapping where a list of events belongs"},
	} {
		_, err := ParseScenario(Source{Name: "s.yaml", Text: []byte(c.text)})
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%s: got %s\nwant %s", c.text, got, c.want)
		}
	}
}
