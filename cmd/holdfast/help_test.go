package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelp compares the help of every command with testdata/help, which is the
// manual: what changes there, users notice. It is written anew with -update.
func TestHelp(t *testing.T) {
	known := map[string]bool{}
	for _, cmd := range allCommands(newRoot()) {
		path := strings.Fields(cmd.CommandPath())
		name := strings.Join(path, "-") + ".txt"
		known[name] = true
		got := call(t, "", append(path[1:], "--help")...)
		if got.code != exitDone || got.err != "" {
			t.Errorf("%v --help: exit code %d, stderr %q", path, got.code, got.err)
		}
		golden := filepath.Join("testdata", "help", name)
		if *update {
			if err := os.WriteFile(golden, []byte(got.out), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.out != string(want) {
			t.Errorf("the help of %v is not that of %s (-update writes it):\n%s", path, golden, got.out)
		}
	}
	files, err := filepath.Glob("testdata/help/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !known[filepath.Base(file)] {
			t.Errorf("%s is of no command", file)
		}
	}
}

// allCommands is the command and all below it, as a user sees them.
func allCommands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			all = append(all, allCommands(sub)...)
		}
	}
	return all
}

// TestHelpIsComplete: each command of ours has a sentence, a manual and examples
// that begin as one types them; no line is wider than a terminal.
func TestHelpIsComplete(t *testing.T) {
	for _, cmd := range allCommands(newRoot()) {
		if strings.Contains(cmd.CommandPath(), " completion") {
			continue // cobra's own
		}
		if cmd.Short == "" || cmd.Long == "" || cmd.Example == "" {
			t.Errorf("%s lacks a short or long description, or examples", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  holdfast ") {
				t.Errorf("%s: the example %q is not a call of holdfast", cmd.CommandPath(), line)
			}
		}
		for line := range strings.Lines(cmd.Long) {
			if len(line) > 101 {
				t.Errorf("%s: the line is too wide: %q", cmd.CommandPath(), line)
			}
		}
	}
}
