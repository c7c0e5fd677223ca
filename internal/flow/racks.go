package flow

import "slices"

// rackSets are the sets of replica racks as far as the members can tell them
// apart: only racks that some member is in matter, and a set with all of these,
// which nobody misses, is like no set at all. So three replicas over three racks
// leave nothing to distinguish.
type rackSets struct {
	p     *Problem
	racks int32     // one more than the greatest rack number
	lists [][]int32 // the distinct sets, each ascending
	index []int32   // of each set of the problem: its index in lists, or None
}

func newRackSets(p *Problem) rackSets {
	if !p.Racked() {
		return rackSets{p: p}
	}
	s := rackSets{p: p, racks: slices.Max(p.Rack) + 1}
	used := make([]bool, s.racks)
	distinct := 0
	for _, r := range p.Rack {
		if r != None && !used[r] {
			used[r] = true
			distinct++
		}
	}
	seen := make([][]int32, len(p.RackSets))
	order := make([]int32, len(p.RackSets))
	for i, set := range p.RackSets {
		order[i] = int32(i)
		for _, r := range set {
			if r < s.racks && used[r] {
				seen[i] = append(seen[i], r)
			}
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return slices.Compare(seen[a], seen[b]) })
	s.index = make([]int32, len(p.RackSets))
	for _, i := range order {
		if len(seen[i]) == distinct {
			s.index[i] = None
			continue
		}
		if last := len(s.lists) - 1; last < 0 || !slices.Equal(s.lists[last], seen[i]) {
			s.lists = append(s.lists, seen[i])
		}
		s.index[i] = int32(len(s.lists)) - 1
	}
	return s
}

// any reports whether some member can miss some partition.
func (s *rackSets) any() bool { return len(s.lists) > 0 }

// of returns the set of partition i, or None when nobody misses it.
func (s *rackSets) of(i int32) int32 {
	if s.index == nil || s.p.RackSet[i] == None {
		return None
	}
	return s.index[s.p.RackSet[i]]
}

// rackOf returns the rack of member m, None where racks play no part.
func (s *rackSets) rackOf(m int32) int32 {
	if !s.any() {
		return None
	}
	return s.p.Rack[m]
}

// miss reports whether a member in rack misses a partition with this set.
func (s *rackSets) miss(set, rack int32) bool {
	return set != None && rack != None && !slices.Contains(s.lists[set], rack)
}
