package holdfast

import "maps"

// Round is one rebalance on the way to a cooperative plan (KIP-429): what each
// member is told, what it has to give up on hearing it, and what waits for that.
type Round struct {
	Division
	revoked  []int32 // claimed partitions that the member is not told to keep,
	first    []int32 // member by member
	withheld []withheld
}

// Withheld is a partition that is given to nobody in this round, because a live
// member may still be reading it.
type Withheld struct {
	Topic     string
	Partition int32
	From      []string // the claimants that must let go first, ascending
	To        string   // who has it in the plan
}

// withheld is the same in numbers.
type withheld struct {
	partition int32
	from      []int32
	to        int32
}

// Withheld lists what this round gives to nobody, by topic and partition.
func (r *Round) Withheld() []Withheld {
	list := make([]Withheld, len(r.withheld))
	for i, w := range r.withheld {
		name := r.problem.name(w.partition)
		list[i] = Withheld{Topic: name.Topic, Partition: name.Partition,
			From: make([]string, len(w.from)), To: r.problem.members[w.to].ID}
		for k, m := range w.from {
			list[i].From[k] = r.problem.members[m].ID
		}
	}
	return list
}

// Revoked returns what each member claims and is not told to keep, on partitions
// that exist: member -> topic -> partitions, ascending. Only members that have to
// give something up have a key.
func (r *Round) Revoked() map[string]map[string][]int32 {
	all := make(map[string]map[string][]int32)
	for m := range r.problem.members {
		partitions := r.revoked[r.first[m]:r.first[m+1]]
		if len(partitions) == 0 {
			continue
		}
		lost := make(map[string][]int32)
		for _, i := range partitions {
			name := r.problem.name(i)
			lost[name.Topic] = append(lost[name.Topic], name.Partition)
		}
		all[r.problem.members[m].ID] = maps.Clone(lost)
	}
	return all
}
