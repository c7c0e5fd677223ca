package assigntest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast/holdfast"
)

// clone copies a group so that nothing is shared.
func clone(g holdfast.Group) holdfast.Group {
	g.Topics = slices.Clone(g.Topics)
	for i := range g.Topics {
		t := &g.Topics[i]
		t.Weights = slices.Clone(t.Weights)
		t.Racks = slices.Clone(t.Racks)
		for p := range t.Racks {
			t.Racks[p] = slices.Clone(t.Racks[p])
		}
	}
	g.Members, g.Departed = cloneMembers(g.Members), cloneMembers(g.Departed)
	return g
}

func cloneMembers(members []holdfast.Member) []holdfast.Member {
	members = slices.Clone(members)
	for i := range members {
		m := &members[i]
		m.Topics = slices.Clone(m.Topics)
		m.Owned = slices.Clone(m.Owned)
		for k := range m.Owned {
			m.Owned[k].Partitions = slices.Clone(m.Owned[k].Partitions)
		}
	}
	return members
}

// names gives members, instances and topics other names.
type names struct{ member, instance, topic map[string]string }

// newNames finds names that stand in the same order as those of the group.
func newNames(g holdfast.Group) names {
	members, instances, topics := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, t := range g.Topics {
		topics[t.Name] = true
	}
	for _, m := range slices.Concat(g.Members, g.Departed) {
		members[m.ID] = true
		if m.InstanceID != "" {
			instances[m.InstanceID] = true
		}
		for _, topic := range m.Topics {
			topics[topic] = true
		}
		for _, tp := range m.Owned {
			topics[tp.Topic] = true
		}
	}
	return names{number(members, "client"), number(instances, "i"), number(topics, "")}
}

// number gives the names numbers, with gaps, so that they are of one length.
func number(old map[string]bool, prefix string) map[string]string {
	renamed := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(old)) {
		renamed[name] = fmt.Sprintf("%s%08d", prefix, 7*i*i+3)
	}
	return renamed
}

func (n names) back() names {
	return names{reverse(n.member), reverse(n.instance), reverse(n.topic)}
}

func reverse(m map[string]string) map[string]string {
	back := map[string]string{}
	for from, to := range m {
		back[to] = from
	}
	return back
}

func (n names) group(g holdfast.Group) holdfast.Group {
	g = clone(g)
	for i := range g.Topics {
		g.Topics[i].Name = n.topic[g.Topics[i].Name]
	}
	for _, members := range [][]holdfast.Member{g.Members, g.Departed} {
		for i := range members {
			m := &members[i]
			m.ID, m.InstanceID = n.member[m.ID], n.instance[m.InstanceID]
			for k := range m.Topics {
				m.Topics[k] = n.topic[m.Topics[k]]
			}
			for k := range m.Owned {
				m.Owned[k].Topic = n.topic[m.Owned[k].Topic]
			}
		}
	}
	return g
}

func (n names) answer(a Assignment) Assignment {
	renamed := Assignment{}
	for id, topics := range a {
		renamed[n.member[id]] = map[string][]int32{}
		for topic, partitions := range topics {
			renamed[n.member[id]][n.topic[topic]] = partitions
		}
	}
	return renamed
}

// text writes an answer on one line.
func text(a Assignment) string {
	a = tidy(a)
	var parts []string
	for _, id := range slices.Sorted(maps.Keys(a)) {
		part := quote(id) + ":"
		for _, topic := range slices.Sorted(maps.Keys(a[id])) {
			part += " " + quote(topic) + "[" + ranges(a[id][topic]) + "]"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " / ")
}

// GroupFile writes a group in the form that the command holdfast reads, so that
// one can look at it with "holdfast assign". Lists that are long are written
// whole. Names that are not text come out with replacement characters.
func GroupFile(g holdfast.Group) string {
	var b strings.Builder
	b.WriteString("topics:\n")
	for i := range g.Topics {
		b.WriteString("  " + quote(g.Topics[i].Name) + ": " + topicText(&g.Topics[i]) + "\n")
	}
	if len(g.Topics) == 0 {
		b.WriteString("  {}\n")
	}
	writeMembers(&b, "members", g.Members)
	if len(g.Departed) > 0 {
		writeMembers(&b, "departed", g.Departed)
	}
	return b.String()
}

func topicText(t *holdfast.Topic) string {
	text := strconv.Itoa(t.Partitions)
	if len(t.Racks) == 0 && len(t.Weights) == 0 {
		return text
	}
	text = "{partitions: " + text
	if len(t.Racks) > 0 {
		lists := make([]string, len(t.Racks))
		for i, racks := range t.Racks {
			lists[i] = "[" + quoteAll(racks) + "]"
		}
		text += ", racks: [" + strings.Join(lists, ", ") + "]"
	}
	if len(t.Weights) > 0 {
		weights := strings.ReplaceAll(fmt.Sprint(t.Weights), " ", ", ")
		text += ", weights: " + weights
	}
	return text + "}"
}

func writeMembers(b *strings.Builder, key string, members []holdfast.Member) {
	b.WriteString(key + ":\n")
	for i := range members {
		m := &members[i]
		b.WriteString("  - {id: " + quote(m.ID))
		if m.InstanceID != "" {
			b.WriteString(", instance_id: " + quote(m.InstanceID))
		}
		if m.Rack != "" {
			b.WriteString(", rack: " + quote(m.Rack))
		}
		if key == "members" {
			b.WriteString(", subscription: [" + quoteAll(m.Topics) + "]")
		}
		if len(m.Owned) > 0 {
			owned := make([]string, len(m.Owned))
			for k, tp := range m.Owned {
				owned[k] = quote(tp.Topic) + ": " + `"` + ranges(tp.Partitions) + `"`
			}
			b.WriteString(", owned: {" + strings.Join(owned, ", ") + "}")
		}
		if m.Generation >= 0 {
			fmt.Fprintf(b, ", generation: %d", m.Generation)
		}
		if m.Capacity != 0 {
			fmt.Fprintf(b, ", capacity: %v", m.Capacity)
		}
		b.WriteString("}\n")
	}
	if len(members) == 0 {
		b.WriteString("  []\n")
	}
}

// quote leaves names alone that YAML cannot mistake for something else.
func quote(name string) string {
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	odd := func(r rune) bool {
		return !letter(r) && !(r >= '0' && r <= '9') && r != '-' && r != '_'
	}
	reserved := []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
	if name != "" && letter(rune(name[0])) && !strings.ContainsFunc(name, odd) &&
		!slices.Contains(reserved, strings.ToLower(name)) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range name {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	return strings.Join(quoted, ", ")
}

// ranges writes partitions as "0,2,5-7", in the order given.
func ranges(list []int32) string {
	var parts []string
	for i := 0; i < len(list); {
		k := i + 1
		for k < len(list) && list[k] == list[k-1]+1 && list[k] > 0 {
			k++
		}
		if k-i < 3 {
			k = i + 1
			parts = append(parts, strconv.Itoa(int(list[i])))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[k-1]))
		}
		i = k
	}
	return strings.Join(parts, ",")
}
