package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

func fromHexText(t *testing.T, text any) []byte {
	t.Helper()
	data, err := hex.DecodeString(text.(string))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func inBase64(t *testing.T, text any) string {
	t.Helper()
	return base64.StdEncoding.EncodeToString(fromHexText(t, text))
}

// generated is a group that a case describes by a rule.
type generated struct {
	topics  []string
	sizes   map[string]any
	members []any
	class   map[string]int // of each member, by its subscription
}

func generate(t *testing.T, c *fieldCase) *generated {
	t.Helper()
	g := &generated{sizes: map[string]any{}, class: map[string]int{}}
	topics := object(object(c.data["topics"])["generated"])
	for i := range number(topics["count"]) {
		name := formatted(topics["format"].(string), i)
		g.topics = append(g.topics, name)
		g.sizes[name] = topics["partitions"]
	}
	members := object(object(c.data["members"])["generated"])
	for i := range number(members["count"]) {
		g.add(t, formatted(members["format"].(string), i), members["rule"].(string), i)
	}
	return g
}

// formatted is the name of the i-th of many, or the only one's.
func formatted(format string, i int) string {
	if !strings.Contains(format, "%") {
		return format
	}
	return fmt.Sprintf(format, i)
}

// add adds a member by the case's rule.
func (g *generated) add(t *testing.T, id, rule string, i int) {
	t.Helper()
	var topics []string
	switch rule {
	case "i % 4 == 0 -> topics[0:50], else topics[50:100]":
		if topics = g.topics[50:]; i%4 == 0 {
			topics = g.topics[:50]
		} else {
			g.class[id] = 1
		}
	case "member i subscribes only topics[i % 7]":
		topics = g.topics[i%7 : i%7+1]
		g.class[id] = i % 7
	case "all subscribe t":
		topics = g.topics
	default:
		t.Fatalf("no member is made by the rule %q", rule)
	}
	g.members = append(g.members, map[string]any{"id": id, "subscription": topics})
}

func (g *generated) assign(t *testing.T) map[string]any {
	t.Helper()
	group := map[string]any{"strategy": "sticky", "topics": g.sizes, "members": g.members}
	return mustCall(t, marshal(t, group), "assign", "-o", "json", "-")
}

// own makes an assignment what the members own.
func (g *generated) own(assignment any) {
	assigned := object(assignment)
	for _, v := range g.members {
		m := v.(map[string]any)
		m["owned"], m["generation"] = assigned[m["id"].(string)], 1
	}
}

// answerGenerated assigns to a large group, then once more to what came out.
func answerGenerated(t *testing.T, c *fieldCase) {
	expectOnly(t, c, "classes", "second_run_moves", "join_one", "max_seconds")
	g := generate(t, c)
	start := time.Now()
	answer := g.assign(t)
	// A hang is what these were reported for; how fast it is, is for benchmarks.
	if took := time.Since(start).Seconds(); took > 20*float64(number(c.expect["max_seconds"])) {
		t.Errorf("took %.1f s where %v was suggested", took, c.expect["max_seconds"])
	}
	for i, want := range array(c.expect["classes"]) {
		class := map[string]any{}
		for id, topics := range object(answer["assignment"]) {
			if g.class[id] == i {
				class[id] = topics
			}
		}
		checkClass(t, fmt.Sprintf("class %d", i), class, want.(map[string]any))
	}
	g.own(answer["assignment"])
	again := g.assign(t)
	same(t, "moved the second time", again["moved"], c.expect["second_run_moves"])
	same(t, "the second assignment", again["assignment"], answer["assignment"])
	if want, ok := c.expect["join_one"]; ok {
		g.add(t, "joins", "all subscribe t", 0)
		joined := g.assign(t)
		checkClass(t, "after one joined", object(joined["assignment"]), object(want))
		same(t, "shed for the one that joined", object(joined["causes"])["shed"],
			object(want)["min_moves"])
	}
}

// checkClass holds how many members, partitions, and members of each count there
// are among those who subscribe alike.
func checkClass(t *testing.T, what string, members map[string]any, want map[string]any) {
	t.Helper()
	perMember, partitions := map[string]int{}, 0
	for _, n := range counts(members) {
		perMember[strconv.Itoa(n)]++
		partitions += n
	}
	same(t, what+": members", len(members), want["members"])
	same(t, what+": per member", perMember, want["per_member"])
	if n, ok := want["partitions"]; ok {
		same(t, what+": partitions", partitions, n)
	}
}
