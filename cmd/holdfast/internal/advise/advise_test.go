package advise

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/holdfast/holdfast/group"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the tests find as what they want")

// TestFindings judges each file of testdata/findings, which is named for the
// finding that it is there for, or names it in its comment. What else is found
// in it, with every figure, is at its end.
func TestFindings(t *testing.T) {
	files, err := filepath.Glob("testdata/findings/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, after, ok := strings.Cut(string(archive.Comment), "finding: "); ok {
				name, _, _ = strings.Cut(after, "\n")
			}
			advice := judge(t, archive)
			if got := ids(advice); slices.Contains(got, name) == (name == "none") {
				t.Errorf("found %v, want %s", got, name)
			}
			if name == "none" && len(advice.Findings) > 0 {
				t.Errorf("found %v in what is right", ids(advice))
			}
			checkPath(t, advice)
			compare(t, file, archive, advice)
		})
	}
}

// judge reads the files of an archive and judges them together.
func judge(t *testing.T, archive *txtar.Archive) *Advice {
	t.Helper()
	in := Input{Restore: time.Second}
	for _, f := range archive.Files {
		var err error
		switch source := (groupfile.Source{Name: f.Name, Text: f.Data}); f.Name {
		case "findings":
			continue
		case "group.yaml":
			in.Group, err = groupfile.Parse(source)
		default:
			in.Config, err = ParseConfig(source, "")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	advice, err := Advise(in)
	if err != nil {
		t.Fatal(err)
	}
	return advice
}

// compare holds the findings against those at the end of the archive.
func compare(t *testing.T, file string, archive *txtar.Archive, advice *Advice) {
	t.Helper()
	var text strings.Builder
	for i := range advice.Findings {
		advice.Findings[i].text(&text)
	}
	at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "findings" })
	if at < 0 {
		at = len(archive.Files)
		archive.Files = append(archive.Files, txtar.File{Name: "findings"})
	}
	if *update {
		archive.Files[at].Data = []byte(text.String())
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := text.String(), string(archive.Files[at].Data); got != want {
		t.Errorf("found (-update writes it)\n%swant\n%s", got, want)
	}
}

func ids(a *Advice) []string {
	var ids []string
	for _, f := range a.Findings {
		ids = append(ids, f.ID)
	}
	return ids
}

// checkPath judges a path anew, by the outcome of every step: nobody is refused,
// and the end is the recommendation, for everybody.
func checkPath(t *testing.T, a *Advice) {
	t.Helper()
	if len(a.Path.Steps) == 0 {
		return
	}
	var steps [][]group.Voter
	for _, s := range a.Path.Steps {
		steps = append(steps, s.Members)
	}
	if u := group.CheckUpgrade(steps); u.Verdict == group.Unsafe {
		t.Errorf("the path is %s: %s", u.Verdict, u.Why)
	}
	for _, v := range steps[len(steps)-1] {
		if !slices.Equal(v.Protocols, []string{a.Recommendation}) {
			t.Errorf("%s ends with %v", v.ID, v.Protocols)
		}
	}
}

// TestPaths judges random lists: whatever they are, the path is not unsafe, takes
// in everybody, and goes as far as the recommendation.
func TestPaths(t *testing.T) {
	all := []string{"range", "roundrobin", "sticky", "cooperative-sticky", "other"}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		file := &groupfile.File{}
		file.Group.Topics = []holdfast.Topic{{Name: "t", Partitions: 4}}
		for i := range 1 + r.IntN(5) {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			file.Group.Members = append(file.Group.Members,
				holdfast.Member{ID: fmt.Sprint("m", i), Topics: []string{"t"}})
			file.Protocols = append(file.Protocols, slices.Clone(all[:1+r.IntN(3)]))
		}
		advice, err := Advise(Input{Group: file, PausesHarmless: seed%3 == 0})
		if err != nil {
			t.Fatal(err)
		}
		if p := advice.Path; len(p.Steps) > 0 {
			if n := len(p.Steps[len(p.Steps)-1].Members); n != len(file.Group.Members) {
				t.Errorf("the path ends with %d members", n)
			}
		} else if slices.ContainsFunc(file.Protocols, func(list []string) bool {
			return !slices.Equal(list, []string{advice.Recommendation})
		}) {
			t.Error("no path")
		}
		if checkPath(t, advice); t.Failed() {
			t.Fatalf("lists %v\ngo test -run TestPaths ./internal/advise (seed %d)", file.Protocols, seed)
		}
	}
}

// TestSameBytes: the order of topics in the file has no meaning, and a second run
// gives the same bytes.
func TestSameBytes(t *testing.T) {
	file, err := groupfile.Parse(groupfile.Source{Name: "g.yaml", Text: []byte(
		"topics: {a: 3, b: 5, c: 7}\nmembers: [{id: x}, {id: y, subscription: [c, a]}, {id: z}]\n")})
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	for i := range 6 {
		rand.New(rand.NewPCG(uint64(i), 0)).Shuffle(len(file.Group.Topics), func(i, j int) {
			topics := file.Group.Topics
			topics[i], topics[j] = topics[j], topics[i]
		})
		advice, err := Advise(Input{Group: file, Restore: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := jsonwriter.New(&out, 3)
		advice.JSON(w)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out.Bytes()
		} else if !bytes.Equal(first, out.Bytes()) {
			t.Fatalf("run %d answers\n%s\nthe first one\n%s", i, out.Bytes(), first)
		}
	}
}

// TestLargeGroup is judged without the simulator, and its path with a sample.
func TestLargeGroup(t *testing.T) {
	file := &groupfile.File{}
	file.Group.Topics = []holdfast.Topic{{Name: "t", Partitions: 5000}}
	for i := range 3000 {
		file.Group.Members = append(file.Group.Members,
			holdfast.Member{ID: fmt.Sprint("m", i), Topics: []string{"t"}})
		file.Protocols = append(file.Protocols, []string{"range"})
	}
	advice, err := Advise(Input{Group: file})
	if err != nil {
		t.Fatal(err)
	}
	checkPath(t, advice)
	p := advice.Path
	if len(p.Steps) != 3 || len(p.Steps[0].Members) != 3 || p.Remark == "" {
		t.Errorf("%d steps, remark %q", len(p.Steps), p.Remark)
	}
	for _, f := range advice.Findings {
		for _, figure := range f.Figures {
			if strings.HasSuffix(figure.Name, "rebalances") {
				t.Errorf("%s has %s", f.ID, figure.Name)
			}
		}
	}
}

// TestPausesHarmless: sticky will do where nobody minds, but no group goes back to
// it, and librdkafka has none.
func TestPausesHarmless(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"consumer.properties", "", "sticky"},
		{"consumer.properties", "partition.assignment.strategy=" + classes["cooperative-sticky"],
			"cooperative-sticky"},
		{"librdkafka.json", "{}", "cooperative-sticky"},
	} {
		config, err := ParseConfig(groupfile.Source{Name: c.name, Text: []byte(c.text)}, "")
		if err != nil {
			t.Fatal(err)
		}
		advice, err := Advise(Input{Config: config, PausesHarmless: true})
		if err != nil {
			t.Fatal(err)
		}
		if advice.Recommendation != c.want || slices.Contains(ids(advice), "eager-pauses") {
			t.Errorf("%s %q: %s, %v", c.name, c.text, advice.Recommendation, ids(advice))
		}
		checkPath(t, advice)
	}
	if _, err := Advise(Input{}); err == nil {
		t.Error("nothing is judged without an error")
	}
}
