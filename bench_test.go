package holdfast

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/holdfast/holdfast/internal/flow"
)

// load is a group to measure with: its size, who reads what, and what happened
// since everybody had a balanced share.
type load struct {
	members, topics, partitions int
	subs                        string // equal, patterns (20 of them), half (each topic by chance)
	event                       string // fresh, none, join, leave, join10, leave10
}

func (l load) String() string {
	return fmt.Sprintf("subs=%s/members=%d/topics=%d/partitions=%d/event=%s",
		l.subs, l.members, l.topics, l.partitions, l.event)
}

// group makes the group. Members that have just joined claim nothing, and
// partitions of those who left are claimed by nobody.
func (l load) group(tb testing.TB) Group {
	tb.Helper()
	g := grid(l.topics, l.partitions/l.topics, l.members, 1)
	rng := rand.New(rand.NewPCG(1, 7))
	patterns := len(g.Members)
	if l.subs == "patterns" {
		patterns = 20
	}
	if l.subs != "equal" {
		for m := range g.Members {
			g.Members[m].Topics = g.Members[m%patterns].Topics
			if m < patterns {
				g.Members[m].Topics = randomTopics(rng, g.Topics)
			}
		}
	}
	if l.event == "fresh" {
		return g
	}
	tenth := max(1, l.members/10)
	before := g
	switch l.event {
	case "join":
		before.Members = g.Members[:l.members-1]
	case "join10":
		before.Members = g.Members[:l.members-tenth]
	}
	plan, err := Sticky.Assign(before)
	if err != nil {
		tb.Fatal(err)
	}
	for m := range g.Members {
		for topic, partitions := range plan.TopicsOf(g.Members[m].ID) {
			g.Members[m].Owned = append(g.Members[m].Owned, TopicPartitions{topic, partitions})
		}
	}
	switch l.event {
	case "leave":
		g.Members = g.Members[1:]
	case "leave10":
		g.Members = g.Members[tenth:]
	}
	return g
}

// equalLoads are the groups in which everybody reads everything.
func equalLoads() []load {
	var all []load
	for _, size := range [][3]int{{100, 10, 1_000}, {1_000, 100, 10_000}, {10_000, 1_000, 1_000_000}} {
		for _, event := range []string{"fresh", "none", "join", "leave", "join10", "leave10"} {
			all = append(all, load{size[0], size[1], size[2], "equal", event})
		}
	}
	return all
}

// unequalLoads are the others.
func unequalLoads() []load {
	var all []load
	for _, event := range []string{"fresh", "none", "join", "leave", "join10", "leave10"} {
		all = append(all,
			load{200, 100, 1_000, "half", event},
			load{1_000, 1_000, 20_000, "half", event},
			load{10_000, 1_000, 100_000, "patterns", event})
	}
	return all
}

// BenchmarkAssign measures the whole public call: names and claims in, a Plan out.
func BenchmarkAssign(b *testing.B) {
	for _, a := range []Assignor{Range, RoundRobin, Sticky, CooperativeSticky} {
		for _, l := range append(equalLoads(), unequalLoads()...) {
			b.Run(fmt.Sprintf("strategy=%s/%v", a.Name(), l), func(b *testing.B) {
				g := l.group(b)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := a.Assign(g); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkPlan measures the engine alone: the problem in numbers in, the flat
// list of owners out.
func BenchmarkPlan(b *testing.B) {
	for _, l := range append(equalLoads(), unequalLoads()...) {
		b.Run(l.String(), func(b *testing.B) {
			g := l.group(b)
			p, err := newProblem(&g)
			if err != nil {
				b.Fatal(err)
			}
			problem := p.flow(StickyOptions{})
			b.ReportAllocs()
			for b.Loop() {
				flow.Solve(problem)
			}
		})
	}
}

// BenchmarkAnswer measures the ways to read a plan.
func BenchmarkAnswer(b *testing.B) {
	l := load{10_000, 1_000, 1_000_000, "equal", "join"}
	g := l.group(b)
	plan, err := Sticky.Assign(g)
	if err != nil {
		b.Fatal(err)
	}
	ids := plan.Members()
	for way, read := range map[string]func(){
		"assignment": func() { plan.Assignment() },
		"topicsof": func() {
			for _, id := range ids {
				for range plan.TopicsOf(id) {
				}
			}
		},
		"moves":   func() { plan.Moves() },
		"balance": func() { plan.Balance() },
	} {
		b.Run(fmt.Sprintf("way=%s/%v", way, l), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
		})
	}
}

// BenchmarkVerify measures the judgement of a plan.
func BenchmarkVerify(b *testing.B) {
	for _, l := range []load{
		{1_000, 100, 10_000, "equal", "join"},
		{200, 100, 1_000, "half", "join"},
	} {
		b.Run(l.String(), func(b *testing.B) {
			g := l.group(b)
			plan, err := CooperativeSticky.Assign(g)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := plan.Verify(g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
