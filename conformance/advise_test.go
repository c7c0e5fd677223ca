package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast/holdfast/conformance/internal/kafka"
)

// advice is what "holdfast advise -o json" prints, as far as it is judged here.
type advice struct {
	Findings []struct {
		ID, Severity string
	}
	Configuration map[string]string
}

// A configuration that advise is asked about, and how the client itself takes it.
type asked struct {
	name, config string
	flags        []string
	error        string // the finding that says that the client does not start
}

const kafkaClass = "org.apache.kafka.clients.consumer."

var askedJava = []asked{
	{name: "nothing set"},
	{name: "pauses do no harm", flags: []string{"--pauses-ok"}},
	{name: "all set", config: "partition.assignment.strategy = " + kafkaClass + "RangeAssignor, " +
		"\\\n  " + kafkaClass + "CooperativeStickyAssignor\nsession.timeout.ms: 9000\n" +
		"heartbeat.interval.ms 8000\nmax.poll.interval.ms=7000\n"},
	{name: "broker", config: "group.protocol=consumer\n"},
	{name: "short name", config: "partition.assignment.strategy=cooperative-sticky\n",
		error: "strategy-not-a-class"},
	{name: "heartbeat", config: "session.timeout.ms=6000\nheartbeat.interval.ms=6000\n",
		error: "heartbeat-not-below-session"},
	{name: "broker and strategy", config: "group.protocol=consumer\npartition.assignment.strategy=" +
		kafkaClass + "RangeAssignor\n", error: "consumer-protocol-settings"},
	{name: "broker and session", config: "group.protocol=consumer\nsession.timeout.ms=45000\n",
		error: "consumer-protocol-settings"},
	{name: "remote assignor", config: "group.remote.assignor=uniform\n",
		error: "consumer-protocol-settings"},
	{name: "poll below session", config: "max.poll.interval.ms=30000\n"},
	{name: "escapes", config: "\\u0073ession.timeout.ms=1\\\n  0000\n#\\\nheartbeat.interval.ms=2000"},
}

var askedLibrdkafka = []asked{
	{name: "nothing set", config: "{}"},
	{name: "all set", config: `{"partition.assignment.strategy": "range,roundrobin",
		"session.timeout.ms": 9000, "heartbeat.interval.ms": 8000, "max.poll.interval.ms": 9000}`},
	{name: "broker", config: `{"group.protocol": "consumer"}`},
	{name: "mixed", config: `{"partition.assignment.strategy": "range,cooperative-sticky"}`,
		error: "eager-cooperative-mix"},
	{name: "sticky", config: `{"partition.assignment.strategy": "sticky"}`,
		error: "strategy-unsupported"},
	{name: "class", config: `{"partition.assignment.strategy": "` + kafkaClass + `RangeAssignor"}`,
		error: "strategy-unsupported"},
	{name: "poll", config: `{"max.poll.interval.ms": 30000}`, error: "poll-below-session"},
	{name: "broker and strategy", config: `{"group.protocol": "consumer",
		"partition.assignment.strategy": "range"}`, error: "consumer-protocol-settings"},
	{name: "broker and heartbeat", config: `{"group.protocol": "consumer",
		"heartbeat.interval.ms": 3000}`, error: "consumer-protocol-settings"},
}

// ask runs advise about a configuration.
func (a *asked) ask(t *testing.T, ctx context.Context, command, client string) advice {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config."+map[string]string{"java": "properties",
		"librdkafka": "json"}[client])
	if err := os.WriteFile(file, []byte(a.config), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"advise", "-o", "json", "--client", client, "--config", file}, a.flags...)
	out, err := exec.CommandContext(ctx, command, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	var answer advice
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// judge holds what advise says of the start of a client against what the client
// says itself; refusal is "" where it starts.
func (a *asked) judge(t *testing.T, answer *advice, refusal string) {
	t.Helper()
	var errors []string
	for _, f := range answer.Findings {
		if f.Severity == "error" {
			errors = append(errors, f.ID)
		}
	}
	switch {
	case a.error == "" && (refusal != "" || len(errors) > 0):
		t.Errorf("%s: the client says %q, advise finds %v, want neither", a.name, refusal, errors)
	case a.error != "" && (refusal == "" || !slices.Contains(errors, a.error)):
		t.Errorf("%s: the client says %q, advise finds %v, want %s", a.name, refusal, errors, a.error)
	}
}

// TestAdviseForJava puts to Kafka's own consumer what advise judges, which is to
// start or not as advise says, and what advise prints, which is to start and to
// come to the strategy that is recommended, without a setting that it does not
// know.
func TestAdviseForJava(t *testing.T) {
	ctx := need(t)
	command := buildCommand(t, ctx)
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	var answers []advice
	for i := range askedJava {
		answers = append(answers, askedJava[i].ask(t, ctx, command, "java"))
		for _, text := range []string{askedJava[i].config, answers[i].Configuration["java"]} {
			if err := encoder.Encode(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := kafka.Java(tools, t.TempDir(), 256, "Configure.java")
	cmd.Stdin = &input
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	if len(lines) != 2*len(askedJava) {
		t.Fatalf("%d answers to %d configurations\n%s", len(lines), 2*len(askedJava), stderr.Bytes())
	}
	for i := range askedJava {
		judged, printed := readConsumer(t, lines[2*i]), readConsumer(t, lines[2*i+1])
		askedJava[i].judge(t, &answers[i], judged.Error)
		printed.check(t, &askedJava[i])
	}
}

// consumer is what became of a configuration in Kafka's own consumer.
type consumer struct {
	Strategies               []string
	Session, Heartbeat, Poll int
	Protocol, Error          string
	Unknown                  []string
}

func readConsumer(t *testing.T, line string) consumer {
	t.Helper()
	var c consumer
	if err := json.Unmarshal([]byte(line), &c); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return c
}

// check judges a configuration that advise printed.
func (c *consumer) check(t *testing.T, a *asked) {
	t.Helper()
	strategy, protocol := "CooperativeStickyAssignor", "classic"
	if len(a.flags) > 0 {
		strategy = "StickyAssignor"
	}
	want := []string{kafkaClass + strategy}
	if strings.Contains(a.config, "group.protocol=consumer") {
		protocol, want = "consumer", c.Strategies
	}
	if c.Error != "" || len(c.Unknown) > 0 || c.Protocol != protocol ||
		!slices.Equal(c.Strategies, want) || c.Heartbeat > c.Session/3 || c.Poll < c.Session {
		t.Errorf("%s: the consumer makes of what advise prints %+v, want %v", a.name, *c, want)
	}
}

// TestAdviseForLibrdkafka does the same with librdkafka.
func TestAdviseForLibrdkafka(t *testing.T) {
	ctx := need(t)
	command := buildCommand(t, ctx)
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	var answers []advice
	for i := range askedLibrdkafka {
		answers = append(answers, askedLibrdkafka[i].ask(t, ctx, command, "librdkafka"))
		var judged bytes.Buffer
		if err := json.Compact(&judged, []byte(askedLibrdkafka[i].config)); err != nil {
			t.Fatal(err)
		}
		input.Write(append(judged.Bytes(), '\n'))
		if err := encoder.Encode(settings(answers[i].Configuration["librdkafka"])); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(ctx, tools.Python, "configure.py")
	cmd.Stdin = &input
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	if len(lines) != 2*len(askedLibrdkafka) {
		t.Fatalf("%d answers to %d configurations\n%s", len(lines), 2*len(askedLibrdkafka),
			stderr.Bytes())
	}
	for i := range askedLibrdkafka {
		var judged, printed *string
		for j, into := range []**string{&judged, &printed} {
			if err := json.Unmarshal([]byte(lines[2*i+j]), into); err != nil {
				t.Fatal(err)
			}
		}
		refusal := ""
		if judged != nil {
			refusal = *judged
		}
		askedLibrdkafka[i].judge(t, &answers[i], refusal)
		if printed != nil {
			t.Errorf("%s: librdkafka refuses what advise prints: %s", askedLibrdkafka[i].name, *printed)
		}
	}
}

// settings are the lines of a properties file that has no escapes.
func settings(text string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && line[0] != '#' {
			found[key] = value
		}
	}
	return found
}
