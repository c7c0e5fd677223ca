package advise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/group"
)

// names shows a list of names in a sentence.
func names(list []string) string {
	shown := make([]string, len(list))
	for i, name := range list {
		shown[i] = groupfile.Printable(name)
	}
	return "[" + strings.Join(shown, ", ") + "]"
}

// eagerOnly are the strategies of a list that do not support cooperation.
func eagerOnly(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), group.SupportsCooperative)
}

// mixed reports a list with both kinds of strategies.
func mixed(list []string) bool {
	eager := len(eagerOnly(list))
	return eager > 0 && eager < len(list)
}

// listsRefused finds lists that the client itself refuses at its start.
func (q *inquiry) listsRefused() []Finding {
	c := q.Config
	if c == nil || c.Consumer {
		return nil
	}
	var found []Finding
	if c.Client == Librdkafka {
		var unknown []string
		for _, name := range c.Listed {
			if name != "range" && name != "roundrobin" && name != "cooperative-sticky" {
				unknown = append(unknown, name)
			}
		}
		if len(unknown) > 0 {
			found = append(found, Finding{"strategy-unsupported", Error, fmt.Sprintf("%s: librdkafka "+
				"refuses to start with %s: it has range, roundrobin and cooperative-sticky",
				c.where(keyStrategy), names(unknown)), []Figure{{"refused", unknown}}})
		}
		if mixed(c.Strategies) {
			found = append(found, Finding{"eager-cooperative-mix", Error, fmt.Sprintf("%s: librdkafka "+
				"refuses a list with eager and cooperative strategies, %s, so that it has no rolling way "+
				"from one kind to the other", c.where(keyStrategy), names(c.Strategies)),
				[]Figure{{"strategies", c.Strategies}}})
		}
		return found
	}
	var short []string
	for _, name := range c.Listed {
		if !strings.Contains(name, ".") {
			short = append(short, name)
		}
	}
	if len(short) > 0 {
		found = append(found, Finding{"strategy-not-a-class", Error, fmt.Sprintf("%s: Java's client "+
			"wants class names and refuses to start with %s", c.where(keyStrategy), names(short)),
			[]Figure{{"refused", short}}})
	}
	return found
}

// consumerProtocol finds settings of the classic protocol beside
// group.protocol=consumer. Both clients refuse them.
func (q *inquiry) consumerProtocol() []Finding {
	c := q.Config
	if c == nil {
		return nil
	}
	keys, why := []string{keyStrategy, keySession, keyHeartbeat}, "group.protocol=consumer, where "+
		"the broker assigns (KIP-848)"
	if !c.Consumer {
		keys, why = []string{keyRemote}, "the classic protocol, where the members assign"
	}
	var refused []string
	for _, key := range keys {
		if c.has(key) {
			refused = append(refused, key)
		}
	}
	if len(refused) == 0 || !c.Consumer && c.Client == Librdkafka {
		return nil
	}
	return []Finding{{"consumer-protocol-settings", Error, fmt.Sprintf(
		"%s: the client refuses to start with %s under %s", c.where(refused[0]),
		strings.Join(refused, ", "), why), []Figure{{"refused", refused}}}}
}

// noCommonStrategy finds a member that the group refuses, now or with the list
// that is planned.
func (q *inquiry) noCommonStrategy() []Finding {
	if q.kip848() {
		return nil
	}
	if q.chosen.Error != group.None {
		return []Finding{{"no-common-strategy", Error, fmt.Sprintf("%s is refused with %v: it lists %s, "+
			"and nothing of it is listed by all the members before it",
			groupfile.Printable(q.chosen.Refused), q.chosen.Error, names(q.listOf(q.chosen.Refused))),
			[]Figure{{"refused", q.chosen.Refused}, {"members", len(q.now)},
				{"lists", q.distinct()}}}}
	}
	if q.planned == nil || len(q.now) == 0 || q.reachable(q.planned) {
		return nil
	}
	return []Finding{{"no-common-strategy", Error, fmt.Sprintf(
		"%s: the first member that is restarted with %s is refused: the others list %s",
		q.Config.where(keyStrategy), names(q.planned), strings.Join(q.distinct(), " and ")),
		[]Figure{{"members", len(q.now)}, {"lists", q.distinct()}, {"planned", q.planned}}}}
}

// reachable reports whether every member can be restarted with the list, one by
// one.
func (q *inquiry) reachable(list []string) bool {
	now := q.sample()
	return group.CheckUpgradeFrom(now, [][]group.Voter{all(now, list)}).Verdict != group.Unsafe
}

// all are the voters with one list for all of them.
func all(voters []group.Voter, list []string) []group.Voter {
	changed := slices.Clone(voters)
	for i := range changed {
		changed[i].Protocols = list
	}
	return changed
}

func (q *inquiry) listOf(id string) []string {
	for _, v := range q.now {
		if v.ID == id {
			return v.Protocols
		}
	}
	return nil
}

// distinct are the different lists of the members, each as text, in the order in
// which they first come.
func (q *inquiry) distinct() []string {
	var lists []string
	for _, v := range q.now {
		if text := names(v.Protocols); !slices.Contains(lists, text) {
			lists = append(lists, text)
		}
	}
	return lists
}

// oneBounce finds the change from eager to cooperative in one bounce: in the
// lists as they are, caught in the middle, or in the list that is planned.
func (q *inquiry) oneBounce() []Finding {
	if q.kip848() {
		return nil
	}
	var eager, cooperative []string
	for _, v := range q.now {
		switch {
		case len(v.Protocols) == 0 || mixed(v.Protocols):
		case group.ProtocolOf(v.Protocols) == group.Cooperative:
			cooperative = append(cooperative, v.ID)
		default:
			eager = append(eager, v.ID)
		}
	}
	const way = "add cooperative-sticky behind the old strategy in a first bounce of all, take the " +
		"old one away in a second"
	switch {
	case len(eager) > 0 && len(cooperative) > 0:
		return []Finding{{"one-bounce-migration", Error, fmt.Sprintf("%s with cooperative-sticky "+
			"alone beside %d without it: it was brought in with one bounce, and whoever comes second is "+
			"refused; %s", count(len(cooperative), "member"), len(eager), way),
			[]Figure{{"cooperative_members", len(cooperative)}, {"eager_members", len(eager)}}}}
	case q.planned != nil && len(eager) > 0 && q.chosen.Error == group.None &&
		group.ProtocolOf(q.planned) == group.Cooperative && !q.reachable(q.planned):
		return []Finding{{"one-bounce-migration", Error, fmt.Sprintf("each of the %d members would be "+
			"refused with %v until the last of the old ones is gone, which then alone carry the load; %s",
			len(q.now), group.InconsistentGroupProtocol, way),
			[]Figure{{"members", len(q.now)}, {"refused_until_last", len(q.now) - 1}}}}
	}
	return nil
}

// unsafeSteps finds a planned change on the way of which a member is refused.
func (q *inquiry) unsafeSteps() []Finding {
	if q.Steps == nil {
		return nil
	}
	u := group.CheckUpgradeFrom(q.now, q.Steps)
	if u.Verdict != group.Unsafe {
		return nil
	}
	id, now := "no-common-strategy", q.now
	for _, step := range q.Steps {
		for _, v := range step {
			at := slices.IndexFunc(now, func(w group.Voter) bool { return w.ID == v.ID })
			if at >= 0 && len(eagerOnly(now[at].Protocols)) == len(now[at].Protocols) &&
				group.ProtocolOf(v.Protocols) == group.Cooperative {
				id = "one-bounce-migration"
			}
		}
		now = step
	}
	return []Finding{{id, Error, "the planned steps are unsafe: " + u.Why,
		[]Figure{{"steps", len(q.Steps)}, {"members", len(q.now)}}}}
}

// tied finds a vote that the broker settles by the order of a hash map.
func (q *inquiry) tied() []Finding {
	if q.chosen.Determinate || q.kip848() {
		return nil
	}
	return []Finding{{"undetermined-strategy", Warning, fmt.Sprintf("the vote is tied between %s, "+
		"and the broker's answer depends on the order of a hash map",
		strings.Join(q.chosen.Candidates, ", ")),
		[]Figure{{"candidates", q.chosen.Candidates}, {"members", len(q.now)}}}}
}

// defaultStrategy finds a list that is a client's default.
func (q *inquiry) defaultStrategy() []Finding {
	if !q.assumed || q.kip848() {
		return nil
	}
	list := defaultStrategies(q.client())
	if q.client() == Librdkafka {
		return []Finding{{"default-strategy", Warning, fmt.Sprintf("partition.assignment.strategy is "+
			"not set: librdkafka's default is %s, of which the group uses range, eagerly", names(list)),
			[]Figure{{"default", list}, {"selected", "range"}}}}
	}
	return []Finding{{"default-strategy", Warning, fmt.Sprintf("partition.assignment.strategy is "+
		"not set: Java's default is %s, of which the group uses range, and eagerly, for range is in the "+
		"list (since Kafka 3.0; before it was range alone)", names(list)),
		[]Figure{{"default", list}, {"selected", "range"}}}}
}

// besideEager finds a group whose members all list both kinds: the first bounce
// of a migration whose second one was forgotten.
func (q *inquiry) besideEager() []Finding {
	if q.assumed || q.kip848() || q.client() == Librdkafka || len(q.now) == 0 {
		return nil
	}
	for _, v := range q.now {
		if !mixed(v.Protocols) || !slices.ContainsFunc(v.Protocols, group.SupportsCooperative) {
			return nil
		}
	}
	figures := []Figure{{"selected", q.chosen.Selected}, {"to_remove", eagerOnly(q.now[0].Protocols)}}
	if q.Group != nil {
		figures = append([]Figure{{"members_eager", len(q.now)}}, figures...)
	}
	return []Finding{{"cooperative-beside-eager", Warning, fmt.Sprintf("every member lists "+
		"cooperative-sticky beside %s, which a migration needs only until all of them do: as long as an "+
		"eager strategy is in its list a member is eager, whatever the group uses",
		names(eagerOnly(q.now[0].Protocols))), figures}}
}

// eagerMode finds members that run cooperative-sticky eagerly.
func (q *inquiry) eagerMode() []Finding {
	var losers []string
	for _, m := range q.chosen.Members {
		if m.StickinessLost {
			losers = append(losers, m.ID)
		}
	}
	if len(losers) == 0 || q.kip848() {
		return nil
	}
	if q.Group == nil {
		return []Finding{{"cooperative-in-eager-mode", Warning, "the group uses cooperative-sticky, " +
			"and its members run it eagerly: they own nothing when they join, so that nothing tells the " +
			"leader what to leave with them", nil}}
	}
	return []Finding{{"cooperative-in-eager-mode", Warning, fmt.Sprintf("the group uses "+
		"cooperative-sticky, and %s it eagerly, owning nothing when it joins, so that nothing tells "+
		"the leader what to leave with it", ofMembers(len(losers), len(q.now), "runs", "run")),
		[]Figure{{"members_eager", len(losers)}, {"members", len(q.now)}}}}
}
