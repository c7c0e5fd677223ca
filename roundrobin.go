package holdfast

// RoundRobin is the strategy "roundrobin", as Kafka's RoundRobinAssignor: one
// circle of members, static ones first by group.instance.id, then the others by
// id; all partitions in the order of topic and number, each to the next member of
// the circle that subscribes to its topic. The circle goes on from topic to
// topic. It looks at no claims and no racks, and unequal subscriptions can leave
// it badly unbalanced.
//
// It costs O(members log members + partitions) where topics have the same
// subscribers, and O(members) more for each topic that has others than the one
// before it.
var RoundRobin Assignor = roundRobinAssignor{}

type roundRobinAssignor struct{}

func (roundRobinAssignor) Name() string { return "roundrobin" }

func (a roundRobinAssignor) Assign(g Group) (*Plan, error) {
	p, err := newProblem(&g)
	if err != nil {
		return nil, err
	}
	return newPlan(a.Name(), p, p.roundRobin()), nil
}

func (p *problem) roundRobin() []int32 {
	owner := make([]int32, p.partitionCount())
	order := p.staticFirst()
	readers := p.readers(order)
	cursor := int32(0) // the place in the circle whose turn it is
	for t := range p.topics {
		list := readers.of(t)
		next := 0
		for next < len(list) && list[next] < cursor {
			next++
		}
		for i := p.start[t]; i < p.start[t+1]; i++ {
			if len(list) == 0 {
				owner[i] = unowned
				continue
			}
			if next == len(list) {
				next = 0
			}
			owner[i] = order[list[next]]
			cursor = list[next] + 1
			next++
		}
	}
	return owner
}
