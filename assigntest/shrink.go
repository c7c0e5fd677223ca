package assigntest

import (
	"slices"

	"github.com/holdfast/holdfast"
)

// mostTries is how many smaller groups are tried on the way to a small one.
const mostTries = 1500

// shrink makes a group smaller as long as it shows the same.
func shrink(g holdfast.Group, shows func(holdfast.Group) bool) holdfast.Group {
	tries := 0
	for again := true; again; {
		again = false
		for smaller := range smallerGroups(g) {
			if tries++; tries > mostTries {
				return g
			}
			if smaller.Check() == nil && shows(smaller) {
				g, again = smaller, true
				break
			}
		}
	}
	return g
}

// smallerGroups goes through the groups that have a little less than g, the
// greatest steps first.
func smallerGroups(g holdfast.Group) func(yield func(holdfast.Group) bool) {
	return func(yield func(holdfast.Group) bool) {
		for i := range g.Departed {
			s := clone(g)
			if s.Departed = slices.Delete(s.Departed, i, i+1); !yield(s) {
				return
			}
		}
		for i := range g.Members {
			s := clone(g)
			if s.Members = slices.Delete(s.Members, i, i+1); !yield(s) {
				return
			}
		}
		for i := range g.Topics {
			s := clone(g)
			if s.Topics = slices.Delete(s.Topics, i, i+1); !yield(s) {
				return
			}
		}
		for i := range g.Topics {
			for _, n := range []int{g.Topics[i].Partitions / 2, g.Topics[i].Partitions - 1} {
				if n >= g.Topics[i].Partitions || n < 0 {
					continue
				}
				s := clone(g)
				if cut(&s.Topics[i], n); !yield(s) {
					return
				}
			}
		}
		for i := range g.Members {
			for m := range smallerMembers(g.Members[i]) {
				s := clone(g)
				if s.Members[i] = m; !yield(s) {
					return
				}
			}
		}
	}
}

func cut(t *holdfast.Topic, n int) {
	t.Partitions = n
	t.Racks = t.Racks[:min(n, len(t.Racks))]
	t.Weights = t.Weights[:min(n, len(t.Weights))]
}

// smallerMembers goes through members that say a little less than m.
func smallerMembers(m holdfast.Member) func(yield func(holdfast.Member) bool) {
	return func(yield func(holdfast.Member) bool) {
		one := func() holdfast.Member { return cloneMembers([]holdfast.Member{m})[0] }
		for i := range m.Owned {
			s := one()
			if s.Owned = slices.Delete(s.Owned, i, i+1); !yield(s) {
				return
			}
			for k := range m.Owned[i].Partitions {
				s := one()
				list := &s.Owned[i].Partitions
				if *list = slices.Delete(*list, k, k+1); !yield(s) {
					return
				}
			}
		}
		for i := range m.Topics {
			s := one()
			if s.Topics = slices.Delete(s.Topics, i, i+1); !yield(s) {
				return
			}
		}
		for _, reset := range []func(*holdfast.Member){
			func(s *holdfast.Member) { s.InstanceID = "" },
			func(s *holdfast.Member) { s.Rack = "" },
			func(s *holdfast.Member) { s.Generation = holdfast.NoGeneration },
		} {
			s := one()
			reset(&s)
			changed := s.InstanceID != m.InstanceID || s.Rack != m.Rack ||
				s.Generation != m.Generation
			if changed && !yield(s) {
				return
			}
		}
	}
}
