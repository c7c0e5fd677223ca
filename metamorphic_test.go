package holdfast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// text is all that a strategy says about a group.
func text(t *testing.T, a Assignor, g Group) string {
	t.Helper()
	plan, err := a.Assign(g)
	if err != nil {
		t.Fatalf("%s: %v\n%s", a.Name(), err, describe(g))
	}
	return reportOf(plan).String()
}

// TestShuffled puts topics, members, subscriptions, claims and partitions into
// other orders, and asks twice for each: the bytes stay the same.
func TestShuffled(t *testing.T) {
	eachSeed(t, 150, 2_000, func(t *testing.T, seed int64) {
		k := makerFor(seed)
		k.members, k.partitions = 9, 9
		g := k.make()
		for _, a := range Strategies() {
			want := text(t, a, g)
			for range 4 {
				other := g
				shuffle(k.rng, &other)
				// Claims may come in one list for a topic or in many.
				other.Members = regroup(k.rng, other.Members)
				if got := text(t, a, other); got != want {
					t.Fatalf("%s\n%s\ngot:\n%s\nwant:\n%s", a.Name(), describe(g), got, want)
				}
			}
		}
	})
}

// regroup puts each member's claims on one topic into one list.
func regroup(rng *rand.Rand, members []Member) []Member {
	members = slices.Clone(members)
	for i := range members {
		var owned []TopicPartitions
		for _, o := range members[i].Owned {
			at := slices.IndexFunc(owned, func(p TopicPartitions) bool { return p.Topic == o.Topic })
			if at < 0 || rng.IntN(4) == 0 {
				owned = append(owned, TopicPartitions{o.Topic, slices.Clone(o.Partitions)})
			} else {
				owned[at].Partitions = append(owned[at].Partitions, o.Partitions...)
			}
		}
		members[i].Owned = owned
	}
	return members
}

// TestUnchangedInput checks that no strategy changes the group that it is given.
func TestUnchangedInput(t *testing.T) {
	eachSeed(t, 100, 2_000, func(t *testing.T, seed int64) {
		g := makerFor(seed).make()
		before := describe(g)
		for _, a := range Strategies() {
			text(t, a, g)
			if after := describe(g); after != before {
				t.Fatalf("%s changed\n%s to\n%s", a.Name(), before, after)
			}
		}
	})
}

// TestConcurrent runs a thousand plans of one group at once, for each strategy:
// all the same, and the race detector has nothing to say. Assignors that keep
// what they work on in a shared place fail this.
func TestConcurrent(t *testing.T) {
	groups := []Group{
		{Topics: []Topic{{Name: "topic", Partitions: 3}},
			Members: []Member{{ID: "m1", Topics: []string{"topic"}}}},
		makerFor(11).make(), makerFor(12).make(),
	}
	for _, a := range Strategies() {
		for _, g := range groups {
			want := text(t, a, g)
			shared, err := a.Assign(g)
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for range 1000 {
				all.Go(func() {
					plan, err := a.Assign(g)
					if err != nil {
						t.Error(err)
						return
					}
					if got := reportOf(plan).String(); got != want {
						t.Errorf("%s: got\n%s\nwant\n%s", a.Name(), got, want)
					}
					if got := reportOf(shared).String(); got != want {
						t.Errorf("%s: a plan that many read: got\n%s\nwant\n%s", a.Name(), got, want)
					}
				})
			}
			all.Wait()
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

// TestRenamed gives everything a new name in the same order: the plan is the same
// under the new names.
func TestRenamed(t *testing.T) {
	eachSeed(t, 200, 5_000, func(t *testing.T, seed int64) {
		k := makerFor(seed)
		g := k.make()
		names := newNames(k.rng, g)
		for _, a := range Strategies() {
			plan, err := a.Assign(g)
			if err != nil {
				t.Fatal(err)
			}
			want := names.report(reportOf(plan)).String()
			if got := text(t, a, names.group(g)); got != want {
				t.Fatalf("%s\n%s\ngot:\n%s\nwant:\n%s", a.Name(), describe(g), got, want)
			}
		}
	})
}

// renaming maps old names to new ones of the same order.
type renaming map[string]string

// newNames finds names of very different lengths and letters for all names of a
// group, racks and instances included.
func newNames(rng *rand.Rand, g Group) renaming {
	var old []string
	for _, t := range g.Topics {
		old = append(old, t.Name)
		for _, racks := range t.Racks {
			old = append(old, racks...)
		}
	}
	for _, m := range slices.Concat(g.Members, g.Departed) {
		old = append(old, m.ID, m.Rack, m.InstanceID)
		old = append(old, m.Topics...)
		for _, o := range m.Owned {
			old = append(old, o.Topic)
		}
	}
	slices.Sort(old)
	old = slices.Compact(old)
	names := renaming{"": ""} // no name stays no name
	for i, name := range old {
		if name != "" {
			tails := []string{"", "é", "\U0001F600", "-0", "zzzzzzzzzzzzzzzz"}
			names[name] = fmt.Sprintf("n%04d%s", i, tails[rng.IntN(len(tails))])
		}
	}
	return names
}

func (n renaming) all(names []string) []string {
	renamed := make([]string, len(names))
	for i, name := range names {
		renamed[i] = n[name]
	}
	return renamed
}

func (n renaming) group(g Group) Group {
	g.Topics = slices.Clone(g.Topics)
	for i := range g.Topics {
		t := &g.Topics[i]
		t.Name, t.Racks = n[t.Name], slices.Clone(t.Racks)
		for p := range t.Racks {
			t.Racks[p] = n.all(t.Racks[p])
		}
	}
	members := func(list []Member) []Member {
		list = slices.Clone(list)
		for i := range list {
			m := &list[i]
			m.ID, m.Rack, m.InstanceID = n[m.ID], n[m.Rack], n[m.InstanceID]
			m.Topics, m.Owned = n.all(m.Topics), slices.Clone(m.Owned)
			for j := range m.Owned {
				m.Owned[j].Topic = n[m.Owned[j].Topic]
			}
		}
		return list
	}
	g.Members, g.Departed = members(g.Members), members(g.Departed)
	return g
}

func (n renaming) held(h held) held {
	renamed := held{}
	for id, topics := range h {
		renamed[n[id]] = map[string][]int32{}
		for topic, partitions := range topics {
			renamed[n[id]][n[topic]] = partitions
		}
	}
	return renamed
}

func (n renaming) report(r report) report {
	r.assignment, r.missing = n.held(r.assignment), n.all(r.missing)
	for i := range r.moves {
		m := &r.moves[i]
		m.Topic, m.From, m.To = n[m.Topic], n[m.From], n[m.To]
	}
	for i := range r.dropped {
		d := &r.dropped[i]
		d.Member, d.Topic = n[d.Member], n[d.Topic]
	}
	for i := range r.unassigned {
		r.unassigned[i].Topic = n[r.unassigned[i].Topic]
	}
	for i := range r.rounds {
		round := &r.rounds[i]
		round.assignment, round.revoked = n.held(round.assignment), n.held(round.revoked)
		for j := range round.withheld {
			w := &round.withheld[j]
			w.Topic, w.From, w.To = n[w.Topic], n.all(w.From), n[w.To]
		}
	}
	return r
}

// TestIdle adds what must not matter: a topic that nobody reads, a topic without
// partitions that everybody reads, a generation that is one later for all.
func TestIdle(t *testing.T) {
	eachSeed(t, 200, 5_000, func(t *testing.T, seed int64) {
		k := makerFor(seed)
		g := k.make()
		for _, a := range Strategies() {
			plan, err := a.Assign(g)
			if err != nil {
				t.Fatal(err)
			}
			want := reportOf(plan)
			with := withIdle(g, k.rng)
			got, err := a.Assign(with)
			if err != nil {
				t.Fatal(err)
			}
			idle := reportOf(got)
			idle.unassigned = slices.DeleteFunc(idle.unassigned,
				func(u TopicPartition) bool { return u.Topic == "a-idle" || u.Topic == "z-idle" })
			if idle.String() != want.String() {
				t.Fatalf("%s\n%s\ngot:\n%s\nwant:\n%s", a.Name(), describe(g), idle, want)
			}
		}
	})
}

func withIdle(g Group, rng *rand.Rand) Group {
	g.Topics = append(slices.Clone(g.Topics), Topic{Name: "a-idle", Partitions: 3},
		Topic{Name: "empty"}, Topic{Name: "z-idle", Partitions: 2})
	later := func(list []Member) []Member {
		list = slices.Clone(list)
		for i := range list {
			m := &list[i]
			switch {
			case m.Generation < 0:
				m.Generation = -1 - rng.Int32N(1000)
			case m.Generation < math.MaxInt32:
				m.Generation++
			}
		}
		return list
	}
	g.Members, g.Departed = later(g.Members), later(g.Departed)
	for i := range g.Members {
		m := &g.Members[i]
		m.Topics = append(slices.Clone(m.Topics), "empty")
	}
	return g
}

// TestSettled gives every plan back to the strategy that made it, as the claims
// of the next generation: nothing moves, and the bytes of the answer are the same.
func TestSettled(t *testing.T) {
	eachSeed(t, 300, 10_000, func(t *testing.T, seed int64) {
		g := makerFor(seed).make()
		for _, a := range Strategies() {
			plan, err := a.Assign(g)
			if err != nil {
				t.Fatal(err)
			}
			next, err := a.Assign(newNaive(g, StickyOptions{}).after(plan.Assignment()))
			if err != nil {
				t.Fatal(err)
			}
			if next.Moved() != 0 || reportOf(next).assignmentText() != reportOf(plan).assignmentText() {
				t.Fatalf("%s\n%s\nplan:\n%s\nnext:\n%s", a.Name(), describe(g), reportOf(plan),
					reportOf(next))
			}
		}
	})
}

func (r report) assignmentText() string {
	return report{assignment: r.assignment}.String()
}
