package kafka

import (
	"slices"
	"strings"
	"testing"
)

// generation builds one from words such as "A:0,1 B:2": member ids and what each
// has of topic t.
func generation(number int32, text string) Generation {
	g := Generation{Number: number}
	for _, word := range strings.Fields(text) {
		id, list, _ := strings.Cut(word, ":")
		m := Assigned{ID: id, ClientID: strings.ToLower(id)}
		for _, digit := range list {
			if digit != ',' {
				m.Partitions = append(m.Partitions, Partition{"t", digit - '0'})
			}
		}
		g.Members = append(g.Members, m)
	}
	return g
}

func TestUnsafe(t *testing.T) {
	for _, c := range []struct {
		name    string
		history []string
		want    []string
	}{
		{"a hand-over in two generations", []string{"A:0,1,2", "A:0,1 B:", "A:0,1 B:2"}, nil},
		{"from a member that is gone", []string{"A:0,1 B:2", "A:0,1,2"}, nil},
		{"two owners", []string{"A:0,1 B:1,2"},
			[]string{"generation 1: t-1 has two owners, A and B"}},
		{"at once", []string{"A:0,1,2", "A:0 B:1,2"}, []string{
			"generation 2 gives t-1 to B while A still has it",
			"generation 2 gives t-2 to B while A still has it"}},
	} {
		var history []Generation
		for i, text := range c.history {
			history = append(history, generation(int32(i+1), text))
		}
		if got := Unsafe(history, true); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	eager := []Generation{generation(1, "A:0,1,2"), generation(2, "A:0 B:1,2"),
		generation(3, "A:0 B:0")}
	want := []string{"generation 3: t-0 has two owners, A and B"}
	if got := Unsafe(eager, false); !slices.Equal(got, want) {
		t.Errorf("eager: got %q, want %q", got, want)
	}
}

func TestMoved(t *testing.T) {
	a, b := generation(1, "A:0,1 B:2,3"), generation(2, "A:0 B:1,2,4")
	got, err := Moved(&a, &b)
	if err != nil || got != 3 { // 1 changes hands, 3 is dropped, 4 is new
		t.Errorf("got %d, %v, want 3", got, err)
	}
	twice := generation(2, "A:0 B:0")
	if _, err := Moved(&a, &twice); err == nil {
		t.Error("a generation with two owners of one partition was counted")
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"A:0,1 B:2", ""},
		{"A:0 B:2", "generation 1: nobody has t-1"},
		{"A:0,1 B:1,2", "generation 1: t-1 has two owners, A and B"},
		{"A:0,1 B:2,3", "generation 1: assigns what is not there: [t-3]"},
	} {
		g := generation(1, c.text)
		got := ""
		if err := g.Covers(3, "t"); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestJavaVersion(t *testing.T) {
	for text, want := range map[string]int{
		`openjdk version "17.0.15" 2025-04-15`: 17,
		`java version "1.8.0_202"`:             8,
		`openjdk version "25" 2025-09-16`:      25,
		`bash: java: command not found`:        0,
	} {
		if got := javaVersion(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}
