package holdfast

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// weightedGroup is 8 partitions, one of them hot, for two members.
func weightedGroup() Group {
	return Group{
		Topics: []Topic{{Name: "t", Partitions: 8,
			Weights: []float64{90, 10, 10, 10, 10, 10, 10, 30}}},
		Members: []Member{
			{ID: "a", Topics: []string{"t"}, Generation: 1,
				Owned: []TopicPartitions{{"t", []int32{0, 1, 2, 3}}}},
			{ID: "b", Topics: []string{"t"}, Generation: 1,
				Owned: []TopicPartitions{{"t", []int32{4, 5, 6, 7}}}},
		},
	}
}

func TestWeightedBalancesLoadNotCounts(t *testing.T) {
	plan, err := Weighted.Assign(weightedGroup())
	if err != nil {
		t.Fatal(err)
	}
	load := plan.Load()
	if load.Heaviest != 90 || load.LowerBound != 90 || !load.Exact || load.Gap() != 0 {
		t.Errorf("load %+v, want 90 for both members, exact", load)
	}
	if plan.Moved() != 3 || plan.LeastMoves() != 3 || plan.Strategy() != "weighted" {
		t.Errorf("moved %d, least %d, strategy %s; want 3, 3, weighted",
			plan.Moved(), plan.LeastMoves(), plan.Strategy())
	}
	if err := plan.Verify(weightedGroup()); err != nil {
		t.Error(err)
	}
}

func TestWeightedSkewSavesMoves(t *testing.T) {
	for _, c := range []struct {
		skew     float64
		moved    int
		heaviest float64
	}{{0, 3, 90}, {0.12, 2, 100}, {0.23, 1, 110}, {0.34, 0, 120}} {
		plan, err := NewWeighted(WeightedOptions{MaxSkew: c.skew}).Assign(weightedGroup())
		if err != nil {
			t.Fatal(err)
		}
		if load := plan.Load(); plan.Moved() != c.moved || load.Heaviest != c.heaviest {
			t.Errorf("skew %v: moved %d, heaviest %v; want %d, %v", c.skew, plan.Moved(),
				load.Heaviest, c.moved, c.heaviest)
		}
	}
}

func TestWeightedCapacity(t *testing.T) {
	g := Group{Topics: []Topic{{Name: "t", Partitions: 9}}, Members: []Member{
		{ID: "large", Topics: []string{"t"}, Capacity: 2},
		{ID: "small", Topics: []string{"t"}},
	}}
	plan, err := Weighted.Assign(g)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Count("large") != 6 || plan.Count("small") != 3 || plan.Load().Heaviest != 3 {
		t.Errorf("large %d, small %d, load %+v", plan.Count("large"), plan.Count("small"), plan.Load())
	}
}

// TestLoadOfOtherStrategies measures a plan that looked at no weights, and one
// of a group without any.
func TestLoadOfOtherStrategies(t *testing.T) {
	plan, err := Sticky.Assign(weightedGroup())
	if err != nil {
		t.Fatal(err)
	}
	want := Load{Heaviest: 120, LowerBound: 90, Members: map[string]float64{"a": 120, "b": 60}}
	if got := plan.Load(); !reflect.DeepEqual(got, want) || math.Abs(got.Gap()-1.0/3) > 1e-12 {
		t.Errorf("load %+v, gap %v, want %+v", got, got.Gap(), want)
	}
	if plan.Load().Exact {
		t.Error("a bound alone is not exact")
	}
}

// TestWeightedIsAFunctionOfItsInput shuffles topics, members and claims.
func TestWeightedIsAFunctionOfItsInput(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := Group{}
		for k := range 1 + rng.IntN(5) {
			topic := Topic{Name: fmt.Sprint("t", k), Partitions: rng.IntN(30)}
			for range topic.Partitions {
				topic.Weights = append(topic.Weights, math.Exp(4*rng.Float64()))
			}
			g.Topics = append(g.Topics, topic)
		}
		for k := range 1 + rng.IntN(9) {
			m := Member{ID: fmt.Sprint("m", k), Capacity: float64(1 + rng.IntN(3))}
			for _, topic := range g.Topics {
				if rng.IntN(3) > 0 {
					m.Topics = append(m.Topics, topic.Name)
				}
				if topic.Partitions > 0 {
					claim := []int32{int32(rng.IntN(topic.Partitions))}
					m.Owned = append(m.Owned, TopicPartitions{topic.Name, claim})
				}
			}
			g.Members = append(g.Members, m)
		}
		first, err := Weighted.Assign(g)
		if err != nil {
			t.Fatal(err)
		}
		rng.Shuffle(len(g.Topics), func(i, j int) {
			g.Topics[i], g.Topics[j] = g.Topics[j], g.Topics[i]
		})
		rng.Shuffle(len(g.Members), func(i, j int) {
			g.Members[i], g.Members[j] = g.Members[j], g.Members[i]
		})
		for _, m := range g.Members {
			slices.Reverse(m.Owned)
			slices.Reverse(m.Topics)
		}
		second, err := Weighted.Assign(g)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(first.Owners(), second.Owners()) {
			t.Fatalf("seed %d: the order of the input shows; rerun: go test . -run '%s'",
				seed, t.Name())
		}
	}
}

func ExampleWeighted() {
	plan, err := Weighted.Assign(Group{
		Topics: []Topic{{Name: "orders", Partitions: 4, Weights: []float64{900, 300, 300, 300}}},
		Members: []Member{
			{ID: "a", Topics: []string{"orders"}},
			{ID: "b", Topics: []string{"orders"}},
		},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(plan.Of("a"), plan.Of("b"))
	fmt.Println("heaviest", plan.Load().Heaviest, "at best", plan.Load().LowerBound)
	// Output:
	// map[orders:[0]] map[orders:[1 2 3]]
	// heaviest 900 at best 900
}

// TestWeightedExtremes: at the ends of what a group may have, every figure is
// still a number; beyond them the group is refused.
func TestWeightedExtremes(t *testing.T) {
	group := func(weight, capacity float64) Group {
		return Group{
			Topics: []Topic{{Name: "t", Partitions: 3, Weights: []float64{weight, weight, weight}}},
			Members: []Member{{ID: "a", Topics: []string{"t"}, Capacity: capacity},
				{ID: "b", Topics: []string{"t"}}},
		}
	}
	for _, capacity := range []float64{MaxWeight, 1 / MaxWeight} {
		plan, err := Weighted.Assign(group(MaxWeight, capacity))
		if err != nil {
			t.Fatal(err)
		}
		if load := plan.Load(); !(load.Gap() >= 0 && load.Gap() < 1) || math.IsInf(load.Heaviest, 0) ||
			load.LowerBound > load.Heaviest {
			t.Errorf("capacity %v: load %+v, gap %v", capacity, load, load.Gap())
		}
	}
	for _, c := range []struct {
		weight, capacity float64
		want             error
	}{
		{2 * MaxWeight, 1, ErrWeight}, {math.NaN(), 1, ErrWeight},
		{1, 2 * MaxWeight, ErrCapacity}, {1, 0.5 / MaxWeight, ErrCapacity}, {1, math.NaN(), ErrCapacity},
	} {
		if _, err := Weighted.Assign(group(c.weight, c.capacity)); !errors.Is(err, c.want) {
			t.Errorf("weight %v, capacity %v: %v, want %v", c.weight, c.capacity, err, c.want)
		}
	}
}
