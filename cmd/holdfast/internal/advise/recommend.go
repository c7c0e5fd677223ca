package advise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/group"
)

// recommend chooses the strategy. Of Kafka's four, cooperative-sticky is as even
// as any other, moves as little, and does not stop what stays: it is the answer
// unless nobody minds the pauses, and then sticky saves the second round.
// librdkafka has no sticky.
func (q *inquiry) recommend() {
	switch {
	case q.kip848():
		q.advice.Recommendation = "uniform"
	case q.PausesHarmless && q.client() != Librdkafka && !q.cooperativeNow():
		q.advice.Recommendation = "sticky"
	default:
		q.advice.Recommendation = "cooperative-sticky"
	}
}

// cooperativeNow reports that all members are cooperative already.
func (q *inquiry) cooperativeNow() bool {
	return len(q.now) > 0 && !slices.ContainsFunc(q.now, func(v group.Voter) bool {
		return group.ProtocolOf(v.Protocols) == group.Eager
	})
}

// because gives the reasons, with the figures where there is a group.
func (q *inquiry) because() {
	say := func(format string, args ...any) {
		q.advice.Because = append(q.advice.Because, fmt.Sprintf(format, args...))
	}
	if q.kip848() {
		say("group.protocol=consumer: the broker assigns, and a member has no strategies of its own; " +
			"uniform is the one that balances over all topics and keeps what it can (KIP-848)")
		return
	}
	if q.assumed && q.Group != nil && q.Config == nil {
		say("no member lists strategies: Java's default is assumed, %s", names(defaultStrategies(Java)))
	}
	switch {
	case q.PausesHarmless && q.advice.Recommendation == "sticky":
		say("pauses do no harm here: eager sticky is as even and moves as little, with one rebalance a " +
			"change instead of two")
	case q.PausesHarmless && q.client() == Librdkafka:
		say("pauses do no harm here, but librdkafka has no sticky, and its range and roundrobin keep " +
			"nothing where it was")
	default:
		say("a rebalance stops only the partitions that move; eager strategies (range, roundrobin, " +
			"sticky) stop all of them")
	}
	if q.Group == nil {
		say("without a group there are no figures: name a group file beside --config")
	} else {
		q.figuresOfGroup(say)
	}
	switch q.client() {
	case Librdkafka:
		say("it needs librdkafka 1.6 or newer in every member, or another client that knows it")
	default:
		say("it needs a Java client of Kafka 2.4 or newer, or another client that knows it, in every " +
			"member: kafka-go does not")
	}
}

// figuresOfGroup compares the strategies on this group.
func (q *inquiry) figuresOfGroup(say func(string, ...any)) {
	topics := q.topicsInUse()
	if len(q.group.Members) == 0 || len(topics) == 0 {
		say("the group has no members or no partitions yet, so that there is nothing to measure")
		return
	}
	var loads []string
	for _, name := range []string{"range", "roundrobin", "sticky", "cooperative-sticky"} {
		b := q.plans[name].Balance()
		loads = append(loads, fmt.Sprintf("%s %d..%d", name, b.Min, b.Max))
	}
	say("partitions of a member, least and most, over %d topics: %s", len(topics),
		strings.Join(loads, ", "))
	if moved := q.movedByJoin(); moved >= 0 {
		partitions := q.best().Moved() + q.best().Kept()
		say("when one more member joins, %d of %d partitions change hands", moved, partitions)
	}
	if c := q.costs; c != nil && c.cooperative.lost > c.scaled.lost && !q.cooperativeNow() {
		say("with %v to get a partition ready the lists in use lose less in sum when a member comes and "+
			"goes (%s s against %s): a second round waits for heartbeats; --restore says what yours takes",
			q.Restore, number(c.scaled.lost), number(c.cooperative.lost))
	}
	if q.coPartitioned() {
		say("should the members join these topics by partition number, they need range, which alone " +
			"gives one member the same numbers of every topic")
	}
	if !q.equalSubscriptions() && q.racked() {
		say("with unequal subscriptions and racks, Kafka's own cooperative-sticky can go on " +
			"rebalancing without end in rare groups; leave client.rack unset if it does")
	}
}

// coPartitioned reports several topics with the same number of partitions, which
// may be so because they are joined.
func (q *inquiry) coPartitioned() bool {
	wanted, counts := q.topicsInUse(), map[int]bool{}
	for _, t := range q.group.Topics {
		if slices.Contains(wanted, t.Name) {
			counts[t.Partitions] = true
		}
	}
	return len(wanted) > 1 && len(counts) == 1
}

// racked reports racks of members and of partitions.
func (q *inquiry) racked() bool {
	member := func(m holdfast.Member) bool { return m.Rack != "" }
	topic := func(t holdfast.Topic) bool { return len(t.Racks) > 0 }
	return slices.ContainsFunc(q.group.Members, member) && slices.ContainsFunc(q.group.Topics, topic)
}

// walk finds the way to the recommendation and has it checked.
func (q *inquiry) walk() {
	want := []string{q.advice.Recommendation}
	now := q.sample()
	p := &q.advice.Path
	if q.kip848() || len(now) == 0 || !slices.ContainsFunc(now, func(v group.Voter) bool {
		return !slices.Equal(v.Protocols, want)
	}) {
		return
	}
	if len(now) < len(q.now) {
		p.Remark = fmt.Sprintf("checked with %d members for %d, up to three of each list", len(now),
			len(q.now))
	}
	if q.Group == nil {
		p.Remark = "two members stand for however many there are"
	}
	running := admitted(now)
	eager := slices.ContainsFunc(running, func(v group.Voter) bool {
		return group.ProtocolOf(v.Protocols) == group.Eager
	})
	if q.client() == Librdkafka && eager && want[0] == "cooperative-sticky" {
		q.stopAll(running, all(now, want))
		return
	}
	steps := group.SafeSteps(running, want)
	if steps == nil {
		q.stopAll(running, all(now, want))
		return
	}
	for i, members := range steps {
		if i > 0 {
			members = withRefused(members, now)
		}
		p.Steps = append(p.Steps, Step{describe(i, len(steps), want[0]), members})
	}
	if len(running) < len(now) {
		p.Steps[0].Do = "as it is, with the members that the group takes in"
	}
	q.check()
}

// describe says what a step of SafeSteps does.
func describe(i, of int, want string) string {
	switch {
	case i == 0:
		return "as it is"
	case i == of-1 && of == 2:
		return "restart every member, one after the other, with " + want + " alone"
	case i == of-1:
		return "when all have both, restart every member, one after the other, with " + want + " alone"
	}
	return "restart every member, one after the other, with " + want + " behind what it has"
}

// admitted are the members that a group of the voters takes in, in their order.
func admitted(voters []group.Voter) []group.Voter {
	in := slices.Clone(voters)
	for {
		n := group.Negotiate(in)
		if n.Error == group.None {
			return in
		}
		in = slices.DeleteFunc(in, func(v group.Voter) bool { return v.ID == n.Refused })
	}
}

// withRefused adds those of the group that a step lacks, with the list that its
// members have then.
func withRefused(step, now []group.Voter) []group.Voter {
	step = slices.Clone(step)
	for _, v := range now {
		if !slices.ContainsFunc(step, func(s group.Voter) bool { return s.ID == v.ID }) {
			v.Protocols = step[0].Protocols
			step = append(step, v)
		}
	}
	return step
}

// stopAll is the way where no rolling one is: an empty group takes any list.
func (q *inquiry) stopAll(running, want []group.Voter) {
	q.advice.Path.Steps = []Step{{"as it is", running}, {"stop every member, until the group is empty",
		[]group.Voter{}}, {"start every member with " + q.advice.Recommendation + " alone", want}}
	remark := "no rolling way: the members' lists cannot be mixed"
	if q.client() == Librdkafka {
		remark = "no rolling way: librdkafka refuses a list with both kinds of strategies"
	}
	if q.Config == nil || q.Config.InstanceID == "" {
		remark += "; a member that leaves is gone at once"
	} else {
		remark += "; a static member is gone only when its session has ended"
	}
	if before := q.advice.Path.Remark; before != "" {
		remark += "; " + before
	}
	q.advice.Path.Remark = remark
	q.check()
}

// check has package group judge the path.
func (q *inquiry) check() {
	var steps [][]group.Voter
	for _, s := range q.advice.Path.Steps {
		steps = append(steps, s.Members)
	}
	q.advice.Path.Check = group.CheckUpgrade(steps)
	if q.advice.Path.Check.Verdict == group.Unsafe {
		q.advice.Warnings = append(q.advice.Warnings,
			"no-safe-path: "+groupfile.Printable(q.advice.Path.Check.Why))
	}
}
