package kgobalancer

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// turn is one turn of a leader: from the members' bytes to their answers. It
// implements kgo.GroupMemberBalancerOrError and kgo.GroupMemberBalancerInfo.
type turn struct {
	balancer *balancer
	members  []holdfast.Member // by id
	topics   map[string]struct{}
	warnings []Warning
	weighed  []wire.Weighted // what members told of weights, under holdfast-weighted
	reading  time.Duration   // spent on the members' bytes
	info     kgo.BalanceInfo
}

// MemberBalancer reads what the members say. It never fails: a member whose bytes
// say nothing is one without topics. It costs O(bytes) and keeps one copy of what
// members say alike.
func (b *balancer) MemberBalancer(
	members []kmsg.JoinGroupResponseMember,
) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	start := time.Now()
	t := &turn{balancer: b, topics: make(map[string]struct{})}
	members = t.once(members)
	t.members = make([]holdfast.Member, len(members))
	var decoder wire.Decoder
	var last []string
	for i := range members {
		m := &t.members[i]
		t.read(m, &members[i], &decoder)
		if len(m.Topics) > 0 && (len(last) != len(m.Topics) || &last[0] != &m.Topics[0]) {
			for _, topic := range m.Topics {
				t.topics[topic] = struct{}{}
			}
			last = m.Topics
		}
	}
	t.reading = time.Since(start)
	return t, t.topics, nil
}

// once returns the members by id, each once. Coordinators have been seen to list
// a member twice, and its id can have only one answer; if its bytes differ the
// smallest count, so that the order of the list does not show.
func (t *turn) once(members []kmsg.JoinGroupResponseMember) []kmsg.JoinGroupResponseMember {
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, func(a, b kmsg.JoinGroupResponseMember) int {
		if order := strings.Compare(a.MemberID, b.MemberID); order != 0 {
			return order
		}
		if order := slices.Compare(a.ProtocolMetadata, b.ProtocolMetadata); order != 0 {
			return order
		}
		return strings.Compare(instance(&a), instance(&b))
	})
	kept := sorted[:0]
	for i := range sorted {
		if n := len(kept); n > 0 && kept[n-1].MemberID == sorted[i].MemberID {
			t.warn(sorted[i].MemberID, wire.Warning{ID: MemberTwice,
				Detail: "the coordinator lists the member more than once"})
			continue
		}
		kept = append(kept, sorted[i])
	}
	return kept
}

func instance(m *kmsg.JoinGroupResponseMember) string {
	if m.InstanceID == nil {
		return ""
	}
	return *m.InstanceID
}

// read decodes one member's metadata: the claims of a sticky member are in its
// user data, those of a cooperative one among the fields, and the members of
// other strategies claim nothing.
func (t *turn) read(m *holdfast.Member, from *kmsg.JoinGroupResponseMember, d *wire.Decoder) {
	m.ID, m.InstanceID = from.MemberID, instance(from)
	m.Generation = holdfast.NoGeneration
	s, found, err := d.Subscription(from.ProtocolMetadata)
	if err != nil {
		t.warn(m.ID, wire.Warning{ID: Unreadable, Detail: err.Error() + "; read as no topics"})
		return
	}
	t.warn(m.ID, found.Warnings...)
	m.Topics, m.Rack = s.Topics, s.Rack
	switch t.balancer.claiming() {
	case inUserData:
		claims, found := d.Sticky(s.UserData)
		t.warn(m.ID, found.Warnings...)
		m.Owned, m.Generation = claims.Owned, claims.Generation
	case weighing:
		claims, found := d.Weighted(s.UserData)
		t.warn(m.ID, found.Warnings...)
		m.Owned, m.Generation = claims.Owned, claims.Generation
		m.Capacity = usableCapacity(claims.Capacity)
		if claims.Weights != nil {
			t.weighed = append(t.weighed, claims)
		}
	case inFields:
		if len(s.Owned) > 0 {
			m.Owned = s.Owned
			m.Generation, found = s.CooperativeGeneration()
			t.warn(m.ID, found.Warnings...)
		}
	}
}

// SetBalanceInfo takes what the client knows about the group and the cluster.
func (t *turn) SetBalanceInfo(info kgo.BalanceInfo) { t.info = info }

// Balance is there for the interface; the client calls BalanceOrError instead.
func (t *turn) Balance(topics map[string]int32) kgo.IntoSyncAssignment {
	into, err := t.BalanceOrError(topics)
	if err != nil {
		return nil
	}
	return into
}

// BalanceOrError makes the plan and writes the answers. The error is a
// *holdfast.GroupError (more partitions than holdfast.MaxPartitions, a member
// without an id) or a *wire.EncodeError.
func (t *turn) BalanceOrError(topics map[string]int32) (kgo.IntoSyncAssignment, error) {
	start := time.Now()
	b := t.balancer
	group := holdfast.Group{Topics: t.topicList(topics), Members: t.members}
	b.mu.Lock()
	b.led.tell(&group, t.info, b.claiming() == nowhere)
	b.mu.Unlock()
	plan, err := b.strategy.Assign(group)
	if err != nil {
		return nil, err
	}
	into, err := encode(plan, group.Topics)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.led.add(plan, group.Topics, t.info)
	b.mu.Unlock()
	b.report(Leading{Group: t.info.Group, Generation: t.info.Generation,
		Leader: t.info.LeaderID, Plan: plan, Warnings: t.warnings,
		Duration: t.reading + time.Since(start)})
	return into, nil
}

// topicList lists the topics that somebody subscribes to and that exist, by name.
// The client leaves out those it does not know.
func (t *turn) topicList(counts map[string]int32) []holdfast.Topic {
	list := make([]holdfast.Topic, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(t.topics)) {
		if n, ok := counts[name]; ok {
			list = append(list, holdfast.Topic{Name: name, Partitions: int(n)})
		}
	}
	t.addRacks(list)
	t.addWeights(list)
	return list
}

// answers implements kgo.IntoSyncAssignment.
type answers []kmsg.SyncGroupRequestGroupAssignment

// IntoSyncAssignment returns the answers, by member id.
func (a answers) IntoSyncAssignment() []kmsg.SyncGroupRequestGroupAssignment { return a }

// answerVersion is the oldest version of the assignment: all have the same
// fields, and there are readers that know no other.
const answerVersion = 0

// encode writes what the members are told now. Topics are by name, as the plan
// has them.
func encode(plan *holdfast.Plan, topics []holdfast.Topic) (answers, error) {
	now := plan.Now()
	ids := now.Members()
	all, err := wire.EncodeOwners(answerVersion, topics, now.Owners(), len(ids))
	if err != nil {
		return nil, err
	}
	into := make(answers, len(ids))
	for m, id := range ids {
		into[m].MemberID, into[m].MemberAssignment = id, all[m]
	}
	return into, nil
}
