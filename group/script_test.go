package group

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected part of the scenario files")

// TestScenarios plays the files in testdata: blocks of commands, a line of four
// dashes, what comes out, and an empty line. Lines with # in front are comments.
// The commands are those of the table in play_test.go.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario files: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			playFile(t, path)
		})
	}
}

func playFile(t *testing.T, path string) {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	p := newPlay()
	var out []string
	for i := 0; i < len(lines); i++ {
		out = append(out, lines[i])
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			continue
		}
		first := i + 1
		commands := []string{lines[i]}
		for i++; i < len(lines) && lines[i] != "----"; i++ {
			out = append(out, lines[i])
			if !strings.HasPrefix(lines[i], "#") {
				commands = append(commands, lines[i])
			}
		}
		out = append(out, "----")
		var want []string
		for i++; i < len(lines) && lines[i] != ""; i++ {
			want = append(want, lines[i])
		}
		got, err := p.run(commands)
		if err != nil {
			t.Fatalf("%s:%d: %v", path, first, err)
		}
		out = append(out, got...)
		if i < len(lines) {
			out = append(out, "")
		}
		if text := diff(want, got); text != "" && !*update {
			t.Errorf("%s:%d: (go test ./group -run TestScenarios -update rewrites it)\n%s",
				path, first, text)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// diff shows both texts from the first line on that differs.
func diff(want, got []string) string {
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	if at == len(want) && at == len(got) {
		return ""
	}
	return fmt.Sprintf("after %d equal lines: want\n\t%s\ngot\n\t%s", at,
		strings.Join(want[at:], "\n\t"), strings.Join(got[at:], "\n\t"))
}
