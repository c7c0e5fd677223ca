package holdfast

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

var seedFlag = flag.Int64("seed", -1, "run the random tests for this seed alone")

// long reports whether the long suite runs; the short one takes a share of it.
func long() bool { return os.Getenv("HOLDFAST_LONG") != "" }

// eachSeed runs check for count seeds, or many more in the long suite, or for
// the one seed that is asked for. A failure says how to see it again.
func eachSeed(t *testing.T, count, many int64, check func(t *testing.T, seed int64)) {
	t.Helper()
	first := int64(0)
	if long() {
		count = many
	}
	if *seedFlag >= 0 {
		first, count = *seedFlag, 1
	}
	for seed := first; seed < first+count; seed++ {
		checkSeed(t, seed, check)
	}
}

func checkSeed(t *testing.T, seed int64, check func(t *testing.T, seed int64)) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("rerun: go test . -run '^%s$' -seed=%d", t.Name(), seed)
		}
	}()
	check(t, seed)
}

// groupMaker makes random groups with all that groups in the field have.
type groupMaker struct {
	rng                         *rand.Rand
	members, topics, partitions int  // the greatest numbers of each
	racks                       bool // some groups have racks
	equal                       bool // all subscriptions are equal
}

// makerFor makes small groups, in which everything collides.
func makerFor(seed int64) *groupMaker {
	return &groupMaker{rng: rand.New(rand.NewPCG(uint64(seed), 0x686f6c64)),
		members: 6, topics: 4, partitions: 6, racks: true}
}

func (k *groupMaker) chance(percent int) bool { return k.rng.IntN(100) < percent }

// make returns a group; slices are in random order.
func (k *groupMaker) make() Group {
	var g Group
	for i := range k.rng.IntN(k.topics + 1) {
		// The names' order is not that of their numbers: t10 comes before t9.
		g.Topics = append(g.Topics, Topic{Name: fmt.Sprintf("t%d", 8+i),
			Partitions: k.rng.IntN(k.partitions + 1)})
	}
	members := 1 + k.rng.IntN(k.members)
	if k.chance(2) {
		members = 0
	}
	for i := range members {
		m := Member{ID: fmt.Sprintf("m%d", 7+i), Generation: 5}
		if k.chance(30) {
			m.InstanceID = fmt.Sprintf("i%d", k.rng.IntN(12))
		}
		g.Members = append(g.Members, m)
	}
	for i := range k.rng.IntN(3) {
		g.Departed = append(g.Departed, Member{ID: fmt.Sprintf("gone%d", i), Generation: 5})
	}
	k.subscribe(&g)
	if k.chance(50) {
		k.generations(&g)
	}
	k.claims(&g)
	if k.racks && k.chance(40) {
		k.addRacks(&g)
	}
	shuffle(k.rng, &g)
	return g
}

// subscribe gives all members one list, or one of two lists, or each its own.
func (k *groupMaker) subscribe(g *Group) {
	list := func(percent int) []string {
		var topics []string
		for _, t := range g.Topics {
			if k.chance(percent) {
				topics = append(topics, t.Name)
			}
		}
		if k.chance(10) {
			topics = append(topics, "missing")
		}
		if len(topics) > 0 && k.chance(10) {
			topics = append(topics, topics[0])
		}
		k.rng.Shuffle(len(topics), func(i, j int) { topics[i], topics[j] = topics[j], topics[i] })
		return topics
	}
	kind := k.rng.IntN(3)
	if k.equal {
		kind = 0
	}
	two := [2][]string{list(90), list(60)}
	for i := range g.Members {
		switch kind {
		case 0:
			g.Members[i].Topics = two[0]
		case 1:
			g.Members[i].Topics = two[k.rng.IntN(2)]
		default:
			g.Members[i].Topics = list(55)
		}
	}
}

func (k *groupMaker) generations(g *Group) {
	choice := []int32{NoGeneration, 3, 4, 5, 5, 5, -9, math.MaxInt32}
	for i := range g.Members {
		g.Members[i].Generation = choice[k.rng.IntN(len(choice))]
	}
	for i := range g.Departed {
		g.Departed[i].Generation = choice[k.rng.IntN(len(choice))]
	}
}

// claims gives most partitions one owner, some several and some none, mostly
// among those who may have it, and adds claims on what does not exist.
func (k *groupMaker) claims(g *Group) {
	doubled := k.rng.IntN(30)
	for _, t := range g.Topics {
		if k.chance(4) {
			k.claim(g, t.Name, int32(t.Partitions)) // the first that does not exist
		}
		for p := range t.Partitions {
			if k.chance(12) {
				continue
			}
			k.claim(g, t.Name, int32(p))
			for k.chance(doubled) {
				k.claim(g, t.Name, int32(p))
			}
		}
	}
	for k.chance(20) {
		odd := []TopicPartition{{"vanished", 0}, {"t8", 99}, {"t8", -1}, {"t9", math.MaxInt32},
			{"t8", math.MinInt32}, {"", 3}}
		at := odd[k.rng.IntN(len(odd))]
		k.claim(g, at.Topic, at.Partition)
	}
}

func (k *groupMaker) claim(g *Group, topic string, partition int32) {
	var who *Member
	for range 3 {
		i := k.rng.IntN(len(g.Members) + len(g.Departed) + 1)
		switch {
		case i < len(g.Members):
			who = &g.Members[i]
			if slices.Contains(who.Topics, topic) {
				break
			}
			continue
		case i < len(g.Members)+len(g.Departed):
			who = &g.Departed[i-len(g.Members)]
		}
		break
	}
	if who != nil {
		who.Owned = append(who.Owned, TopicPartitions{topic, []int32{partition}})
	}
}

func (k *groupMaker) addRacks(g *Group) {
	names := []string{"a", "b", "c"}
	for i := range g.Members {
		if k.chance(80) {
			g.Members[i].Rack = names[k.rng.IntN(3)]
		}
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		if k.chance(15) {
			continue
		}
		for range t.Partitions {
			var replicas []string
			for range k.rng.IntN(3) {
				replicas = append(replicas, names[k.rng.IntN(3)])
			}
			if k.chance(5) {
				replicas = append(replicas, "")
			}
			t.Racks = append(t.Racks, replicas)
		}
	}
}

// shuffle puts everything in the group into another order that means the same.
// What it changes it copies first.
func shuffle(rng *rand.Rand, g *Group) {
	mixed := func(members []Member) []Member {
		members = slices.Clone(members)
		for i := range members {
			m := &members[i]
			m.Topics, m.Owned = slices.Clone(m.Topics), slices.Clone(m.Owned)
			mix(rng, m.Topics)
			mix(rng, m.Owned)
			for j := range m.Owned {
				m.Owned[j].Partitions = slices.Clone(m.Owned[j].Partitions)
				mix(rng, m.Owned[j].Partitions)
			}
		}
		mix(rng, members)
		return members
	}
	g.Topics = slices.Clone(g.Topics)
	mix(rng, g.Topics)
	g.Members, g.Departed = mixed(g.Members), mixed(g.Departed)
}

func mix[T any](rng *rand.Rand, s []T) {
	rng.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}
