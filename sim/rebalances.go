package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
)

// recorder writes down the rebalances.
type recorder struct {
	list  []Rebalance
	begun int // rebalances that this coordinator has begun, as last seen
	total int // rebalances begun, whoever coordinated
	// open is the rebalance under way, if there is one. One that is begun again
	// before it is complete goes on, with both causes.
	open  bool
	start Time
	cause string
	gave  []MemberPartitions // revoked in order to join
	// causes counts what has moved in a consumer group since the rebalance began.
	causes holdfast.Causes
	lost   float64       // partition-seconds lost when the last one began
	record *group.Record // the last one
	// last is the index of the last completed rebalance of this generation, or -1.
	last int
}

// observe sees whether the coordinator has begun a rebalance.
func (r *recorder) observe(w *world) {
	begun := w.coordinator.Begun()
	if begun == r.begun {
		return
	}
	r.total += begun - r.begun
	r.begun = begun
	cause := w.causeText()
	if r.open {
		if r.cause != cause {
			r.cause += "; " + cause
		}
		return
	}
	r.begin(w, cause)
}

func (r *recorder) begin(w *world, cause string) {
	r.open, r.start, r.cause, r.gave = true, w.now, cause, nil
	r.causes = holdfast.Causes{}
	w.costs.settle(w.now)
	lost := w.costs.lost().Sum()
	if r.last >= 0 {
		r.list[r.last].LostPartitionSeconds = lost - r.lost
	}
	r.lost = lost
}

// complete takes a generation that the coordinator has written down. One that was
// not rebalanced for is a static member that came back.
func (r *recorder) complete(w *world, record *group.Record) {
	r.record = record
	causes, withheld := w.costs.assigned(w, record)
	state := w.coordinator.State()
	if !r.open || state != group.Stable && state != group.Empty {
		return // Nothing was rebalanced, or the group's birth is written down.
	}
	r.open, w.downgraded = false, false
	b := Rebalance{Generation: record.Generation, Start: r.start, End: w.now, Cause: r.cause,
		Strategy: record.Protocol, Causes: causes, Moved: causes.Total(), Revoked: r.gave,
		Withheld: w.partitionsOf(withheld)}
	eager, cooperative := 0, 0
	for i := range record.Members {
		m := &record.Members[i]
		b.Members = append(b.Members, MemberCount{m.ClientID, m.Assigned.Len()})
		if m.ID == record.Leader {
			b.Leader = m.ClientID
		}
		if p := w.byName[m.ClientID]; p.classic != nil && p.classic.Protocol() == group.Eager {
			eager++
		} else {
			cooperative++
		}
	}
	switch {
	case cooperative == 0 && eager == 0:
	case cooperative == 0:
		b.Protocol = "eager"
	case eager == 0:
		b.Protocol = "cooperative"
	default:
		b.Protocol = "mixed"
	}
	sortByMember(b.Members, func(m MemberCount) string { return m.Member })
	sortByMember(b.Revoked, func(m MemberPartitions) string { return m.Member })
	r.list = append(r.list, b)
	r.last = len(r.list) - 1
}

// completeConsumer sees whether everybody in a consumer group has what it shall
// have.
func (r *recorder) completeConsumer(w *world) {
	state := w.coordinator.State()
	if !r.open || !w.coordinator.Consumer() || state != group.Stable && state != group.Empty {
		return
	}
	r.open = false
	b := Rebalance{Generation: w.coordinator.Generation(), Start: r.start, End: w.now,
		Cause: r.cause, Strategy: w.coordinator.Protocol(), Protocol: "consumer",
		Causes: r.causes, Moved: r.causes.Total(), Revoked: r.gave}
	for _, p := range w.processes {
		if s := w.seatOf(p); s != nil {
			b.Members = append(b.Members, MemberCount{p.spec.ID, len(s.parts)})
		}
	}
	sortByMember(b.Members, func(m MemberCount) string { return m.Member })
	sortByMember(b.Revoked, func(m MemberPartitions) string { return m.Member })
	r.list = append(r.list, b)
	r.last = len(r.list) - 1
}

// seatOf returns the seat of a process in the group, or nil.
func (w *world) seatOf(p *process) *seat {
	if p.member == nil {
		return nil
	}
	s := w.seats[cmp.Or(p.spec.InstanceID, p.member.ID())]
	if s == nil || !s.inGroup || s.client != p.spec.ID {
		return nil
	}
	return s
}

func sortByMember[T any](list []T, member func(T) string) {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(member(a), member(b)) })
}

// revoked writes down that a member gives something up for a rebalance: to join
// the one under way, or because the last one told it to.
func (r *recorder) revoked(p *process, which group.Partitions, toJoin bool) {
	if p.closing || len(which) == 0 {
		return
	}
	entry := MemberPartitions{p.spec.ID, which}
	if toJoin {
		r.gave = append(r.gave, entry)
		return
	}
	if r.last >= 0 && r.list[r.last].Generation == p.member.Generation() {
		b := &r.list[r.last]
		b.Revoked = append(b.Revoked, entry)
		sortByMember(b.Revoked, func(m MemberPartitions) string { return m.Member })
	}
}

// synced writes down that a member has its assignment.
func (r *recorder) synced(w *world, generation int32) {
	if r.last >= 0 && r.list[r.last].Generation == generation {
		r.list[r.last].End = w.now
	}
}

// finish closes the last rebalance's account.
func (r *recorder) finish(w *world) []Rebalance {
	if r.last >= 0 && !r.open {
		r.list[r.last].LostPartitionSeconds = w.costs.lost().Sum() - r.lost
	}
	return r.list
}

// causeText says why the rebalance began, in the words of the scenario.
func (w *world) causeText() string {
	why, name := w.coordinator.Cause()
	p := w.byName[name]
	switch why {
	case group.MemberJoins:
		return name + " joins"
	case group.MemberLeaves:
		if p != nil && p.stalled {
			return name + " does not poll"
		}
		return name + " leaves"
	case group.SessionExpires:
		return "session of " + name + " expires"
	case group.PartitionsRevoked:
		return "next round: " + name + " gave up partitions"
	case group.SubscriptionChange:
		return name + " subscribes to other topics"
	case group.MetadataChange:
		return "partitions changed, seen by " + name
	case group.StaticReturns:
		return name + " returns with other strategies"
	case group.SyncExpires:
		return name + " does not sync"
	case group.GroupRebalances, group.MemberRetries:
		return name + " rejoins"
	}
	return fmt.Sprintf("%s: %v", name, why)
}

// partitionsOf turns numbers into names.
func (w *world) partitionsOf(numbers []int32) group.Partitions {
	var list []holdfast.TopicPartitions
	for _, n := range numbers {
		name := w.costs.parts[n].name
		list = append(list, holdfast.TopicPartitions{Topic: name.Topic,
			Partitions: []int32{name.Partition}})
	}
	return group.NewPartitions(list)
}
