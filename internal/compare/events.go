package main

import (
	"fmt"
	"slices"

	"github.com/holdfast/holdfast"
)

// rollingSteps is how many rebalances of a rolling restart are measured.
const rollingSteps = 5

// generation is that of every claim; nobody is late in these groups.
const generation = 7

// events names what can happen to a group, in the order of the report.
var events = []string{
	"fresh", "same", "1 joins", "1 leaves", "10% leave", "10% join", "rolling restart",
}

// history makes the groups of a case: who is in, and who owned what. Every group
// before an event is divided as holdfast divides it, so that all assignors are
// asked the same question.
type history struct {
	shape  *shape
	topics []holdfast.Topic
	names  [][]string // topics of each pattern
	settle holdfast.Group
}

// begin builds the first group and has it divided.
func begin(s *shape) (*history, error) {
	h := &history{shape: s, topics: s.topics()}
	for _, pattern := range s.patterns {
		names := make([]string, len(pattern))
		for k, t := range pattern {
			names[k] = h.topics[t].Name
		}
		h.names = append(h.names, names)
	}
	members := make([]int, s.members)
	for m := range members {
		members[m] = m
	}
	var err error
	h.settle, err = divide(h.group(members))
	return h, err
}

// memberID spreads the ids, as the random ids of real clients are spread: the
// order of joining is not the order of ids.
func memberID(m int) string {
	return fmt.Sprintf("consumer-%08x-%d", uint32(m+1)*2654435761, m)
}

// group has the given members and no claims.
func (h *history) group(members []int) holdfast.Group {
	g := holdfast.Group{Topics: h.topics}
	for _, m := range members {
		g.Members = append(g.Members, h.member(m))
	}
	return g
}

func (h *history) member(m int) holdfast.Member {
	return holdfast.Member{
		ID: memberID(m), Topics: h.names[h.shape.of[m]], Generation: holdfast.NoGeneration,
	}
}

// divide gives every member what holdfast's sticky plan says.
func divide(g holdfast.Group) (holdfast.Group, error) {
	plan, err := holdfast.Sticky.Assign(g)
	if err != nil {
		return g, err
	}
	g.Members = slices.Clone(g.Members)
	g.Departed = nil
	for i := range g.Members {
		m := &g.Members[i]
		m.Owned, m.Generation = nil, generation
		for topic, partitions := range plan.TopicsOf(m.ID) {
			m.Owned = append(m.Owned,
				holdfast.TopicPartitions{Topic: topic, Partitions: partitions})
		}
	}
	return g, nil
}

// steps returns the groups that are rebalanced one after another for an event;
// for all but a rolling restart there is one.
func (h *history) steps(event string) ([]holdfast.Group, error) {
	n := h.shape.members
	tenth := max(1, n/10)
	switch event {
	case "fresh":
		members := make([]int, n)
		for m := range members {
			members[m] = m
		}
		return []holdfast.Group{h.group(members)}, nil
	case "same":
		return []holdfast.Group{h.settle}, nil
	case "1 joins":
		return []holdfast.Group{h.change(0, 1)}, nil
	case "1 leaves":
		return []holdfast.Group{h.change(1, 0)}, nil
	case "10% leave":
		return []holdfast.Group{h.change(tenth, 0)}, nil
	case "10% join":
		return []holdfast.Group{h.change(0, tenth)}, nil
	case "rolling restart":
		return h.rolling()
	}
	return nil, fmt.Errorf("no event %q (known: %q)", event, events)
}

// change lets members leave, spread over the group, and others join.
func (h *history) change(leave, join int) holdfast.Group {
	g := holdfast.Group{Topics: h.topics}
	members := h.settle.Members
	for i, m := range members {
		// Of every len/leave members the one in the middle goes.
		before, after := i*leave/len(members), (i+1)*leave/len(members)
		if before != after {
			g.Departed = append(g.Departed, m)
			continue
		}
		g.Members = append(g.Members, m)
	}
	for k := range join {
		g.Members = append(g.Members, h.member(h.shape.members+k))
	}
	return g
}

// rolling replaces one member after another by a new one with the same
// subscription: a restart without group.instance.id, slow enough for a rebalance
// each time.
func (h *history) rolling() ([]holdfast.Group, error) {
	var steps []holdfast.Group
	now := h.settle
	for k := range rollingSteps {
		if k >= h.shape.members {
			break
		}
		g := holdfast.Group{Topics: h.topics, Members: slices.Clone(now.Members)}
		g.Departed = []holdfast.Member{g.Members[k]}
		g.Members[k] = holdfast.Member{
			ID:     memberID(len(h.shape.of) + k),
			Topics: g.Members[k].Topics, Generation: holdfast.NoGeneration,
		}
		steps = append(steps, g)
		var err error
		if now, err = divide(g); err != nil {
			return nil, err
		}
	}
	return steps, nil
}
