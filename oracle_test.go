package holdfast

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/holdfast/holdfast/internal/flow/plain"
)

// compare holds a strategy's plan for a group to the slow way's.
func compare(t *testing.T, a Assignor, g Group, want report) *Plan {
	t.Helper()
	plan, err := a.Assign(g)
	if err != nil {
		t.Fatalf("%s: %v\n%s", a.Name(), err, describe(g))
	}
	if got := reportOf(plan); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\n%s\ngot:\n%s\nwant:\n%s", a.Name(), describe(g), got, want)
	}
	if err := plan.Verify(g); err != nil {
		t.Fatalf("%s: Verify: %v\n%s\n%s", a.Name(), err, describe(g), want)
	}
	return plan
}

// describe prints a group for the message of a failure.
func describe(g Group) string {
	text := ""
	for _, t := range g.Topics {
		text += fmt.Sprintf("topic %q %d racks %q\n", t.Name, t.Partitions, t.Racks)
	}
	for _, m := range g.Members {
		text += fmt.Sprintf("member %+v\n", m)
	}
	for _, m := range g.Departed {
		text += fmt.Sprintf("departed %+v\n", m)
	}
	return text
}

// small is one of all small groups: a number names it. Each digit of the number,
// in a base that changes from digit to digit, is one choice.
type small struct{ members, topics, partitions int }

// digits takes choices off a number.
type digits struct{ rest uint64 }

func (d *digits) pick(n int) int {
	choice := d.rest % uint64(n)
	d.rest /= uint64(n)
	return int(choice)
}

// group makes the group of a number: the sizes of the topics, who reads what, and
// for each partition who claims it: nobody, a member, the one who left, or, if
// there are two members, the first two at once. It returns false once the number
// is beyond the last group.
func (s small) group(number uint64) (Group, bool) {
	d := &digits{number}
	var g Group
	for t := range s.topics {
		g.Topics = append(g.Topics, Topic{Name: fmt.Sprintf("t%d", t)})
	}
	for range s.partitions {
		g.Topics[d.pick(s.topics)].Partitions++
	}
	for m := range s.members {
		member := Member{ID: fmt.Sprintf("m%d", m), Generation: 2}
		for t := range s.topics {
			if d.pick(2) == 1 {
				member.Topics = append(member.Topics, g.Topics[t].Name)
			}
		}
		g.Members = append(g.Members, member)
	}
	g.Departed = []Member{{ID: "gone", Generation: 2}}
	owners := append(pointers(g.Members), &g.Departed[0])
	for _, t := range g.Topics {
		for p := range int32(t.Partitions) {
			claim := TopicPartitions{t.Name, []int32{p}}
			switch k := d.pick(len(owners) + min(2, s.members)); {
			case k < len(owners):
				owners[k].Owned = append(owners[k].Owned, claim)
			case k > len(owners):
				owners[0].Owned = append(owners[0].Owned, claim)
				owners[1].Owned = append(owners[1].Owned, claim)
			}
		}
	}
	return g, d.rest == 0
}

func pointers(members []Member) []*Member {
	var list []*Member
	for i := range members {
		list = append(list, &members[i])
	}
	return list
}

// count is the number of groups of this size; groups that differ in the order of
// equal topics alone count more than once.
func (s small) count() uint64 {
	n := uint64(1)
	for range s.partitions {
		n *= uint64(s.topics) * uint64(s.members+1+min(2, s.members))
	}
	return n << (s.members * s.topics)
}

// TestSmallGroups takes the groups of up to 4 members, 3 topics and 4 partitions,
// all of them where they are few enough, else a sample by seed, and compares the
// plan with the best of all divisions there are, and its rounds with the rules.
func TestSmallGroups(t *testing.T) {
	most := uint64(150)
	if long() {
		most = 10_000
	}
	for members := 1; members <= 4; members++ {
		for topics := 1; topics <= 3; topics++ {
			for partitions := 0; partitions <= 4; partitions++ {
				s := small{members, topics, partitions}
				name := fmt.Sprintf("members=%d/topics=%d/partitions=%d", members, topics, partitions)
				t.Run(name, func(t *testing.T) { s.test(t, most) })
			}
		}
	}
}

func (s small) test(t *testing.T, most uint64) {
	total := s.count()
	rng := rand.New(rand.NewPCG(total, 1))
	for k := range min(total, most) {
		number := k
		if total > most {
			number = rng.Uint64N(total)
		}
		if *seedFlag >= 0 {
			number = uint64(*seedFlag)
		}
		g, ok := s.group(number)
		if !ok {
			t.Fatalf("there is no group %d among %d", number, total)
		}
		checkSeed(t, int64(number), func(t *testing.T, _ int64) { checkSmall(t, g) })
	}
	if _, ok := s.group(total); ok {
		t.Fatalf("there are more than %d groups", total)
	}
}

func checkSmall(t *testing.T, g Group) {
	t.Helper()
	n := newNaive(g, StickyOptions{})
	want := naiveReport(g, "sticky", StickyOptions{})
	if best := n.held(n.solve(plain.Enumerate)); !reflect.DeepEqual(want.assignment, best) {
		t.Fatalf("the slow way is wrong\n%s%s%v", describe(g), want, best)
	}
	compare(t, Sticky, g, want)
	compare(t, CooperativeSticky, g, naiveReport(g, "cooperative-sticky", StickyOptions{}))
}

// TestRandomGroups compares every strategy with the slow way on random groups:
// equal and unequal subscriptions, generations, claims made twice, members that
// left, racks.
func TestRandomGroups(t *testing.T) {
	eachSeed(t, 2_000, 100_000, func(t *testing.T, seed int64) {
		k := makerFor(seed)
		g := k.make()
		var o StickyOptions
		if k.chance(20) {
			o = StickyOptions{IgnoreRacks: k.chance(30), LeaderRackOnly: k.chance(50),
				Spread: k.chance(30)}
		}
		checkReaders(t, &compare(t, NewSticky(o), g, naiveReport(g, "sticky", o)).Division)
		plan := compare(t, NewCooperativeSticky(o), g, naiveReport(g, "cooperative-sticky", o))
		for i := range plan.Rounds() {
			checkReaders(t, &plan.Rounds()[i].Division)
		}
		compare(t, RoundRobin, g, naiveReport(g, "roundrobin", StickyOptions{}))
		if !newNaive(g, StickyOptions{}).racked() {
			compare(t, Range, g, naiveReport(g, "range", StickyOptions{}))
		}
	})
}

// TestRandomEqualGroups takes larger groups of equal subscriptions, whose answer
// is the recipe.
func TestRandomEqualGroups(t *testing.T) {
	eachSeed(t, 300, 10_000, func(t *testing.T, seed int64) {
		k := makerFor(seed)
		k.members, k.topics, k.partitions, k.racks, k.equal = 12, 5, 15, false, true
		g := k.make()
		compare(t, Sticky, g, naiveReport(g, "sticky", StickyOptions{}))
		compare(t, CooperativeSticky, g, naiveReport(g, "cooperative-sticky", StickyOptions{}))
	})
}

// TestRandomEnumerated compares groups with racks, which have more ranks, with
// all divisions there are, where these are few.
func TestRandomEnumerated(t *testing.T) {
	compared := 0
	eachSeed(t, 1_500, 50_000, func(t *testing.T, seed int64) {
		k := makerFor(seed)
		k.members, k.partitions = 4, 3
		g := k.make()
		o := StickyOptions{LeaderRackOnly: k.chance(20), Spread: k.chance(40)}
		n := newNaive(g, o)
		if len(n.all()) > 7 {
			return
		}
		compared++
		plan, err := NewSticky(o).Assign(g)
		if err != nil {
			t.Fatal(err)
		}
		if want := n.held(n.solve(plain.Enumerate)); !reflect.DeepEqual(plan.Assignment(), want) {
			t.Fatalf("%s\ngot  %v\nwant %v", describe(g), plan.Assignment(), want)
		}
	})
	if compared == 0 {
		t.Fatal("every group was too large")
	}
}

// TestCooperativeRounds follows random groups through the protocol round by
// round, with what each member really holds: what it claimed, until it is told
// otherwise.
func TestCooperativeRounds(t *testing.T) {
	two, barred := 0, 0
	eachSeed(t, 3_000, 100_000, func(t *testing.T, seed int64) {
		k := makerFor(seed)
		g := k.make()
		plan, err := CooperativeSticky.Assign(g)
		if err != nil {
			t.Fatal(err)
		}
		f := follower{T: t, group: g, naive: newNaive(g, StickyOptions{})}
		f.follow(plan)
		if len(plan.Rounds()) == 2 {
			two++
		}
		if f.barred > 0 {
			barred++
		}
	})
	if *seedFlag < 0 && (two == 0 || barred == 0) {
		t.Fatalf("%d plans of two rounds, %d with an owner that lost its own", two, barred)
	}
}

// follower takes one group to the end of its rebalance.
type follower struct {
	*testing.T
	group  Group
	naive  *naive
	barred int // partitions that round one withholds from the owner itself
}

func (f *follower) follow(plan *Plan) {
	f.Helper()
	rounds := plan.Rounds()
	if len(rounds) < 1 || len(rounds) > 2 {
		f.Fatalf("%d rounds\n%s", len(rounds), describe(f.group))
	}
	f.handOver(rounds[0].Assignment())
	last := rounds[0].Assignment()
	if len(rounds) == 2 {
		if len(rounds[0].Withheld()) == 0 {
			f.Fatalf("two rounds and nothing withheld\n%s", describe(f.group))
		}
		f.kept(rounds[0].Assignment(), rounds[1].Assignment())
		if len(rounds[1].Withheld())+len(rounds[1].Revoked()) > 0 {
			f.Fatalf("round two takes something away\n%s", describe(f.group))
		}
		last = rounds[1].Assignment()
	}
	if !reflect.DeepEqual(plan.Assignment(), last) {
		f.Fatalf("the last round is not the plan\n%s", describe(f.group))
	}
	f.sameAsSticky(plan)
	f.again(last)
}

// handOver checks that round one gives nobody what another member may be reading.
func (f *follower) handOver(given held) {
	f.Helper()
	for to, topics := range given {
		for topic, partitions := range topics {
			for _, p := range partitions {
				at := TopicPartition{topic, p}
				for from, m := range f.naive.members {
					owner := f.naive.members[to]
					if from != to && m.claims(at) && (!owner.claims(at) ||
						naiveGeneration(owner) <= naiveGeneration(m)) {
						f.Fatalf("%v goes to %s while %s reads it\n%s", at, to, from, describe(f.group))
					}
				}
			}
		}
	}
}

// kept checks that round two leaves everybody what round one gave.
func (f *follower) kept(first, second held) {
	f.Helper()
	for id, topics := range first {
		for topic, partitions := range topics {
			for _, p := range partitions {
				if !slices.Contains(second[id][topic], p) {
					f.Fatalf("%s loses %s-%d in round two\n%s", id, topic, p, describe(f.group))
				}
			}
		}
	}
}

// sameAsSticky compares the end with the plan of sticky. Only where an owner that
// keeps a partition in it must let go of it all the same, because another live
// member that does not subscribe claims it at no older generation, may it be lost.
func (f *follower) sameAsSticky(plan *Plan) {
	f.Helper()
	sticky, err := Sticky.Assign(f.group)
	if err != nil {
		f.Fatal(err)
	}
	for _, w := range plan.Rounds()[0].Withheld() {
		if f.naive.owner[TopicPartition{w.Topic, w.Partition}] == w.To {
			f.barred++
		}
	}
	lost := sticky.Kept() - plan.Kept()
	if lost < 0 || lost > f.barred || plan.Balance() != sticky.Balance() ||
		plan.RackMisses() != sticky.RackMisses() {
		f.Fatalf("sticky\n%s\ncooperative\n%s\n%s", reportOf(sticky), reportOf(plan),
			describe(f.group))
	}
}

// again lets everybody join once more with what it has now.
func (f *follower) again(has held) {
	f.Helper()
	plan, err := CooperativeSticky.Assign(f.naive.after(has))
	if err != nil {
		f.Fatal(err)
	}
	if len(plan.Rounds()) != 1 || plan.Moved() != 0 || !reflect.DeepEqual(plan.Assignment(), has) {
		f.Fatalf("one more round changes something\n%s\n%s", describe(f.group), reportOf(plan))
	}
}
