package sim

import (
	"errors"
	"fmt"

	"github.com/holdfast/holdfast"
)

// Reasons why a scenario is refused. A *ScenarioError wraps one of them.
var (
	ErrNoMember     = errors.New("no such member at that time")
	ErrMemberThere  = errors.New("member is there already")
	ErrNoName       = errors.New("empty name")
	ErrKind         = errors.New("unknown kind of event")
	ErrTime         = errors.New("bad time")
	ErrProbability  = errors.New("not a probability")
	ErrProtocol     = errors.New("unknown group protocol")
	ErrAssignor     = errors.New("unknown server assignor")
	ErrStrategyList = errors.New("bad list of strategies")
)

// ScenarioError says which part of a scenario cannot be played, and why.
type ScenarioError struct {
	Reason error
	Event  int    // index in Scenario.Events, or -1
	Name   string // the member, topic or field
	Value  string // the offending value in words, if it is not the name
}

// Error returns the place, the reason and the value on one line.
func (e *ScenarioError) Error() string {
	place := "scenario"
	if e.Event >= 0 {
		place = fmt.Sprintf("event %d", e.Event)
	}
	text := fmt.Sprintf("%s: %v: %q", place, e.Reason, e.Name)
	if e.Value != "" {
		text += ": " + e.Value
	}
	return text
}

// Unwrap returns the Reason, for errors.Is.
func (e *ScenarioError) Unwrap() error { return e.Reason }

// Check returns the first thing in the scenario that cannot be played: a
// *ScenarioError, or a *holdfast.GroupError for its topics and members. An event
// may only name a member that is there by then; whether it was refused when it
// joined is not known before the scenario is played, and no error.
func (s *Scenario) Check() error {
	g := holdfast.Group{Topics: s.Topics}
	for _, m := range s.Members {
		g.Members = append(g.Members, holdfast.Member{ID: m.ID, Capacity: m.Capacity})
	}
	if err := g.Check(); err != nil {
		return err
	}
	if err := s.checkSettings(); err != nil {
		return err
	}
	there := make(map[string]bool)
	for _, m := range s.Members {
		there[m.ID] = true
		if err := checkMember(&m, -1); err != nil {
			return err
		}
	}
	for _, at := range s.eventOrder() {
		if err := checkEvent(&s.Events[at], at, there); err != nil {
			return err
		}
	}
	return nil
}

// eventOrder returns the indexes of the events in the order in which they happen.
func (s *Scenario) eventOrder() []int {
	order := make([]int, len(s.Events))
	for i := range order {
		at := i
		for at > 0 && s.Events[order[at-1]].At > s.Events[i].At {
			order[at] = order[at-1]
			at--
		}
		order[at] = i
	}
	return order
}

func (s *Scenario) checkSettings() error {
	for _, f := range []struct {
		name  string
		value float64
	}{{"loss", s.Faults.Loss}, {"duplicate", s.Faults.Duplicate}} {
		if !(f.value >= 0 && f.value <= 1) {
			return &ScenarioError{ErrProbability, -1, f.name, fmt.Sprint(f.value)}
		}
	}
	for _, f := range []struct {
		name  string
		value Time
	}{{"delay_max", s.Faults.DelayMax}, {"until", s.Until}, {"faults until", s.Faults.Until}} {
		if f.value < 0 {
			return &ScenarioError{ErrTime, -1, f.name, f.value.String()}
		}
	}
	if s.ServerAssignor != "" && s.ServerAssignor != "uniform" && s.ServerAssignor != "range" {
		return &ScenarioError{ErrAssignor, -1, s.ServerAssignor, ""}
	}
	if err := checkStrategies(s.Strategies, -1); err != nil {
		return err
	}
	return checkProtocol(s.Protocol, -1)
}

func checkProtocol(p GroupProtocol, event int) error {
	if p != "" && p != Classic && p != Consumer {
		return &ScenarioError{ErrProtocol, event, string(p), ""}
	}
	return nil
}

// checkStrategies refuses a list as Kafka's client does: one name twice.
func checkStrategies(list []holdfast.Assignor, event int) error {
	names := make(map[string]bool, len(list))
	for _, a := range list {
		if names[a.Name()] {
			return &ScenarioError{ErrStrategyList, event, a.Name(), "listed twice"}
		}
		names[a.Name()] = true
	}
	return nil
}

func checkMember(m *Member, event int) error {
	if m.ID == "" {
		return &ScenarioError{ErrNoName, event, "id", ""}
	}
	if err := checkStrategies(m.Strategies, event); err != nil {
		return err
	}
	return checkProtocol(m.Protocol, event)
}

// checkEvent looks at one event; there are the members that are in the group by
// then.
func checkEvent(e *Event, at int, there map[string]bool) error {
	for _, t := range []struct {
		name  string
		value Time
	}{{"at", e.At}, {"down", e.Down}, {"every", e.Every}, {"for", e.For}} {
		if t.value < 0 {
			return &ScenarioError{ErrTime, at, t.name, t.value.String()}
		}
	}
	if err := checkStrategies(e.Strategies, at); err != nil {
		return err
	}
	if err := checkProtocol(e.Protocol, at); err != nil {
		return err
	}
	switch e.Kind {
	case Join:
		if err := checkMember(&e.Join, at); err != nil {
			return err
		}
		if there[e.Join.ID] {
			return &ScenarioError{ErrMemberThere, at, e.Join.ID, ""}
		}
		there[e.Join.ID] = true
		return nil
	case ChangeTopic:
		return holdfast.Group{Topics: []holdfast.Topic{e.Topic}}.Check()
	case RollingRestart, RollingUpgrade, Failover:
		return nil
	case Leave, Crash, Restart, Upgrade, ChangeSubscribe, Stall, CutOff:
		if !there[e.Member] {
			return &ScenarioError{ErrNoMember, at, e.Member, ""}
		}
		if e.Kind == Leave || e.Kind == Crash {
			there[e.Member] = false
		}
		return nil
	}
	return &ScenarioError{ErrKind, at, string(e.Kind), ""}
}
