package groupfile

import (
	"slices"
	"strings"

	"github.com/holdfast/holdfast/sim"
)

// eventKinds are what can happen, in the order in which errors name them.
var eventKinds = []string{"join", "leave", "crash", "restart", "rolling_restart", "upgrade",
	"rolling_upgrade", "topic", "subscribe", "stall", "cut", "failover"}

var eventKeys = append([]string{"at", "strategies", "group_protocol", "down", "every", "for"},
	eventKinds...)

// goesWith are the keys that an event of a kind may have beside at.
var goesWith = map[string][]string{
	"restart":         {"down"},
	"rolling_restart": {"down", "every"},
	"upgrade":         {"strategies", "group_protocol", "down"},
	"rolling_upgrade": {"strategies", "group_protocol", "down", "every"},
	"stall":           {"for"},
	"cut":             {"for"},
}

func (r *scenarioReader) readEvents(v value) error {
	if v.kind() != list {
		return v.fail("%v where a list of events belongs", v)
	}
	for i, item := range v.items() {
		if err := r.event(item); err != nil {
			return within(index(i), err)
		}
	}
	return nil
}

func (r *scenarioReader) event(v value) error {
	fields, err := v.fields(eventKeys, nil)
	if err != nil {
		return err
	}
	kind, err := kindOf(v, fields)
	if err != nil {
		return err
	}
	e := sim.Event{Kind: sim.EventKind(kind)}
	for _, key := range eventKeys[:6] {
		v, ok := fields[key]
		switch {
		case !ok:
			continue
		case key != "at" && !slices.Contains(goesWith[kind], key):
			return within(key, v.fail("%s has no such key", kind))
		}
		switch key {
		case "at":
			e.At, err = duration(v)
		case "strategies":
			e.Strategies, err = r.strategies(v)
		case "group_protocol":
			e.Protocol, err = protocol(v)
		case "down":
			e.Down, err = duration(v)
		case "every":
			e.Every, err = duration(v)
		case "for":
			e.For, err = duration(v)
		}
		if err != nil {
			return within(key, err)
		}
	}
	return within(kind, r.subject(v, e, fields[kind]))
}

// kindOf finds the one key that says what happens.
func kindOf(v value, fields map[string]value) (string, error) {
	found := ""
	for _, kind := range eventKinds {
		if _, ok := fields[kind]; !ok {
			continue
		}
		if found != "" {
			return "", v.fail("one event is both %s and %s", found, kind)
		}
		found = kind
	}
	if found == "" {
		return "", v.fail("nothing happens (an event has one of %s)", strings.Join(eventKinds, ", "))
	}
	if _, ok := fields["at"]; !ok {
		return "", within("at", v.fail("missing, and an event needs it"))
	}
	return found, nil
}

// subject reads to whom or what an event happens, and adds it.
func (r *scenarioReader) subject(event value, e sim.Event, v value) (err error) {
	switch e.Kind {
	case sim.Join:
		// Who has left may come back, so that ids are not held against all others.
		r.ids = map[string]value{}
		e.Join, err = r.simMember(v)
	case sim.RollingRestart, sim.RollingUpgrade:
		if name, nameErr := v.name("who"); nameErr != nil || name != "all" {
			err = v.fail("%v where all belongs", v)
		}
	case sim.Failover:
		e.Down, err = duration(v)
	case sim.ChangeTopic:
		return r.topicEvents(event, e, v)
	case sim.ChangeSubscribe:
		return r.subscribeEvents(event, e, v)
	default:
		e.Member, err = v.name("a member id")
	}
	if err == nil {
		r.add(event, e)
	}
	return err
}

func (r *scenarioReader) add(event value, e sim.Event) {
	r.scenario.Events = append(r.scenario.Events, e)
	r.events = append(r.events, event)
}

// topicEvents reads topics and what they have from then on.
func (r *scenarioReader) topicEvents(event value, e sim.Event, v value) error {
	if v.kind() != mapping {
		return v.fail("%v where a mapping of topics to partition counts belongs", v)
	}
	for key, val := range v.entries() {
		name, err := key.name("the name of a topic")
		if err != nil {
			return err
		}
		r.total = 0 // each is a state of its own, not one more topic
		if e.Topic, err = r.topic(name, val); err != nil {
			return within(keyOf(name), err)
		}
		r.add(event, e)
	}
	return nil
}

// subscribeEvents reads members and their subscriptions from then on.
func (r *scenarioReader) subscribeEvents(event value, e sim.Event, v value) error {
	if v.kind() != mapping {
		return v.fail("%v where a mapping of members to topics belongs", v)
	}
	for key, val := range v.entries() {
		var err error
		if e.Member, err = key.name("a member id"); err != nil {
			return err
		}
		if e.Topics, err = r.names(val, "a list of topics", "the name of a topic"); err != nil {
			return within(keyOf(e.Member), err)
		}
		r.add(event, e)
	}
	return nil
}
