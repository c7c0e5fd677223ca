package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const lagRule = "lag: a greedy rule that counts partitions before lag; " +
	"weighted balances the weights themselves"

// Field cases that these commands do not answer, and why.
var unanswered = map[string]string{
	"FL-33/one-hot-five-idle": lagRule,
	"FL-33/four-lags":         lagRule,
	"FL-34/member-id-twice": "a group file refuses an id that is there twice; " +
		"a leader must not, so the adapter has the test",
}

// Keys under expect that these commands do not answer, and why.
var unansweredKeys = map[string]string{
	"rebalance_needed": "whether a static leader that comes back asks for a rebalance " +
		"is the protocol's to say, not the plan's",
}

// fieldCase is one case of a file in testdata/field.
type fieldCase struct {
	name   string
	node   *yaml.Node // the case as it stands
	data   map[string]any
	expect map[string]any
}

func (c *fieldCase) strategy() string { return c.data["strategy"].(string) }

// fieldCases reads every case.
func fieldCases(t *testing.T) []*fieldCase {
	t.Helper()
	paths, err := filepath.Glob("testdata/field/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []*fieldCase
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			ID    string
			Cases []yaml.Node
		}
		if err := yaml.Unmarshal(text, &file); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for i := range file.Cases {
			c := &fieldCase{node: &file.Cases[i]}
			if err := c.node.Decode(&c.data); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			c.name = file.ID + "/" + c.data["case"].(string)
			c.expect = c.data["expect"].(map[string]any)
			cases = append(cases, c)
		}
	}
	if len(cases) < 60 {
		t.Fatalf("%d field cases, want all 63", len(cases))
	}
	return cases
}

// TestField gives every field case to the command that it is about and holds the
// answer to everything that the case expects.
func TestField(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range fieldCases(t) {
		seen[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			_, listed := unanswered[c.name]
			answer, known := fieldAnswers[c.strategy()]
			switch {
			case listed && known:
				// What is a group file must at least be refused in so many words.
				if got := call(t, c.yaml(t), "assign", "-o", "json", "-"); got.code != exitError {
					t.Errorf("the case is answered: take it from the list\n%s", got.out)
				}
			case !listed && !known:
				t.Errorf("strategy %q is neither answered nor listed with a reason", c.strategy())
			case known:
				answer(t, c)
			}
		})
	}
	for name := range unanswered {
		if !seen[name] {
			t.Errorf("the list of what is not answered has %s, which is no case", name)
		}
	}
}

// fieldAnswers has, for each kind of case, what answers it.
var fieldAnswers = map[string]func(*testing.T, *fieldCase){
	"range":              answerAssign,
	"roundrobin":         answerAssign,
	"sticky":             answerAssign,
	"cooperative-sticky": answerAssign,
	"sticky-chain":       answerChain,
	"sticky-generated":   answerGenerated,
	"negotiate":          answerNegotiate,
	"negotiate-steps":    answerNegotiateSteps,
	"upgrade":            answerUpgrade,
	"decode":             answerDecode,
}

// yaml is the case as a group file: as it stands.
func (c *fieldCase) yaml(t *testing.T) string {
	t.Helper()
	text, err := yaml.Marshal(c.node)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// called is what a call of the command gave.
type called struct {
	code     int
	out, err string
}

// call runs the command in this process.
func call(t *testing.T, stdin string, args ...string) called {
	t.Helper()
	var out, errOut bytes.Buffer
	code := run(context.Background(), args,
		streams{in: strings.NewReader(stdin), out: &out, err: &errOut})
	return called{code: code, out: out.String(), err: errOut.String()}
}

// mustCall is a call that gives JSON.
func mustCall(t *testing.T, stdin string, args ...string) map[string]any {
	t.Helper()
	got := call(t, stdin, args...)
	if got.code != exitDone {
		t.Fatalf("%v: exit code %d\n%s%s", args, got.code, got.out, got.err)
	}
	var answer map[string]any
	if err := json.Unmarshal([]byte(got.out), &answer); err != nil {
		t.Fatalf("%v: not JSON: %v\n%s", args, err, got.out)
	}
	return answer
}

// normal is a value as JSON has it, so that those of YAML compare with it.
func normal(v any) any {
	text, err := json.Marshal(stringKeys(v))
	if err != nil {
		panic(err)
	}
	var n any
	if err := json.Unmarshal(text, &n); err != nil {
		panic(err)
	}
	return n
}

// stringKeys writes the numbers that YAML allows as keys as JSON's strings.
func stringKeys(v any) any {
	switch v := v.(type) {
	case map[any]any:
		all := map[string]any{}
		for key, val := range v {
			all[fmt.Sprint(key)] = stringKeys(val)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for key, val := range v {
			all[key] = stringKeys(val)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = stringKeys(v[i])
		}
		return all
	}
	return v
}

func object(v any) map[string]any { return normal(v).(map[string]any) }

// array is a list; nothing is an empty one.
func array(v any) []any {
	list, _ := normal(v).([]any)
	return list
}

func number(v any) int { return int(normal(v).(float64)) }

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if got, want = normal(got), normal(want); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// total counts the partitions of topic -> partitions.
func total(topics any) int {
	n := 0
	for _, partitions := range object(topics) {
		n += len(partitions.([]any))
	}
	return n
}

func counts(assignment any) map[string]int {
	all := map[string]int{}
	for id, topics := range object(assignment) {
		all[id] = total(topics)
	}
	return all
}

// within holds that member -> topic -> partitions is part of an assignment.
func within(t *testing.T, what string, part, assignment any) {
	t.Helper()
	whole := object(assignment)
	for id, topics := range object(part) {
		for topic, partitions := range topics.(map[string]any) {
			has, _ := object(whole[id])[topic].([]any)
			for _, p := range partitions.([]any) {
				if !slices.Contains(has, p) {
					t.Errorf("%s: %s[%v] is not with %s, which has %v", what, topic, p, id, whole[id])
				}
			}
		}
	}
}

// planCase is a case with the plan that assign made of it.
type planCase struct {
	*fieldCase
	stdin  string
	answer map[string]any
}

func answerAssign(t *testing.T, c *fieldCase) {
	p := planCase{fieldCase: c, stdin: c.yaml(t)}
	p.answer = mustCall(t, p.stdin, "assign", "-o", "json", "-")
	if text := call(t, p.stdin, "assign", "-"); text.code != exitDone {
		t.Errorf("as text: exit code %d: %s", text.code, text.err)
	}
	checkPlan(t, &p)
	for key, want := range c.expect {
		if _, listed := unansweredKeys[key]; listed {
			continue
		}
		check, ok := planChecks[key]
		if !ok {
			t.Errorf("expect has %s, which no check knows", key)
			continue
		}
		check(t, &p, want)
	}
}

// checkPlan holds what is true of every plan: each partition has one owner at
// most, the counts add up.
func checkPlan(t *testing.T, p *planCase) {
	t.Helper()
	owner := map[string]string{}
	for id, topics := range p.answer["assignment"].(map[string]any) {
		for topic, partitions := range topics.(map[string]any) {
			for _, n := range partitions.([]any) {
				at := fmt.Sprintf("%s[%v]", topic, n)
				if other, ok := owner[at]; ok {
					t.Errorf("%s is with %s and with %s", at, other, id)
				}
				owner[at] = id
			}
		}
	}
	moved, kept := number(p.answer["moved"]), number(p.answer["kept"])
	if moved+kept != len(owner) {
		t.Errorf("moved %d and kept %d are not the %d assigned", moved, kept, len(owner))
	}
	if len(p.answer["moves"].([]any)) != moved {
		t.Errorf("%d moves are listed of %d", len(p.answer["moves"].([]any)), moved)
	}
}

func (p *planCase) cause(name string) int {
	return number(p.answer["causes"].(map[string]any)[name])
}

// rounds are those of a cooperative plan, or one as of any other.
func (p *planCase) rounds() []any {
	if rounds, ok := p.answer["rounds"]; ok {
		return rounds.([]any)
	}
	return []any{map[string]any{"assignment": p.answer["assignment"], "withheld": []any{}}}
}

func (p *planCase) first() map[string]any { return p.rounds()[0].(map[string]any) }

// planChecks has a check for every key that a case of assign expects.
var planChecks = map[string]func(*testing.T, *planCase, any){
	"assignment": func(t *testing.T, p *planCase, want any) {
		full := map[string]any{}
		for id := range object(p.answer["assignment"]) {
			full[id] = map[string]any{}
		}
		maps.Copy(full, object(want))
		same(t, "assignment", p.answer["assignment"], full)
	},
	"counts": func(t *testing.T, p *planCase, want any) {
		got := counts(p.answer["assignment"])
		for id, n := range object(want) {
			same(t, "count of "+id, got[id], n)
		}
	},
	"counts_sorted": func(t *testing.T, p *planCase, want any) {
		same(t, "counts", slices.Sorted(maps.Values(counts(p.answer["assignment"]))), want)
	},
	"min_moves": func(t *testing.T, p *planCase, want any) {
		same(t, "shed", p.cause("shed"), want)
		same(t, "least moves", p.answer["least_moves"], want)
	},
	"moves": func(t *testing.T, p *planCase, want any) { same(t, "shed", p.cause("shed"), want) },
	"newly_assigned": func(t *testing.T, p *planCase, want any) {
		same(t, "newly assigned", number(p.answer["moved"])-p.cause("shed"), want)
	},
	"withheld_round1": func(t *testing.T, p *planCase, want any) {
		same(t, "withheld", len(p.first()["withheld"].([]any)), want)
	},
	"rounds": func(t *testing.T, p *planCase, want any) { same(t, "rounds", len(p.rounds()), want) },
	"round1_counts": func(t *testing.T, p *planCase, want any) {
		same(t, "counts after round 1", counts(p.first()["assignment"]), want)
	},
	"follow_up_required": func(t *testing.T, p *planCase, want any) {
		same(t, "a second round", len(p.rounds()) > 1, want)
	},
	"keeps": func(t *testing.T, p *planCase, want any) {
		within(t, "keeps", want, p.answer["assignment"])
		within(t, "keeps through round 1", want, p.first()["assignment"])
	},
	"preferred": func(t *testing.T, p *planCase, want any) {
		within(t, "preferred", want, p.answer["assignment"])
	},
	"unique":           checkUnique,
	"per_topic_counts": checkPerTopic,
	"idempotent": func(t *testing.T, p *planCase, _ any) {
		again := p.again(t)
		same(t, "moved the second time", again["moved"], 0)
		same(t, "the second assignment", again["assignment"], p.answer["assignment"])
	},
	"missing_topics": func(t *testing.T, p *planCase, want any) {
		var named []any
		for _, w := range p.answer["warnings"].([]any) {
			if topic, ok := strings.CutPrefix(w.(string), "missing-topic: "); ok {
				named = append(named, strings.Fields(topic)[0])
			}
		}
		same(t, "missing topics", named, want)
	},
	// That there is an answer, without a panic and in time, is checked by getting it.
	"terminates":          func(*testing.T, *planCase, any) {},
	"no_crash":            func(*testing.T, *planCase, any) {},
	"no_double_ownership": func(t *testing.T, p *planCase, _ any) { checkPlan(t, p) },
	"all_assigned": func(t *testing.T, p *planCase, _ any) {
		same(t, "unassigned", p.answer["unassigned"], []any{})
		all := 0
		for _, n := range object(p.data["topics"]) {
			all += number(n)
		}
		same(t, "assigned", number(p.answer["moved"])+number(p.answer["kept"]), all)
	},
	"co_located": checkColocated,
	"idle": func(t *testing.T, p *planCase, want any) {
		var idle []string
		for id, n := range counts(p.answer["assignment"]) {
			if n == 0 {
				idle = append(idle, id)
			}
		}
		slices.Sort(idle)
		same(t, "idle", idle, want)
	},
	"must_have_keys": func(t *testing.T, p *planCase, want any) {
		for _, id := range array(want) {
			if _, ok := p.answer["assignment"].(map[string]any)[id.(string)]; !ok {
				t.Errorf("assignment has no key %v", id)
			}
		}
	},
	"must_not_have_keys": func(t *testing.T, p *planCase, want any) {
		for _, id := range array(want) {
			if _, ok := p.answer["assignment"].(map[string]any)[id.(string)]; ok {
				t.Errorf("assignment has the key %v", id)
			}
		}
	},
	"empty_assignment_v0_hex": func(t *testing.T, p *planCase, want any) {
		got := mustCall(t, "", "decode", "assignment", want.(string))
		same(t, "assignment in the bytes", got["assignment"], map[string]any{})
		same(t, "version of the bytes", got["version"], 0)
		same(t, "warnings", got["warnings"], []any{})
	},
	"ignored_claims": func(t *testing.T, p *planCase, want any) {
		same(t, "dropped claims", p.dropped("no-such-partition"), want)
	},
	"revoked_deleted": func(t *testing.T, p *planCase, want any) {
		same(t, "dropped claims", p.dropped("no-such-topic"), want)
	},
	"rack_mismatches": func(t *testing.T, p *planCase, want any) {
		same(t, "rack misses", p.answer["rack_misses"], want)
	},
	"moves_by_process":   checkMovesByProcess,
	"partition_20_hosts": checkHosts,
	"concurrent_runs":    checkConcurrent,
}

// dropped are the dropped claims of one reason: member -> topic -> partitions.
func (p *planCase) dropped(reason string) map[string]map[string][]any {
	all := map[string]map[string][]any{}
	for _, v := range p.answer["dropped_claims"].([]any) {
		claim := v.(map[string]any)
		if claim["reason"] != reason {
			continue
		}
		id, topic := claim["member"].(string), claim["topic"].(string)
		if all[id] == nil {
			all[id] = map[string][]any{}
		}
		all[id][topic] = append(all[id][topic], claim["partition"])
	}
	return all
}

// again assigns once more, with the answer as what the members own.
func (p *planCase) again(t *testing.T) map[string]any {
	t.Helper()
	group := object(p.data)
	delete(group, "departed")
	for _, v := range group["members"].([]any) {
		m := v.(map[string]any)
		m["owned"] = object(p.answer["assignment"])[m["id"].(string)]
		m["generation"] = 100
	}
	text, err := json.Marshal(group)
	if err != nil {
		t.Fatal(err)
	}
	return mustCall(t, string(text), "assign", "-o", "json", "-")
}
