package groupfile

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the errors that are found into testdata/bad")

// TestBad reads each file of testdata/bad that cannot be used and compares the
// error, word for word. A file named .quoted is written as a Go string.
func TestBad(t *testing.T) {
	paths, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 40 {
		t.Fatalf("%d files, want at least 40", len(paths))
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) != 2 || archive.Files[1].Name != "error" {
				t.Fatal("want two files, the second named error")
			}
			_, err = Parse(sourceOf(t, archive.Files[0]))
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("got error %v, want an *Error", err)
			}
			checkWords(t, bad)
			if *update {
				archive.Files[1].Data = []byte(err.Error() + "\n")
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := err.Error()+"\n", string(archive.Files[1].Data); got != want {
				t.Errorf("got  %swant %s", got, want)
			}
		})
	}
}

func sourceOf(t *testing.T, f txtar.File) Source {
	name, quoted := strings.CutSuffix(f.Name, ".quoted")
	if !quoted {
		return Source{Name: name, Text: f.Data}
	}
	text, err := strconv.Unquote(strings.TrimSpace(string(f.Data)))
	if err != nil {
		t.Fatal(err)
	}
	return Source{Name: name, Text: []byte(text)}
}

// checkWords holds an error to what all have in common: one line that names the
// file, not too long, and that does nothing to a terminal.
func checkWords(t *testing.T, e *Error) {
	t.Helper()
	text := e.Error()
	if e.File == "" || !strings.HasPrefix(text, e.File+":") {
		t.Errorf("%q does not begin with its file", text)
	}
	if len(text) > 400 {
		t.Errorf("%d characters are more than a person reads: %q", len(text), text)
	}
	for _, r := range text {
		if !strconv.IsPrint(r) {
			t.Errorf("%q has a character that is not printable", text)
		}
	}
}
