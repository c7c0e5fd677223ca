package group

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// voters reads "a:range,sticky b:range" with the names in order of joining.
func voters(lists ...[]string) []Voter {
	var vs []Voter
	for i, list := range lists {
		vs = append(vs, Voter{ID: string(rune('a' + i)), Protocols: list})
	}
	return vs
}

func list(names ...string) []string { return names }

// The field cases fl-22, fl-23 and fl-25: lists that real groups had.
func TestNegotiateFieldCases(t *testing.T) {
	const coop = "cooperative-sticky"
	for _, c := range []struct {
		name     string
		lists    [][]string
		selected string
		refused  string
	}{
		{"fl-22 before", [][]string{{coop, "range"}, {"range"}}, "range", ""},
		{"fl-22 after", [][]string{{coop, "range"}}, coop, ""},
		{"fl-23 605", [][]string{{"range"}, {"range"}, {coop}}, "", "c"},
		{"fl-23 43868", [][]string{{"range"}, {coop}}, "", "b"},
		{"fl-23 208", [][]string{{"RoundRobinAssigner"}, {"roundrobin"}}, "", "b"},
		{"fl-25 before", [][]string{{coop, "range"}, {coop, "range"}}, coop, ""},
		{"fl-25 after", [][]string{{coop, "range"}, {coop, "range"}, {"range"}}, "range", ""},
		{"nothing listed", [][]string{{}}, "", "a"},
		{"case counts", [][]string{{"Range"}, {"range"}}, "", "b"},
	} {
		n := Negotiate(voters(c.lists...))
		if n.Selected != c.selected || n.Refused != c.refused || !n.Determinate {
			t.Errorf("%s: got selected %q refused %q determinate %v, want %q, %q",
				c.name, n.Selected, n.Refused, n.Determinate, c.selected, c.refused)
		}
		if (n.Error == InconsistentGroupProtocol) != (c.refused != "") {
			t.Errorf("%s: error %v", c.name, n.Error)
		}
	}
}

func TestNegotiateTie(t *testing.T) {
	n := Negotiate(voters(list("a", "b", "c"), list("b", "a", "c"), list("c", "b", "a", "x")))
	if n.Determinate || n.Selected != "" || !slices.Equal(n.Candidates, list("a", "b", "c")) {
		t.Errorf("three votes for three names: got %+v", n)
	}
	n = Negotiate(voters(list("a", "b"), list("a", "b"), list("b", "a")))
	if n.Selected != "a" || !slices.Equal(n.Votes, []Tally{{"a", 2}, {"b", 1}}) {
		t.Errorf("two votes against one: got %+v", n)
	}
}

// A member's rebalance protocol is fixed by its own list, and stickiness is lost
// where it is eager while the group runs cooperative-sticky.
func TestNegotiateRebalanceProtocol(t *testing.T) {
	n := Negotiate(voters(list("cooperative-sticky"), list("cooperative-sticky", "range")))
	want := []Ballot{
		{"a", "cooperative-sticky", Cooperative, false},
		{"b", "cooperative-sticky", Eager, true},
	}
	if !slices.Equal(n.Members, want) {
		t.Errorf("got %+v, want %+v", n.Members, want)
	}
}

// twoBounces is the path of KIP-429 for three members, one list changed a step.
func twoBounces() [][]Voter {
	old, both, pure := list("range"), list("cooperative-sticky", "range"), list("cooperative-sticky")
	return [][]Voter{
		voters(old, old, old), voters(both, old, old), voters(both, both, old),
		voters(both, both, both), voters(pure, both, both), voters(pure, pure, both),
		voters(pure, pure, pure),
	}
}

func TestCheckUpgradeTwoBounces(t *testing.T) {
	u := CheckUpgrade(twoBounces())
	if u.Verdict != Safe || len(u.Passages) != 0 {
		t.Errorf("verdict %v (%s), %d passages", u.Verdict, u.Why, len(u.Passages))
	}
	want := list("range", "range", "range", "cooperative-sticky", "cooperative-sticky",
		"cooperative-sticky", "cooperative-sticky")
	for i, n := range u.Steps {
		if n.Selected != want[i] {
			t.Errorf("step %d selects %q, want %q", i+1, n.Selected, want[i])
		}
	}
	// While the lists are mixed, those who still list range lose their stickiness.
	for i, n := range u.Steps {
		if got, want := len(n.losers()), []int{0, 0, 0, 3, 2, 1, 0}[i]; got != want {
			t.Errorf("step %d: %d members lose stickiness, want %d", i+1, got, want)
		}
	}
}

func TestCheckUpgradeOneBounce(t *testing.T) {
	old, pure := list("range"), list("cooperative-sticky")
	u := CheckUpgrade([][]Voter{voters(old, old, old), voters(pure, old, old)})
	if u.Verdict != Unsafe || u.Steps[1].Refused != "a" {
		t.Errorf("the member that was restarted is refused: got %v %q", u.Verdict, u.Steps[1].Refused)
	}
	// Given as one step, the sets in between are the ones that fail.
	u = CheckUpgrade([][]Voter{voters(old, old, old), voters(pure, pure, pure)})
	if u.Verdict != Unsafe || len(u.Passages) != 2 || u.Passages[0].Refused != "a" {
		t.Errorf("got %v, passages %+v", u.Verdict, u.Passages)
	}
	if u.Steps[1].Error != None {
		t.Errorf("the last set on its own is a good one: got %v", u.Steps[1].Error)
	}
}

// A static member that comes back alone with a list that its old entry lacks is
// refused; a dynamic one has left and meets nobody.
func TestCheckUpgradeStaticMemberMeetsItsPast(t *testing.T) {
	for _, instance := range []string{"", "pod-0"} {
		before := []Voter{{ID: "a", InstanceID: instance, Protocols: list("range")}}
		after := []Voter{{ID: "a", InstanceID: instance, Protocols: list("sticky")}}
		want := Safe
		if instance != "" {
			want = Unsafe
		}
		if u := CheckUpgrade([][]Voter{before, after}); u.Verdict != want {
			t.Errorf("instance %q: %v (%s), want %v", instance, u.Verdict, u.Why, want)
		}
	}
}

func TestCheckUpgradeUndetermined(t *testing.T) {
	u := CheckUpgrade([][]Voter{voters(list("a", "b"), list("a", "b")),
		voters(list("b", "a"), list("a", "b"))})
	if u.Verdict != Undetermined {
		t.Errorf("got %v (%s)", u.Verdict, u.Why)
	}
}

func TestSafeSteps(t *testing.T) {
	for _, c := range []struct {
		old   []string
		want  []string
		steps int
	}{
		{list("range"), list("cooperative-sticky"), 3},
		{list("sticky"), list("cooperative-sticky"), 3},
		{list("range", "cooperative-sticky"), list("cooperative-sticky"), 2},
		{list("cooperative-sticky"), list("range"), 3},
		{list("range"), list("range"), 2},
		{list("range"), nil, 0},
	} {
		steps := SafeSteps(voters(c.old, c.old, c.old), c.want)
		if len(steps) != c.steps {
			t.Errorf("%v to %v: %d steps, want %d", c.old, c.want, len(steps), c.steps)
		}
	}
}

// The outcome is checked against the rule written down in the most direct way, on
// random lists: all names that everybody lists, one vote each.
func TestNegotiateAgainstDirectCount(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var vs []Voter
		for i := range 1 + rng.IntN(4) {
			names := list("p", "q", "r", "s")
			rng.Shuffle(4, func(i, j int) { names[i], names[j] = names[j], names[i] })
			vs = append(vs, Voter{ID: fmt.Sprint(i), Protocols: names[:1+rng.IntN(4)]})
		}
		n := Negotiate(vs)
		listedByAll := func(name string, vs []Voter) bool {
			return !slices.ContainsFunc(vs, func(v Voter) bool {
				return !slices.Contains(v.Protocols, name)
			})
		}
		votes := map[string]int{}
		for _, v := range vs {
			for _, name := range v.Protocols {
				if listedByAll(name, vs) {
					votes[name]++
					break
				}
			}
		}
		if len(votes) == 0 {
			if n.Error != InconsistentGroupProtocol {
				t.Errorf("seed %d: %v has nothing in common, got %+v", seed, vs, n)
			}
			continue
		}
		best, winners := 0, 0
		for _, name := range list("p", "q", "r", "s") {
			if votes[name] > best {
				best, winners = votes[name], 0
			}
			if votes[name] == best {
				winners++
			}
		}
		if n.Error != None || n.Determinate != (winners == 1) ||
			n.Determinate && votes[n.Selected] != best {
			t.Errorf("seed %d: %v votes %v, got %+v", seed, vs, votes, n)
		}
	}
}

// With the group given beforehand the first step is a change like any other, and
// the numbers in the reasons are those of the steps given.
func TestCheckUpgradeFrom(t *testing.T) {
	path := twoBounces()
	u := CheckUpgradeFrom(path[0], path[1:])
	if u.Verdict != Safe || len(u.Steps) != len(path)-1 {
		t.Errorf("got %v (%s) with %d steps", u.Verdict, u.Why, len(u.Steps))
	}
	old, pure := list("range"), list("cooperative-sticky")
	u = CheckUpgradeFrom(voters(old, old), [][]Voter{voters(pure, old)})
	want := "in step 1 a is refused with INCONSISTENT_GROUP_PROTOCOL: " +
		"it has no strategy in common with the group"
	if u.Verdict != Unsafe || u.Why != want {
		t.Errorf("got %v (%s), want %s", u.Verdict, u.Why, want)
	}
}
