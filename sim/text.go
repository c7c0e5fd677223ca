package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast/holdfast"
)

// String writes the scenario as the file that holdfast simulate reads, so that a
// history can be played again and looked at.
func (s Scenario) String() string {
	var b strings.Builder
	topics := make([]string, len(s.Topics))
	for i, t := range s.Topics {
		topics[i] = fmt.Sprintf("%s: %d", t.Name, t.Partitions)
	}
	fmt.Fprintf(&b, "group:\n  topics: {%s}\n  members:\n", strings.Join(topics, ", "))
	for _, m := range s.Members {
		fmt.Fprintf(&b, "  - %s\n", m.text())
	}
	if len(s.Strategies) > 0 {
		fmt.Fprintf(&b, "strategies: %s\n", strategyText(s.Strategies))
	}
	if s.Protocol != "" {
		fmt.Fprintf(&b, "group_protocol: %s\n", s.Protocol)
	}
	if s.ServerAssignor != "" {
		fmt.Fprintf(&b, "assignor: %s\n", s.ServerAssignor)
	}
	if text := s.Timing.text(); text != "" {
		fmt.Fprintf(&b, "timing: {%s}\n", text)
	}
	fmt.Fprintf(&b, "seed: %d\n", s.Seed)
	if text := s.Faults.text(); text != "" {
		fmt.Fprintf(&b, "faults: {%s}\n", text)
	}
	if s.Until > 0 {
		fmt.Fprintf(&b, "until: %v\n", s.Until)
	}
	b.WriteString("events:\n")
	for i := range s.Events {
		fmt.Fprintf(&b, "- {at: %v, %s}\n", s.Events[i].At, s.Events[i].text())
	}
	return b.String()
}

func (m *Member) text() string {
	text := "{id: " + m.ID
	if m.InstanceID != "" {
		text += ", instance_id: " + m.InstanceID
	}
	if m.Rack != "" {
		text += ", rack: " + m.Rack
	}
	if m.Topics != nil {
		text += ", subscription: [" + strings.Join(m.Topics, ", ") + "]"
	}
	if m.Strategies != nil {
		text += ", strategies: " + strategyText(m.Strategies)
	}
	if m.Protocol != "" {
		text += ", group_protocol: " + string(m.Protocol)
	}
	return text + "}"
}

func strategyText(list []holdfast.Assignor) string {
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name()
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// text writes the timing as it is given: 0 is left out, and what is negative was
// meant as 0.
func (t *Timing) text() string {
	var parts []string
	for _, f := range []struct {
		name  string
		value Time
	}{
		{"session_timeout", t.SessionTimeout}, {"heartbeat_interval", t.HeartbeatInterval},
		{"max_poll_interval", t.MaxPollInterval},
		{"initial_rebalance_delay", t.InitialRebalanceDelay},
		{"metadata_max_age", t.MetadataMaxAge}, {"poll", t.Poll}, {"network", t.Network},
		{"revoke", t.Revoke}, {"restore", t.Restore}, {"start", t.Start},
		{"request_timeout", t.RequestTimeout}, {"commit", t.Commit},
	} {
		if f.value != 0 {
			parts = append(parts, fmt.Sprintf("%s: %v", f.name, max(f.value, 0)))
		}
	}
	return strings.Join(parts, ", ")
}

func (f *Faults) text() string {
	var parts []string
	if f.Loss > 0 {
		parts = append(parts, fmt.Sprintf("loss: %g", f.Loss))
	}
	if f.Duplicate > 0 {
		parts = append(parts, fmt.Sprintf("duplicate: %g", f.Duplicate))
	}
	if f.DelayMax > 0 {
		parts = append(parts, fmt.Sprintf("delay_max: %v", f.DelayMax))
	}
	if len(parts) > 0 && f.Until > 0 {
		parts = append(parts, fmt.Sprintf("until: %v", f.Until))
	}
	return strings.Join(parts, ", ")
}

// text writes what happens, without the time.
func (e *Event) text() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch e.Kind {
	case Join:
		add("join: %s", e.Join.text())
	case RollingRestart, RollingUpgrade:
		add("%s: all", e.Kind)
	case ChangeTopic:
		add("topic: {%s: %d}", e.Topic.Name, e.Topic.Partitions)
	case ChangeSubscribe:
		add("subscribe: {%s: [%s]}", e.Member, strings.Join(e.Topics, ", "))
	case Failover:
		add("failover: %v", e.Down)
	default:
		add("%s: %s", e.Kind, e.Member)
	}
	if e.Strategies != nil {
		add("strategies: %s", strategyText(e.Strategies))
	}
	if e.Protocol != "" {
		add("group_protocol: %s", e.Protocol)
	}
	if slices.Contains([]EventKind{Restart, RollingRestart, Upgrade, RollingUpgrade}, e.Kind) {
		add("down: %v", e.Down)
	}
	if e.Kind == RollingRestart || e.Kind == RollingUpgrade {
		add("every: %v", e.Every)
	}
	if e.Kind == Stall || e.Kind == CutOff {
		add("for: %v", e.For)
	}
	return strings.Join(parts, ", ")
}
