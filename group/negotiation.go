package group

import (
	"slices"
	"strings"
)

// RebalanceProtocol is how a member behaves around a rebalance (KIP-429). Its
// own list of strategies fixes it for the life of the client, whatever strategy
// the group picks.
type RebalanceProtocol int

const (
	// Eager members give up every partition before they rejoin.
	Eager RebalanceProtocol = iota
	// Cooperative members keep what they own and give up only what moves.
	Cooperative
)

// String returns "eager" or "cooperative".
func (p RebalanceProtocol) String() string {
	if p == Cooperative {
		return "cooperative"
	}
	return "eager"
}

// SupportsCooperative reports whether members that list only this strategy and
// others like it keep their partitions through a rebalance. Of Kafka's own
// strategies that is cooperative-sticky alone. Names compare byte by byte.
func SupportsCooperative(protocol string) bool { return protocol == "cooperative-sticky" }

// ProtocolOf returns the rebalance protocol of a client that is configured with
// this list of strategies: cooperative only if every one of them supports it. An
// empty list is eager.
func ProtocolOf(protocols []string) RebalanceProtocol {
	for _, name := range protocols {
		if !SupportsCooperative(name) {
			return Eager
		}
	}
	if len(protocols) == 0 {
		return Eager
	}
	return Cooperative
}

// Voter is one member as the choice of the strategy sees it.
type Voter struct {
	ID string
	// InstanceID is the group.instance.id of a static member, else "". Only
	// CheckUpgrade looks at it.
	InstanceID string
	// Protocols is partition.assignment.strategy, in order of preference. The names
	// are opaque: a caller that accepts Java class names turns them into the names
	// on the wire first.
	Protocols []string
}

// Tally is the number of members that vote for one strategy.
type Tally struct {
	Protocol string
	Votes    int
}

// Ballot is what one member contributes to the choice, and how it will behave.
type Ballot struct {
	ID       string
	Vote     string // "" if the group cannot be formed
	Protocol RebalanceProtocol
	// StickinessLost reports that the group runs cooperative-sticky and this member
	// runs it in eager mode: it owns nothing when it joins, so that nothing tells
	// the leader what to leave with it.
	StickinessLost bool
}

// Negotiation is the outcome of a choice of strategy.
type Negotiation struct {
	// Selected is the strategy that the group uses; "" if it is undetermined or if
	// nobody can be chosen.
	Selected string
	// Determinate is false if several strategies have the most votes. The broker
	// then takes the first one in the order of a hash map.
	Determinate bool
	// Candidates are the strategies that every member lists, sorted by name; those
	// that are tied, if there is a tie.
	Candidates []string
	// Votes has the candidates that got any vote, sorted by name.
	Votes []Tally
	// Members is in order of joining.
	Members []Ballot
	// Error is InconsistentGroupProtocol if a member is refused, else None.
	Error Code
	// Refused is the id of the first member whose joining leaves no common
	// strategy. The group of the members before it goes on as it was.
	Refused string
}

// Negotiate chooses a strategy as the classic group coordinator does. The voters
// are in order of joining. Candidates are the names that all of them list; each
// votes for the first candidate in its own list; the most votes win. A member is
// refused if it lists nothing, or nothing that all the members before it list.
//
// It costs O(v log v) for v names in all the lists together.
func Negotiate(voters []Voter) Negotiation {
	n := Negotiation{Determinate: true, Members: make([]Ballot, len(voters))}
	for i, v := range voters {
		n.Members[i] = Ballot{ID: v.ID, Protocol: ProtocolOf(v.Protocols)}
	}
	common, refused := commonNames(voters)
	if refused >= 0 {
		n.Error, n.Refused = InconsistentGroupProtocol, voters[refused].ID
		return n
	}
	n.Candidates = common
	n.count(voters)
	return n
}

// commonNames returns the names that all voters list, sorted, and the index of the
// first voter that has none of the names common to those before it, or -1.
func commonNames(voters []Voter) (common []string, refused int) {
	for i, v := range voters {
		names := slices.Clone(v.Protocols)
		slices.Sort(names)
		names = slices.Compact(names)
		if i > 0 {
			names = intersect(common, names)
		}
		if len(names) == 0 {
			return nil, i
		}
		common = names
	}
	return common, -1
}

// intersect returns what two sorted lists have in common, sorted.
func intersect(a, b []string) []string {
	var both []string
	for _, name := range a {
		if _, found := slices.BinarySearch(b, name); found {
			both = append(both, name)
		}
	}
	return both
}

// count lets every voter vote for its first candidate and settles the outcome.
func (n *Negotiation) count(voters []Voter) {
	votes := make([]int, len(n.Candidates))
	for i, v := range voters {
		for _, name := range v.Protocols {
			if at, found := slices.BinarySearch(n.Candidates, name); found {
				n.Members[i].Vote = name
				votes[at]++
				break
			}
		}
	}
	most, tied := 0, []string(nil)
	for at, name := range n.Candidates {
		if votes[at] == 0 {
			continue
		}
		n.Votes = append(n.Votes, Tally{name, votes[at]})
		switch {
		case votes[at] > most:
			most, tied = votes[at], []string{name}
		case votes[at] == most:
			tied = append(tied, name)
		}
	}
	if len(tied) > 1 {
		n.Determinate, n.Candidates = false, tied
		return
	}
	if len(tied) == 1 {
		n.Selected = tied[0]
	}
	for i := range n.Members {
		m := &n.Members[i]
		m.StickinessLost = SupportsCooperative(n.Selected) && m.Protocol == Eager
	}
}

// losers returns the ids of the members that lose their stickiness.
func (n *Negotiation) losers() []string {
	var ids []string
	for _, m := range n.Members {
		if m.StickinessLost {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// quoteList writes names for people: "a", "b".
func quoteList(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
