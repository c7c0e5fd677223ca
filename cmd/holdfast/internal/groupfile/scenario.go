package groupfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/sim"
)

var (
	scenarioKeys = []string{"group", "strategies", "group_protocol", "assignor", "timing", "seed",
		"faults", "until", "record_rate", "events"}
	timingKeys = []string{"session_timeout", "heartbeat_interval", "max_poll_interval",
		"initial_rebalance_delay", "metadata_max_age", "poll", "network", "revoke", "restore",
		"start", "request_timeout", "commit"}
	faultKeys = []string{"loss", "duplicate", "delay_max", "until"}
	// A member of a scenario may have a list and a protocol of its own.
	simMemberKeys = append(slices.Clone(memberKeys), "strategies", "group_protocol")
)

// ParseScenario reads a group and what happens to it. The error is an *[Error];
// one of an event names its line.
func ParseScenario(s Source) (*sim.Scenario, error) {
	root, err := open(s)
	if err != nil {
		return nil, err
	}
	fields, err := root.fields(scenarioKeys, []string{"case", "event", "expect", "assumed"})
	if err != nil {
		return nil, err
	}
	r := scenarioReader{reader: reader{file: &File{}, doc: root.doc, ids: map[string]value{}}}
	err = r.read(root, fields)
	if over := root.doc.overrun(); over != nil {
		return nil, over
	}
	if err != nil {
		return nil, err
	}
	return &r.scenario, r.check(root)
}

type scenarioReader struct {
	reader
	scenario sim.Scenario
	events   []value // of each event, what it was read from
}

func (r *scenarioReader) read(root value, fields map[string]value) error {
	group, ok := fields["group"]
	if !ok {
		return within("group", root.fail("missing, and a scenario needs it"))
	}
	if err := r.group(group); err != nil {
		return within("group", err)
	}
	s := &r.scenario
	for _, key := range scenarioKeys[1:] {
		v, ok := fields[key]
		if !ok {
			continue
		}
		var err error
		switch key {
		case "strategies":
			s.Strategies, err = r.strategies(v)
		case "group_protocol":
			s.Protocol, err = protocol(v)
		case "assignor":
			s.ServerAssignor, err = v.name("an assignor")
		case "timing":
			err = r.timing(v)
		case "seed":
			var n int64
			n, err = natural(v, "a seed")
			s.Seed = uint64(n)
		case "faults":
			err = r.faults(v)
		case "until":
			s.Until, err = duration(v)
		case "record_rate":
			s.RecordRate, err = v.float("a rate of records")
		case "events":
			err = r.readEvents(v)
		}
		if err != nil {
			return within(key, err)
		}
	}
	return nil
}

// group reads a group file whose members join at the beginning.
func (r *scenarioReader) group(v value) error {
	fields, err := v.fields(fileKeys, fileIgnored)
	if err != nil {
		return err
	}
	members, ok := fields["members"]
	if !ok {
		members = value{}
	}
	delete(fields, "members")
	delete(fields, "departed")
	if err := r.reader.group(fields); err != nil {
		return err
	}
	r.ids = map[string]value{}
	r.scenario.Topics = r.file.Group.Topics
	r.scenario.Strategies = r.file.Strategies
	if !ok {
		return nil
	}
	if members.kind() != list {
		return within("members", members.fail("%v where a list of members belongs", members))
	}
	for i, item := range members.items() {
		m, err := r.simMember(item)
		if err != nil {
			return within("members"+index(i), err)
		}
		r.scenario.Members = append(r.scenario.Members, m)
	}
	return nil
}

// simMember reads a process. What it owns has no part: it joins with nothing.
func (r *scenarioReader) simMember(v value) (sim.Member, error) {
	fields, err := v.fields(simMemberKeys, memberIgnored)
	if err != nil {
		return sim.Member{}, err
	}
	m, err := r.newMember(v, fields)
	if err != nil {
		return sim.Member{}, err
	}
	if _, err := r.memberFields(&m, fields); err != nil {
		return sim.Member{}, err
	}
	member := sim.Member{ID: m.ID, InstanceID: m.InstanceID, Rack: m.Rack, Topics: m.Topics,
		Capacity: m.Capacity}
	if _, ok := fields["subscription"]; !ok {
		member.Topics = nil
	}
	if v, ok := fields["strategies"]; ok {
		if member.Strategies, err = r.strategies(v); err != nil {
			return member, within("strategies", err)
		}
	}
	if v, ok := fields["group_protocol"]; ok {
		if member.Protocol, err = protocol(v); err != nil {
			return member, within("group_protocol", err)
		}
	}
	return member, nil
}

// strategies reads a list of names.
func (r *scenarioReader) strategies(v value) ([]holdfast.Assignor, error) {
	names, err := r.names(v, "a list of strategies", "the name of a strategy")
	if err != nil {
		return nil, err
	}
	found, err := Strategies(strings.Join(names, ","))
	if err != nil {
		return nil, v.fail("%v", err)
	}
	return found, nil
}

func protocol(v value) (sim.GroupProtocol, error) {
	name, err := v.name("a group protocol")
	return sim.GroupProtocol(name), err
}

func (r *scenarioReader) timing(v value) error {
	fields, err := v.fields(timingKeys, nil)
	if err != nil {
		return err
	}
	t := &r.scenario.Timing
	into := []*sim.Time{&t.SessionTimeout, &t.HeartbeatInterval, &t.MaxPollInterval,
		&t.InitialRebalanceDelay, &t.MetadataMaxAge, &t.Poll, &t.Network, &t.Revoke, &t.Restore,
		&t.Start, &t.RequestTimeout, &t.Commit}
	for i, key := range timingKeys {
		v, ok := fields[key]
		if !ok {
			continue
		}
		d, err := duration(v)
		if err != nil {
			return within(key, err)
		}
		if d == 0 {
			d = -1 // what is 0 is meant; the simulator's 0 stands for the default
		}
		*into[i] = d
	}
	return nil
}

func (r *scenarioReader) faults(v value) error {
	fields, err := v.fields(faultKeys, nil)
	if err != nil {
		return err
	}
	f := &r.scenario.Faults
	for _, key := range faultKeys {
		v, ok := fields[key]
		if !ok {
			continue
		}
		var err error
		switch key {
		case "loss":
			f.Loss, err = probability(v)
		case "duplicate":
			f.Duplicate, err = probability(v)
		case "delay_max":
			f.DelayMax, err = duration(v)
		case "until":
			f.Until, err = duration(v)
		}
		if err != nil {
			return within(key, err)
		}
	}
	return nil
}

func probability(v value) (float64, error) {
	p, err := v.float("a probability")
	if err == nil && (p < 0 || p > 1) {
		err = v.fail("%v is not a probability, from 0 to 1", v)
	}
	return p, err
}

func natural(v value, what string) (int64, error) {
	n, ok := v.integer()
	if !ok || n < 0 {
		return 0, v.fail("%v is not %s", v, what)
	}
	return n, nil
}

// maxTime bounds the times of a scenario: no group is planned for years.
const maxTime = 10 * 365 * 24 * time.Hour

// duration reads 45s, 100ms, 1h30m or 0.
func duration(v value) (sim.Time, error) {
	if k := v.kind(); k != scalar {
		return 0, v.fail("%v is not a time, such as 45s or 1m30s", v)
	}
	d, err := time.ParseDuration(v.text())
	switch {
	case err != nil:
		return 0, v.fail("%v is not a time, such as 45s or 1m30s", v)
	case d < 0:
		return 0, v.fail("%v is negative, and a time is not", v)
	case d > maxTime:
		return 0, v.fail("%v is more than ten years", v)
	}
	return d, nil
}

// check lets the simulator judge what was read, and says on which line it is.
func (r *scenarioReader) check(root value) error {
	err := r.scenario.Check()
	var bad *sim.ScenarioError
	if !errors.As(err, &bad) {
		if err != nil {
			return root.fail("%v", err)
		}
		return nil
	}
	what := fmt.Sprintf("%s: %v", quoted(bad.Name), bad.Reason)
	if bad.Value != "" {
		what += ": " + bad.Value
	}
	if bad.Event < 0 || bad.Event >= len(r.events) {
		return root.fail("%s", what)
	}
	return within("events", r.events[bad.Event].fail("%s", what))
}
