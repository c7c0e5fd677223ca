package groupfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// split returns each document as its line and its text without the white space
// around it.
func split(t *testing.T, name string, in io.Reader) []string {
	t.Helper()
	docs := NewDocuments(name, in)
	found := []string{}
	for {
		doc, err := docs.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprintf("%d:%s", doc.Line, strings.TrimSpace(string(doc.Text))))
	}
}

func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"nothing", "-", "", []string{}},
		{"comments alone", "-", "# a\n\n# b\n", []string{}},
		{"one", "-", "a: 1\n", []string{"1:a: 1"}},
		{"without a last line break", "-", "a: 1", []string{"1:a: 1"}},
		{"two", "-", "a: 1\n---\nb: 2\n", []string{"1:a: 1", "2:b: 2"}},
		{"a separator first", "-", "---\na: 1\n---\nb: 2\n", []string{"1:a: 1", "3:b: 2"}},
		{"a separator last", "-", "a: 1\n---\n", []string{"1:a: 1"}},
		{"directives", "-", "%YAML 1.2\n# b\n---\na: 1\n", []string{"3:a: 1"}},
		{"an empty one between", "-", "a: 1\n---\n---\nb: 2\n", []string{"1:a: 1", "2:", "3:b: 2"}},
		{"beside the separator", "-", "--- {a: 1}\n--- # b\nb: 2\n",
			[]string{"1:{a: 1}", "2:# b\nb: 2"}},
		{"no separator", "-", "a: |\n  ---\n----: 1\n---b: 2\n",
			[]string{"1:a: |\n  ---\n----: 1\n---b: 2"}},
		{"an end", "-", "a: 1\n...\n# c\n...\nb: 2\n", []string{"1:a: 1", "3:# c\n\nb: 2"}},
		{"CRLF", "-", "a: 1\r\n---\r\nb: 2\r\n", []string{"1:a: 1", "2:b: 2"}},
		{"JSON lines", "-", "{}\n\n {\"a\": 1} \nnonsense\n[]", []string{"1:{}", "3:{\"a\": 1}",
			"4:nonsense", "5:[]"}},
		{"JSON lines by name", "x.jsonl", "\n1\n2\n", []string{"2:1", "3:2"}},
		{"JSON with a byte order mark", "-", "\ufeff{}\n{}\n", []string{"1:\ufeff{}", "2:{}"}},
		{"JSON documents", "-", "---\n{\n}\n---\n{}\n", []string{"1:{\n}", "4:{}"}},
		{"JSON lines, then documents", "-", "{}\n{}\n---\n{\n}\n", []string{"1:{}", "2:{}",
			"3:{\n}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := split(t, c.file, strings.NewReader(c.text)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			slow := iotest.OneByteReader(strings.NewReader(c.text))
			if got := split(t, c.file, slow); !slices.Equal(got, c.want) {
				t.Errorf("byte by byte: got %q, want %q", got, c.want)
			}
		})
	}
}

// TestDocumentsReadError: an error of the stream is no document.
func TestDocumentsReadError(t *testing.T) {
	broken := errors.New("broken")
	docs := NewDocuments("-",
		io.MultiReader(strings.NewReader("a: 1\n---\nb"), iotest.ErrReader(broken)))
	if _, err := docs.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := docs.Next(); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}
