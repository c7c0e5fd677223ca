package kafka

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// owners maps each partition to the member, by id, that the generation gives it
// to. The error names the partitions that it gives to two.
func (g *Generation) owners() (map[Partition]string, error) {
	owners := map[Partition]string{}
	var twice []string
	for _, m := range g.Members {
		for _, p := range m.Partitions {
			if other, ok := owners[p]; ok {
				twice = append(twice, fmt.Sprintf("%v has two owners, %s and %s", p, other, m.ID))
			}
			owners[p] = m.ID
		}
	}
	if len(twice) > 0 {
		slices.Sort(twice)
		return nil, fmt.Errorf("generation %d: %s", g.Number, strings.Join(twice, "; "))
	}
	return owners, nil
}

// Moved counts the partitions that have another owner in the later generation, or
// none, and those that had none before.
func Moved(before, after *Generation) (int, error) {
	from, err := before.owners()
	if err != nil {
		return 0, err
	}
	to, err := after.owners()
	if err != nil {
		return 0, err
	}
	moved := 0
	for p, id := range to {
		if from[p] != id {
			moved++
		}
	}
	for p := range from {
		if to[p] == "" {
			moved++
		}
	}
	return moved, nil
}

// Unsafe lists what a group must never do: give a partition to two members at
// once, or, where members keep what they have while they rejoin (cooperative),
// take it from a member that stays and give it to another in the same
// generation, so that both may be reading it. An empty list is a safe history.
func Unsafe(history []Generation, cooperative bool) []string {
	var found []string
	before := map[Partition]string{}
	for i := range history {
		g := &history[i]
		now, err := g.owners()
		if err != nil {
			found = append(found, err.Error())
			continue
		}
		for _, p := range slices.SortedFunc(maps.Keys(now), comparePartitions) {
			from, had := before[p]
			if cooperative && had && from != now[p] && g.has(from) {
				found = append(found, fmt.Sprintf("generation %d gives %v to %s while %s still has it",
					g.Number, p, now[p], from))
			}
		}
		before = now
	}
	return found
}

// has reports whether the member is in the generation.
func (g *Generation) has(id string) bool {
	return slices.ContainsFunc(g.Members, func(m Assigned) bool { return m.ID == id })
}

func comparePartitions(a, b Partition) int {
	if c := strings.Compare(a.Topic, b.Topic); c != 0 {
		return c
	}
	return int(a.Number - b.Number)
}

// Counts returns how many partitions each member has, by client id.
func (g *Generation) Counts() map[string]int {
	counts := map[string]int{}
	for _, m := range g.Members {
		counts[m.ClientID] += len(m.Partitions)
	}
	return counts
}

// Covers returns an error unless the generation gives each of the partitions 0 to
// n-1 of each topic to exactly one member, and nothing else.
func (g *Generation) Covers(n int32, topics ...string) error {
	owners, err := g.owners()
	if err != nil {
		return err
	}
	for _, topic := range topics {
		for number := range n {
			p := Partition{topic, number}
			if owners[p] == "" {
				return fmt.Errorf("generation %d: nobody has %v", g.Number, p)
			}
			delete(owners, p)
		}
	}
	if len(owners) > 0 {
		return fmt.Errorf("generation %d: assigns what is not there: %v", g.Number,
			slices.SortedFunc(maps.Keys(owners), comparePartitions))
	}
	return nil
}
