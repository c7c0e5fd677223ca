package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
)

// measured is a result with something in every field.
var measured = Result{
	Strategy: "sticky", Protocol: "eager",
	Rebalances: []Rebalance{
		{Event: "start", Generation: 2, Leader: "m1", Moved: 4, Causes: holdfast.Causes{Unowned: 4},
			Duration: 123456 * time.Microsecond, Members: []Share{{"m1", 2}, {"m2", 2}}},
		{Event: "crash", Member: "m2", Generation: 3, Leader: "m1", Moved: 3,
			Causes: holdfast.Causes{Shed: 1, Orphaned: 2}, Duration: 2 * time.Second,
			Unconsumed: 1234 * time.Millisecond, Members: []Share{{"m1", 4}}},
		{Event: "leave", Member: "m3", Generation: 4, Leader: "m1", Members: []Share{{"m1", 4}}},
	},
	Records: Records{Produced: 100, Processed: 99, ProcessedTwice: 7, TwiceByCrash: 6, Lost: 1},
	Dropped: 2,
}

func ready(t *testing.T, c Config) Config {
	t.Helper()
	c, err := c.Check()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestText(t *testing.T) {
	var out strings.Builder
	c := ready(t, Config{Strategy: holdfast.Sticky, Restore: 50 * time.Millisecond})
	text := NewText(&out, c)
	for _, r := range measured.Rebalances {
		text.Rebalance(r)
	}
	if err := text.Result(&measured); err != nil {
		t.Fatal(err)
	}
	want := `strategy sticky (eager), 3 members, 2 topics of 6 partitions, 1200 records/s
on the embedded broker (franz-go's kfake), which is not Kafka: it has no initial rebalance delay
session timeout 2s, a heartbeat every 100ms; a partition takes 50ms to take over, 0s to give up

event      gen  leader  moved                             took  unconsumed  partitions
start        2  m1      4 (4 unowned)                   0.12 s        0.00  m1 2, m2 2
crash m2     3  m1      3 (1 shed, 2 orphaned)          2.00 s        1.23  m1 4
leave m3     4  m1      0                               0.00 s        0.00  m1 4

unconsumed: 1.23 partition-seconds in all
records: 100 produced, 99 processed, 1 lost, 7 processed twice ` +
		`(6 of them what the member that crashed had not committed)
partitions with two owners at one time: 0
the coordinator dropped members that were alive: 2. They were too slow for its session timeout,
and the figures are not those of a healthy group.
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestTextOnACluster(t *testing.T) {
	var out strings.Builder
	NewText(&out, ready(t, Config{Brokers: []string{"a:1", "b:2"}}))
	want := "on a:1, b:2, with topics and a group of its own, deleted at the end\n"
	if got := out.String(); !strings.Contains(got, want) || strings.Contains(got, "embedded") {
		t.Error(got)
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestTextCannotBeWritten(t *testing.T) {
	if err := NewText(full{}, ready(t, Config{})).Result(&measured); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	w := jsonwriter.New(&out, 2)
	measured.JSON(w, ready(t, Config{}))
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	causes := func(shed, orphaned, unowned int) string {
		return fmt.Sprintf("map[contested:0 orphaned:%d shed:%d unowned:%d unsubscribed:0]",
			orphaned, shed, unowned)
	}
	want := "map[broker:embedded dropped:2 owned_twice:0 protocol:eager rebalances:[" +
		"map[causes:" + causes(0, 0, 4) + " duration_s:0.123 event:start generation:2 leader:m1 " +
		"member:<nil> members:map[m1:2 m2:2] moved:4 unconsumed_partition_s:0] " +
		"map[causes:" + causes(1, 2, 0) + " duration_s:2 event:crash generation:3 leader:m1 " +
		"member:m2 members:map[m1:4] moved:3 unconsumed_partition_s:1.234] " +
		"map[causes:" + causes(0, 0, 0) + " duration_s:0 event:leave generation:4 leader:m1 " +
		"member:m3 members:map[m1:4] moved:0 unconsumed_partition_s:0]] " +
		"records:map[lost:1 processed:99 processed_twice:7 processed_twice_by_crash:6 produced:100] " +
		"strategy:sticky timing:map[heartbeat_interval_s:0.1 records_per_second:1200 restore_s:0 " +
		"revoke_s:0 session_timeout_s:2]]"
	if fmt.Sprint(got) != want {
		t.Errorf("got\n%v\nwant\n%s", got, want)
	}
}

func TestErr(t *testing.T) {
	twice, lost, good := measured, measured, measured
	twice.OwnedTwice = 2
	good.Records.Lost = 0
	for _, c := range []struct {
		result Result
		reason error
		text   string
	}{
		{twice, ErrOwnedTwice, "2 partitions had two owners at one time"},
		{lost, ErrLost, "1 records were lost"},
		{good, nil, ""},
	} {
		err := c.result.Err()
		if !errors.Is(err, c.reason) || err != nil && err.Error() != c.text {
			t.Errorf("error %v, want %q", err, c.text)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Members: 1}, "1 members, want 2 to 100"},
		{Config{Members: 101}, "101 members, want 2 to 100"},
		{Config{Topics: -1}, "-1 topics, want at least 1"},
		{Config{Partitions: -3}, "-3 partitions, want at least 1"},
		{Config{Topics: 5000, Partitions: 3},
			"5000 topics of 3 partitions, want at most 10000 partitions in all"},
		{Config{Topics: 1 << 40, Partitions: 1 << 40},
			"1099511627776 topics of 1099511627776 partitions, want at most 10000 partitions in all"},
		{Config{Rate: -1}, "-1 records a second, want at least 1"},
		{Config{Pause: -time.Second}, "a pause of -1s"},
		{Config{Restore: -time.Second}, "a cost of -1s to take a partition over"},
		{Config{Revoke: -time.Second}, "a cost of -1s to give a partition up"},
		{Config{Heartbeat: time.Microsecond}, "a heartbeat every 1µs"},
		{Config{SessionTimeout: time.Second, Heartbeat: time.Second},
			"a session of 1s with a heartbeat every 1s, want at least two of them"},
	} {
		_, err := c.config.Check()
		if !errors.Is(err, ErrConfig) || !strings.HasSuffix(err.Error(), ": "+c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	embedded := ready(t, Config{})
	cluster := ready(t, Config{Brokers: []string{"a:1"}, Partitions: 500})
	if embedded.Rate != 1200 || embedded.SessionTimeout != 2*time.Second || !embedded.Embedded() ||
		embedded.Protocol() != "cooperative" {
		t.Errorf("%+v", embedded)
	}
	if cluster.Rate != 20_000 || cluster.SessionTimeout != 6*time.Second || cluster.Embedded() {
		t.Errorf("%+v", cluster)
	}
}
