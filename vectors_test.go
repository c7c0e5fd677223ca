package holdfast

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// vector is a group with what Kafka's Java assignor answered, as
// testdata/vectors has it.
type vector struct {
	Assignor string
	Tags     []string
	Topics   map[string][][]string
	Members  []struct {
		ID, Instance, Rack string
		Topics, Owned      []string
		Generation         int32
		UserDataGeneration *int32
	}
	JavaOrder []string
	Result    map[string][]string
}

// group states the vector's input; the sticky assignor takes its generation from
// the user data, the cooperative one from the subscription, and only without
// racks if so asked.
func (v *vector) group() Group {
	var g Group
	for name, racks := range v.Topics {
		g.Topics = append(g.Topics, Topic{Name: name, Partitions: len(racks), Racks: racks})
	}
	for _, m := range v.Members {
		member := Member{ID: m.ID, InstanceID: m.Instance, Rack: m.Rack, Topics: m.Topics,
			Generation: m.Generation}
		switch {
		case v.Assignor == "sticky" && m.UserDataGeneration == nil:
			member.Generation = NoGeneration
		case v.Assignor == "sticky", m.Generation < 0 && m.UserDataGeneration != nil:
			member.Generation = *m.UserDataGeneration
		}
		for _, owned := range m.Owned {
			topic, partition := splitPartition(owned)
			member.Owned = append(member.Owned, TopicPartitions{topic, []int32{partition}})
		}
		g.Members = append(g.Members, member)
	}
	return g
}

// splitPartition takes "topic-0" apart.
func splitPartition(name string) (string, int32) {
	cut := strings.LastIndexByte(name, '-')
	n, err := strconv.Atoi(name[cut+1:])
	if err != nil {
		panic(err)
	}
	return name[:cut], int32(n)
}

func readVectors(t *testing.T, strategy string) []vector {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors/jvm-" + strategy + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	for line := range bytes.Lines(text) {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if len(all) != 400 {
		t.Fatalf("%d vectors for %s, want 400", len(all), strategy)
	}
	return all
}

// names lists a member's partitions the way the vectors do, sorted.
func names(assigned map[string][]int32) []string {
	list := []string{}
	for topic, partitions := range assigned {
		for _, p := range partitions {
			list = append(list, topic+"-"+strconv.Itoa(int(p)))
		}
	}
	slices.Sort(list)
	return list
}

// TestJavaVectors holds range and roundrobin to exactly what Kafka's own
// assignors answered.
func TestJavaVectors(t *testing.T) {
	for _, a := range []Assignor{Range, RoundRobin} {
		for line, v := range readVectors(t, a.Name()) {
			plan, err := a.Assign(v.group())
			if err != nil {
				t.Fatalf("%s line %d: %v", a.Name(), line+1, err)
			}
			for id, want := range v.Result {
				slices.Sort(want)
				if got := names(plan.Of(id)); !slices.Equal(got, want) {
					t.Errorf("%s line %d %v: %s has %v, want %v", a.Name(), line+1, v.Tags, id, got, want)
				}
			}
			if len(plan.Members()) != len(v.Result) {
				t.Errorf("%s line %d: %d members, want %d", a.Name(), line+1,
					len(plan.Members()), len(v.Result))
			}
		}
	}
}
