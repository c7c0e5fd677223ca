package assigntest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/holdfast/holdfast"
)

// partition is one partition of a group.
type partition struct {
	topic  string
	number int32
}

func (p partition) String() string { return fmt.Sprintf("%q partition %d", p.topic, p.number) }

// violation is a broken promise: which one, and what was seen.
type violation struct {
	promise Promise
	detail  string
}

func (v *violation) Error() string { return v.detail }

func broken(promise Promise, format string, args ...any) error {
	return &violation{promise, fmt.Sprintf(format, args...)}
}

// facts is what a group says, by name.
type facts struct {
	topics     map[string]int             // partitions
	subscribes map[string]map[string]bool // member -> topics
	generation map[string]int32
	claimants  map[partition][]string // live members, in order of their ids
	read       map[string]bool        // topics that somebody subscribes to
}

func factsOf(g holdfast.Group) facts {
	f := facts{topics: map[string]int{}, subscribes: map[string]map[string]bool{},
		generation: map[string]int32{}, claimants: map[partition][]string{},
		read: map[string]bool{}}
	for _, t := range g.Topics {
		f.topics[t.Name] = t.Partitions
	}
	members := slices.Clone(g.Members)
	slices.SortFunc(members, func(a, b holdfast.Member) int { return cmp.Compare(a.ID, b.ID) })
	for _, m := range members {
		f.subscribes[m.ID] = map[string]bool{}
		for _, topic := range m.Topics {
			f.subscribes[m.ID][topic] = true
			f.read[topic] = true
		}
		f.generation[m.ID] = max(m.Generation, holdfast.NoGeneration)
		for _, tp := range m.Owned {
			for _, n := range tp.Partitions {
				p := partition{tp.Topic, n}
				if f.exists(p) && !slices.Contains(f.claimants[p], m.ID) {
					f.claimants[p] = append(f.claimants[p], m.ID)
				}
			}
		}
	}
	return f
}

func (f *facts) exists(p partition) bool {
	return p.number >= 0 && int(p.number) < f.topics[p.topic]
}

// all lists the partitions of the topics that somebody subscribes to.
func (f *facts) all() []partition {
	var list []partition
	for _, topic := range slices.Sorted(maps.Keys(f.topics)) {
		for n := range int32(f.topics[topic]) {
			if f.read[topic] {
				list = append(list, partition{topic, n})
			}
		}
	}
	return list
}

// standing returns the previous owner of each partition that has one: of the
// claims of members that subscribe to the topic the one of the highest
// generation, if no other has the same.
func (f *facts) standing() map[partition]string {
	owner := map[partition]string{}
	for p, claimants := range f.claimants {
		best, several := "", false
		for _, m := range claimants {
			switch {
			case !f.subscribes[m][p.topic]:
			case best == "" || f.generation[m] > f.generation[best]:
				best, several = m, false
			case f.generation[m] == f.generation[best]:
				several = true
			}
		}
		if best != "" && !several {
			owner[p] = best
		}
	}
	return owner
}

// owners turns an answer around and returns the first thing in it that no answer
// may say. What may be left out is the caller's to judge.
func (f *facts) owners(a Assignment) (map[partition]string, error) {
	owner := map[partition]string{}
	for _, id := range slices.Sorted(maps.Keys(a)) {
		subscribes, member := f.subscribes[id]
		if !member && len(a[id]) > 0 {
			return nil, broken(Valid, "%q is not in the group and gets something", id)
		}
		for _, topic := range slices.Sorted(maps.Keys(a[id])) {
			for _, n := range a[id][topic] {
				p := partition{topic, n}
				switch other, twice := owner[p]; {
				case !f.exists(p):
					return nil, broken(Valid, "%q gets %v, which does not exist", id, p)
				case !subscribes[topic]:
					return nil, broken(Valid, "%q gets %v and does not subscribe to it", id, p)
				case twice:
					return nil, broken(Valid, "%q and %q both get %v", other, id, p)
				}
				owner[p] = id
			}
		}
	}
	return owner, nil
}

// valid judges one answer. With waiting, what a live member claims may be left
// out.
func valid(g holdfast.Group, a Assignment, waiting bool) error {
	f := factsOf(g)
	owner, err := f.owners(a)
	if err != nil {
		return err
	}
	for _, p := range f.all() {
		if owner[p] == "" && !(waiting && len(f.claimants[p]) > 0) {
			return broken(Valid, "nobody gets %v", p)
		}
	}
	return nil
}

// same reports whether two answers give the same members the same partitions.
func same(a, b Assignment) bool {
	return maps.EqualFunc(tidy(a), tidy(b), func(x, y map[string][]int32) bool {
		return maps.EqualFunc(x, y, slices.Equal)
	})
}

// tidy drops what gives nothing and sorts the rest.
func tidy(a Assignment) Assignment {
	out := Assignment{}
	for id, topics := range a {
		for topic, partitions := range topics {
			if len(partitions) == 0 {
				continue
			}
			if out[id] == nil {
				out[id] = map[string][]int32{}
			}
			out[id][topic] = slices.Sorted(slices.Values(partitions))
		}
	}
	return out
}
