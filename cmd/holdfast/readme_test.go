package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// example is a command that a page shows, with what it prints.
type example struct {
	line    int
	command string
	output  string
}

// TestREADME runs every command that README.md shows in a block marked console,
// at the root of the repository, and compares what it prints on stdout and stderr.
func TestREADME(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, e := range examples(string(text)) {
		for _, name := range holdfastCommand.FindAllStringSubmatch(e.command, -1) {
			shown[name[1]] = true
		}
		t.Run(e.command, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", e.command)
			cmd.Dir = root
			out, err := cmd.CombinedOutput()
			if err != nil && len(out) == 0 {
				t.Fatal(err)
			}
			got, want := string(out), e.output
			if changes(e.command) {
				got, want = skeleton(got), skeleton(want)
			}
			if got != want {
				t.Errorf("README.md:%d: $ %s\nprints\n%s\nand not\n%s", e.line, e.command, got, want)
			}
		})
	}
	for _, cmd := range newRoot().Commands() {
		switch cmd.Name() {
		case "help", "completion", "version":
			continue // they say themselves what they do
		}
		if !shown[cmd.Name()] {
			t.Errorf("README.md shows no example of holdfast %s", cmd.Name())
		}
	}
}

var holdfastCommand = regexp.MustCompile(`\bholdfast ([a-z]+)`)

// examples finds the commands in blocks marked console. A command begins with $
// and goes on after a backslash at the end of its line; what follows, up to the
// next one, is its output.
func examples(page string) []example {
	var found []example
	inside, continued := false, false
	for i, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case continued:
			last := &found[len(found)-1]
			last.command = strings.TrimSuffix(last.command, `\`) + line
			continued = strings.HasSuffix(line, `\`)
		case strings.HasPrefix(line, "$ "):
			found = append(found, example{line: i + 1, command: line[2:]})
			continued = strings.HasSuffix(line, `\`)
		case len(found) > 0:
			found[len(found)-1].output += line + "\n"
		}
	}
	return found
}

// changes reports a command that measures, and so never prints the same twice.
func changes(command string) bool { return strings.HasPrefix(command, "holdfast demo") }

// skeleton is what stays of such an output: the first word of each line.
func skeleton(output string) string {
	var words []string
	for line := range strings.Lines(output) {
		first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		words = append(words, first)
	}
	return strings.Join(words, "\n")
}

func TestExamples(t *testing.T) {
	page := "# x\n```console\n$ a \\\n  b\nout\n$ c\n```\n```sh\n$ d\n```\n" +
		"```console\n$ e\n1\n\n2\n```\n"
	want := []example{{3, "a   b", "out\n"}, {6, "c", ""}, {12, "e", "1\n\n2\n"}}
	got := examples(page)
	if len(got) != len(want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}
