package holdfast

// Balance says how even a division is. Loads are numbers of partitions, over all
// members of the group.
type Balance struct {
	Min, Max          int   // the least and the greatest load
	SumOfSquares      int64 // of the loads
	LeastSumOfSquares int64 // the proven least that the subscriptions allow
}

// Balance measures the plan from the plan and the group alone. It costs
// O(members + partitions) where all members subscribe to the same topics, else
// as much as Sticky.Assign.
func (p *Plan) Balance() Balance {
	b := Balance{SumOfSquares: p.sumOfSquares(),
		LeastSumOfSquares: p.problem.leastSumOfSquares()}
	for m := range p.problem.members {
		load := len(p.of(m))
		if m == 0 || load < b.Min {
			b.Min = load
		}
		b.Max = max(b.Max, load)
	}
	return b
}

func (p *Plan) sumOfSquares() int64 {
	var sum int64
	for m := range p.problem.members {
		load := int64(len(p.of(m)))
		sum += load * load
	}
	return sum
}

// equalSubscriptions reports whether all members subscribe to the same topics,
// as far as these have partitions.
func (p *problem) equalSubscriptions() bool {
	return len(p.members) > 0 && len(p.classes) == 1
}

// Spread is the sum, over topics and members, of the squared number of the
// topic's partitions that the member has: the smaller, the more evenly each topic
// lies over its subscribers. It costs O(members + partitions).
func (p *Plan) Spread() int64 {
	var sum int64
	for m := range p.problem.members {
		for _, partitions := range p.topicsOf(m) {
			sum += int64(len(partitions)) * int64(len(partitions))
		}
	}
	return sum
}

// rackMiss reports whether the partition's racks are known and a member in the
// rack is in none of them.
func (p *problem) rackMiss(partition int32, rack string, leaderOnly bool) bool {
	t := p.topicAt(partition)
	racks := p.topics[t].Racks
	if len(racks) == 0 {
		return false
	}
	known := false
	for k, r := range racks[partition-p.start[t]] {
		if r == "" || k > 0 && leaderOnly {
			continue
		}
		if r == rack {
			return false
		}
		known = true
	}
	return known
}
