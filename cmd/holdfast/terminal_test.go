package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestColourful: colours go to a terminal that has them, and nowhere else.
func TestColourful(t *testing.T) {
	// The end of a pseudo-terminal that a terminal program would hold.
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no pseudo-terminal here: ", err)
	}
	defer func() { _ = terminal.Close() }()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	env := func(vars ...string) func(string) string {
		return func(name string) string {
			for _, v := range vars {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"a terminal", colourful(terminal, env("TERM=xterm")), true},
		{"an empty NO_COLOR", colourful(terminal, env("TERM=xterm", "NO_COLOR=")), true},
		{"NO_COLOR", colourful(terminal, env("TERM=xterm", "NO_COLOR=1")), false},
		{"a dumb terminal", colourful(terminal, env("TERM=dumb")), false},
		{"a file", colourful(file, env("TERM=xterm")), false},
		{"a buffer", colourful(&bytes.Buffer{}, env("TERM=xterm")), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestNoColorFlag: --no-color wins over a terminal.
func TestNoColorFlag(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no pseudo-terminal here: ", err)
	}
	defer func() { _ = terminal.Close() }()
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	for flag, want := range map[string]bool{"--no-color": false, "--no-color=false": true} {
		cmd := newAssignCommand()
		cmd.Flags().AddFlagSet(newRoot().PersistentFlags())
		if err := cmd.ParseFlags([]string{flag}); err != nil {
			t.Fatal(err)
		}
		if got := colour(cmd, terminal); got != want {
			t.Errorf("%s: got %v, want %v", flag, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a b": "a b", "a\nb\x1b[1m": `a\nb\x1b[1m`, "\xff\u202e": `\xff\u202e`, "é": "é", "": "",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	long := oneLine(strings.Repeat("é", 1<<16))
	if len(long) > longest || !strings.HasSuffix(long, "é (131072 bytes)") {
		t.Errorf("got %d bytes: %q", len(long), long)
	}
}
