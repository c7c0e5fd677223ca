package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/holdfast/holdfast"
)

// Random returns a scenario made from the seed: a small group with short timeouts,
// some of the events that there are, and mostly a network with faults. Which kinds
// of event and fault a seed uses at all is drawn first, so that some histories are
// full of one thing (swarm testing). Faults stop before the end, and what is left
// is time enough for the group to settle (LivenessBound).
func Random(seed uint64) Scenario {
	r := &randomizer{rand.New(rand.NewPCG(seed, 1))}
	s := Scenario{Seed: seed, NoLanes: true, Timing: r.timing()}
	for i := range 1 + r.IntN(3) {
		s.Topics = append(s.Topics, holdfast.Topic{Name: topicName(i), Partitions: 1 + r.IntN(8)})
	}
	style := r.style()
	s.Strategies = style.lists[0]
	s.ServerAssignor = []string{"", "uniform", "range"}[r.IntN(3)]
	for i := range 1 + r.IntN(5) {
		s.Members = append(s.Members, r.member(i, style))
	}
	last := r.events(&s, style)
	if r.chance(0.7) {
		s.Faults = r.faults()
		s.Faults.Until = last + time.Second
	}
	s.Until = s.lastEvent() + s.LivenessBound() + 30*time.Second
	return s
}

// randomizer draws the parts of a scenario.
type randomizer struct{ *rand.Rand }

func (r *randomizer) chance(p float64) bool { return r.Float64() < p }

// between draws a time, in milliseconds.
func (r *randomizer) between(least, most Time) Time {
	return least + Time(r.Int64N(int64((most-least)/time.Millisecond)+1))*time.Millisecond
}

func topicName(i int) string { return string(rune('t' + i)) }

func (r *randomizer) timing() Timing {
	t := Timing{
		SessionTimeout:        r.between(6*time.Second, 12*time.Second),
		HeartbeatInterval:     r.between(time.Second, 3*time.Second),
		MaxPollInterval:       r.between(8*time.Second, 25*time.Second),
		InitialRebalanceDelay: r.between(0, 3*time.Second),
		MetadataMaxAge:        r.between(5*time.Second, 20*time.Second),
		Poll:                  r.between(0, time.Second),
		Network:               r.between(time.Millisecond, 20*time.Millisecond),
		RequestTimeout:        r.between(5*time.Second, 15*time.Second),
		Commit:                r.between(time.Second, 5*time.Second),
	}
	if r.chance(0.25) {
		t.SessionTimeout = r.between(12*time.Second, 40*time.Second)
	}
	if r.chance(0.5) {
		t.Revoke = r.between(0, 300*time.Millisecond)
	}
	if r.chance(0.3) {
		t.Restore = r.between(0, time.Second)
	}
	// In these fields 0 would mean Kafka's default.
	for _, field := range []*Time{&t.InitialRebalanceDelay, &t.Poll} {
		if *field == 0 {
			*field = -1
		}
	}
	return t
}

// style says what the members of a scenario have in common.
type style struct {
	lists  [][]holdfast.Assignor // lists that members and upgrades draw from
	static float64               // how many members are static
	subset float64               // how many subscribe to a part of the topics
	modern float64               // how many use the consumer protocol
}

func (r *randomizer) style() style {
	c, s := holdfast.CooperativeSticky, holdfast.Sticky
	lists := [][][]holdfast.Assignor{
		{{c}},
		{{holdfast.Range}},
		{{s}},
		{{holdfast.RoundRobin}},
		{{c, holdfast.Range}, {c}, {holdfast.Range}},
		{{holdfast.Range, c}, {c}},
		{{s, c}, {c}, {c, s}},
	}[r.IntN(7)]
	if r.chance(0.4) {
		lists = [][]holdfast.Assignor{{c}} // The most to go wrong is here.
	}
	return style{lists: lists, static: []float64{0, 0, 0.5, 1}[r.IntN(4)],
		subset: []float64{0, 0, 0.5}[r.IntN(3)],
		modern: []float64{0, 0, 0, 0, 0, 0.5, 1}[r.IntN(7)]}
}

func (r *randomizer) list(s style) []holdfast.Assignor { return s.lists[r.IntN(len(s.lists))] }

// protocol draws a group protocol, "" for a scenario that is all classic.
func (r *randomizer) protocol(s style) GroupProtocol {
	switch {
	case s.modern == 0:
		return ""
	case r.chance(s.modern):
		return Consumer
	}
	return Classic
}

func (r *randomizer) member(i int, s style) Member {
	m := Member{ID: fmt.Sprintf("m%d", i), Strategies: r.list(s), Protocol: r.protocol(s)}
	if r.chance(s.static) {
		m.InstanceID = fmt.Sprintf("i%d", i)
	}
	if r.chance(s.subset) {
		m.Topics = r.topics()
	}
	return m
}

// topics draws a subscription, which may name topics that do not exist.
func (r *randomizer) topics() []string {
	names := []string{}
	for i := range 3 {
		if r.chance(0.6) {
			names = append(names, topicName(i))
		}
	}
	return names
}

func (r *randomizer) faults() Faults {
	var f Faults
	if r.chance(0.6) {
		f.Loss = r.Float64() * 0.2
	}
	if r.chance(0.5) {
		f.Duplicate = r.Float64() * 0.3
	}
	if r.chance(0.7) {
		f.DelayMax = r.between(time.Millisecond, 4*time.Second)
	}
	return f
}

// events draws what happens, and returns when it is over. A third of the
// histories leave each event time to be dealt with.
func (r *randomizer) events(s *Scenario, style style) Time {
	kinds := r.kinds()
	there := make(map[string]bool)
	var names []string
	for _, m := range s.Members {
		there[m.ID] = true
		names = append(names, m.ID)
	}
	pause := 15 * time.Second
	if r.chance(0.3) {
		pause = 90 * time.Second
	}
	at := Time(0)
	for range 2 + r.IntN(7) {
		at += r.between(0, pause)
		e := Event{At: at, Kind: kinds[r.IntN(len(kinds))], Down: r.between(0, 12*time.Second),
			For: r.between(0, 40*time.Second), Every: r.between(time.Second, 20*time.Second)}
		e.Member = names[r.IntN(len(names))]
		if !r.fill(&e, len(names), style) || e.Member != "" && !there[e.Member] {
			continue
		}
		switch e.Kind {
		case Join:
			there[e.Join.ID] = true
			names = append(names, e.Join.ID)
		case Leave, Crash:
			there[e.Member] = false
		}
		s.Events = append(s.Events, e)
	}
	return s.lastEvent()
}

// kinds draws which kinds of event this history has.
func (r *randomizer) kinds() []EventKind {
	var kinds []EventKind
	for _, kind := range []EventKind{Join, Join, Leave, Crash, Restart, Restart, RollingRestart,
		Upgrade, RollingUpgrade, ChangeTopic, ChangeSubscribe, Stall, CutOff, Failover} {
		if r.chance(0.5) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return []EventKind{Join}
	}
	return kinds
}

// fill draws what the event's kind needs; it reports whether the event makes
// sense.
func (r *randomizer) fill(e *Event, members int, style style) bool {
	kept := Event{At: e.At, Kind: e.Kind}
	switch e.Kind {
	case Join:
		kept.Join = r.member(members, style)
		if kept.Join.InstanceID != "" && r.chance(0.2) {
			// Two processes of one name, by mistake: the newer one fences the older.
			kept.Join.InstanceID = fmt.Sprintf("i%d", r.IntN(members))
		}
		*e = kept
		return members < 8
	case RollingRestart:
		kept.Down, kept.Every = e.Down, e.Every
	case RollingUpgrade:
		kept.Down, kept.Every, kept.Strategies = e.Down, e.Every, r.list(style)
		kept.Protocol = r.protocol(style)
	case ChangeTopic:
		kept.Topic = holdfast.Topic{Name: topicName(r.IntN(3)), Partitions: 1 + r.IntN(10)}
	case Failover:
		kept.Down = e.Down
	default:
		kept.Member = e.Member
		switch e.Kind {
		case Restart:
			kept.Down = e.Down
		case Upgrade:
			kept.Down, kept.Strategies = e.Down, r.list(style)
			kept.Protocol = r.protocol(style)
		case ChangeSubscribe:
			kept.Topics = r.topics()
		case Stall, CutOff:
			kept.For = e.For
		}
	}
	*e = kept
	return true
}
