package holdfast

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// trace is the group of the worked example: X, Y and Z share nine partitions.
func trace() Group {
	all := []string{"t"}
	return Group{
		Topics: []Topic{{Name: "t", Partitions: 9}},
		Members: []Member{
			{ID: "X", Topics: all, Owned: []TopicPartitions{{"t", []int32{3, 4, 5, 6}}}, Generation: 7},
			{ID: "Y", Topics: all, Owned: []TopicPartitions{{"t", []int32{7, 8}}}, Generation: 7},
			{ID: "Z", Topics: all},
		},
		Departed: []Member{{ID: "W", Owned: []TopicPartitions{{"t", []int32{0, 1, 2}}}}},
	}
}

// rackPair is a group of two members, each in the rack of two partitions.
func rackPair() Group {
	return Group{
		Topics: []Topic{{Name: "t", Partitions: 4, Racks: [][]string{{"a"}, {"b"}, {"a"}, {"b"}}}},
		Members: []Member{
			{ID: "x", Rack: "a", Topics: []string{"t"}},
			{ID: "y", Rack: "b", Topics: []string{"t"}},
		},
	}
}

// TestNewPlanRefuses gives NewPlan assignments that are no division of the group.
func TestNewPlanRefuses(t *testing.T) {
	unread := trace()
	unread.Topics = append(unread.Topics, Topic{Name: "u", Partitions: 2})
	for _, c := range []struct {
		name   string
		group  Group
		give   held
		reason error
		text   string
	}{
		{"one that is not in the group", trace(), held{"Q": {"t": {0}}}, ErrNoMember,
			`no such member: member "Q"`},
		{"one that left", trace(), held{"W": {"t": {0}}}, ErrNoMember,
			`no such member: member "W"`},
		{"a partition behind the last", trace(), held{"X": {"t": {9}}}, ErrNoPartition,
			`no such partition: "t" partition 9: member "X"`},
		{"a negative partition", trace(), held{"X": {"t": {-1}}}, ErrNoPartition,
			`no such partition: "t" partition -1: member "X"`},
		{"the greatest number there is", trace(), held{"X": {"t": {math.MaxInt32}}}, ErrNoPartition,
			`no such partition: "t" partition 2147483647: member "X"`},
		{"a topic that is not there", trace(), held{"X": {"nowhere": {0}}}, ErrNoPartition,
			`no such partition: "nowhere" partition 0: member "X"`},
		{"a topic that the owner does not read", unread, held{"X": {"u": {0}}}, ErrNotSubscribed,
			`owner does not subscribe to the topic: "u" partition 0: member "X"`},
		{"two owners", trace(), held{"X": {"t": {3}}, "Y": {"t": {3}}}, ErrTwoOwners,
			`partition has two owners: "t" partition 3: member "Y": "X" has it too`},
		{"one owner twice", trace(), held{"X": {"t": {3, 4, 3}}}, ErrTwoOwners,
			`partition has two owners: "t" partition 3: member "X": "X" has it too`},
		{"a partition without owner", trace(), held{"X": {"t": {0, 1, 2, 3, 4, 5, 6, 8}}}, ErrNoOwner,
			`partition of a subscribed topic has no owner: "t" partition 7`},
		{"nothing at all", trace(), nil, ErrNoOwner,
			`partition of a subscribed topic has no owner: "t" partition 0`},
	} {
		plan, err := NewPlan(c.group, "sticky", c.give)
		bad := (*PlanError)(nil)
		if !errors.Is(err, c.reason) || !errors.As(err, &bad) || plan != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.reason)
		} else if err.Error() != c.text {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, err, c.text)
		}
	}
	broken := trace()
	broken.Members[0].ID = ""
	if _, err := NewPlan(broken, "sticky", nil); !errors.Is(err, ErrNoName) {
		t.Errorf("a group that cannot be used: %v", err)
	}
}

// TestVerifyJudgesOthers lets Verify find what is wrong with a valid division.
func TestVerifyJudgesOthers(t *testing.T) {
	for _, c := range []struct {
		name     string
		group    Group
		strategy string
		give     held
		reason   error
		text     string
	}{
		{"as sticky has it", trace(), "sticky",
			held{"X": {"t": {3, 4, 5}}, "Y": {"t": {7, 8, 2}}, "Z": {"t": {6, 1, 0}}}, nil, ""},
		{"other ties, as good", trace(), "sticky",
			held{"X": {"t": {4, 5, 6}}, "Y": {"t": {0, 7, 8}}, "Z": {"t": {1, 2, 3}}}, nil, ""},
		{"uneven", trace(), "sticky",
			held{"X": {"t": {3, 4, 5, 6}}, "Y": {"t": {7, 8}}, "Z": {"t": {0, 1, 2}}}, ErrUnbalanced,
			"sum of squared loads is not the least: 29, 27 is possible"},
		{"a member with nothing", trace(), "cooperative-sticky",
			held{"X": {"t": {3, 4, 5, 6}}, "Y": {"t": {0, 1, 2, 7, 8}}}, ErrUnbalanced,
			"sum of squared loads is not the least: 41, 27 is possible"},
		{"one move too many", trace(), "sticky",
			held{"X": {"t": {3, 4, 8}}, "Y": {"t": {5, 7, 2}}, "Z": {"t": {6, 1, 0}}}, ErrTooManyMoves,
			"moves are not the fewest: 3 shed, 1 are enough"},
		{"the same under the other name", trace(), "cooperative-sticky",
			held{"X": {"t": {3, 4, 8}}, "Y": {"t": {5, 7, 2}}, "Z": {"t": {6, 1, 0}}}, ErrTooManyMoves,
			"moves are not the fewest: 3 shed, 1 are enough"},
		{"racks missed", rackPair(), "sticky",
			held{"x": {"t": {0, 1}}, "y": {"t": {2, 3}}}, ErrRackMisses,
			"rack misses are not the fewest: 2, 0 are enough"},
		{"range promises none of this", trace(), "range",
			held{"X": {"t": {3, 4, 5, 6}}, "Y": {"t": {0, 1, 2, 7, 8}}}, nil, ""},
		{"nor does a name that is not ours", rackPair(), "homemade",
			held{"x": {"t": {0, 1, 2, 3}}}, nil, ""},
	} {
		plan, err := NewPlan(c.group, c.strategy, c.give)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		err = plan.Verify(c.group)
		if !errors.Is(err, c.reason) || c.reason == nil && err != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.reason)
		} else if err != nil && err.Error() != c.text {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, err, c.text)
		}
	}
}

// TestVerifyOtherGroup verifies good plans against groups that they were not made
// for.
func TestVerifyOtherGroup(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Group)
		reason error
		text   string
	}{
		{"nothing changed", func(*Group) {}, nil, ""},
		{"a member left", func(g *Group) { g.Members = g.Members[1:] }, ErrNoMember,
			`no such member: member "X"`},
		{"a member came", func(g *Group) {
			g.Members = append(g.Members, Member{ID: "A", Topics: []string{"t"}})
		}, ErrUnbalanced, "sum of squared loads is not the least: 27, 21 is possible"},
		{"the topic is smaller", func(g *Group) { g.Topics[0].Partitions = 8 }, ErrNoPartition,
			`no such partition: "t" partition 8: member "Y"`},
		{"the topic is larger", func(g *Group) { g.Topics[0].Partitions = 10 }, ErrNoOwner,
			`partition of a subscribed topic has no owner: "t" partition 9`},
		{"a member reads it no more", func(g *Group) { g.Members[2].Topics = nil }, ErrNotSubscribed,
			`owner does not subscribe to the topic: "t" partition 0: member "Z"`},
		{"X owned less", func(g *Group) {
			g.Members[0].Owned = []TopicPartitions{{"t", []int32{3, 4, 5}}}
		}, ErrOtherGroup, "plan was made for another group: moves by cause " +
			"{Shed:0 Orphaned:3 Unsubscribed:0 Contested:0 Unowned:1}, the plan says " +
			"{Shed:1 Orphaned:3 Unsubscribed:0 Contested:0 Unowned:0}"},
		{"the group cannot be used", func(g *Group) { g.Members[1].ID = "X" }, ErrTwice,
			`member "X": listed twice`},
	} {
		for _, a := range []Assignor{Sticky, CooperativeSticky} {
			plan, err := a.Assign(trace())
			if err != nil {
				t.Fatal(err)
			}
			g := trace()
			c.change(&g)
			err = plan.Verify(g)
			if !errors.Is(err, c.reason) || c.reason == nil && err != nil {
				t.Errorf("%s: %s: %v, want %v", a.Name(), c.name, err, c.reason)
			} else if err != nil && err.Error() != c.text {
				t.Errorf("%s: %s:\ngot  %s\nwant %s", a.Name(), c.name, err, c.text)
			}
		}
	}
}

// roundCase changes a plan of the trace, or its group, and says what Verify finds.
type roundCase struct {
	name   string
	change func(*Plan, *Group)
	reason error
	text   string
}

// roundCases breaks what rounds promise, one promise at a time. In the order X, Y, Z
// the trace ends 2 2 1 0 0 0 2 1 1, and 6 is withheld.
func roundCases() []roundCase {
	owner := func(r *Round, change func(owner []int32)) {
		owner := slices.Clone(r.owner)
		change(owner)
		r.Division = newDivision(r.problem, owner)
	}
	return []roundCase{
		{"nothing", func(*Plan, *Group) {}, nil, ""},
		{"a live member claims what X keeps", func(_ *Plan, g *Group) {
			g.Members = append(g.Members, Member{ID: "A",
				Owned: []TopicPartitions{{"t", []int32{4}}}, Generation: 7})
		}, ErrUnsafe, `partition is given away while a live member may read it: ` +
			`"t" partition 4: in round 1`},
		{"its claim is older than X's own", func(_ *Plan, g *Group) {
			g.Members = append(g.Members, Member{ID: "A",
				Owned: []TopicPartitions{{"t", []int32{4}}}, Generation: 6})
		}, nil, ""},
		{"round one gives 6 to Z", func(p *Plan, _ *Group) {
			owner(&p.rounds[0], func(o []int32) { o[6] = 2 })
			p.rounds[0].withheld = nil
		}, ErrUnsafe, `partition is given away while a live member may read it: ` +
			`"t" partition 6: in round 1`},
		{"round one withholds what nobody claims", func(p *Plan, _ *Group) {
			owner(&p.rounds[0], func(o []int32) { o[0] = unowned })
			p.rounds[0].withheld = append(p.rounds[0].withheld, withheld{partition: 0, to: 2})
		}, ErrRounds, `cooperative rounds do not lead to the plan: "t" partition 0: in round 1`},
		{"round one forgets a partition", func(p *Plan, _ *Group) {
			owner(&p.rounds[0], func(o []int32) { o[0] = unowned })
		}, ErrNoOwner, `partition of a subscribed topic has no owner: "t" partition 0`},
		{"round one withholds what it gives out", func(p *Plan, _ *Group) {
			p.rounds[0].withheld = append(p.rounds[0].withheld, withheld{partition: 3, to: 1})
		}, ErrTwoOwners, `partition has two owners: "t" partition 3: member "Y": "X" has it too`},
		{"round two moves what round one left", func(p *Plan, _ *Group) {
			owner(&p.rounds[0], func(o []int32) { o[0], o[2] = 1, 2 })
		}, ErrUnsafe, `partition is given away while a live member may read it: ` +
			`"t" partition 0: in round 2`},
		{"round two takes away what round one left", func(p *Plan, _ *Group) {
			owner(&p.rounds[1], func(o []int32) { o[0] = unowned })
			p.rounds[1].withheld = []withheld{{partition: 0, from: []int32{2}, to: 1}}
		}, ErrRounds, `cooperative rounds do not lead to the plan: "t" partition 0: in round 2`},
		{"round two is not the plan", func(p *Plan, _ *Group) {
			owner(&p.rounds[0], func(o []int32) { o[0], o[2] = 1, 2 })
			owner(&p.rounds[1], func(o []int32) { o[0], o[2] = 1, 2 })
		}, ErrRounds, `cooperative rounds do not lead to the plan: "t" partition 0: in round 2`},
		{"there is no round two", func(p *Plan, _ *Group) { p.rounds = p.rounds[:1] },
			ErrRounds, `cooperative rounds do not lead to the plan: "t" partition 6: in round 1`},
		{"three rounds", func(p *Plan, _ *Group) { p.rounds = append(p.rounds, p.rounds[1]) },
			ErrRounds, `cooperative rounds do not lead to the plan: 3 rounds`},
	}
}

// TestVerifyRounds lets Verify find what is wrong with the rounds of a plan.
func TestVerifyRounds(t *testing.T) {
	for _, c := range roundCases() {
		plan, err := CooperativeSticky.Assign(trace())
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.rounds) != 2 {
			t.Fatalf("the trace takes %d rounds", len(plan.rounds))
		}
		g := trace()
		c.change(plan, &g)
		err = plan.Verify(g)
		if !errors.Is(err, c.reason) || c.reason == nil && err != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.reason)
		} else if err != nil && err.Error() != c.text {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, err, c.text)
		}
	}
}

// TestVerifyRandom spoils good plans a little and compares Verify's verdict with
// figures worked out by the slow way.
func TestVerifyRandom(t *testing.T) {
	verdicts := map[error]int{}
	eachSeed(t, 1_500, 50_000, func(t *testing.T, seed int64) {
		k := makerFor(seed)
		g := k.make()
		n := newNaive(g, StickyOptions{})
		best := n.plan()
		plan := maps.Clone(best)
		all := n.all()
		for range k.rng.IntN(4) {
			if len(all) == 0 {
				break
			}
			at := all[k.rng.IntN(len(all))]
			var readers []string
			for _, id := range n.ids() {
				if n.reads(id, at.Topic) {
					readers = append(readers, id)
				}
			}
			if len(readers) > 0 {
				plan[at] = readers[k.rng.IntN(len(readers))]
			}
		}
		want := error(nil)
		switch {
		case n.squares(plan) > n.squares(best):
			want = ErrUnbalanced
		case n.misses(plan) > n.misses(best):
			want = ErrRackMisses
		case n.shed(plan) > n.shed(best):
			want = ErrTooManyMoves
		}
		verdicts[want]++
		judged, err := NewPlan(g, "sticky", n.held(plan))
		if err != nil {
			t.Fatalf("%v\n%s", err, describe(g))
		}
		if err := judged.Verify(g); !errors.Is(err, want) || want == nil && err != nil {
			t.Fatalf("%v, want %v\n%s%v", err, want, describe(g), plan)
		}
	})
	if *seedFlag < 0 && len(verdicts) != 4 {
		t.Fatalf("not every verdict was given: %v", verdicts)
	}
}

// TestGroupError refuses groups, for each reason.
func TestGroupError(t *testing.T) {
	topics := func(list ...Topic) Group { return Group{Topics: list} }
	members := func(list ...Member) Group { return Group{Members: list} }
	for _, c := range []struct {
		group  Group
		reason error
		text   string
	}{
		{topics(Topic{Partitions: 1}), ErrNoName, `topic "": empty name`},
		{members(Member{}), ErrNoName, `member "": empty name`},
		{Group{Departed: []Member{{}}}, ErrNoName, `departed member "": empty name`},
		{topics(Topic{Name: "t"}, Topic{Name: "u"}, Topic{Name: "t"}), ErrTwice,
			`topic "t": listed twice`},
		{members(Member{ID: "m"}, Member{ID: "m"}), ErrTwice, `member "m": listed twice`},
		{Group{Members: []Member{{ID: "m"}}, Departed: []Member{{ID: "m"}}}, ErrTwice,
			`departed member "m": listed twice`},
		{topics(Topic{Name: "t", Partitions: -1}), ErrPartitionCount,
			`topic "t": partition count out of range: -1 is negative`},
		{topics(Topic{Name: "t", Partitions: math.MinInt}), ErrPartitionCount,
			fmt.Sprintf(`topic "t": partition count out of range: %d is negative`, math.MinInt)},
		{topics(Topic{Name: "t", Partitions: MaxPartitions + 1}), ErrPartitionCount,
			`topic "t": partition count out of range: 10000001, with the topics before it, ` +
				`is more than 10000000 in all`},
		{topics(Topic{Name: "t", Partitions: math.MaxInt}), ErrPartitionCount,
			fmt.Sprintf(`topic "t": partition count out of range: %d, with the topics before it, `+
				`is more than 10000000 in all`, math.MaxInt)},
		{topics(Topic{Name: "t", Partitions: MaxPartitions}, Topic{Name: "u", Partitions: 1}),
			ErrPartitionCount, `topic "u": partition count out of range: 1, with the topics ` +
				`before it, is more than 10000000 in all`},
		{topics(Topic{Name: "t", Partitions: 2, Racks: [][]string{{"a"}}}), ErrRackCount,
			`topic "t": racks do not match the partitions: 1 rack lists for 2 partitions`},
		{topics(Topic{Name: "t", Partitions: 1, Weights: []float64{1, 2}}), ErrWeight,
			`topic "t": bad weight: 2 weights for 1 partitions`},
		{topics(Topic{Name: "t", Partitions: 2, Weights: []float64{0, -1}}), ErrWeight,
			`topic "t": bad weight: partition 1 weighs -1`},
		{topics(Topic{Name: "t", Partitions: 1, Weights: []float64{math.NaN()}}), ErrWeight,
			`topic "t": bad weight: partition 0 weighs NaN`},
		{topics(Topic{Name: "t", Partitions: 1, Weights: []float64{math.Inf(1)}}), ErrWeight,
			`topic "t": bad weight: partition 0 weighs +Inf`},
		{members(Member{ID: "m", Capacity: -1}), ErrCapacity, `member "m": bad capacity: -1`},
		{members(Member{ID: "m", Capacity: math.NaN()}), ErrCapacity, `member "m": bad capacity: NaN`},
		{members(Member{ID: "m", Capacity: math.Inf(1)}), ErrCapacity, `member "m": bad capacity: +Inf`},
	} {
		for _, a := range Strategies() {
			plan, err := a.Assign(c.group)
			bad := (*GroupError)(nil)
			if plan != nil || !errors.Is(err, c.reason) || !errors.As(err, &bad) {
				t.Errorf("%s: %v, want %v", a.Name(), err, c.reason)
			} else if err.Error() != c.text {
				t.Errorf("%s:\ngot  %s\nwant %s", a.Name(), err, c.text)
			}
		}
		if err := c.group.Check(); err == nil || err.Error() != c.text {
			t.Errorf("Check: %v, want %s", err, c.text)
		}
	}
}

// TestParseStrategies reads lists as partition.assignment.strategy has them.
func TestParseStrategies(t *testing.T) {
	for list, want := range map[string]string{
		"range":                        "range",
		" sticky , cooperative-sticky": "sticky cooperative-sticky",
		"org.apache.kafka.clients.consumer.RangeAssignor," +
			"org.apache.kafka.clients.consumer.CooperativeStickyAssignor": "range cooperative-sticky",
		"org.apache.kafka.clients.consumer.RoundRobinAssignor": "roundrobin",
		"org.apache.kafka.clients.consumer.StickyAssignor":     "sticky",
		"": "", "Range": "", "range,": "", "range;sticky": "", "rangeassignor": "",
	} {
		found, err := ParseStrategies(list)
		if want == "" {
			if !errors.Is(err, ErrUnknownStrategy) || found != nil {
				t.Errorf("%q: %v, %v", list, found, err)
			}
			continue
		}
		var names []string
		for _, a := range found {
			names = append(names, a.Name())
		}
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%q: %q, %v, want %q", list, names, err, want)
		}
	}
	_, err := ParseStrategies("range, best")
	want := `unknown strategy "best" (known: range, roundrobin, sticky, cooperative-sticky, `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s..", err, want)
	}
}
