package assigntest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
)

func TestParseScenarios(t *testing.T) {
	list, err := parseScenarios(`
# A comment.
one
topic t 3
topic r racks a+b c
# Another.
member A reads t,r owns t:0-2 r:1,0 generation 7 rack a instance i
gone W owns t:0

two
member B
`)
	if err != nil || len(list) != 2 || list[0].name != "one" || list[1].name != "two" {
		t.Fatalf("%v %v", list, err)
	}
	want := `topics:
  t: 3
  r: {partitions: 2, racks: [[a, b], [c]]}
members:
  - {id: A, instance_id: i, rack: a, subscription: [t, r], ` +
		`owned: {t: "0-2", r: "1,0"}, generation: 7}
departed:
  - {id: W, owned: {t: "0"}}
`
	if got := GroupFile(list[0].group); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, bad := range []string{"topic", "topic t", "topic t x", "member A reads",
		"member A owns t:x", "member A owns t:0-x", "member A generation x", "member A likes t",
		"nobody A"} {
		if list, err := parseScenarios("name\n" + bad); err == nil ||
			!strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q is read as %+v, error %v", bad, list, err)
		}
	}
}

// TestGroupsAreWhatTheyShouldBe: what is tried as a good group is one, what is to
// be refused is not, and random groups of a kind have what the kind says.
func TestGroupsAreWhatTheyShouldBe(t *testing.T) {
	for _, s := range slices.Concat(scenarios(), hostile()) {
		if err := s.group.Check(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	reasons := []error{holdfast.ErrNoName, holdfast.ErrTwice, holdfast.ErrPartitionCount,
		holdfast.ErrRackCount, holdfast.ErrWeight, holdfast.ErrCapacity}
	for _, s := range refused() {
		err := s.group.Check()
		if err == nil {
			t.Errorf("%s: it is not refused", s.name)
		}
		reasons = slices.DeleteFunc(reasons, func(r error) bool { return errors.Is(err, r) })
	}
	if len(reasons) > 0 {
		t.Errorf("no group is refused for %v", reasons)
	}
	contradicted, departed, named := 0, 0, 0
	for seed := range uint64(200) {
		for k := plain; k <= everything; k++ {
			g := randomGroup(seed, k)
			if err := g.Check(); err != nil {
				t.Errorf("seed %d, kind %d: %v", seed, k, err)
			}
			if k < conflicts && contradicts(g) {
				t.Errorf("seed %d, kind %d: contradictions in\n%s", seed, k, GroupFile(g))
			}
			if k == conflicts && contradicts(g) {
				contradicted++
			}
			if len(g.Departed) > 0 {
				departed++
			}
			if k == racks && len(g.Topics[0].Racks) > 0 {
				named++
			}
		}
	}
	if contradicted < 50 || departed < 50 || named < 50 {
		t.Errorf("random groups are too tame: %d, %d, %d", contradicted, departed, named)
	}
}

// TestShrink: what is left is what it takes.
func TestShrink(t *testing.T) {
	g := randomGroup(11, racks)
	wants := func(g holdfast.Group) bool {
		n := 0
		for _, m := range g.Members {
			if len(m.Topics) > 0 {
				n++
			}
		}
		partitions := 0
		for _, topic := range g.Topics {
			partitions += topic.Partitions
		}
		return n >= 2 && partitions >= 3
	}
	if !wants(g) {
		t.Fatal("a group that does not show it")
	}
	small := shrink(g, wants)
	partitions := 0
	for _, topic := range small.Topics {
		partitions += topic.Partitions
	}
	if len(small.Members) != 2 || partitions != 3 || len(small.Departed) > 0 ||
		len(small.Members[0].Topics) != 1 || len(small.Members[0].Owned) > 0 {
		t.Errorf("left is\n%s", GroupFile(small))
	}
}

// TestRecount: a plan that is measured against other claims than it was made for
// does not pass.
func TestRecount(t *testing.T) {
	g := scenarios()[0].group // worked-trace
	plan, err := holdfast.Sticky.Assign(g)
	if err != nil {
		t.Fatal(err)
	}
	if err := recount(g, plan); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*holdfast.Group){
		"X owned less": func(g *holdfast.Group) { g.Members[0].Owned = nil },
		"Y owned what X did": func(g *holdfast.Group) {
			g.Members[0].Owned, g.Members[1].Owned = g.Members[1].Owned, g.Members[0].Owned
		},
		"Z owned 6": func(g *holdfast.Group) {
			g.Members[0].Owned[0].Partitions = []int32{3, 4, 5}
			g.Members[2].Owned = []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{6}}}
		},
	} { // order: each change is tried for itself
		other := clone(g)
		change(&other)
		if err := recount(other, plan); err == nil {
			t.Errorf("%s: nothing is found", name)
		}
	}
}

// TestStuck: a call that does not come back breaks Answers, and is the last one.
func TestStuck(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	var called atomic.Int32
	broken := Check(Subject{Name: "stuck", Promises: Sound, Timeout: 10 * time.Millisecond,
		Assign: func(holdfast.Group) (Assignment, error) {
			called.Add(1)
			<-release
			return nil, nil
		}})
	if len(broken) != 1 || broken[0].Promise != Answers || called.Load() != 1 ||
		broken[0].Detail != "no answer in 10ms" {
		t.Errorf("called %d times: %v", called.Load(), broken)
	}
}

// TestPlanOfSomethingElse: the plan has to be the one behind the answer.
func TestPlanOfSomethingElse(t *testing.T) {
	s := Of(holdfast.Sticky, Accounted)
	s.Plan = holdfast.RoundRobin.Assign
	if broken := Check(s); len(broken) != 1 || broken[0].Promise != Accounted {
		t.Errorf("another strategy's plan: %v", broken)
	}
	s.Plan = nil
	if broken := Check(s); len(broken) != 1 || broken[0].Promise != Accounted {
		t.Errorf("no plan: %v", broken)
	}
	s.Plan = func(holdfast.Group) (*holdfast.Plan, error) { return nil, errors.New("no") }
	if broken := Check(s); len(broken) != 1 || broken[0].Promise != Answers {
		t.Errorf("an error: %v", broken)
	}
	s.Plan = func(g holdfast.Group) (*holdfast.Plan, error) {
		for i := range g.Members {
			g.Members[i].Owned = nil
		}
		return holdfast.Sticky.Assign(g)
	}
	if broken := Check(s); len(broken) != 1 || broken[0].Promise != Accounted {
		t.Errorf("a plan for other claims: %v", broken)
	}
}

// TestRunFails runs Run on an assignor that breaks a promise, in a process of its
// own, because it has to fail.
func TestRunFails(t *testing.T) {
	if os.Getenv("ASSIGNTEST_FAIL") != "" {
		Run(t, Of(holdfast.RoundRobin, Answers|Balanced))
		return
	}
	run := exec.Command(os.Args[0], "-test.run=^TestRunFails$", "-test.v")
	run.Env = append(os.Environ(), "ASSIGNTEST_FAIL=1", "HOLDFAST_SEED=4")
	out, err := run.CombinedOutput()
	if err == nil {
		t.Errorf("it did not fail")
	}
	for _, want := range []string{"--- PASS: TestRunFails/answers", "--- FAIL: TestRunFails/balanced",
		"roundrobin does not keep a promise", "sum of squared loads",
		"HOLDFAST_SEED=4 go test -run '^TestRunFails/balanced$' tries it again"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q but\n%s", want, out)
		}
	}
}

func TestNames(t *testing.T) {
	if got := (Valid | Balanced).String(); got != "valid, balanced" {
		t.Error(got)
	}
	for p := Promise(1); p < afterLast; p <<= 1 {
		if p.String() == "" || All&p == 0 {
			t.Errorf("promise %b has no name, or is not in All", p)
		}
	}
	for name, want := range map[string]string{"orders": "orders", "a-b_1": "a-b_1", "": `""`,
		"true": `"true"`, "No": `"No"`, "7": `"7"`, "y": `"y"`, "a b": `"a b"`,
		"a\"\\\n": `"a\"\\\u000a"`} { // order: each name is tried for itself
		if got := quote(name); got != want {
			t.Errorf("%q is written %s, want %s", name, got, want)
		}
	}
	if got := text(Assignment{"B": {"t": {2, 0, 1, 3, 7, 9}}, "A": {"t": {}}}); got != `B: t[0-3,7,9]` {
		t.Error(got)
	}
	if got := text(nil); got != "nothing" {
		t.Error(got)
	}
	b := Broken{Valid, "valid", "seed 3", "nobody gets it", holdfast.Group{}}
	if got := fmt.Sprint(b); got != "valid: seed 3: nobody gets it\ntopics:\n  {}\nmembers:\n  []\n" {
		t.Errorf("%q", got)
	}
}
