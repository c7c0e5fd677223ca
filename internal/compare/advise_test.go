package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// The printed configuration is for it; the module has to be at hand.
	_ "github.com/segmentio/kafka-go"
)

// printed is a configuration that the command prints as Go source: the function
// in it, and what hands its result to the client, which says whether it takes it.
// None of the clients dials before it is used.
type printed struct{ client, function, check string }

var configurations = []printed{
	{"franz-go", "franzOptions", `
	for _, instance := range []string{"", "pod-1"} {
		client, err := kgo.NewClient(FUNCTION("group", instance, "a", "b")...)
		check("FUNCTION", err)
		client.Close()
	}
`},
	{"sarama", "saramaConfig", `
	check("FUNCTION", FUNCTION("").Validate())
	check("FUNCTION", FUNCTION("pod-1").Validate())
`},
	{"kafka-go", "kafkagoConfig", `
	{
		config := FUNCTION([]string{"127.0.0.1:1"}, "group", "a", "b")
		check("FUNCTION", config.Validate())
		_, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{ID: config.GroupID,
			Brokers: config.Brokers, Topics: config.GroupTopics, GroupBalancers: config.GroupBalancers,
			HeartbeatInterval: config.HeartbeatInterval, SessionTimeout: config.SessionTimeout,
			RebalanceTimeout: config.RebalanceTimeout})
		check("FUNCTION", err)
	}
`},
}

const program = `package main

import (
	"log"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
)

func check(function string, err error) {
	if err != nil {
		log.Fatal(function, ": ", err)
	}
}

func main() {CHECKS}
`

// TestPrintedConfigurations builds a program of every configuration that holdfast
// advise prints as Go source, and runs it: each compiles, vet finds nothing in it,
// and its client takes it.
func TestPrintedConfigurations(t *testing.T) {
	command := filepath.Join(t.TempDir(), "holdfast")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", command, ".")
	build.Dir = filepath.Join("..", "..", "cmd", "holdfast")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	dir := t.TempDir()
	var files []string
	checks := ""
	for _, c := range []struct{ name, group, config string }{
		{name: "Even", group: "topics: {a: 3, b: 3}\nmembers: [{id: x}, {id: y}]"},
		{name: "Uneven", group: "topics: {a: {partitions: 2, racks: [[r], [s]]}, b: 3}\nmembers: " +
			"[{id: x, rack: r}, {id: y, subscription: [a]}]",
			config: "session.timeout.ms=10500\nheartbeat.interval.ms=9000\nmax.poll.interval.ms=1000\n"},
		{name: "Sticky"},
		{name: "Consumer", config: "group.protocol=consumer\n"},
	} {
		texts := advised(t, command, c.name, c.group, c.config)
		for _, p := range configurations {
			source, ok := strings.CutPrefix(texts[p.client], "package consumer\n")
			if !ok {
				t.Fatalf("%s: it does not begin with its package:\n%s", p.client, texts[p.client])
			}
			own := p.function + c.name
			if strings.Contains(source, "\nfunc "+p.function+"(") {
				checks += strings.ReplaceAll(p.check, "FUNCTION", own)
			} else if c.name != "Consumer" || p.client == "franz-go" {
				t.Fatalf("%s: no function %s in\n%s", p.client, p.function, source)
			}
			source = strings.ReplaceAll("package main\n"+source, p.function, own)
			files = append(files, write(t, dir, own+".go", source))
		}
	}
	files = append(files, write(t, dir, "main.go", strings.Replace(program, "CHECKS", checks, 1)))
	for _, args := range [][]string{{"vet"}, {"run"}} {
		run := exec.CommandContext(t.Context(), "go", append(args, files...)...)
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args[0], err, out)
		}
	}
	out, err := exec.CommandContext(t.Context(), "gofmt", append([]string{"-l"},
		files[:len(files)-1]...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("gofmt -l: %s %v", out, err)
	}
}

// advised asks the command for the configurations of the Go clients.
func advised(t *testing.T, command, name, group, config string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"advise", "-o", "json", "--config", filepath.Join(dir, "c.properties")}
	write(t, dir, "c.properties", config)
	if group != "" {
		write(t, dir, "group.yaml", group)
		args = append(args, filepath.Join(dir, "group.yaml"))
	}
	if name == "Sticky" {
		args = append(args, "--pauses-ok")
	}
	out, err := exec.CommandContext(t.Context(), command, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Configuration map[string]string }
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Configuration
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
