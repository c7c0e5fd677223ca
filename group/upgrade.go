package group

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict says whether a sequence of list changes can be rolled out.
type Verdict string

// The verdicts, from best to worst.
const (
	Safe         Verdict = "safe"
	Undetermined Verdict = "undetermined" // the broker breaks a tie on the way
	Unsafe       Verdict = "unsafe"       // a member is refused on the way
)

// Passage is a list set between two steps: the members change one by one, and
// each of them joins a group in which those after it still have their old lists.
type Passage struct {
	Step    int // index of the step that is being rolled out
	Changed string
	Negotiation
}

// Upgrade is what CheckUpgrade found.
type Upgrade struct {
	// Steps has one outcome for each step given. Its members are in the order in
	// which they joined: those whose list did not change stay, the others rejoin.
	Steps []Negotiation
	// Passages are the list sets between the steps. A step in which only one list
	// changes has none.
	Passages []Passage
	Verdict  Verdict
	Why      string
}

// CheckUpgrade plays a rolling change of strategies. Each step is the whole group
// with the lists that its members have then; a member that has another list than
// in the step before was restarted, one by one in the order given where there are
// several, and so also meets the list sets in between (Passages). The members of
// the first step are there from the start.
//
// A static member's old list still counts while its session lasts, even if it is
// the only member, so that it needs a name in common with its own past as well.
//
// The verdict is that of the worst outcome. It costs what Negotiate costs for each
// step and each changed member.
func CheckUpgrade(steps [][]Voter) Upgrade { return CheckUpgradeFrom(nil, steps) }

// CheckUpgradeFrom does what CheckUpgrade does for a group that is there before the
// first step, in order of joining, so that the first step is a change too. Steps
// still has one outcome for each step given. Without anybody in now it is
// CheckUpgrade.
func CheckUpgradeFrom(now []Voter, steps [][]Voter) Upgrade {
	u := Upgrade{Verdict: Safe}
	for i, step := range steps {
		if i == 0 && len(now) == 0 {
			now = slices.Clone(step)
			u.Steps = append(u.Steps, Negotiate(now))
			continue
		}
		now = u.rollOut(i, now, step)
	}
	u.judge()
	return u
}

// rollOut changes the group into the next step member by member and records every
// list set on the way, the last one as the step itself. It returns the new group.
func (u *Upgrade) rollOut(index int, now, step []Voter) []Voter {
	stay := slices.DeleteFunc(slices.Clone(now), func(v Voter) bool {
		return !slices.ContainsFunc(step, func(s Voter) bool { return s.ID == v.ID })
	})
	var changed []Voter
	for _, v := range step {
		at := slices.IndexFunc(stay, func(s Voter) bool { return s.ID == v.ID })
		if at < 0 || !slices.Equal(stay[at].Protocols, v.Protocols) {
			changed = append(changed, v)
		}
	}
	result := Negotiate(stay)
	for i, v := range changed {
		var past *Voter
		if at := slices.IndexFunc(stay, func(s Voter) bool { return s.ID == v.ID }); at >= 0 {
			old := stay[at]
			if past = &old; v.InstanceID == "" || v.InstanceID != old.InstanceID {
				past = nil
			}
			stay = slices.Delete(stay, at, at+1)
		}
		result = rejoin(stay, v, past)
		stay = append(stay, v)
		if i < len(changed)-1 {
			u.Passages = append(u.Passages, Passage{index, v.ID, result})
		}
	}
	u.Steps = append(u.Steps, result)
	return stay
}

// rejoin is the outcome when v joins the others; past is the entry that it left
// behind in the group, if it is static.
func rejoin(others []Voter, v Voter, past *Voter) Negotiation {
	voters := append(slices.Clone(others), v)
	n := Negotiate(voters)
	if n.Error != None || past == nil {
		return n
	}
	withPast := append(slices.Clone(others), *past, v)
	if _, refused := commonNames(withPast); refused != len(others)+1 {
		return n
	}
	n = Negotiation{Determinate: true, Error: InconsistentGroupProtocol, Refused: v.ID}
	for _, w := range voters {
		n.Members = append(n.Members, Ballot{ID: w.ID, Protocol: ProtocolOf(w.Protocols)})
	}
	return n
}

// judge sets the verdict and says why.
func (u *Upgrade) judge() {
	var refused, tied, selected, sticky []string
	passage := 0
	for i := range u.Steps {
		for ; passage < len(u.Passages) && u.Passages[passage].Step == i; passage++ {
			p := &u.Passages[passage]
			place := fmt.Sprintf("on the way to step %d, after %s,", i+1, p.Changed)
			u.weigh(&p.Negotiation, place, &refused, &tied)
		}
		n := &u.Steps[i]
		u.weigh(n, fmt.Sprintf("in step %d", i+1), &refused, &tied)
		selected = append(selected, n.Selected)
		if ids := n.losers(); len(ids) > 0 {
			sticky = append(sticky, fmt.Sprintf("step %d (%s)", i+1, strings.Join(ids, ", ")))
		}
	}
	switch u.Verdict {
	case Unsafe:
		u.Why = strings.Join(refused, "; ")
	case Undetermined:
		u.Why = strings.Join(tied, "; ")
	default:
		u.Why = "every list set has a common strategy: " + quoteList(slices.Compact(selected))
	}
	if len(sticky) > 0 {
		u.Why += "; members run cooperative-sticky in eager mode, without stickiness, in " +
			strings.Join(sticky, ", ")
	}
}

// weigh lets one outcome count towards the verdict; place says where it happened.
func (u *Upgrade) weigh(n *Negotiation, place string, refused, tied *[]string) {
	switch {
	case n.Error != None:
		u.Verdict = Unsafe
		*refused = append(*refused, fmt.Sprintf(
			"%s %s is refused with %v: it has no strategy in common with the group",
			place, n.Refused, n.Error))
	case !n.Determinate:
		if u.Verdict == Safe {
			u.Verdict = Undetermined
		}
		*tied = append(*tied, fmt.Sprintf("%s the vote is tied between %s",
			place, quoteList(n.Candidates)))
	}
}

// SafeSteps returns a way from the lists that the members have to the list wanted
// for all of them, in steps that CheckUpgrade calls safe: the group as it is, then
// one bounce if that is safe, else two, of which the first adds the wanted names
// behind the old ones and the second takes the old ones away. It returns nil if
// the group as it is has no common strategy, or nothing is wanted.
func SafeSteps(now []Voter, want []string) [][]Voter {
	direct := [][]Voter{now, withLists(now, func([]string) []string { return want })}
	if CheckUpgrade(direct).Verdict == Safe {
		return direct
	}
	both := withLists(now, func(old []string) []string {
		list := slices.Clone(old)
		for _, name := range want {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
		return list
	})
	path := [][]Voter{now, both, direct[1]}
	if CheckUpgrade(path).Verdict != Safe {
		return nil
	}
	return path
}

// withLists returns the voters with their lists replaced.
func withLists(voters []Voter, list func(old []string) []string) []Voter {
	changed := slices.Clone(voters)
	for i := range changed {
		changed[i].Protocols = list(changed[i].Protocols)
	}
	return changed
}
