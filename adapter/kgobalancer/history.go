package kgobalancer

import (
	"slices"
	"strings"

	"github.com/holdfast/holdfast"
	"github.com/twmb/franz-go/pkg/kgo"
)

// history is what a leader remembers of the generation it led before, so that a
// plan can tell whose a partition was where the members do not say it: what
// members had that are gone, and what the members of a strategy without claims
// had. It only explains; no division depends on it.
type history struct {
	current division // what the group was told last
	next    division // the last plan, which may not have reached the group yet
	last    int32    // the generation of the last plan
}

// division is who had what in one generation, kept as numbers: 4 bytes for a
// partition, and the names.
type division struct {
	group      string
	generation int32
	members    []string // by id
	topics     []holdfast.Topic
	owners     []int32 // topics end to end; the position in members, or -1
}

// add remembers a plan. It counts once the group has been told; see settle.
func (h *history) add(plan *holdfast.Plan, topics []holdfast.Topic, info kgo.BalanceInfo) {
	now := plan.Now()
	h.last = info.Generation
	h.next = division{group: info.Group, generation: info.Generation,
		members: now.Members(), topics: make([]holdfast.Topic, len(topics)),
		owners: now.Owners()}
	for i := range topics {
		h.next.topics[i] = holdfast.Topic{Name: topics[i].Name, Partitions: topics[i].Partitions}
	}
}

// settle notes that the group has been told: this member has its assignment.
func (h *history) settle() { h.current = h.next }

// tell adds what the leader remembers to the group, provided that it led every
// generation since: what other leaders did it cannot know. claimless says that
// the members themselves do not say what they had.
func (h *history) tell(g *holdfast.Group, info kgo.BalanceInfo, claimless bool) {
	d := &h.current
	if info.Generation != h.last+1 || d.group != info.Group {
		return
	}
	owned := d.byMember(func(id string) bool { return claimless || position(g.Members, id) < 0 })
	for i, id := range d.members {
		if len(owned[i]) == 0 {
			continue
		}
		if at := position(g.Members, id); at >= 0 {
			g.Members[at].Owned, g.Members[at].Generation = owned[i], d.generation
		} else {
			g.Departed = append(g.Departed,
				holdfast.Member{ID: id, Owned: owned[i], Generation: d.generation})
		}
	}
}

// position returns where the member with the id is, or -1.
func position(members []holdfast.Member, id string) int {
	at, ok := slices.BinarySearchFunc(members, id, func(m holdfast.Member, id string) int {
		return strings.Compare(m.ID, id)
	})
	if !ok {
		return -1
	}
	return at
}

// byMember lists what the members had that are asked for, by position; nothing
// for the others.
func (d *division) byMember(asked func(id string) bool) [][]holdfast.TopicPartitions {
	owned := make([][]holdfast.TopicPartitions, len(d.members))
	wanted, some := make([]bool, len(d.members)), false
	for i, id := range d.members {
		wanted[i] = asked(id)
		some = some || wanted[i]
	}
	if !some {
		return owned
	}
	at := 0
	for _, topic := range d.topics {
		for p, m := range d.owners[at : at+topic.Partitions] {
			if m < 0 || !wanted[m] {
				continue
			}
			last := len(owned[m]) - 1
			if last < 0 || owned[m][last].Topic != topic.Name {
				owned[m] = append(owned[m], holdfast.TopicPartitions{Topic: topic.Name})
				last++
			}
			owned[m][last].Partitions = append(owned[m][last].Partitions, int32(p))
		}
		at += topic.Partitions
	}
	return owned
}
