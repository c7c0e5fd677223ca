package assigntest_test

import (
	"cmp"
	"errors"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/assigntest"
)

// assign is how the faulty assignors begin.
func assign(a holdfast.Assignor, g holdfast.Group) assigntest.Assignment {
	plan, err := a.Assign(g)
	if err != nil {
		panic(err)
	}
	return plan.Now().Assignment()
}

// takeTurns gives partitions to their readers in turn, members in the order given.
func takeTurns(g holdfast.Group, order []holdfast.Member) assigntest.Assignment {
	answer, next := assigntest.Assignment{}, 0
	topics := slices.Clone(g.Topics)
	slices.SortFunc(topics, func(a, b holdfast.Topic) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range topics {
		for n := range int32(t.Partitions) {
			for range order {
				m := order[next%len(order)]
				next++
				if slices.Contains(m.Topics, t.Name) {
					if answer[m.ID] == nil {
						answer[m.ID] = map[string][]int32{}
					}
					answer[m.ID][t.Name] = append(answer[m.ID][t.Name], n)
					break
				}
			}
		}
	}
	return answer
}

func byID(members []holdfast.Member) []holdfast.Member {
	return slices.SortedFunc(slices.Values(members), func(a, b holdfast.Member) int {
		return cmp.Compare(a.ID, b.ID)
	})
}

// firstOf returns a member that has something and one of the things it has.
func firstOf(a assigntest.Assignment) (id, topic string) {
	for _, id := range slices.Sorted(maps.Keys(a)) {
		for _, topic := range slices.Sorted(maps.Keys(a[id])) {
			return id, topic
		}
	}
	return "", ""
}

type function = func(g holdfast.Group) (assigntest.Assignment, error)

// faults are assignors that each break what stands beside them and keep all the
// other promises that they make.
var faults = []struct {
	name     string
	assign   function
	promises assigntest.Promise
	broken   assigntest.Promise
}{
	{"gives twice", func(g holdfast.Group) (assigntest.Assignment, error) {
		answer := assign(holdfast.RoundRobin, g)
		if id, topic := firstOf(answer); id != "" {
			answer[id][topic] = append(answer[id][topic], answer[id][topic][0])
		}
		return answer, nil
	}, assigntest.Valid, assigntest.Valid},
	{"leaves out", func(g holdfast.Group) (assigntest.Assignment, error) {
		answer := assign(holdfast.RoundRobin, g)
		if id, topic := firstOf(answer); id != "" {
			delete(answer[id], topic)
		}
		return answer, nil
	}, assigntest.Valid, assigntest.Valid},
	{"gives what does not exist", func(g holdfast.Group) (assigntest.Assignment, error) {
		answer := assign(holdfast.RoundRobin, g)
		if id, topic := firstOf(answer); id != "" {
			answer[id][topic] = append(answer[id][topic], 99)
		}
		return answer, nil
	}, assigntest.Valid, assigntest.Valid},
	{"gives to nobody of the group", func(g holdfast.Group) (assigntest.Assignment, error) {
		answer := assign(holdfast.RoundRobin, g)
		if id, _ := firstOf(answer); id != "" {
			answer["ghost"] = answer[id]
			delete(answer, id)
		}
		return answer, nil
	}, assigntest.Valid, assigntest.Valid},
	{"gives to all", func(g holdfast.Group) (assigntest.Assignment, error) {
		all := holdfast.Group{Topics: g.Topics}
		for _, m := range g.Members {
			for _, t := range g.Topics {
				m.Topics = append(slices.Clone(m.Topics), t.Name)
			}
			all.Members = append(all.Members, m)
		}
		return assign(holdfast.RoundRobin, all), nil
	}, assigntest.Valid, assigntest.Valid},
	{"gives up", func(g holdfast.Group) (assigntest.Assignment, error) {
		if len(g.Members) > 5 {
			return nil, errors.New("too many members")
		}
		return assign(holdfast.Sticky, g), nil
	}, assigntest.Sound, assigntest.Answers},
	{"panics", func(g holdfast.Group) (assigntest.Assignment, error) {
		var none []int
		_ = none[len(none)-1+min(1, len(g.Members))]
		return nil, nil
	}, assigntest.Sound | assigntest.Refuses,
		assigntest.Answers | assigntest.Robust | assigntest.Refuses},
	{"panics at many partitions", func(g holdfast.Group) (assigntest.Assignment, error) {
		for _, t := range g.Topics {
			if t.Partitions > 10_000 {
				panic("too many")
			}
		}
		return assign(holdfast.Sticky, g), nil
	}, assigntest.Answers | assigntest.Robust, assigntest.Robust},
	{"believes in any partition", func(g holdfast.Group) (assigntest.Assignment, error) {
		answer := assign(holdfast.Sticky, g)
		for _, m := range g.Members {
			for _, tp := range m.Owned {
				if slices.Max(append(tp.Partitions, 0)) > 1000 {
					answer[m.ID][tp.Topic] = append(answer[m.ID][tp.Topic], tp.Partitions...)
				}
			}
		}
		return answer, nil
	}, assigntest.Answers | assigntest.Robust, assigntest.Robust},
	{"refuses nothing", func(g holdfast.Group) (assigntest.Assignment, error) {
		if g.Check() != nil {
			return nil, nil
		}
		return assign(holdfast.RoundRobin, g), nil
	}, assigntest.Sound | assigntest.Refuses, assigntest.Refuses},
	{"draws lots", func(g holdfast.Group) (assigntest.Assignment, error) {
		order := byID(g.Members)
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		return takeTurns(g, order), nil
	}, assigntest.Answers | assigntest.Valid | assigntest.Repeatable, assigntest.Repeatable},
	{"goes by the order of the list", func(g holdfast.Group) (assigntest.Assignment, error) {
		return takeTurns(g, g.Members), nil
	}, assigntest.Sound, assigntest.OrderFree},
	{"goes by hashes", func(g holdfast.Group) (assigntest.Assignment, error) {
		hash := func(m holdfast.Member) uint64 {
			h := fnv.New64a()
			h.Write([]byte(m.ID))
			return h.Sum64()
		}
		return takeTurns(g, slices.SortedFunc(slices.Values(g.Members),
			func(a, b holdfast.Member) int { return cmp.Compare(hash(a), hash(b)) })), nil
	}, assigntest.Sound, assigntest.NameFree},
	{"sorts in place", func(g holdfast.Group) (assigntest.Assignment, error) {
		slices.SortFunc(g.Members, func(a, b holdfast.Member) int { return cmp.Compare(a.ID, b.ID) })
		return takeTurns(g, g.Members), nil
	}, assigntest.Sound &^ assigntest.Concurrent, assigntest.Pure},
	{"one after the other", oneAfterTheOther(), assigntest.Sound, assigntest.Concurrent},
	{"cannot rest", func(g holdfast.Group) (assigntest.Assignment, error) {
		order := byID(g.Members)
		if n := len(order); n > 0 && order[0].Generation%2 == 0 {
			order = append(order[1:], order[0])
		}
		return takeTurns(g, order), nil
	}, assigntest.Sound &^ assigntest.OrderFree, assigntest.Idempotent},
	{"first come takes all", func(g holdfast.Group) (assigntest.Assignment, error) {
		answer := assigntest.Assignment{}
		for _, t := range g.Topics {
			for _, m := range byID(g.Members) {
				if slices.Contains(m.Topics, t.Name) {
					one := holdfast.Group{Topics: []holdfast.Topic{t}, Members: []holdfast.Member{m}}
					if answer[m.ID] == nil {
						answer[m.ID] = map[string][]int32{}
					}
					answer[m.ID][t.Name] = assign(holdfast.Range, one)[m.ID][t.Name]
					break
				}
			}
		}
		return answer, nil
	}, assigntest.Sound | assigntest.Balanced, assigntest.Balanced},
	{"forgets", func(g holdfast.Group) (assigntest.Assignment, error) {
		for i := range g.Members {
			g.Members[i].Owned = nil
		}
		return assign(holdfast.Sticky, g), nil
	}, assigntest.Sound&^assigntest.Pure&^assigntest.Concurrent | assigntest.Balanced |
		assigntest.FewestMoves, assigntest.FewestMoves},
	{"does not look at generations", func(g holdfast.Group) (assigntest.Assignment, error) {
		g.Members = slices.Clone(g.Members)
		for i := range g.Members {
			g.Members[i].Generation = 0
		}
		return assign(holdfast.Sticky, g), nil
	}, assigntest.Sound | assigntest.Exact, assigntest.Generations},
	{"does not look at racks", func(g holdfast.Group) (assigntest.Assignment, error) {
		return assign(holdfast.NewSticky(holdfast.StickyOptions{IgnoreRacks: true}), g), nil
	}, assigntest.Sound | assigntest.Exact, assigntest.RackAware},
	{"hands over at once", func(g holdfast.Group) (assigntest.Assignment, error) {
		return assign(holdfast.Sticky, g), nil
	}, assigntest.Sound | assigntest.Exact | assigntest.Cooperative, assigntest.Cooperative},
	{"one at a time", oneAtATime, assigntest.Answers | assigntest.Cooperative,
		assigntest.Cooperative},
	{"never lets go", neverLetsGo, assigntest.Answers | assigntest.Cooperative,
		assigntest.Cooperative},
}

// oneAfterTheOther gives another answer while it is being asked twice.
func oneAfterTheOther() function {
	var asked atomic.Int32
	return func(g holdfast.Group) (assigntest.Assignment, error) {
		alone := asked.Add(1) == 1
		defer asked.Add(-1)
		order := byID(g.Members)
		if !alone {
			slices.Reverse(order)
		}
		time.Sleep(20 * time.Microsecond)
		return takeTurns(g, order), nil
	}
}

// oneAtATime takes one partition from its owner in a round, however many have to
// move.
func oneAtATime(g holdfast.Group) (assigntest.Assignment, error) {
	plan, err := holdfast.CooperativeSticky.Assign(g)
	if err != nil {
		return nil, err
	}
	answer := plan.Now().Assignment()
	if rounds := plan.Rounds(); len(rounds) > 1 {
		for _, w := range rounds[0].Withheld()[1:] {
			answer[w.From[0]][w.Topic] = append(answer[w.From[0]][w.Topic], w.Partition)
		}
	}
	return answer, nil
}

// neverLetsGo withholds a partition as long as anybody claims anything.
func neverLetsGo(g holdfast.Group) (assigntest.Assignment, error) {
	answer := assign(holdfast.CooperativeSticky, g)
	for _, m := range byID(g.Members) {
		for topic, partitions := range answer[m.ID] {
			for _, tp := range m.Owned {
				if tp.Topic == topic && slices.Contains(tp.Partitions, partitions[0]) {
					answer[m.ID][topic] = partitions[1:]
					return answer, nil
				}
			}
		}
	}
	return answer, nil
}

// TestFaults plants a fault in an assignor and expects the suite to find it, and
// nothing else.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			var found assigntest.Promise
			for _, b := range assigntest.Check(assigntest.Subject{Name: f.name, Assign: f.assign,
				Promises: f.promises, Groups: 60}) {
				found |= b.Promise
				if b.Detail == "" || b.Case == "" || b.Name != b.Promise.String() {
					t.Errorf("it says too little: %v", b)
				}
				if f.broken&b.Promise == 0 {
					t.Errorf("%v", b)
				}
			}
			if found != f.broken {
				t.Errorf("breaks %q, found %q", f.broken, found)
			}
		})
	}
}
