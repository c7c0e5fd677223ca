package main

import (
	"math"

	"github.com/holdfast/holdfast"
)

// floor compares a plan with the building of its output alone.
type floor struct {
	name               string
	maps, nested, flat float64 // seconds
}

// measureFloor lets one member join a group with equal subscriptions.
func measureFloor(name string, s *shape, l limits) (floor, error) {
	f := floor{name: name, maps: math.Inf(1), nested: math.Inf(1), flat: math.Inf(1)}
	h, err := begin(s)
	if err != nil {
		return f, err
	}
	steps, err := h.steps("1 joins")
	if err != nil {
		return f, err
	}
	g := steps[0]
	const runs = 5
	for range runs {
		start := l.now()
		plan, err := holdfast.Sticky.Assign(g)
		if err != nil {
			return f, err
		}
		f.flat = min(f.flat, (l.now() - start).Seconds())
		all := plan.Assignment()
		f.nested = min(f.nested, (l.now() - start).Seconds())
		start = l.now()
		copied := copyMaps(all)
		f.maps = min(f.maps, (l.now() - start).Seconds())
		if len(copied) != len(all) {
			panic("compare: a copy has lost members")
		}
	}
	return f, nil
}

// copyMaps builds the same nested maps once more, each with the room it needs.
// The lists of a member share one allocation.
func copyMaps(all map[string]map[string][]int32) map[string]map[string][]int32 {
	result := make(map[string]map[string][]int32, len(all))
	for id, topics := range all {
		n := 0
		for _, partitions := range topics {
			n += len(partitions)
		}
		room := make([]int32, 0, n)
		copied := make(map[string][]int32, len(topics))
		for topic, partitions := range topics {
			from := len(room)
			room = append(room, partitions...)
			copied[topic] = room[from:len(room):len(room)]
		}
		result[id] = copied
	}
	return result
}
