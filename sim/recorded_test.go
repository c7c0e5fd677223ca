package sim

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
)

// recorded is a history of a real group: Kafka's broker and its Java consumers.
// testdata/histories/README.md says how it was made and what its keys mean.
type recorded struct {
	Name     string
	Scenario struct {
		Strategies []string
		Members    []string
		Topics     map[string]int
		Static     bool
		MaxPoll    float64 `json:"max_poll"`
		Until      float64
	}
	Timing struct {
		SessionTimeout    float64 `json:"session_timeout"`
		HeartbeatInterval float64 `json:"heartbeat_interval"`
		RebalanceTimeout  float64 `json:"rebalance_timeout"`
		InitialDelay      float64 `json:"initial_rebalance_delay"`
	}
	Events      [][]any
	Generations []recordedGeneration
	Seen        [][]any
}

type recordedGeneration struct {
	At         float64
	Generation int32
	Protocol   string
	Leader     string
	Members    []struct {
		Client     string
		Instance   string
		Assignment map[string][]int32
	}
}

// processStartTime is what a Java process needs until its first JoinGroup, about:
// one to three seconds.
const processStartTime = 1500 * time.Millisecond

func seconds(s any) Time { return Time(s.(float64) * float64(time.Second)) }

func strategies(t *testing.T, names []string) []holdfast.Assignor {
	list, err := holdfast.ParseStrategies(strings.Join(names, ","))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func readRecorded(t *testing.T, path string) *recorded {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h := &recorded{}
	if err := json.Unmarshal(content, h); err != nil {
		t.Fatal(err)
	}
	return h
}

// scenario turns the script that was played into one of ours.
func (h *recorded) scenario(t *testing.T) Scenario {
	s := Scenario{Strategies: strategies(t, h.Scenario.Strategies), Until: seconds(h.Scenario.Until),
		Timing: Timing{SessionTimeout: seconds(h.Timing.SessionTimeout),
			HeartbeatInterval:     seconds(h.Timing.HeartbeatInterval),
			MaxPollInterval:       seconds(h.Timing.RebalanceTimeout),
			InitialRebalanceDelay: seconds(h.Timing.InitialDelay),
			MetadataMaxAge:        3 * time.Second, Network: time.Millisecond, Start: processStartTime}}
	if h.Scenario.MaxPoll > 0 {
		s.Timing.MaxPollInterval = seconds(h.Scenario.MaxPoll)
	}
	for name, n := range h.Scenario.Topics { // order: sorted by the scenario itself
		s.Topics = append(s.Topics, holdfast.Topic{Name: name, Partitions: n})
	}
	member := func(id string) Member {
		m := Member{ID: id}
		if h.Scenario.Static {
			m.InstanceID = id
		}
		return m
	}
	for _, id := range h.Scenario.Members {
		s.Members = append(s.Members, member(id))
	}
	for i, e := range h.Events {
		at, id := seconds(e[0]), e[2].(string)
		switch e[1] {
		case "leave":
			s.Events = append(s.Events, Event{At: at, Kind: Leave, Member: id})
		case "crash":
			s.Events = append(s.Events, Event{At: at, Kind: Crash, Member: id})
		case "stall":
			s.Events = append(s.Events, Event{At: at, Kind: Stall, Member: id, For: seconds(e[3])})
		case "restart", "upgrade":
			stop, start := h.stopped(id, e[0].(float64)), h.startedAgain(i)
			next := Event{At: stop, Kind: Restart, Member: id, Down: start - stop}
			if e[1] == "upgrade" {
				var names []string
				for _, name := range e[3].([]any) {
					names = append(names, name.(string))
				}
				next.Kind, next.Strategies = Upgrade, strategies(t, names)
			}
			s.Events = append(s.Events, next)
		case "join":
			if !slices.ContainsFunc(h.Events[:i], func(f []any) bool { return f[2] == id }) {
				s.Events = append(s.Events, Event{At: at, Kind: Join, Join: member(id)})
			}
		}
	}
	return s
}

// stopped is when the member was told to stop: the script writes a restart down
// when the process has ended, its listener saw the beginning of the end.
func (h *recorded) stopped(id string, by float64) Time {
	at := by
	for _, s := range h.Seen {
		when := s[0].(float64)
		if s[1] == id && s[2] == "revoked" && when <= by && when > by-1 {
			at = when
		}
	}
	return seconds(at)
}

// startedAgain is when the process of a restart was started again.
func (h *recorded) startedAgain(event int) Time {
	for _, e := range h.Events[event+1:] {
		if e[1] == "join" && e[2] == h.Events[event][2] {
			return seconds(e[0])
		}
	}
	panic("a restart without a join")
}

// writtenRecords collects the records of a scenario with their times.
type writtenRecords struct {
	at      []Time
	records []*group.Record
}

func (c *writtenRecords) before(*world, *occurrence) {}
func (c *writtenRecords) after(*world, *occurrence)  {}
func (c *writtenRecords) end(*world)                 {}
func (c *writtenRecords) recorded(w *world, r *group.Record) {
	c.at, c.records = append(c.at, w.now), append(c.records, r)
}

// The model follows Kafka's broker and Java consumer: the same generations in the
// same order.
func TestRecordedHistories(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no histories: %v", err)
	}
	for _, path := range files {
		h := readRecorded(t, path)
		t.Run(h.Name, func(t *testing.T) {
			s := h.scenario(t)
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			w := newWorld(s.withDefaults())
			got := &writtenRecords{}
			w.checks = append(w.checks, got)
			w.play()
			for _, v := range w.violations {
				t.Errorf("violation %+v", v)
			}
			if len(got.records) != len(h.Generations) {
				t.Errorf("%d generations, recorded were %d", len(got.records), len(h.Generations))
			}
			for i := range min(len(got.records), len(h.Generations)) {
				h.compare(t, i, got)
			}
		})
	}
}

// compare holds one generation against the recorded one.
func (h *recorded) compare(t *testing.T, i int, got *writtenRecords) {
	want, have := &h.Generations[i], got.records[i]
	if have.Generation != want.Generation || have.Protocol != want.Protocol {
		t.Errorf("generation %d %s, recorded was %d %s", have.Generation, have.Protocol,
			want.Generation, want.Protocol)
	}
	off := math.Abs(got.at[i].Seconds() - want.At)
	if off > h.tolerance(i) {
		t.Errorf("generation %d at %.3f, recorded was %.3f", have.Generation,
			got.at[i].Seconds(), want.At)
	}
	t.Logf("generation %d at %.3f, recorded %.3f", have.Generation, got.at[i].Seconds(), want.At)
	haveOwned, wantOwned := map[string]group.Partitions{}, map[string]group.Partitions{}
	var haveCounts, wantCounts []int
	leader := ""
	for _, m := range have.Members {
		haveOwned[m.ClientID] = m.Assigned
		haveCounts = append(haveCounts, m.Assigned.Len())
		if m.ID == have.Leader {
			leader = m.ClientID
		}
	}
	for _, m := range want.Members {
		var lists []holdfast.TopicPartitions
		for topic, partitions := range m.Assignment { // order: NewPartitions sorts
			lists = append(lists, holdfast.TopicPartitions{Topic: topic, Partitions: partitions})
		}
		wantOwned[m.Client] = group.NewPartitions(lists)
		wantCounts = append(wantCounts, wantOwned[m.Client].Len())
		if _, ok := haveOwned[m.Client]; !ok {
			t.Errorf("generation %d lacks the member %s", have.Generation, m.Client)
		}
	}
	if len(have.Members) != len(want.Members) {
		t.Errorf("generation %d has %d members, recorded were %d", have.Generation,
			len(have.Members), len(want.Members))
	}
	slices.Sort(haveCounts)
	slices.Sort(wantCounts)
	if h.complete(want) && !slices.Equal(haveCounts, wantCounts) {
		t.Errorf("generation %d has counts %v, recorded were %v", have.Generation, haveCounts,
			wantCounts)
	}
	if want.Protocol == "range" {
		for client, p := range wantOwned { // order: each compared on its own
			if !haveOwned[client].Equal(p) {
				t.Errorf("generation %d: %s has %v, recorded was %v", have.Generation, client,
					haveOwned[client], p)
			}
		}
	}
	h.compareLeader(t, i, got, leader)
}

// complete reports whether the generation assigned every partition.
func (h *recorded) complete(g *recordedGeneration) bool {
	missing := 0
	for _, n := range h.Scenario.Topics { // order: a sum
		missing += n
	}
	for _, m := range g.Members {
		for _, partitions := range m.Assignment { // order: a sum
			missing -= len(partitions)
		}
	}
	return missing == 0
}

// compareLeader checks that a leader stays leader while its member stays, there
// and here. Who leads first, and who follows, depends on which process was faster.
func (h *recorded) compareLeader(t *testing.T, i int, got *writtenRecords, leader string) {
	if i == 0 || len(got.records[i].Members) == 0 {
		return
	}
	before := got.records[i-1]
	for _, m := range before.Members {
		stays := slices.ContainsFunc(got.records[i].Members, func(n group.RecordedMember) bool {
			return n.ID == m.ID || n.InstanceID != "" && n.InstanceID == m.InstanceID
		})
		if m.ID == before.Leader && stays && leader != m.ClientID {
			t.Errorf("generation %d is led by %s, and %s is still there",
				got.records[i].Generation, leader, m.ClientID)
		}
	}
}

// tolerance is how far the time may be off, in seconds: a process starts when it
// does, but a crash or a stall is noticed within a heartbeat interval.
func (h *recorded) tolerance(i int) float64 {
	at := h.Generations[i].At
	for _, e := range h.Events {
		when := e[0].(float64)
		switch e[1] {
		case "crash":
			if at > when && at < when+h.Timing.SessionTimeout+2*h.Timing.HeartbeatInterval {
				return h.Timing.HeartbeatInterval
			}
		case "stall":
			if at > when && at < when+e[3].(float64)+2*h.Timing.HeartbeatInterval {
				return h.Timing.HeartbeatInterval
			}
		}
	}
	return 2
}
