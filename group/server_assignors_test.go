package group

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast/holdfast"
)

// randomSubscribers makes members with targets that may overlap, name topics that
// are gone or partitions that are not there.
func randomSubscribers(rng *rand.Rand, same bool) ([]*subscriber, []holdfast.Topic) {
	var topics []holdfast.Topic
	for i := range 1 + rng.IntN(4) {
		topics = append(topics, holdfast.Topic{Name: string(rune('t' + i)), Partitions: rng.IntN(9)})
	}
	var members []*subscriber
	for i := range 1 + rng.IntN(6) {
		m := &subscriber{id: fmt.Sprint("m", i)}
		if rng.IntN(3) == 0 {
			m.instance = fmt.Sprint("i", 9-i)
		}
		for _, t := range topics {
			if same || rng.IntN(3) > 0 {
				m.topics = append(m.topics, t.Name)
			}
		}
		var before []holdfast.TopicPartitions
		for _, t := range append(topics, holdfast.Topic{Name: "z", Partitions: 2}) {
			for n := range t.Partitions + 1 {
				if rng.IntN(3) == 0 {
					before = append(before, topicPartitions(t.Name, []int32{int32(n)}))
				}
			}
		}
		m.before = NewPartitions(before)
		members = append(members, m)
	}
	return members, topics
}

// Whatever the members had: each partition of a topic that somebody subscribes to
// has one owner, who subscribes to it, and with equal subscriptions nobody has two
// more than somebody else.
func TestServerAssignors(t *testing.T) {
	for _, name := range []string{"uniform", "range"} {
		for seed := range uint64(2000) {
			rng := rand.New(rand.NewPCG(seed, 4))
			same := rng.IntN(2) == 0
			members, topics := randomSubscribers(rng, same)
			serverAssignorOf(name)(members, topics)
			owners := map[string]string{}
			least, most := 1<<30, 0
			for _, m := range members {
				for _, p := range m.target {
					if !slices.Contains(m.topics, p.Topic) {
						t.Fatalf("%s, seed %d: %s gets %s", name, seed, m.id, p.Topic)
					}
					for _, n := range p.Partitions {
						key := fmt.Sprint(p.Topic, n)
						if owners[key] != "" {
							t.Fatalf("%s, seed %d: %s has two owners", name, seed, key)
						}
						owners[key] = m.id
					}
				}
				least, most = min(least, m.target.Len()), max(most, m.target.Len())
			}
			for _, topic := range topics {
				wanted := slices.ContainsFunc(members, func(m *subscriber) bool {
					return slices.Contains(m.topics, topic.Name)
				})
				for n := range topic.Partitions {
					if has := owners[fmt.Sprint(topic.Name, n)] != ""; has != wanted {
						t.Fatalf("%s, seed %d: %s[%d] has an owner: %v", name, seed, topic.Name, n, has)
					}
				}
			}
			if name == "uniform" && same && most-least > 1 {
				t.Errorf("seed %d: from %d to %d partitions", seed, least, most)
			}
		}
	}
}

// uniform keeps all that fits: nobody below its share loses anything that only it
// had.
func TestUniformKeeps(t *testing.T) {
	topics := []holdfast.Topic{{Name: "t", Partitions: 6}}
	a := &subscriber{id: "a", topics: []string{"t"},
		before: NewPartitions([]holdfast.TopicPartitions{topicPartitions("t", []int32{1, 3, 5})})}
	b := &subscriber{id: "b", topics: []string{"t"},
		before: NewPartitions([]holdfast.TopicPartitions{topicPartitions("t", []int32{0, 2, 4})})}
	c := &subscriber{id: "c", topics: []string{"t"}}
	assignUniform([]*subscriber{a, b, c}, topics)
	got := fmt.Sprint(a.target, b.target, c.target)
	if want := "t[1,3] t[0,2] t[4-5]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// range goes by instance id, static members first, topic by topic.
func TestServerRangeOrder(t *testing.T) {
	topics := []holdfast.Topic{{Name: "t", Partitions: 3}, {Name: "u", Partitions: 4}}
	members := []*subscriber{{id: "a"}, {id: "b", instance: "z"}, {id: "c", instance: "y"}}
	for _, m := range members {
		m.topics = []string{"t", "u"}
	}
	assignRange(members, topics)
	var got []string
	for _, m := range members {
		got = append(got, m.target.String())
	}
	if want := "t[2] u[3]|t[1] u[2]|t[0] u[0-1]"; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}
