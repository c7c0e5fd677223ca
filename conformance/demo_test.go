package conformance

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// report is what "holdfast demo -o json" prints, as far as it is judged here.
type report struct {
	Strategy   string
	Protocol   string
	Rebalances []struct {
		Generation int32
		Event      string
		Leader     string
		Moved      int
		Seconds    float64 `json:"duration_s"`
		Unconsumed float64 `json:"unconsumed_partition_s"`
		Members    map[string]int
		Causes     map[string]int
	}
	Records struct {
		Produced, Processed, Lost int64
		ProcessedTwice            int64 `json:"processed_twice"`
	}
	OwnedTwice int `json:"owned_twice"`
}

// TestDemo runs the command's demo on Kafka's broker with each strategy: members
// join, one crashes, one leaves, and nothing is lost and nobody owns what another
// still has.
func TestDemo(t *testing.T) {
	ctx := need(t)
	command := buildCommand(t, ctx)
	for _, c := range [][2]string{
		{"range", "eager"}, {"roundrobin", "eager"}, {"sticky", "eager"},
		{"cooperative-sticky", "cooperative"},
	} {
		strategy, protocol := c[0], c[1]
		t.Run(strategy, func(t *testing.T) {
			r := runDemo(t, ctx, command, strategy)
			if r.Strategy != strategy || r.Protocol != protocol {
				t.Errorf("strategy %q with the %s protocol, want %s", r.Strategy, r.Protocol, protocol)
			}
			events, unconsumed := map[string]int{}, 0.0
			for _, b := range r.Rebalances {
				events[b.Event]++
				unconsumed += b.Unconsumed
				t.Logf("generation %d: %s, led by %s, moved %d %v, %.1f s, unconsumed %.1f, %v",
					b.Generation, b.Event, b.Leader, b.Moved, b.Causes, b.Seconds, b.Unconsumed, b.Members)
			}
			for _, event := range []string{"start", "join", "crash", "leave"} {
				if events[event] == 0 {
					t.Errorf("no rebalance for %q among %v", event, events)
				}
			}
			if r.Records.Produced == 0 || r.Records.Processed != r.Records.Produced ||
				r.Records.Lost != 0 || r.OwnedTwice != 0 {
				t.Errorf("records %+v, owned twice %d: want all processed, none lost, 0",
					r.Records, r.OwnedTwice)
			}
			t.Logf("records %+v; partitions were not consumed for %.1f s in all", r.Records, unconsumed)
		})
	}
}

// buildCommand builds the command as a user would.
func buildCommand(t *testing.T, ctx context.Context) string {
	t.Helper()
	command := filepath.Join(t.TempDir(), "holdfast")
	build := exec.CommandContext(ctx, "go", "build", "-o", command, ".")
	build.Dir = filepath.Join("..", "cmd", "holdfast")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return command
}

// runDemo runs the demo and reads its report. It exits with 1 where it has lost a
// record or seen two owners, and then its report is shown.
func runDemo(t *testing.T, ctx context.Context, command, strategy string) report {
	t.Helper()
	log, err := os.Create(filepath.Join(broker.Logs, "demo-"+strategy+".log"))
	if err != nil {
		t.Fatal(err)
	}
	demo := exec.CommandContext(ctx, command, "demo", "--brokers", broker.Addr,
		"--strategy", strategy, "-o", "json")
	demo.Stderr = log
	out, err := demo.Output()
	if closed := log.Close(); closed != nil {
		t.Error(closed)
	}
	if err != nil {
		t.Fatalf("demo: %v, see %s\n%s", err, log.Name(), out)
	}
	var r report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return r
}
