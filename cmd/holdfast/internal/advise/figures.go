package advise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/group"
)

// best is the plan that the others are measured against.
func (q *inquiry) best() *holdfast.Plan { return q.plans["cooperative-sticky"] }

// inUse is the plan of the strategy that the group uses, nil where there is no
// group, or no telling.
func (q *inquiry) inUse() *holdfast.Plan {
	if q.kip848() {
		return nil
	}
	return q.plans[q.chosen.Selected]
}

// balance are the figures of a plan beside those of the best one.
func (q *inquiry) balance(plan *holdfast.Plan) []Figure {
	b, best := plan.Balance(), q.best().Balance()
	id, _ := heaviest(plan)
	return []Figure{{"min", b.Min}, {"max", b.Max}, {"heaviest_member", id},
		{"least_min", best.Min}, {"least_max", best.Max},
		{"sum_of_squares", int(b.SumOfSquares)}, {"least_sum_of_squares", int(b.LeastSumOfSquares)}}
}

// heaviest is the first of the members that have the most partitions.
func heaviest(plan *holdfast.Plan) (id string, most int) {
	most = -1
	for _, m := range plan.Members() {
		if n := plan.Count(m); n > most {
			id, most = m, n
		}
	}
	return id, most
}

// rangeSkew finds that the partitions that are left over of each topic add up on
// the first members.
func (q *inquiry) rangeSkew() []Finding {
	plan := q.inUse()
	if plan == nil || plan.Strategy() != "range" || len(q.topicsInUse()) < 2 {
		return nil
	}
	b, best := plan.Balance(), q.best().Balance()
	if b.SumOfSquares <= b.LeastSumOfSquares {
		return nil
	}
	id, most := heaviest(plan)
	return []Finding{{"range-multi-topic-skew", Warning, fmt.Sprintf("range divides each of the %d "+
		"topics for itself and gives what is left over to the same members every time: %s has %d "+
		"partitions, another member %d, where %d to %d are possible", len(q.topicsInUse()),
		groupfile.Printable(id), most, b.Min, best.Min, best.Max),
		append([]Figure{{"topics", len(q.topicsInUse())}}, q.balance(plan)...)}}
}

// topicsInUse are the group's topics that a member subscribes to and that have
// partitions, by name.
func (q *inquiry) topicsInUse() []string {
	wanted := map[string]bool{}
	for _, m := range q.group.Members {
		for _, t := range m.Topics {
			wanted[t] = true
		}
	}
	var topics []string
	for _, t := range q.group.Topics {
		if wanted[t.Name] && t.Partitions > 0 {
			topics = append(topics, t.Name)
		}
	}
	slices.Sort(topics)
	return topics
}

// equalSubscriptions reports whether all members subscribe to the same topics.
func (q *inquiry) equalSubscriptions() bool {
	set := func(m holdfast.Member) []string {
		topics := slices.Clone(m.Topics)
		slices.Sort(topics)
		return slices.Compact(topics)
	}
	for _, m := range q.group.Members {
		if !slices.Equal(set(m), set(q.group.Members[0])) {
			return false
		}
	}
	return true
}

// unequalRoundRobin finds that roundrobin hands its turns to members that cannot
// take every topic.
func (q *inquiry) unequalRoundRobin() []Finding {
	plan := q.inUse()
	if plan == nil || plan.Strategy() != "roundrobin" || q.equalSubscriptions() {
		return nil
	}
	b, best := plan.Balance(), q.best().Balance()
	if b.SumOfSquares <= b.LeastSumOfSquares {
		return nil
	}
	return []Finding{{"roundrobin-unequal-subscriptions", Warning, fmt.Sprintf("roundrobin deals "+
		"partitions out in turn, whatever a member has already: with unequal subscriptions members have "+
		"%d to %d partitions, where %d to %d are possible", b.Min, b.Max, best.Min, best.Max),
		q.balance(plan)}}
}

// racksIgnored finds partitions that are read from another rack although the
// racks are known on both sides.
func (q *inquiry) racksIgnored() []Finding {
	plan := q.inUse()
	if plan == nil || plan.RackMisses() <= q.best().RackMisses() {
		return nil
	}
	how := "range looks at racks only where balance is the same"
	if name := plan.Strategy(); name != "range" {
		how = name + " does not look at racks"
	}
	return []Finding{{"racks-ignored", Warning, fmt.Sprintf("%s: %d partitions have no replica in "+
		"the rack of their member, where %d is possible", how, plan.RackMisses(), q.best().RackMisses()),
		[]Figure{{"rack_misses", plan.RackMisses()}, {"least_rack_misses", q.best().RackMisses()}}}}
}

// idleMembers finds members that get nothing whatever the strategy.
func (q *inquiry) idleMembers() []Finding {
	if q.Group == nil || len(q.group.Members) == 0 {
		return nil
	}
	plan := q.best()
	var idle []string
	for _, id := range plan.Members() {
		if plan.Count(id) == 0 {
			idle = append(idle, id)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	partitions := plan.Moved() + plan.Kept()
	if partitions == 0 {
		return nil // a group that is described by its lists alone
	}
	return []Finding{{"idle-members", Warning, fmt.Sprintf("%s nothing to do, whatever the strategy: "+
		"their topics have too few partitions (%d in all)",
		ofMembers(len(idle), len(q.group.Members), "has", "have"), partitions),
		[]Figure{{"idle", idle}, {"members", len(q.group.Members)}, {"partitions", partitions}}}}
}

// weightsIgnored tells what counting partitions costs where they differ.
func (q *inquiry) weightsIgnored() []Finding {
	weighted := q.plans[holdfast.Weighted.Name()]
	plan := q.inUse()
	if weighted == nil || plan == nil || plan == weighted {
		return nil
	}
	load, least := plan.Load(), weighted.Load()
	if load.Heaviest <= least.Heaviest {
		return nil
	}
	return []Finding{{"weights-ignored", Info, fmt.Sprintf("%s counts partitions: the heaviest "+
		"member carries %s, where %s is possible (weighted, with holdfast in a franz-go client)",
		plan.Strategy(), number(load.Heaviest), number(least.Heaviest)),
		[]Figure{{"heaviest", load.Heaviest}, {"weighted_heaviest", least.Heaviest},
			{"lower_bound", least.LowerBound}}}}
}

// eagerPauses finds a group that stands still at every rebalance, and says what
// the same would cost cooperatively.
func (q *inquiry) eagerPauses() []Finding {
	if q.PausesHarmless || q.kip848() || q.chosen.Error != group.None || len(q.now) == 0 {
		return nil
	}
	eager := 0
	for _, v := range q.now {
		if group.ProtocolOf(v.Protocols) == group.Eager {
			eager++
		}
	}
	if eager == 0 {
		return nil
	}
	if q.Group == nil {
		return []Finding{{"eager-pauses", Warning, fmt.Sprintf("%s makes a member eager: at every "+
			"rebalance it gives up all that it has, and nothing is processed until the new assignment is "+
			"there", names(q.now[0].Protocols)), nil}}
	}
	partitions := q.best().Moved() + q.best().Kept()
	text := fmt.Sprintf("%s eager: at every rebalance an eager member gives up all that it has",
		ofMembers(eager, len(q.now), "is", "are"))
	figures := []Figure{{"eager_members", eager}, {"members", len(q.now)}, {"partitions", partitions}}
	if moved := q.movedByJoin(); moved >= 0 && partitions > 0 && eager == len(q.now) {
		text += fmt.Sprintf("; when a member joins, all %d partitions stop, with cooperative-sticky %d",
			partitions, moved)
		figures = append(figures, Figure{"stopped_when_one_joins", partitions},
			Figure{"cooperative_stopped_when_one_joins", moved})
	}
	if c := q.costs; c != nil {
		text += fmt.Sprintf("; while one joins and leaves again, with %v to get a partition ready, "+
			"partitions stand still for %s s in sum and all of them together for %s s, with "+
			"cooperative-sticky for %s and %s", q.Restore, number(c.scaled.lost), number(c.scaled.stopped),
			number(c.cooperative.lost), number(c.cooperative.stopped))
		figures = append(figures, Figure{"restore_s", q.Restore.Seconds()})
		figures = append(figures, c.scaled.figures("")...)
		figures = append(figures, c.cooperative.figures("cooperative_")...)
	}
	return []Finding{{"eager-pauses", Warning, text, figures}}
}

// ofMembers begins a sentence about some of the members.
func ofMembers(n, of int, one, several string) string {
	if n == 1 {
		several = one
	}
	return fmt.Sprintf("%d of %s %s", n, count(of, "member"), several)
}

// count is a number of things in words.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// movedByJoin is how many partitions change their owner if one more member joins
// the group as cooperative-sticky has it: -1 where that cannot be told.
func (q *inquiry) movedByJoin() int {
	if q.joined == nil {
		moved := q.join()
		q.joined = &moved
	}
	return *q.joined
}

func (q *inquiry) join() int {
	plan := q.best()
	grown := holdfast.Group{Topics: q.group.Topics}
	for _, m := range q.group.Members {
		m.Owned, m.Generation = nil, 1
		for topic, partitions := range plan.TopicsOf(m.ID) {
			m.Owned = append(m.Owned, holdfast.TopicPartitions{Topic: topic, Partitions: partitions})
		}
		grown.Members = append(grown.Members, m)
	}
	grown.Members = append(grown.Members, holdfast.Member{ID: q.newcomer(), Topics: q.topicsInUse(),
		Generation: holdfast.NoGeneration})
	next, err := holdfast.CooperativeSticky.Assign(grown)
	if err != nil {
		return -1
	}
	return next.Causes().Shed
}

// dynamicMembers tells what group.instance.id would save when all are restarted.
func (q *inquiry) dynamicMembers() []Finding {
	dynamic := 0
	for _, m := range q.group.Members {
		if m.InstanceID == "" {
			dynamic++
		}
	}
	if q.Config != nil && q.Config.InstanceID != "" || q.Group != nil && dynamic == 0 {
		return nil
	}
	if q.Group == nil {
		return []Finding{{"dynamic-members-rolling-restart", Info, "group.instance.id is not set: in a " +
			"rolling restart each member leaves and joins, two rebalances each, where a static one that " +
			"is back within its session causes none", nil}}
	}
	text := fmt.Sprintf("%s no group.instance.id: in a rolling restart each of them "+
		"leaves and joins, and a static one that is back within its session causes no rebalance",
		ofMembers(dynamic, len(q.group.Members), "has", "have"))
	figures := []Figure{{"dynamic_members", dynamic}, {"members", len(q.group.Members)}}
	if c := q.costs; c != nil {
		text += fmt.Sprintf("; %d rebalances and %d moves, against %d and %d with static members, whose "+
			"partitions wait for them, though: %s s in sum against %s (%v down each, %v to get a partition "+
			"ready)", c.restarted.rebalances, c.restarted.moved, c.static.rebalances,
			c.static.moved, number(c.static.lost), number(c.restarted.lost), restartDown, q.Restore)
		figures = append(figures, Figure{"restore_s", q.Restore.Seconds()},
			Figure{"down_s", restartDown.Seconds()})
		figures = append(figures, c.restarted.figures("")...)
		figures = append(figures, c.static.figures("static_")...)
	}
	return []Finding{{"dynamic-members-rolling-restart", Info, text, figures}}
}

// fixedInstance finds an instance id that every process with this file would have.
func (q *inquiry) fixedInstance() []Finding {
	c := q.Config
	if c == nil || c.InstanceID == "" || strings.ContainsAny(c.InstanceID, "$%{") {
		return nil
	}
	return []Finding{{"instance-id-fixed", Info, fmt.Sprintf("%s: every process that runs with this "+
		"file is %s, and the broker fences one of two members of one group.instance.id",
		c.where(keyInstance), groupfile.Printable(c.InstanceID)),
		[]Figure{{"group_instance_id", c.InstanceID}}}}
}
