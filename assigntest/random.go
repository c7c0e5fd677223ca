package assigntest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/holdfast/holdfast"
)

// kind says what random groups may contain. Each has what the kinds before it
// have, but for racks, which come without conflicts.
type kind int

const (
	none       kind = iota
	plain           // each partition has at most one claimant
	racks           // members and partitions name racks
	conflicts       // several claimants, several generations
	everything      // any of these
)

// generator makes the random group of one seed.
type generator struct {
	*rand.Rand
	group  holdfast.Group
	joined int // after the others
}

// randomGroup makes the group of a seed: small, because small groups have every
// corner that large ones have, and can be looked at.
func randomGroup(seed uint64, k kind) holdfast.Group {
	r := generator{Rand: rand.New(rand.NewPCG(seed, uint64(k)))}
	weighted := false
	if k == everything {
		k, weighted = kind(1+r.IntN(3)), r.chance(30)
	}
	for t := range 1 + r.IntN(5) {
		r.group.Topics = append(r.group.Topics,
			holdfast.Topic{Name: fmt.Sprintf("t%d", t), Partitions: r.IntN(8)})
	}
	most := 6
	if r.chance(10) {
		most = 20
	}
	for m := range 1 + r.IntN(most) {
		r.group.Members = append(r.group.Members, r.member(fmt.Sprintf("m%02d", m)))
	}
	r.subscribe()
	if k == racks {
		r.racks()
	}
	switch r.IntN(5) {
	case 0:
	case 1:
		r.scatterClaims()
	default:
		r.history()
	}
	if k == conflicts {
		r.contradict()
	}
	if weighted {
		r.weigh()
	}
	shuffle(r.Rand, &r.group)
	return r.group
}

// chance is true so many times in a hundred.
func (r *generator) chance(percent int) bool { return r.IntN(100) < percent }

func (r *generator) member(id string) holdfast.Member {
	m := holdfast.Member{ID: id, Generation: holdfast.NoGeneration}
	if r.chance(20) {
		m.InstanceID = fmt.Sprintf("i%d-%s", r.IntN(10), id)
	}
	return m
}

// subscribe gives the members topics in one of the shapes that groups have.
func (r *generator) subscribe() {
	shape, n := r.IntN(5), len(r.group.Topics)
	for m := range r.group.Members {
		var topics []string
		for t := range n {
			var in bool
			switch shape {
			case 0, 1: // all subscribe to all
				in = true
			case 2: // at random
				in = r.chance(50)
			case 3: // a chain: each shares a topic with the next
				in = t == m%n || t == (m+1)%n
			case 4: // teams, and one member that is in all of them
				in = t%2 == m%2 || m == 0
			}
			if in {
				topics = append(topics, r.group.Topics[t].Name)
			}
		}
		if r.chance(5) {
			topics = append(topics, "not-there")
		}
		r.group.Members[m].Topics = topics
	}
}

func (r *generator) racks() {
	rack := func() string { return string(rune('a' + r.IntN(3))) }
	for t := range r.group.Topics {
		topic := &r.group.Topics[t]
		for range topic.Partitions {
			replicas := []string{rack()}
			if r.chance(60) {
				replicas = append(replicas, rack())
			}
			topic.Racks = append(topic.Racks, replicas)
		}
	}
	for m := range r.group.Members {
		if !r.chance(15) {
			r.group.Members[m].Rack = rack()
		}
	}
}

// scatterClaims lets anybody have anything, which after a change of
// subscriptions may be a topic that its owner no longer reads.
func (r *generator) scatterClaims() {
	claims := Assignment{}
	for _, t := range r.group.Topics {
		for p := range int32(t.Partitions) {
			m := r.group.Members[r.IntN(len(r.group.Members))]
			if r.chance(80) && (r.chance(10) || slices.Contains(m.Topics, t.Name)) {
				give(claims, m.ID, partition{t.Name, p})
			}
		}
	}
	r.claim(claims, 5)
}

func give(a Assignment, id string, p partition) {
	if a[id] == nil {
		a[id] = map[string][]int32{}
	}
	a[id][p.topic] = append(a[id][p.topic], p.number)
}

// claim makes an assignment the members' claims.
func (r *generator) claim(a Assignment, generation int32) {
	for _, members := range [][]holdfast.Member{r.group.Members, r.group.Departed} {
		for i := range members {
			m := &members[i]
			m.Owned = nil
			for _, topic := range slices.Sorted(maps.Keys(a[m.ID])) {
				m.Owned = append(m.Owned,
					holdfast.TopicPartitions{Topic: topic, Partitions: a[m.ID][topic]})
			}
			if m.Generation = holdfast.NoGeneration; len(m.Owned) > 0 {
				m.Generation = generation
			}
		}
	}
}

// history lets the group have been balanced before something happened to it.
func (r *generator) history() {
	plan, err := holdfast.Sticky.Assign(r.group)
	if err != nil {
		panic(fmt.Sprintf("assigntest: a random group is refused: %v", err))
	}
	r.claim(plan.Assignment(), 5)
	for range 1 + r.IntN(3) {
		r.event()
	}
}

func (r *generator) event() {
	g := &r.group
	switch r.IntN(6) {
	case 0: // somebody joins
		r.joined++
		m := r.member(fmt.Sprintf("m%02d", 50+r.joined))
		m.Topics = slices.Clone(g.Members[0].Topics)
		m.Rack = g.Members[0].Rack
		g.Members = append(g.Members, m)
	case 1, 2: // somebody leaves, known or not
		if len(g.Members) > 1 {
			i := r.IntN(len(g.Members))
			if r.chance(50) {
				g.Departed = append(g.Departed, g.Members[i])
			}
			g.Members = slices.Delete(g.Members, i, i+1)
		}
	case 3: // somebody subscribes to something else
		m := &g.Members[r.IntN(len(g.Members))]
		m.Topics = slices.Clone(m.Topics)
		if topic := g.Topics[r.IntN(len(g.Topics))].Name; slices.Contains(m.Topics, topic) {
			m.Topics = slices.DeleteFunc(m.Topics, func(t string) bool { return t == topic })
		} else {
			m.Topics = append(m.Topics, topic)
		}
	case 4: // a topic has other partitions than before
		r.resize(&g.Topics[r.IntN(len(g.Topics))])
	case 5: // somebody forgets what it had
		g.Members[r.IntN(len(g.Members))].Owned = nil
	}
}

func (r *generator) resize(t *holdfast.Topic) {
	t.Partitions = r.IntN(9)
	if len(t.Racks) > 0 {
		t.Racks = append(t.Racks, [][]string{8: nil}...)[:t.Partitions]
	}
}

// weigh gives partitions loads and members capacities, which those strategies
// that count partitions do not look at.
func (r *generator) weigh() {
	for t := range r.group.Topics {
		topic := &r.group.Topics[t]
		for range topic.Partitions {
			topic.Weights = append(topic.Weights, float64(r.IntN(20)))
		}
	}
	for m := range r.group.Members {
		r.group.Members[m].Capacity = float64(r.IntN(3))
	}
}

// contradict lets members claim what others have, and of other generations.
func (r *generator) contradict() {
	for range 1 + r.IntN(4) {
		m := &r.group.Members[r.IntN(len(r.group.Members))]
		switch r.IntN(3) {
		case 0:
			m.Generation = int32(r.IntN(8)) - 1
		case 1:
			from := r.group.Members[r.IntN(len(r.group.Members))]
			m.Owned = append(cloneMembers([]holdfast.Member{*m})[0].Owned,
				cloneMembers([]holdfast.Member{from})[0].Owned...)
		case 2:
			t := r.group.Topics[r.IntN(len(r.group.Topics))]
			m.Owned = append(m.Owned, holdfast.TopicPartitions{Topic: t.Name,
				Partitions: []int32{int32(r.IntN(t.Partitions + 2))}})
		}
		if len(m.Owned) > 0 && m.Generation < 0 && r.chance(70) {
			m.Generation = int32(3 + r.IntN(4))
		}
	}
}
