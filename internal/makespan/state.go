package makespan

import (
	"cmp"
	"slices"

	"github.com/holdfast/holdfast/internal/flow"
)

// state is a division in the making. Members of one kind stand in a queue,
// lightest first; all members in one, heaviest first.
type state struct {
	*network
	owner    []int32
	load     []float64 // weight at each member
	items    [][]int32 // partitions of each member, in no special order
	index    []int32   // of each partition: its index in its owner's items
	lightest []*queue  // by kind
	loaded   *queue    // all members, heaviest first
	steps    int       // work done so far, in partitions looked at
}

func newState(n *network) *state {
	s := &state{network: n, owner: make([]int32, n.Partitions()),
		load: make([]float64, n.Members()), items: make([][]int32, n.Members()),
		index: make([]int32, n.Partitions())}
	for i := range s.owner {
		s.owner[i] = flow.None
	}
	for k := range n.kinds {
		s.lightest = append(s.lightest, newQueue(n.kinds[k].members, n.Members(), s.lighter))
	}
	all := make([]int32, n.Members())
	for m := range all {
		all[m] = int32(m)
	}
	s.loaded = newQueue(all, n.Members(), func(a, b int32) bool {
		return cmp.Or(cmp.Compare(s.relative(b), s.relative(a)), cmp.Compare(a, b)) < 0
	})
	return s
}

// lighter orders members of one kind by load, then by number of partitions, so
// that partitions without weight do not pile up, then by id.
func (s *state) lighter(a, b int32) bool {
	return cmp.Or(cmp.Compare(s.load[a], s.load[b]),
		cmp.Compare(len(s.items[a]), len(s.items[b])), cmp.Compare(a, b)) < 0
}

// relative is the member's load: weight over capacity.
func (s *state) relative(m int32) float64 { return s.load[m] / s.Capacity[m] }

func (s *state) heaviest() float64 {
	if len(s.load) == 0 {
		return 0
	}
	return s.relative(s.loaded.first())
}

// give moves a partition to a member; flow.None takes it from its owner.
func (s *state) give(item, to int32) {
	if from := s.owner[item]; from != flow.None {
		list := s.items[from]
		last := list[len(list)-1]
		list[s.index[item]] = last
		s.index[last] = s.index[item]
		s.items[from] = list[:len(list)-1]
		s.setLoad(from, s.load[from]-s.Weight[item])
	}
	s.owner[item] = to
	if to != flow.None {
		s.index[item] = int32(len(s.items[to]))
		s.items[to] = append(s.items[to], item)
		s.setLoad(to, s.load[to]+s.Weight[item])
	}
}

func (s *state) setLoad(m int32, load float64) {
	if len(s.items[m]) == 0 {
		load = 0
	}
	s.load[m] = load
	s.lightest[s.kind[m]].fix(m)
	s.loaded.fix(m)
}

// addUp computes all loads anew, partitions ascending, so that what adding and
// taking away has rounded is gone and equal divisions have equal loads.
func (s *state) addUp() {
	fresh := make([]float64, len(s.load))
	for i, m := range s.owner {
		if m != flow.None {
			fresh[m] += s.Weight[i]
		}
	}
	for m := range fresh {
		s.setLoad(int32(m), fresh[m])
	}
}

// keep gives every partition to the member that owned it.
func (s *state) keep() {
	for i, m := range s.Owner {
		if m != flow.None {
			s.give(int32(i), m)
		}
	}
}

// place gives out what nobody has, the heaviest first, each to the subscriber
// that is lightest with it.
func (s *state) place() {
	var free []int32
	for r := range s.rows {
		for _, i := range s.rows[r].items {
			if s.owner[i] == flow.None {
				free = append(free, i)
			}
		}
	}
	slices.SortFunc(free, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Weight[b], s.Weight[a]), cmp.Compare(a, b))
	})
	for _, i := range free {
		best := flow.None
		for _, k := range s.rows[s.rowOf[s.topic[i]]].kinds {
			m := s.lightest[k].first()
			if best == flow.None || s.betterPlace(i, m, best) {
				best = m
			}
		}
		s.give(i, best)
	}
}

func (s *state) betterPlace(item, a, b int32) bool {
	w := s.Weight[item]
	return cmp.Or(
		cmp.Compare((s.load[a]+w)/s.Capacity[a], (s.load[b]+w)/s.Capacity[b]),
		cmp.Compare(len(s.items[a]), len(s.items[b])), cmp.Compare(a, b)) < 0
}

// giveBack returns partitions to the members that owned them as long as nobody
// comes to weigh more than the limit, the lightest first, then in pairs that
// change places.
func (s *state) giveBack(limit float64) {
	var away []int32
	for i, m := range s.Owner {
		if m != flow.None && s.owner[i] != m {
			away = append(away, int32(i))
		}
	}
	slices.SortFunc(away, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Weight[a], s.Weight[b]), cmp.Compare(a, b))
	})
	for again := true; again; {
		again = false
		for _, i := range away {
			m := s.Owner[i]
			if s.owner[i] != m && (s.load[m]+s.Weight[i])/s.Capacity[m] <= limit {
				s.give(i, m)
				again = true
			}
		}
	}
	s.changeBack(away, limit)
}

// changeBack lets two members that have what the other one owned give it to each
// other.
func (s *state) changeBack(away []int32, limit float64) {
	type pair struct{ at, owned int32 }
	waiting := make(map[pair][]int32)
	for _, i := range away {
		at, m := s.owner[i], s.Owner[i]
		if at == m {
			continue
		}
		partners := waiting[pair{m, at}]
		found := slices.IndexFunc(partners, func(j int32) bool {
			gain := s.Weight[i] - s.Weight[j]
			return (s.load[m]+gain)/s.Capacity[m] <= limit &&
				(s.load[at]-gain)/s.Capacity[at] <= limit
		})
		if found < 0 {
			waiting[pair{at, m}] = append(waiting[pair{at, m}], i)
			continue
		}
		s.give(partners[found], at)
		s.give(i, m)
		waiting[pair{m, at}] = slices.Delete(partners, found, found+1)
	}
}
