package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// checkUnique: where one plan alone is best, it does not depend on the order of
// the names. The members are renamed so that their order is turned around.
func checkUnique(t *testing.T, p *planCase, _ any) {
	group := object(p.data)
	members := group["members"].([]any)
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.(map[string]any)["id"].(string)
	}
	slices.Sort(ids)
	was := map[string]string{}
	for i, id := range ids {
		was[fmt.Sprintf("renamed-%03d", len(ids)-i)] = id
	}
	for _, v := range members {
		m := v.(map[string]any)
		for renamed, id := range was {
			if m["id"] == id {
				m["id"] = renamed
				break
			}
		}
	}
	text, err := json.Marshal(group)
	if err != nil {
		t.Fatal(err)
	}
	answer := mustCall(t, string(text), "assign", "-o", "json", "-")
	back := map[string]any{}
	for id, topics := range answer["assignment"].(map[string]any) {
		back[was[id]] = topics
	}
	same(t, "assignment under other names", back, p.answer["assignment"])
}

// checkPerTopic: the spread that sticky strategies promise only where it is asked
// for, at no more moves.
func checkPerTopic(t *testing.T, p *planCase, want any) {
	answer := p.answer
	if p.strategy() != "roundrobin" {
		answer = mustCall(t, p.stdin, "assign", "--spread", "-o", "json", "-")
		same(t, "moved with --spread", answer["moved"], p.answer["moved"])
	}
	for topic, members := range object(want) {
		for id, n := range members.(map[string]any) {
			has := object(object(answer["assignment"])[id])[topic]
			same(t, topic+" of "+id, len(array(has)), n)
		}
	}
}

// checkColocated: each member has the same numbers of all topics of a group.
func checkColocated(t *testing.T, p *planCase, want any) {
	for _, group := range array(want) {
		topics := group.([]any)
		for id, assigned := range object(p.answer["assignment"]) {
			first := assigned.(map[string]any)[topics[0].(string)]
			for _, topic := range topics[1:] {
				same(t, fmt.Sprintf("%v of %s beside %v", topic, id, topics[0]),
					assigned.(map[string]any)[topic.(string)], first)
			}
		}
	}
}

// checkMovesByProcess counts what changed hands between processes, whatever ids
// their members had.
func checkMovesByProcess(t *testing.T, p *planCase, want any) {
	owner := map[string]string{} // partition -> process before
	for process, topics := range object(p.data["previous"]) {
		for topic, partitions := range topics.(map[string]any) {
			for _, n := range partitions.([]any) {
				owner[fmt.Sprintf("%s[%v]", topic, n)] = process
			}
		}
	}
	moved := 0
	for id, topics := range object(p.answer["assignment"]) {
		for topic, partitions := range topics.(map[string]any) {
			for _, n := range partitions.([]any) {
				if owner[fmt.Sprintf("%s[%v]", topic, n)] != object(p.data["process"])[id] {
					moved++
				}
			}
		}
	}
	same(t, "moved between processes", moved, want)
}

// checkHosts: on which host the owner of partition 20 of a topic runs.
func checkHosts(t *testing.T, p *planCase, want any) {
	host := map[string]any{}
	for _, m := range array(p.data["members"]) {
		host[m.(map[string]any)["id"].(string)] = m.(map[string]any)["host"]
	}
	got := map[string]any{}
	for id, topics := range object(p.answer["assignment"]) {
		for topic, partitions := range topics.(map[string]any) {
			if slices.Contains(partitions.([]any), any(20.0)) {
				got[topic] = host[id]
			}
		}
	}
	same(t, "hosts of partition 20", got, want)
}

// checkConcurrent: the same bytes from many runs at once.
func checkConcurrent(t *testing.T, p *planCase, want any) {
	alone := call(t, p.stdin, "assign", "-o", "json", "-").out
	var wait sync.WaitGroup
	outs := make([]string, number(want))
	for i := range outs {
		wait.Go(func() { outs[i] = call(t, p.stdin, "assign", "-o", "json", "-").out })
	}
	wait.Wait()
	for i, out := range outs {
		if out != alone {
			t.Fatalf("run %d gives\n%s\nand alone\n%s", i, out, alone)
		}
	}
}

// expectOnly fails for a key under expect that the kind of case does not check.
func expectOnly(t *testing.T, c *fieldCase, keys ...string) {
	t.Helper()
	for key := range c.expect {
		if !slices.Contains(keys, key) {
			t.Errorf("expect has %s, which no check knows", key)
		}
	}
}

// answerChain assigns step after step, each with what the one before gave.
func answerChain(t *testing.T, c *fieldCase) {
	expectOnly(t, c, "step_counts", "step_min_moves", "per_topic_even_each_step")
	topics := object(c.data["topics"])
	for _, flags := range [][]string{nil, {"--spread"}} {
		owned := map[string]any{}
		for i, step := range array(c.data["steps"]) {
			group := map[string]any{"strategy": "sticky", "topics": topics}
			var members, departed []any
			ids := step.([]any)
			for _, id := range ids {
				members = append(members, map[string]any{"id": id, "generation": i,
					"owned": owned[id.(string)]})
			}
			for id, has := range owned {
				if !slices.Contains(ids, any(id)) {
					departed = append(departed, map[string]any{"id": id, "owned": has})
				}
			}
			group["members"], group["departed"] = members, departed
			text, err := json.Marshal(group)
			if err != nil {
				t.Fatal(err)
			}
			answer := mustCall(t, string(text), append([]string{"assign", "-o", "json", "-"}, flags...)...)
			owned = object(answer["assignment"])
			what := fmt.Sprintf("%v step %d: ", flags, i+1)
			same(t, what+"counts", counts(owned), array(c.expect["step_counts"])[i])
			same(t, what+"shed", object(answer["causes"])["shed"], array(c.expect["step_min_moves"])[i])
			if flags == nil {
				continue
			}
			for id, assigned := range owned {
				for topic, n := range topics {
					same(t, what+topic+" of "+id, len(array(assigned.(map[string]any)[topic])),
						number(n)/len(ids))
				}
			}
		}
	}
}

func answerNegotiate(t *testing.T, c *fieldCase) {
	expectOnly(t, c, "error", "refused")
	got := mustCall(t, c.yaml(t), "negotiate", "-o", "json", "-")
	same(t, "error", got["error"], c.expect["error"])
	same(t, "refused", got["refused"], c.expect["refused"])
	same(t, "selected", got["selected"], nil)
}

func answerNegotiateSteps(t *testing.T, c *fieldCase) {
	expectOnly(t, c, "selected")
	got := mustCall(t, c.yaml(t), "negotiate", "-o", "json", "-")
	var selected []any
	for _, step := range got["steps"].([]any) {
		selected = append(selected, step.(map[string]any)["selected"])
	}
	same(t, "selected", selected, c.expect["selected"])
	same(t, "verdict", got["verdict"], "safe")
}

// some is the case with only some of its members, negotiated.
func (c *fieldCase) some(t *testing.T, ids any) map[string]any {
	t.Helper()
	group := object(c.data)
	if ids != nil {
		group["members"] = c.members(ids)
	}
	text, err := json.Marshal(group)
	if err != nil {
		t.Fatal(err)
	}
	return mustCall(t, string(text), "negotiate", "-o", "json", "-")
}

func (c *fieldCase) members(ids any) []any {
	return slices.DeleteFunc(array(c.data["members"]), func(m any) bool {
		return !slices.Contains(array(ids), m.(map[string]any)["id"])
	})
}

// answerUpgrade negotiates before and after, and lets the strategy that wins
// assign to the members that are there after. They are eager, all of them, and
// so own nothing when they join.
func answerUpgrade(t *testing.T, c *fieldCase) {
	expectOnly(t, c, "selected_before", "selected_after", "must_revoke", "assignment",
		"withheld_round1", "rounds", "owned_to_report", "newly_added")
	before, after := c.some(t, c.data["before"]), c.some(t, c.data["after"])
	same(t, "selected before", before["selected"], c.expect["selected_before"])
	same(t, "selected after", after["selected"], c.expect["selected_after"])
	for _, m := range after["members"].([]any) {
		same(t, "rebalance protocol", object(m)["rebalance_protocol"], "eager")
	}
	group := map[string]any{"strategy": after["selected"], "topics": c.data["topics"],
		"members": c.members(c.data["after"])}
	p := planCase{fieldCase: c, answer: mustCall(t, marshal(t, group), "assign", "-o", "json", "-")}
	checkPlan(t, &p)
	for key, want := range c.expect {
		switch key {
		case "assignment", "withheld_round1", "rounds":
			planChecks[key](t, &p, want)
		case "newly_added":
			same(t, "unowned", p.cause("unowned"), want)
		case "owned_to_report":
			same(t, "what an eager member owns as it joins", map[string]any{}, want)
		case "must_revoke":
			group["strategy"], group["members"] = before["selected"], c.members(c.data["before"])
			had := mustCall(t, marshal(t, group), "assign", "-o", "json", "-")
			same(t, "what the eager members had", had["assignment"], want)
		}
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func answerDecode(t *testing.T, c *fieldCase) {
	expectOnly(t, c, "version", "topics", "user_data", "owned", "generation", "rack", "trailing",
		"warning", "malformed", "no_crash")
	got := mustCall(t, "", "decode", "subscription", c.data["hex"].(string))
	for key, want := range c.expect {
		switch key {
		case "no_crash": // there is an answer
		case "warning":
			if !slices.ContainsFunc(got["warnings"].([]any), func(w any) bool {
				return strings.HasPrefix(w.(string), want.(string)+": ")
			}) {
				t.Errorf("warnings %v have no %v", got["warnings"], want)
			}
		default:
			same(t, key, got[key], want)
		}
	}
	if c.expect["warning"] == nil && c.expect["malformed"] == nil && c.expect["trailing"] == 0 {
		same(t, "warnings", got["warnings"], []any{})
	}
	if c.expect["malformed"] == true {
		same(t, "claims of damaged bytes", got["owned"], map[string]any{})
	}
	// The same bytes in base64 and as they are.
	same(t, "from base64", mustCall(t, "", "decode", "subscription", inBase64(t, c.data["hex"])), got)
	var raw bytes.Buffer
	raw.Write(fromHexText(t, c.data["hex"]))
	same(t, "from stdin", mustCall(t, raw.String(), "decode", "subscription", "-"), got)
}
