package conformance

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/conformance/internal/kafka"
	"github.com/holdfast/holdfast/wire"
)

// vector is a recorded group with the answer of Kafka's assignor, as a line of
// testdata/vectors has it.
type vector struct {
	Assignor string
	Topics   map[string][][]string
	Members  []vectorMember
	Result   map[string][]string
}

type vectorMember struct {
	ID, Instance, Rack string
	Topics, Owned      []string
	Generation         int32
	UserDataGeneration *int32
}

// question is what Replay.java reads.
type question struct {
	Assignor string                `json:"assignor"`
	Topics   map[string][][]string `json:"topics"`
	Members  []questionMember      `json:"members"`
}

type questionMember struct {
	ID           string `json:"id"`
	Instance     string `json:"instance"`
	Subscription string `json:"subscription"`
}

// TestKafkaAnswersAsRecorded puts every recorded group to the assignors of the
// jars again, the members' subscriptions written and the answers read by package
// wire: the records still hold for this version of Kafka, and both sides
// understand each other's bytes.
func TestKafkaAnswersAsRecorded(t *testing.T) {
	need(t)
	var vectors []vector
	for _, s := range []string{"range", "roundrobin", "sticky", "cooperative-sticky"} {
		vectors = append(vectors, readVectors(t, s)...)
	}
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	for i := range vectors {
		if err := encoder.Encode(ask(t, &vectors[i])); err != nil {
			t.Fatal(err)
		}
	}
	cmd := kafka.Java(tools, t.TempDir(), 256, "Replay.java")
	cmd.Stdin = &input
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	answers := strings.Split(strings.TrimSpace(string(output)), "\n")
	if len(answers) != len(vectors) {
		t.Fatalf("%d answers to %d groups\n%s", len(answers), len(vectors), stderr.Bytes())
	}
	for i := range vectors {
		var answer map[string]string
		if err := json.Unmarshal([]byte(answers[i]), &answer); err != nil {
			t.Fatal(err)
		}
		if err := vectors[i].compare(answer); err != nil {
			t.Errorf("vector %d of 1600 (%s): %v", i+1, vectors[i].Assignor, err)
		}
	}
}

// compare holds an answer against the record.
func (v *vector) compare(answer map[string]string) error {
	if len(answer) != len(v.Result) {
		return fmt.Errorf("%d members answered, %d recorded: %v", len(answer), len(v.Result), answer)
	}
	for id, want := range v.Result {
		data, err := hex.DecodeString(answer[id])
		if err != nil {
			return err
		}
		assignment, findings, err := wire.DecodeAssignment(data)
		if err != nil {
			return fmt.Errorf("assignment of %s: %w", id, err)
		}
		if len(findings.Warnings) > 0 {
			return fmt.Errorf("assignment of %s: %v", id, findings.Warnings)
		}
		got := []string{}
		for _, topic := range assignment.Assigned {
			for _, p := range topic.Partitions {
				got = append(got, fmt.Sprintf("%s-%d", topic.Topic, p))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			return fmt.Errorf("%s has %v, recorded %v", id, got, want)
		}
	}
	return nil
}

// ask states a recorded group in the bytes that its members would send.
func ask(t *testing.T, v *vector) question {
	t.Helper()
	q := question{Assignor: v.Assignor, Topics: v.Topics}
	for i := range v.Members {
		s, err := v.Members[i].subscription(v.Assignor)
		if err != nil {
			t.Fatal(err)
		}
		data, err := wire.AppendSubscription(nil, wire.MaxVersion, &s)
		if err != nil {
			t.Fatal(err)
		}
		q.Members = append(q.Members, questionMember{ID: v.Members[i].ID,
			Instance: v.Members[i].Instance, Subscription: hex.EncodeToString(data)})
	}
	return q
}

// subscription puts a member's claims where its strategy looks for them: sticky
// in the user data, cooperative-sticky in the subscription itself.
func (m *vectorMember) subscription(strategy string) (wire.Subscription, error) {
	s := wire.Subscription{Topics: m.Topics, Generation: m.Generation, Rack: m.Rack}
	var owned []holdfast.TopicPartitions
	for _, name := range m.Owned {
		cut := strings.LastIndexByte(name, '-')
		number, err := strconv.ParseInt(name[cut+1:], 10, 32)
		if err != nil {
			return s, err
		}
		owned = append(owned, holdfast.TopicPartitions{Topic: name[:cut],
			Partitions: []int32{int32(number)}})
	}
	owned = wire.Sorted(owned)
	var err error
	switch {
	case strategy == "sticky" && m.UserDataGeneration != nil:
		s.UserData, err = wire.AppendSticky(nil, wire.MaxStickyVersion,
			&wire.Sticky{Owned: owned, Generation: *m.UserDataGeneration})
	case strategy == "cooperative-sticky":
		s.Owned = owned
		if m.UserDataGeneration != nil {
			s.UserData = wire.AppendCooperative(nil, *m.UserDataGeneration)
		}
	}
	return s, err
}

// readVectors reads the recorded groups of one strategy.
func readVectors(t *testing.T, strategy string) []vector {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "testdata", "vectors", "jvm-"+strategy+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	var all []vector
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) != 400 {
		t.Fatalf("%d vectors for %s, want 400", len(all), strategy)
	}
	return all
}

// TestCompare shows that compare tells a wrong answer from a right one.
func TestCompare(t *testing.T) {
	answer := func(partitions ...int32) map[string]string {
		data, err := wire.AppendAssignment(nil, 0, &wire.Assignment{
			Assigned: []holdfast.TopicPartitions{{Topic: "t", Partitions: partitions}}})
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{"A": hex.EncodeToString(data)}
	}
	v := vector{Result: map[string][]string{"A": {"t-0", "t-1"}}}
	if err := v.compare(answer(1, 0)); err != nil {
		t.Errorf("the recorded answer is refused: %v", err)
	}
	for _, wrong := range []map[string]string{
		answer(0), answer(0, 1, 2), answer(0, 2), {}, {"B": answer(0, 1)["A"]},
		{"A": "00"}, {"error": "x"},
	} {
		if v.compare(wrong) == nil {
			t.Errorf("%v is taken for the recorded answer", wrong)
		}
	}
}
