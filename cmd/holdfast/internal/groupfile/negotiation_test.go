package groupfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast/holdfast/group"
)

// spell writes voters as a=range,sticky b=range; a static one as a/pod-0=range.
func spell(voters []group.Voter) string {
	parts := make([]string, len(voters))
	for i, v := range voters {
		id := v.ID
		if v.InstanceID != "" {
			id += "/" + v.InstanceID
		}
		parts[i] = id + "=" + strings.Join(v.Protocols, ",")
	}
	return strings.Join(parts, " ")
}

func TestParseNegotiation(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"members", `
members:
- {id: b, protocols: [range, RoundRobin]}
- {id: a, instance_id: i, protocols: [org.apache.kafka.clients.consumer.StickyAssignor]}
`, "b=range,RoundRobin a/i=sticky"},
		{"a group file", `
strategy: upgrade
topics: {t: 4}
members:
- {id: b1, protocols: [cooperative-sticky, range], owned: {t: 0-1}, subscription: [t]}
after: [b1]
`, "b1=cooperative-sticky,range"},
		{"nothing listed", "members: [{id: a, protocols: []}]", "a="},
		{"steps of unnamed members", `
members: []
steps: [[[range], [range]], [[sticky, range], [range]]]
`, "| m1=range m2=range | m1=sticky,range m2=range"},
		{"steps without members", "steps: [[[range]]]", "| m1=range"},
		{"steps of members", `
members: [{id: a, protocols: [range]}, {id: b, instance_id: i, protocols: [range]}]
steps:
- [[x], [y], [z]]
- {b: [v], new: [w]}
- [{id: b, protocols: [u]}, {id: c, instance_id: j, protocols: [t]}]
- []
`, "a=range b/i=range | a=x b/i=y m3=z | a=x b/i=v m3=z new=w | b/i=u c/j=t | "},
		{"steps of members without lists", `
members: [{id: a, subscription: []}]
steps: [[[x]]]
`, "| a=x"},
	} {
		n, err := ParseNegotiation(Source{Name: "g.yaml", Text: []byte(c.text)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := spell(n.Start())
		for _, step := range n.Steps {
			got += " | " + spell(step)
		}
		if got = strings.TrimPrefix(got, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBadNegotiation(t *testing.T) {
	for text, want := range map[string]string{
		"topics: {t: 1}":     "g.yaml:1: members: missing, and a choice needs it",
		"members: [{id: a}]": "g.yaml:1: members[0]: member a has no protocols",
		"members: [{id: a, protocols: x}]": `g.yaml:1: members[0].protocols: "x" ` +
			"where a list of strategies belongs",
		"members: []\nstep: []": "g.yaml:2: step: unknown key " +
			"(known here: members, steps, topics, departed, partition_racks)",
		"members: []\nsteps: x": `g.yaml:2: steps: "x" where a list of steps belongs`,
		"steps: [x]":            `g.yaml:1: steps[0]: "x" is not a step`,
		"steps: [[x]]":          `g.yaml:1: steps[0][0]: "x" where a list of strategies belongs`,
		"steps: [[{id: a}]]": "g.yaml:1: steps[0][0].protocols: missing, " +
			"and a member of a step needs it",
		"steps: [[{protocols: []}]]": "g.yaml:1: steps[0][0].id: missing, " +
			"and a member of a step needs it",
		"steps: [{a: [x], b: y}]":                `g.yaml:1: steps[0].b: "y" where a list of strategies belongs`,
		"steps: [{a: [x], a: [y]}]":              "g.yaml:1: steps[0].a: the member is there twice",
		"steps: [[{id: m2, protocols: []}, []]]": `g.yaml:1: steps[0][1]: member "m2" is there twice`,
	} {
		_, err := ParseNegotiation(Source{Name: "g.yaml", Text: []byte(text + "\n")})
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
