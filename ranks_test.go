package holdfast

import (
	"errors"
	"reflect"
	"testing"
)

// skewed is two topics that are balanced in total and lopsided each, and a third
// member that has just joined.
func skewed(rack string) Group {
	topics := []string{"a", "b"}
	racks := [][]string{{"x"}, {"y"}, {"x"}, {"y"}, {"x"}, {"y"}}
	return Group{
		Topics: []Topic{{Name: "a", Partitions: 6, Racks: racks}, {Name: "b", Partitions: 6}},
		Members: []Member{
			{ID: "m", Topics: topics, Rack: rack,
				Owned: []TopicPartitions{{"a", []int32{0, 1, 2, 3, 4, 5}}}},
			{ID: "n", Topics: topics, Owned: []TopicPartitions{{"b", []int32{0, 1, 2, 3, 4, 5}}}},
			{ID: "o", Topics: topics},
		},
	}
}

func TestRanks(t *testing.T) {
	assign := func(a Assignor, g Group) *Plan {
		plan, err := a.Assign(g)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	for _, c := range []struct {
		name string
		plan *Plan
		want []Rank
	}{
		{"sticky", assign(Sticky, skewed("")), []Rank{{"balance", 48, 48, true}, {"moves", 4, 4, true}}},
		// What stays, 4 of one topic at each of m and n, is fixed; o has 2 and 2.
		{"spread", assign(NewSticky(StickyOptions{Spread: true}), skewed("")), []Rank{
			{"balance", 48, 48, true}, {"moves", 4, 4, true}, {"spread", 40, 40, true}}},
		{"range", assign(Range, skewed("")), []Rank{{"balance", 48, 48, true}, {"moves", 8, 4, true}}},
		// m is in rack x: four partitions of a are 0, 2, 4 and one miss, or it takes
		// one of b, whose racks nobody knows, for one more move.
		{"racks", assign(Sticky, skewed("x")), []Rank{{"balance", 48, 48, true},
			{"rack_misses", 0, 0, true}, {"moves", 5, 5, true}}},
		{"racks ignored", assign(NewSticky(StickyOptions{IgnoreRacks: true}), skewed("x")),
			[]Rank{{"balance", 48, 48, true}, {"moves", 4, 4, true}}},
	} {
		if got := c.plan.Ranks(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: ranks %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestBetter asks of plans that are not the best in one rank each.
func TestBetter(t *testing.T) {
	group := skewed("x")
	division := func(m, n, o map[string][]int32) *Plan {
		plan, err := NewPlan(group, "theirs", map[string]map[string][]int32{"m": m, "n": n, "o": o})
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	for _, c := range []struct {
		plan *Plan
		want error
		text string
	}{
		{division(map[string][]int32{"a": {0, 2, 4}, "b": {5}}, map[string][]int32{"b": {0, 1, 2, 3, 4}},
			map[string][]int32{"a": {1, 3, 5}}), ErrUnbalanced,
			"sum of squared loads is not the least: 50, 48 is possible"},
		{division(map[string][]int32{"a": {0, 1, 2, 4}}, map[string][]int32{"b": {0, 1, 2, 3}},
			map[string][]int32{"a": {3, 5}, "b": {4, 5}}), ErrRackMisses,
			"rack misses are not the fewest: 1, 0 are enough"},
		{division(map[string][]int32{"a": {0, 2}, "b": {4, 5}}, map[string][]int32{"b": {0, 1, 2, 3}},
			map[string][]int32{"a": {1, 3, 4, 5}}), ErrTooManyMoves,
			"moves are not the fewest: 6 shed, 5 are enough"},
	} {
		better, err := c.plan.Better()
		if !errors.Is(err, c.want) || err.Error() != c.text {
			t.Errorf("%v, want %q", err, c.text)
			continue
		}
		if again, err := better.Better(); again != nil || err != nil {
			t.Errorf("the better plan %v is not the best: %v", better.Assignment(), err)
		}
	}
}
