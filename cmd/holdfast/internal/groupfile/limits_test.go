package groupfile

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestLimits: what is too large, or would never end, is refused at once.
func TestLimits(t *testing.T) {
	const head = "topics: {t: 9}\nmembers: []\n"
	deep := func(open string) string { return head + "expect: " + strings.Repeat(open, 1<<20) }
	for _, c := range []struct{ name, file, text, problem string }{
		{"nested lists", "g.yaml", deep("["), "exceeded max depth"},
		{"nested mappings", "g.yaml", deep("{a: "), "exceeded max depth"},
		{"nested block lists", "g.yaml", head + "expect:\n" + strings.Repeat("- ", 1<<20) + "x\n",
			"exceeded max depth"},
		{"nested JSON", "g.json", strings.Repeat("[", 1<<20), "exceeded max depth"},
		{"a long YAML file", "g.yaml", head + "#" + strings.Repeat("x", MaxYAML),
			"more than 67108864 bytes; JSON may have more"},
		{"aliases of aliases", "g.yaml", laughs(), "its aliases add more than 1000000 values"},
		{"many huge ranges", "g.yaml", manyRanges(), "no more than 20000000 partitions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			_, err := Parse(Source{Name: c.file, Text: []byte(c.text)})
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("got %v, want %q", err, c.problem)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}

// laughs has few lines that stand for nearly 10^9 racks.
func laughs() string {
	var b strings.Builder
	b.WriteString("topics:\n  t:\n    partitions: 30000\n    racks:\n    - &r [" +
		strings.Repeat("a, ", 30000) + "a]\n")
	for range 29999 {
		b.WriteString("    - *r\n")
	}
	b.WriteString("members: []\n")
	return b.String()
}

func manyRanges() string {
	var b strings.Builder
	b.WriteString("topics: {t: 9}\nmembers:\n")
	for i := range 10 {
		fmt.Fprintf(&b, "- {id: m%d, owned: {t: 0-4999999}}\n", i)
	}
	return b.String()
}

// TestLarge: claims one by one in JSON, ten million of them in the long run, and
// tens of thousands of topics in YAML are read in seconds.
func TestLarge(t *testing.T) {
	var b bytes.Buffer
	claims, topics := 1_000_000, 20_000
	if os.Getenv("HOLDFAST_LONG") != "" {
		claims, topics = 10_000_000, 200_000
	}
	fmt.Fprintf(&b, `{"topics": {"t": %d}, "members": [{"id": "X", "owned": {"t": [0`, claims)
	for i := 1; i < claims; i++ {
		b.WriteByte(',')
		fmt.Fprint(&b, i)
	}
	b.WriteString("]}}]}")
	start := time.Now()
	file, err := Parse(Source{Name: "large.json", Text: b.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(file.Group.Members[0].Owned[0].Partitions); n != claims {
		t.Errorf("%d claims, want %d", n, claims)
	}
	t.Logf("claims=%d bytes=%d took=%v", claims, b.Len(), time.Since(start))

	b.Reset()
	b.WriteString("topics:\n")
	for i := range topics {
		fmt.Fprintf(&b, "  topic-%06d: 12\n", i)
	}
	b.WriteString("members:\n- id: X\n")
	start = time.Now()
	file, err = Parse(Source{Name: "large.yaml", Text: b.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(file.Group.Topics); n != topics {
		t.Errorf("%d topics, want %d", n, topics)
	}
	t.Logf("topics=%d bytes=%d took=%v", topics, b.Len(), time.Since(start))
}
