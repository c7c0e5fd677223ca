package holdfast

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostileNames are names that no client should send and some do, ascending byte
// by byte.
var hostileNames = []string{
	"\x00", "\x00\x00", "\x1b[31mred\x1b[0m", " ", "\"", "%s%n", "../../etc/passwd", "-0", "a\nb",
	"a\r\nb: c", strings.Repeat("a", 64<<10), strings.Repeat("a", 64<<10) + "b", "t-0", "t-0-0",
	"{\"id\": 1}", "\u00a0", "\u202eright to left", "\uffee", "\U00010000", "\U0010ffff", "\x80",
	"\xc0\xaf", "\xff", "\xff\xfe",
}

// TestHostileNames uses them as ids, topics, racks and instances. They are names
// like others: ordered byte by byte, told apart, handed back as they came.
func TestHostileNames(t *testing.T) {
	sorted := slices.Clone(hostileNames)
	slices.Sort(sorted)
	if sorted = slices.Compact(sorted); len(sorted) != len(hostileNames) {
		t.Fatal("a name is listed twice")
	}
	for _, a := range Strategies() {
		var g Group
		for i, name := range hostileNames {
			g.Topics = append(g.Topics, Topic{Name: name, Partitions: 1, Racks: [][]string{{name}}})
			g.Members = append(g.Members, Member{ID: name, Rack: name, InstanceID: name,
				Topics: hostileNames, Generation: 1,
				Owned: []TopicPartitions{{hostileNames[i], []int32{0}}}})
		}
		plan, err := a.Assign(g)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Members(), sorted) {
			t.Errorf("%s: members are not in the order of their bytes", a.Name())
		}
		if err := plan.Verify(g); err != nil {
			t.Errorf("%s: %v", a.Name(), err)
		}
		checkReaders(t, &plan.Division)
		count := 0
		for _, id := range hostileNames {
			count += plan.Count(id)
		}
		if count != len(hostileNames) {
			t.Errorf("%s: %d partitions are assigned", a.Name(), count)
		}
		if strings.HasSuffix(a.Name(), "sticky") && plan.Kept() != len(hostileNames) {
			t.Errorf("%s: kept %d of %d", a.Name(), plan.Kept(), len(hostileNames))
		}
	}
}

// TestHostileErrors checks that an error about such a name is one line of text
// that a terminal can print.
func TestHostileErrors(t *testing.T) {
	for _, name := range hostileNames {
		err := Group{Members: []Member{{ID: name}, {ID: name}}}.Check()
		if err == nil {
			t.Fatalf("%q may be in a group twice", name)
		}
		_, other := ParseStrategies(name + "x")
		bad := (*GroupError)(nil)
		if !errors.As(err, &bad) || bad.Name != name {
			t.Errorf("the error does not carry %q", name)
		}
		plan := &PlanError{Reason: ErrNoPartition, Topic: name, Member: name}
		for _, text := range []string{err.Error(), other.Error(), plan.Error()} {
			for _, r := range text {
				if r < ' ' || r == 0x7f || r == '\u202e' || r == '\ufffd' {
					t.Fatalf("%q is in the text of an error", r)
				}
			}
		}
	}
}

// TestBeyondUFFFF orders names by their bytes where Java orders them by UTF-16
// units: there U+10000 comes before U+FFEE.
func TestBeyondUFFFF(t *testing.T) {
	g := Group{
		Topics: []Topic{{Name: "t", Partitions: 1}},
		Members: []Member{
			{ID: "\U00010000", Topics: []string{"t"}},
			{ID: "\uffee", Topics: []string{"t"}},
		},
	}
	for _, a := range Strategies() {
		plan, err := a.Assign(g)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Count("\uffee") != 1 {
			t.Errorf("%s: U+FFEE has %d partitions", a.Name(), plan.Count("\uffee"))
		}
	}
}

// TestEdgeClaims claims partitions at the ends of int32.
func TestEdgeClaims(t *testing.T) {
	edges := []int32{math.MinInt32, -1, 1, math.MaxInt32 - 1, math.MaxInt32}
	g := Group{
		Topics: []Topic{{Name: "s", Partitions: 1}, {Name: "t", Partitions: 1}, {Name: "u"}},
		Members: []Member{
			{ID: "a", Topics: []string{"s", "t", "u"}, Generation: math.MinInt32,
				Owned: []TopicPartitions{{"t", edges}, {"u", edges}, {"t", []int32{0}}}},
			{ID: "b", Topics: []string{"t"}, Generation: math.MaxInt32,
				Owned: []TopicPartitions{{"s", edges}}},
		},
		Departed: []Member{{ID: "c", Owned: []TopicPartitions{{"t", edges}}}},
	}
	want := []DroppedClaim{}
	for _, claim := range []struct{ id, topic string }{
		{"a", "t"}, {"a", "u"}, {"b", "s"}, {"c", "t"},
	} {
		for _, p := range edges {
			want = append(want, DroppedClaim{claim.id, claim.topic, p, NoSuchPartition})
		}
	}
	for _, a := range Strategies() {
		plan, err := a.Assign(g)
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.DroppedClaims(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: dropped %v, want %v", a.Name(), got, want)
		}
		if plan.Moved()+plan.Kept() != 2 {
			t.Errorf("%s: moved %d, kept %d", a.Name(), plan.Moved(), plan.Kept())
		}
	}
}

// TestMostPartitions assigns as many partitions as there may be, in one topic and
// in ten thousand, to equal and to unequal subscriptions. Nothing hangs.
func TestMostPartitions(t *testing.T) {
	shapes := []struct{ topics, members, patterns int }{{1, 3, 1}, {10_000, 1_000, 1}}
	if long() {
		shapes = append(shapes, struct{ topics, members, patterns int }{1_000, 1_000, 7})
	}
	for _, shape := range shapes {
		g := grid(shape.topics, MaxPartitions/shape.topics, shape.members, shape.patterns)
		for _, a := range []Assignor{Range, RoundRobin, Sticky, CooperativeSticky} {
			begin := time.Now()
			plan, err := a.Assign(g)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v %s: %v", shape, a.Name(), time.Since(begin).Round(time.Millisecond))
			if plan.Moved() != MaxPartitions || len(plan.Unassigned()) != 0 {
				t.Fatalf("%v %s: %d moved", shape, a.Name(), plan.Moved())
			}
			owners := plan.Owners()
			if len(owners) != MaxPartitions || owners[MaxPartitions-1] < 0 {
				t.Fatalf("%v %s: %d owners", shape, a.Name(), len(owners))
			}
		}
	}
}

// grid is a group of topics of equal size. With one pattern everybody reads all
// of them; with more, member m leaves out the topics t with t+m divisible by the
// number of patterns.
func grid(topics, partitions, members, patterns int) Group {
	g := Group{Topics: make([]Topic, topics), Members: make([]Member, members)}
	for t := range g.Topics {
		g.Topics[t] = Topic{Name: numbered("topic", t), Partitions: partitions}
	}
	lists := make([][]string, patterns)
	for k := range lists {
		for t := range g.Topics {
			if patterns == 1 || (t+k)%patterns != 0 {
				lists[k] = append(lists[k], g.Topics[t].Name)
			}
		}
	}
	for m := range g.Members {
		g.Members[m] = Member{ID: numbered("member", m), Topics: lists[m%patterns], Generation: 1}
	}
	return g
}

// numbered makes a name whose order is that of its number, up to a million.
func numbered(name string, number int) string {
	digits := []byte("-000000")
	for i := len(digits) - 1; number > 0; i-- {
		digits[i] += byte(number % 10)
		number /= 10
	}
	return name + string(digits)
}
