package group

import (
	"slices"
	"strings"

	"github.com/holdfast/holdfast"
)

// leaderView is what a leader watches beside its own membership.
type leaderView struct {
	leads    bool
	metadata []holdfast.Topic // the topics as the client last fetched them, by name
	topics   []string         // of the whole group
	assigned []holdfast.Topic // those topics as they were when they were assigned
	outdated bool             // they are not like that any more
	waiting  *JoinReply       // an assignment that waits for fresh metadata
}

// SetMetadata tells the member what the topics look like, as its client fetches
// them every metadata.max.age.ms and when it meets new names. The topics are
// sorted by name and not changed afterwards. A leader that had assigned something
// else rejoins in its next Poll.
func (m *Member) SetMetadata(now Time, topics []holdfast.Topic) {
	v := &m.leader
	v.metadata = topics
	if v.waiting != nil {
		r := v.waiting
		v.waiting = nil
		if m.state == Syncing && m.generation == r.Generation {
			m.lead(now, r)
		}
		return
	}
	if v.leads && m.generation >= 0 && !m.config.Broken.Has(ForgetMetadata) {
		v.outdated = !sameTopics(v.assigned, v.known(), m.config.Rack != "")
	}
}

// Subscribe changes the subscription. The member rejoins in its next Poll.
func (m *Member) Subscribe(topics []string) {
	m.topics = sortedTopics(topics)
	for _, topic := range m.topics {
		if _, found := findTopic(m.leader.metadata, topic); !found {
			m.ready.Refresh = true
		}
	}
}

// lead computes the assignment of the generation and sends it. Topics that the
// client has not heard of are fetched first.
func (m *Member) lead(now Time, r *JoinReply) {
	v := &m.leader
	topics := unionOfTopics(r.Members)
	news := slices.ContainsFunc(topics, func(topic string) bool {
		_, before := slices.BinarySearch(v.topics, topic)
		_, known := findTopic(v.metadata, topic)
		return !before && !known
	})
	v.topics = topics
	if news {
		v.waiting, m.ready.Refresh = r, true
		return
	}
	v.assigned, v.outdated = v.known(), false
	if r.SkipAssignment {
		m.sync(now, nil)
		return
	}
	plan, err := m.assignor.Assign(m.groupOf(r.Members))
	if err != nil {
		m.fail(err)
		return
	}
	division := plan.Now()
	if m.config.Broken.Has(GrantWithoutWithholding) {
		division = &plan.Division
	}
	assignments := make([]MemberAssignment, 0, len(r.Members))
	for id, topics := range division.All() {
		var assigned Partitions
		for topic, partitions := range topics {
			assigned = append(assigned,
				holdfast.TopicPartitions{Topic: topic, Partitions: partitions})
		}
		assignments = append(assignments, MemberAssignment{id, assigned})
	}
	m.sync(now, assignments)
}

// groupOf is what the assignor is told.
func (m *Member) groupOf(members []JoinedMember) holdfast.Group {
	g := holdfast.Group{Topics: m.leader.known(), Members: make([]holdfast.Member, len(members))}
	memory := !SupportsCooperative(m.assignor.Name())
	for i, member := range members {
		s := member.Metadata
		owned, generation := s.Owned, s.Generation
		// An eager member owns nothing any more when it joins; a strategy that is
		// sticky all the same has its memory in the user data.
		if memory {
			owned, generation = nil, holdfast.NoGeneration
			if s.Sticky != nil {
				owned, generation = s.Sticky.Owned, s.Sticky.Generation
			}
		}
		g.Members[i] = holdfast.Member{ID: member.ID, InstanceID: member.InstanceID,
			Rack: s.Rack, Topics: s.Topics, Owned: owned, Generation: generation,
			Capacity: s.Capacity}
	}
	if m.config.Broken.Has(OnlyNewestClaims) {
		dropOlderClaims(g.Members)
	}
	return g
}

// dropOlderClaims is what Kafka's assignors did before 3.4.1, broken on purpose
// here: a claim of an older generation counts for nothing, contested or not.
func dropOlderClaims(members []holdfast.Member) {
	newest := holdfast.NoGeneration
	for i := range members {
		newest = max(newest, members[i].Generation)
	}
	for i := range members {
		if members[i].Generation < newest {
			members[i].Owned = nil
		}
	}
}

// known returns the group's topics as the client knows them.
func (v *leaderView) known() []holdfast.Topic {
	var known []holdfast.Topic
	for _, name := range v.topics {
		if at, found := findTopic(v.metadata, name); found {
			known = append(known, v.metadata[at])
		}
	}
	return known
}

func findTopic(topics []holdfast.Topic, name string) (int, bool) {
	return slices.BinarySearchFunc(topics, name, func(t holdfast.Topic, name string) int {
		return strings.Compare(t.Name, name)
	})
}

// sameTopics compares what matters to an assignment: partition counts and, for a
// client with a rack, the racks of the replicas, whatever their order.
func sameTopics(a, b []holdfast.Topic, racks bool) bool {
	return slices.EqualFunc(a, b, func(x, y holdfast.Topic) bool {
		return x.Name == y.Name && x.Partitions == y.Partitions &&
			(!racks || slices.EqualFunc(x.Racks, y.Racks, sameRacks))
	})
}

func sameRacks(a, b []string) bool {
	return slices.Equal(sortedTopics(a), sortedTopics(b))
}

// unionOfTopics returns what any member subscribes to, sorted. Members mostly
// share one list, which is then looked at once.
func unionOfTopics(members []JoinedMember) []string {
	var all []string
	var last []string
	for _, member := range members {
		topics := member.Metadata.Topics
		if len(topics) == len(last) && (len(topics) == 0 || &topics[0] == &last[0]) {
			continue
		}
		last = topics
		if !slices.Equal(all, topics) {
			all = sortedTopics(slices.Concat(all, topics))
		}
	}
	return all
}
