package main

import (
	"fmt"
	"hash/fnv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/holdfast/holdfast"
)

// numbers gives the names of one group numbers: members in the order of the
// group, partitions counted through topic by topic.
type numbers struct {
	group  *holdfast.Group
	member map[string]int32
	first  map[string]int32 // the first partition of each topic
	size   map[string]int32
	total  int32
}

func numbersOf(g *holdfast.Group) *numbers {
	n := &numbers{group: g, member: make(map[string]int32, len(g.Members)),
		first: make(map[string]int32), size: make(map[string]int32)}
	for i, m := range g.Members {
		n.member[m.ID] = int32(i)
	}
	for _, t := range g.Topics {
		n.first[t.Name], n.size[t.Name] = n.total, int32(t.Partitions)
		n.total += int32(t.Partitions)
	}
	return n
}

// nobody marks a partition without an owner.
const nobody int32 = -1

// owners reads an answer. A partition that two members get, that does not exist
// or whose topic the member does not read is an error.
func (n *numbers) owners(a answer) ([]int32, error) {
	owner := make([]int32, n.total)
	for i := range owner {
		owner[i] = nobody
	}
	for id, data := range a {
		m, ok := n.member[id]
		if !ok {
			return nil, fmt.Errorf("an answer for %q, who is not in the group", id)
		}
		var assignment kmsg.ConsumerMemberAssignment
		if err := assignment.ReadFrom(data); err != nil {
			return nil, err
		}
		reads := make(map[string]bool, len(n.group.Members[m].Topics))
		for _, t := range n.group.Members[m].Topics {
			reads[t] = true
		}
		for _, t := range assignment.Topics {
			if !reads[t.Topic] {
				return nil, fmt.Errorf("%q gets topic %q, which it does not read", id, t.Topic)
			}
			for _, p := range t.Partitions {
				if p < 0 || p >= n.size[t.Topic] {
					return nil, fmt.Errorf("%q gets partition %d of %q", id, p, t.Topic)
				}
				i := n.first[t.Topic] + p
				if owner[i] != nobody {
					return nil, fmt.Errorf("partition %d of %q goes to two members", p, t.Topic)
				}
				owner[i] = m
			}
		}
	}
	return owner, nil
}

// prior is who owned each partition among the members that are in the group.
func (n *numbers) prior() []int32 {
	owner := make([]int32, n.total)
	for i := range owner {
		owner[i] = nobody
	}
	for m := range n.group.Members {
		for _, o := range n.group.Members[m].Owned {
			for _, p := range o.Partitions {
				owner[n.first[o.Topic]+p] = int32(m)
			}
		}
	}
	return owner
}

// score is how good an answer is.
type score struct {
	Unassigned int   `json:"unassigned"` // partitions that nobody gets
	Squares    int64 `json:"squares"`    // sum of squared loads
	Moved      int   `json:"moved"`      // assigned and not where they were
}

func (s *score) add(o score) {
	s.Unassigned += o.Unassigned
	s.Squares += o.Squares
	s.Moved += o.Moved
}

// judge scores an assignment from the group and the owners alone.
func (n *numbers) judge(owner []int32) score {
	var s score
	load := make([]int64, len(n.group.Members))
	prior := n.prior()
	for i, m := range owner {
		if m == nobody {
			s.Unassigned++
			continue
		}
		load[m]++
		if prior[i] != m {
			s.Moved++
		}
	}
	for _, l := range load {
		s.Squares += l * l
	}
	return s
}

// fingerprint tells assignments apart.
func fingerprint(owner []int32) uint64 {
	h := fnv.New64a()
	var b [4]byte
	for _, m := range owner {
		b[0], b[1], b[2], b[3] = byte(m), byte(m>>8), byte(m>>16), byte(m>>24)
		h.Write(b[:])
	}
	return h.Sum64()
}

// verify holds owners to what the strategy sticky promises: a division of what is
// subscribed, the least sum of squares and the fewest moves.
func (n *numbers) verify(owner []int32) error {
	all := make(map[string]map[string][]int32, len(n.group.Members))
	for t := range n.group.Topics {
		topic := n.group.Topics[t].Name
		for p := range n.size[topic] {
			m := owner[n.first[topic]+p]
			if m == nobody {
				continue
			}
			id := n.group.Members[m].ID
			if all[id] == nil {
				all[id] = make(map[string][]int32)
			}
			all[id][topic] = append(all[id][topic], p)
		}
	}
	plan, err := holdfast.NewPlan(*n.group, sticky, all)
	if err != nil {
		return err
	}
	return plan.Verify(*n.group)
}
