package holdfast

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// evolve is a group that goes from plan to plan: everybody claims what it had.
type evolve struct {
	*testing.T
	assignor Assignor
	group    Group
	plan     *Plan
}

// step assigns, verifies and hands the claims on.
func (e *evolve) step() {
	e.Helper()
	plan, err := e.assignor.Assign(e.group)
	if err != nil {
		e.Fatal(err)
	}
	if err := plan.Verify(e.group); err != nil {
		e.Fatalf("%s: %v", e.assignor.Name(), err)
	}
	e.plan = plan
	e.group.Members = slices.Clone(e.group.Members)
	for i := range e.group.Members {
		m := &e.group.Members[i]
		m.Owned = nil
		m.Generation++
		for topic, partitions := range plan.TopicsOf(m.ID) {
			m.Owned = append(m.Owned, TopicPartitions{topic, partitions})
		}
	}
}

// leave takes members out by their place.
func (e *evolve) leave(leaves func(place int) bool) {
	var stay []Member
	for place, m := range e.group.Members {
		if !leaves(place) {
			stay = append(stay, m)
		}
	}
	e.group.Members = stay
}

func eachSticky(t *testing.T, test func(e *evolve)) {
	for _, a := range []Assignor{Sticky, CooperativeSticky} {
		t.Run(a.Name(), func(t *testing.T) { test(&evolve{T: t, assignor: a}) })
	}
}

// TestJavaLarge runs the large groups of Kafka's own sticky tests, at a tenth of
// their size unless the long suite runs. Each is assigned twice, and the second
// time nothing moves.
func TestJavaLarge(t *testing.T) {
	scale := 10
	if long() {
		scale = 1
	}
	for name, g := range map[string]Group{
		"uniform":      grid(500/scale, 2000/scale, 2000/scale, 1),
		"one-reads-1":  oneReadsOne(grid(500/scale, 2000/scale, 2000/scale, 1)),
		"two-patterns": halves(grid(100, 200/scale, 500/scale, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			eachSticky(t, func(e *evolve) {
				e.group = g
				e.step()
				e.step()
				if e.plan.Moved() != 0 {
					e.Errorf("%d partitions moved when nothing had changed", e.plan.Moved())
				}
			})
		})
	}
}

// oneReadsOne lets the last member read the first topic alone.
func oneReadsOne(g Group) Group {
	g.Members[len(g.Members)-1].Topics = []string{g.Topics[0].Name}
	return g
}

// halves lets every fourth member read the first half of the topics and the
// others the second.
func halves(g Group) Group {
	names := g.Members[0].Topics
	for m := range g.Members {
		g.Members[m].Topics = names[len(names)/2:]
		if m%4 == 0 {
			g.Members[m].Topics = names[:len(names)/2]
		}
	}
	return g
}

// rising makes topics of first, first+1, .. partitions.
func rising(topics, first int) []Topic {
	list := make([]Topic, topics)
	for i := range list {
		list[i] = Topic{Name: numbered("topic", i), Partitions: first + i}
	}
	return list
}

// TestJavaOneLeaves: member i reads the topics 1 to i, and the tenth leaves; then
// the same with equal subscriptions, where only what the leaver had may move.
func TestJavaOneLeaves(t *testing.T) {
	eachSticky(t, func(e *evolve) {
		e.group.Topics = rising(19, 1)
		for i := range 19 {
			m := Member{ID: numbered("member", i)}
			for _, topic := range e.group.Topics[:i+1] {
				m.Topics = append(m.Topics, topic.Name)
			}
			e.group.Members = append(e.group.Members, m)
		}
		e.step()
		e.leave(func(place int) bool { return place == 9 })
		e.step()
	})
	eachSticky(t, func(e *evolve) {
		e.group = grid(14, 0, 8, 1)
		e.group.Topics = rising(14, 1)
		e.step()
		had := e.plan.Count(e.group.Members[4].ID)
		e.leave(func(place int) bool { return place == 4 })
		e.step()
		if e.plan.Moved() != had || e.plan.Causes().Unowned != had || len(e.plan.Rounds()) > 1 {
			e.Errorf("%d moved, the leaver had %d; %d rounds", e.plan.Moved(), had,
				len(e.plan.Rounds()))
		}
	})
}

// randomTopics lets a member read each topic with one chance in two; it may read
// none.
func randomTopics(rng *rand.Rand, topics []Topic) []string {
	var list []string
	for _, t := range topics {
		if rng.IntN(2) == 0 {
			list = append(list, t.Name)
		}
	}
	return list
}

// TestJavaManyLeave: 40 topics of 1 to 10 partitions, 200 members with random
// subscriptions, a quarter of them leaves.
func TestJavaManyLeave(t *testing.T) {
	eachSeed(t, 2, 40, func(t *testing.T, seed int64) {
		rng := rand.New(rand.NewPCG(uint64(seed), 4))
		g := grid(40, 0, 200, 1)
		for i := range g.Topics {
			g.Topics[i].Partitions = 1 + rng.IntN(10)
		}
		for i := range g.Members {
			g.Members[i].Topics = randomTopics(rng, g.Topics)
		}
		for _, a := range []Assignor{Sticky, CooperativeSticky} {
			e := evolve{T: t, assignor: a, group: g}
			e.step()
			e.leave(func(int) bool { return rng.IntN(4) == 0 })
			e.step()
		}
	})
}

// TestJavaSubscriptionsRedrawn: 10 to 19 topics, 20 to 39 members; everybody
// subscribes anew and claims what it had.
func TestJavaSubscriptionsRedrawn(t *testing.T) {
	eachSeed(t, 10, 100, func(t *testing.T, seed int64) {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		g := grid(0, 0, 20+rng.IntN(20), 1)
		g.Topics = rising(10+rng.IntN(10), 1)
		for _, a := range []Assignor{Sticky, CooperativeSticky} {
			e := evolve{T: t, assignor: a, group: g}
			for range 3 {
				for i := range e.group.Members {
					e.group.Members[i].Topics = randomTopics(rng, e.group.Topics)
				}
				e.step()
			}
		}
	})
}

// TestRacksEverywhere: where every partition has a replica in every rack, racks
// change nothing, and nor do racks that only one side names.
func TestRacksEverywhere(t *testing.T) {
	eachSeed(t, 150, 2_000, func(t *testing.T, seed int64) {
		k := makerFor(seed)
		k.racks = false
		g := k.make()
		ofMembers, ofTopics := g, g
		ofMembers.Members, ofTopics.Topics = slices.Clone(g.Members), slices.Clone(g.Topics)
		for i := range ofMembers.Members {
			ofMembers.Members[i].Rack = fmt.Sprint("rack", i%3)
		}
		for i := range ofTopics.Topics {
			for range ofTopics.Topics[i].Partitions {
				ofTopics.Topics[i].Racks = append(ofTopics.Topics[i].Racks,
					[]string{"rack0", "rack1", "rack2"})
			}
		}
		both := Group{Topics: ofTopics.Topics, Members: ofMembers.Members, Departed: g.Departed}
		for _, a := range Strategies() {
			want := text(t, a, g)
			for name, with := range map[string]Group{"members": ofMembers, "topics": ofTopics,
				"both": both} {
				if got := text(t, a, with); got != want {
					t.Fatalf("%s: racks of %s\n%s\ngot:\n%s\nwant:\n%s", a.Name(), name,
						describe(g), got, want)
				}
			}
		}
	})
}
