package holdfast

import (
	"cmp"
	"maps"
	"slices"
)

// naiveReport answers for a group and a strategy as the slow way does. The racks
// of range are left to the recorded answers of Kafka's own.
func naiveReport(g Group, strategy string, o StickyOptions) report {
	n := newNaive(g, o)
	target := n.plan()
	least := n.shed(target)
	plan := target
	var rounds []roundReport
	switch strategy {
	case "range":
		plan = n.rangePlan()
	case "roundrobin":
		plan = n.roundRobinPlan()
	case "cooperative-sticky":
		plan, rounds = n.rounds(target)
	}
	r := n.judge(plan)
	r.strategy, r.least, r.rounds = strategy, least, rounds
	r.dropped, r.missing = n.dropped(), n.missing()
	best := n
	if n.racked() || o.Spread {
		best = newNaive(g, StickyOptions{IgnoreRacks: true})
	}
	r.balance.LeastSumOfSquares = best.squares(best.plan())
	return r
}

// judge tells of a plan what it keeps and moves, and how even it is.
func (n *naive) judge(plan map[TopicPartition]string) report {
	r := report{assignment: n.held(plan), moves: []Move{}, unassigned: []TopicPartition{},
		misses: n.misses(plan)}
	for _, at := range n.all() {
		to, assigned := plan[at]
		from, owned := n.owner[at]
		prior, known := n.prior[at]
		move := Move{at.Topic, at.Partition, from, to, Shed}
		switch {
		case !assigned:
			r.unassigned = append(r.unassigned, at)
			continue
		case owned && from == to:
			r.kept++
			continue
		case owned:
		case known:
			move.From, move.Cause = prior.from, prior.cause
		default:
			move.Cause = Unowned
		}
		r.moves = append(r.moves, move)
		count := map[Cause]*int{Shed: &r.causes.Shed, Orphaned: &r.causes.Orphaned,
			Unsubscribed: &r.causes.Unsubscribed, Contested: &r.causes.Contested,
			Unowned: &r.causes.Unowned}
		*count[move.Cause]++
	}
	for i, id := range n.ids() {
		load := 0
		for _, partitions := range r.assignment[id] {
			load += len(partitions)
			r.spread += int64(len(partitions) * len(partitions))
		}
		if i == 0 {
			r.balance.Min = load
		}
		r.balance.Min, r.balance.Max = min(r.balance.Min, load), max(r.balance.Max, load)
	}
	r.balance.SumOfSquares = n.squares(plan)
	return r
}

func (n *naive) shed(plan map[TopicPartition]string) int {
	shed := 0
	for at, id := range n.owner {
		if plan[at] != id {
			shed++
		}
	}
	return shed
}

func (n *naive) squares(plan map[TopicPartition]string) int64 {
	load := map[string]int64{}
	for _, id := range plan {
		load[id]++
	}
	var sum int64
	for _, l := range load {
		sum += l * l
	}
	return sum
}

// held lists a plan by member; every member has its key.
func (n *naive) held(plan map[TopicPartition]string) held {
	h := held{}
	for id := range n.members {
		h[id] = map[string][]int32{}
	}
	for _, at := range n.all() {
		if id, ok := plan[at]; ok {
			h[id][at.Topic] = append(h[id][at.Topic], at.Partition)
		}
	}
	return h
}

func (n *naive) missing() []string {
	missing := []string{}
	for _, m := range n.members {
		for _, topic := range m.Topics {
			if _, ok := n.partitions[topic]; !ok {
				missing = append(missing, topic)
			}
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

func (n *naive) dropped() []DroppedClaim {
	dropped := []DroppedClaim{}
	look := func(m Member, live bool) {
		for _, o := range m.Owned {
			count, exists := n.partitions[o.Topic]
			for _, p := range o.Partitions {
				d := DroppedClaim{m.ID, o.Topic, p, NotSubscribed}
				switch {
				case !exists:
					d.Reason = NoSuchTopic
				case p < 0 || int(p) >= count:
					d.Reason = NoSuchPartition
				case !live || n.reads(m.ID, o.Topic):
					continue
				}
				dropped = append(dropped, d)
			}
		}
	}
	for _, m := range n.members {
		look(m, true)
	}
	for _, m := range n.departed {
		look(m, false)
	}
	slices.SortFunc(dropped, func(a, b DroppedClaim) int {
		return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Topic, b.Topic),
			cmp.Compare(a.Partition, b.Partition))
	})
	return slices.Compact(dropped)
}

// rounds takes the group through the cooperative protocol, the second round from
// nothing but what the first one left with the members.
func (n *naive) rounds(target map[TopicPartition]string) (
	map[TopicPartition]string, []roundReport) {
	first := roundReport{withheld: n.withheld(target)}
	given := maps.Clone(target)
	for _, w := range first.withheld {
		delete(given, TopicPartition{w.Topic, w.Partition})
	}
	first.assignment, first.revoked = n.held(given), n.revoked(given)
	if len(first.withheld) == 0 {
		return target, []roundReport{first}
	}
	after := newNaive(n.after(first.assignment), n.options)
	plan := after.plan()
	second := roundReport{after.held(plan), after.revoked(plan), after.withheld(plan)}
	return plan, []roundReport{first, second}
}

// after is the group once everybody has what it was given, and nothing else.
func (n *naive) after(has held) Group {
	var g Group
	for topic, count := range n.partitions {
		g.Topics = append(g.Topics, Topic{Name: topic, Partitions: count, Racks: n.racks[topic]})
	}
	for id, m := range n.members {
		m.Owned, m.Generation = nil, 1
		for topic, partitions := range has[id] {
			m.Owned = append(m.Owned, TopicPartitions{topic, partitions})
		}
		g.Members = append(g.Members, m)
	}
	return g
}

// withheld lists what a live member other than the new owner claims, unless the
// new owner's own claim is of a strictly newer generation.
func (n *naive) withheld(plan map[TopicPartition]string) []Withheld {
	list := []Withheld{}
	for _, at := range n.all() {
		to, assigned := plan[at]
		if !assigned {
			continue
		}
		var from []string
		for _, id := range n.ids() {
			m, owner := n.members[id], n.members[to]
			newer := owner.claims(at) && naiveGeneration(owner) > naiveGeneration(m)
			if id != to && m.claims(at) && !newer {
				from = append(from, id)
			}
		}
		if len(from) > 0 {
			list = append(list, Withheld{at.Topic, at.Partition, from, to})
		}
	}
	return list
}

// revoked lists what each member claims and is not given.
func (n *naive) revoked(plan map[TopicPartition]string) held {
	h := held{}
	for _, at := range n.all() {
		for id, m := range n.members {
			if m.claims(at) && plan[at] != id {
				if h[id] == nil {
					h[id] = map[string][]int32{}
				}
				h[id][at.Topic] = append(h[id][at.Topic], at.Partition)
			}
		}
	}
	return h
}

// circle lists the members as range and roundrobin do: static ones first, by
// instance, then the others by id.
func (n *naive) circle() []string {
	ids := n.ids()
	slices.SortStableFunc(ids, func(a, b string) int {
		x, y := n.members[a].InstanceID, n.members[b].InstanceID
		if (x == "") != (y == "") {
			return -cmp.Compare(len(x), len(y))
		}
		return cmp.Compare(x, y)
	})
	return ids
}

func (n *naive) rangePlan() map[TopicPartition]string {
	plan := map[TopicPartition]string{}
	for topic, count := range n.partitions {
		var readers []string
		for _, id := range n.circle() {
			if n.reads(id, topic) {
				readers = append(readers, id)
			}
		}
		next := 0
		for i, id := range readers {
			share := count / len(readers)
			if i < count%len(readers) {
				share++
			}
			for range share {
				plan[TopicPartition{topic, int32(next)}] = id
				next++
			}
		}
	}
	return plan
}

func (n *naive) roundRobinPlan() map[TopicPartition]string {
	plan := map[TopicPartition]string{}
	circle := n.circle()
	turn := 0
	for _, at := range n.all() {
		for range circle {
			id := circle[turn%len(circle)]
			turn++
			if n.reads(id, at.Topic) {
				plan[at] = id
				break
			}
		}
		// A whole circle without a reader leaves the turn where it was.
	}
	return plan
}
