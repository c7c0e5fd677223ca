package conformance

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast/holdfast/conformance/internal/kafka"
)

// What the tests share: one broker for all, each with topics and groups of its
// own. Both are nil where the tests are not to run.
var (
	tools  *kafka.Tools
	broker *kafka.Broker
	notRun string // why the tests are not to run
)

// prepareWithin bounds the first download of Kafka's jars.
const prepareWithin = 5 * time.Minute

func TestMain(m *testing.M) {
	os.Exit(runAll(m))
}

// runAll starts the broker, if it is asked for and can be had, runs the tests and
// stops it. The broker's and the members' logs are kept where something failed.
func runAll(m *testing.M) int {
	if os.Getenv("HOLDFAST_CONFORMANCE") == "" {
		notRun = "needs HOLDFAST_CONFORMANCE=1 (make conformance)"
		return m.Run()
	}
	if missing := kafka.Missing(); len(missing) > 0 {
		notRun = "missing on this machine: " + strings.Join(missing, ", ")
		fmt.Fprintln(os.Stderr, "conformance: not run,", notRun)
		if os.Getenv("CI") != "" {
			return 1
		}
		return m.Run()
	}
	logs, err := os.MkdirTemp("", "holdfast-conformance-")
	if err == nil {
		err = start(logs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		return 1
	}
	code := m.Run()
	if err := broker.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		code = 1
	}
	if code != 0 {
		showLogs(logs)
		return code
	}
	if err := os.RemoveAll(logs); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		return 1
	}
	return 0
}

// start prepares the tools and starts the broker.
func start(logs string) error {
	ctx, cancel := context.WithTimeout(context.Background(), prepareWithin)
	defer cancel()
	from := time.Now()
	var err error
	tools, err = kafka.Prepare(ctx, ".", filepath.Join("..", ".build", "conformance"))
	if err != nil {
		return err
	}
	prepared := time.Now()
	broker, err = kafka.StartBroker(ctx, tools, logs)
	if err != nil {
		return err
	}
	fmt.Printf("conformance: jars and packages after %.1f s, Kafka's broker at %s after %.1f s more\n",
		prepared.Sub(from).Seconds(), broker.Addr, time.Since(prepared).Seconds())
	return nil
}

// lastLines is how much of each log a failed run shows: what remains of it where
// the machine does not.
const lastLines = 30

// showLogs prints where the logs are and how each of them ends.
func showLogs(dir string) {
	names, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
	}
	for _, name := range names {
		fmt.Fprintf(os.Stderr, "--- the end of %s\n", name)
		for _, line := range tail(name) {
			fmt.Fprintln(os.Stderr, line)
		}
	}
	fmt.Fprintln(os.Stderr, "conformance: all logs are in", dir)
}

// tail returns the last lines of a file, or the error of reading it.
func tail(name string) []string {
	file, err := os.Open(name)
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = file.Close() }() // it was only read
	var lines []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		lines = append(lines, scanner.Text())
		if len(lines) > lastLines {
			lines = lines[1:]
		}
	}
	return lines
}

// need skips a test that cannot run here; in CI it never does, as runAll has
// failed before. The context ends a little before the test's deadline, so that
// its clean-up still runs.
func need(t *testing.T) context.Context {
	t.Helper()
	if notRun != "" {
		t.Skip(notRun)
	}
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-10*time.Second))
		t.Cleanup(cancel)
	}
	return ctx
}
