package sim

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
)

// world is a scenario being played.
type world struct {
	scenario *Scenario
	timing   Timing
	now      Time
	queue    queue
	current  occurrence
	block    []message // from which messages are taken
	random   *rand.Rand
	played   int

	topics      []holdfast.Topic // as they are now, by name; never changed in place
	allTopics   []string         // those of the beginning
	topicNumber map[string]int
	partitions  [][]int32 // topic number -> numbers of its partitions
	wanted      map[string]bool

	processes []*process // in order of their first start
	byName    map[string]*process
	rolls     []*roll

	coordinator   *group.Broker
	coordinatorUp bool
	takeovers     int
	tickAt        Time
	seats         map[string]*seat
	consumer      bool  // the group is of the consumer protocol
	converted     int32 // since this generation
	// downgraded: it has just become a classic group and has not rebalanced as one.
	downgraded bool

	sound    bool // the network has no faults now
	sleepers []*process

	costs      accounts
	record     recorder
	checks     []checker
	refused    []Refusal
	violations []Violation
	gaps       []Violation
	trace      []string
	scratch    []int32
}

// roll is a rolling restart or upgrade under way.
type roll struct {
	event *Event
	rest  []*process
}

// Run plays the scenario. The error is that of Check: a scenario that can be
// played is played to its end, and what goes wrong in it is in the report. The
// cost is that of the events, a few hundred nanoseconds each, of the leader's
// assignor once a rebalance, and O(partitions) for each rebalance.
func Run(s Scenario) (*Report, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	w := newWorld(s.withDefaults())
	w.play()
	return w.report(), nil
}

func newWorld(s Scenario) *world {
	w := &world{scenario: &s, timing: s.Timing, random: rand.New(rand.NewPCG(s.Seed, 0)),
		topicNumber: make(map[string]int), wanted: make(map[string]bool),
		byName: make(map[string]*process), seats: make(map[string]*seat),
		tickAt: never, sound: !s.Faults.any()}
	w.record.last = -1
	w.costs.lanes = lanes{off: s.NoLanes, index: make(map[laneKey]int)}
	for _, t := range s.Topics {
		w.setTopic(t)
		w.allTopics = append(w.allTopics, t.Name)
	}
	w.checks = newCheckers(&s)
	w.startCoordinator()
	for _, m := range s.Members {
		p := w.addProcess(m)
		w.schedule(occurrence{at: w.timing.Start, kind: processStart, process: p})
	}
	for i := range s.Events {
		w.schedule(occurrence{at: s.Events[i].At, kind: scenarioEvent, message: &message{id: i}})
	}
	if s.Faults.any() && s.Faults.Until > 0 {
		w.schedule(occurrence{at: s.Faults.Until, kind: faultsEnd})
	}
	return w
}

func (w *world) schedule(o occurrence) {
	if o.process != nil {
		o.incarnation = o.process.incarnation
	}
	w.queue.put(o)
}

func (w *world) addProcess(m Member) *process {
	p := &process{spec: m, number: int32(len(w.processes)), tickAt: never, pollAt: never}
	w.processes = append(w.processes, p)
	w.byName[m.ID] = p
	return p
}

// play goes through the queue until the scenario is over.
func (w *world) play() {
	for !w.queue.empty() && w.queue.next() <= w.scenario.Until {
		o := &w.current
		w.queue.take(o)
		if o.at < w.now {
			panic(fmt.Sprintf("sim: the clock goes back from %v to %v", w.now, o.at))
		}
		w.now = o.at
		w.played++
		if o.disturbs() {
			for _, c := range w.checks {
				c.before(w, o)
			}
		}
		w.happen(o)
		for _, c := range w.checks {
			c.after(w, o)
		}
	}
	w.now = w.scenario.Until
	w.costs.settle(w.now)
	for _, c := range w.checks {
		c.end(w)
	}
}

// happen plays one occurrence.
func (w *world) happen(o *occurrence) {
	p := o.process
	if p == nil {
		w.happenToGroup(o)
		return
	}
	switch o.kind {
	case processStart:
		if !p.up && !p.gone {
			w.start(p)
		}
		return
	case cutEnds: // Whatever has become of the process in the meantime.
		if p.cut && w.now >= p.cutEnds {
			p.cut = false
			w.say("%s: is connected again", p.spec.ID)
		}
		return
	}
	if o.incarnation != p.incarnation || !p.up {
		return
	}
	switch o.kind {
	case processPoll:
		if p.pollAt == w.now {
			p.pollAt = never
		}
		w.attend(p)
	case processTick:
		if p.tickAt == w.now {
			w.tickProcess(p)
		}
	case processRestore:
		if !p.stalled {
			w.costs.restored(w, p)
		}
	case listenerDone:
		w.listened(p)
		w.attend(p)
	case metadataRefresh:
		p.member.SetMetadata(w.now, w.topics)
		w.attend(p)
	case commitTimer:
		w.commit(p)
	case stallEnds:
		w.resume(p)
	case toMember:
		w.arriveAtMember(p, o.message)
	case connectionLost:
		w.wake(p)
		p.member.Disconnected(w.now)
		w.attend(p)
	}
}

// happenToGroup plays what concerns no process in particular.
func (w *world) happenToGroup(o *occurrence) {
	switch o.kind {
	case scenarioEvent:
		w.playEvent(&w.scenario.Events[o.message.id])
	case rollNext:
		w.rollOn(o.message.id)
	case toCoordinator:
		w.arriveAtCoordinator(o.message)
	case coordinatorTick:
		if w.tickAt == w.now && w.coordinatorUp {
			w.tickAt = never
			w.coordinator.Tick(w.now)
			w.afterCoordinator()
		}
	case coordinatorStart:
		w.startCoordinator()
	case faultsEnd:
		w.sound = true
		w.say("the network is sound")
	}
}

// playEvent starts an event of the scenario. Who is not there any more, because
// it was refused or failed, does nothing.
func (w *world) playEvent(e *Event) {
	p := w.byName[e.Member]
	switch e.Kind {
	case Join:
		w.join(e.Join)
	case Leave:
		p.gone = true
		w.close(p, -1)
	case Crash:
		p.gone = true
		w.crash(p)
	case Restart:
		w.close(p, e.Down)
	case Upgrade:
		w.upgrade(p, e)
	case RollingRestart, RollingUpgrade:
		w.rolls = append(w.rolls, &roll{e, w.present()})
		w.rollOn(len(w.rolls) - 1)
	case ChangeTopic:
		w.setTopic(e.Topic)
		w.coordinator.SetTopics(w.topics)
		w.wakeAll()
		w.spreadNews()
	case ChangeSubscribe:
		p.spec.Topics = append([]string{}, e.Topics...)
		p.changed = p.changed || !p.up || p.closing
		if p.up {
			w.wake(p)
			w.costs.subscribe(w, e.Topics)
			p.member.Subscribe(e.Topics)
			w.attend(p)
		}
	case Stall:
		w.stall(p, w.now+e.For)
	case CutOff:
		w.cutOff(p, w.now+e.For)
	case Failover:
		w.failover(e.Down)
	}
}

// join starts a member that was not there, or has left before.
func (w *world) join(m Member) {
	p := w.byName[m.ID]
	if p == nil {
		p = w.addProcess(m)
	}
	p.spec, p.gone = m, false
	if !p.up {
		w.schedule(occurrence{at: w.now + w.timing.Start, kind: processStart, process: p})
	} else {
		p.restart = 0 // It is still closing.
	}
}

func (w *world) upgrade(p *process, e *Event) {
	p.spec.Strategies, p.changed = e.Strategies, true
	if e.Protocol != "" {
		p.spec.Protocol = e.Protocol
	}
	w.close(p, e.Down)
}

// present lists the processes that are part of the scenario now, in the order in
// which they first started.
func (w *world) present() []*process {
	var list []*process
	for _, p := range w.processes {
		if !p.gone {
			list = append(list, p)
		}
	}
	return list
}

// rollOn restarts the next member of a rolling event.
func (w *world) rollOn(number int) {
	r := w.rolls[number]
	if len(r.rest) == 0 {
		return
	}
	p := r.rest[0]
	r.rest = r.rest[1:]
	if !p.gone {
		if r.event.Kind == RollingUpgrade {
			w.upgrade(p, r.event)
		} else {
			w.close(p, r.event.Down)
		}
	}
	w.schedule(occurrence{at: w.now + r.event.Every, kind: rollNext,
		message: &message{id: number}})
}

// setTopic creates a topic or changes its partitions. A partition keeps its number
// in this package when it is gone, for somebody may still own it.
func (w *world) setTopic(t holdfast.Topic) {
	topics := slices.Clone(w.topics)
	at, found := slices.BinarySearchFunc(topics, t.Name, func(t holdfast.Topic, name string) int {
		return strings.Compare(t.Name, name)
	})
	if found {
		topics[at] = t
	} else {
		topics = slices.Insert(topics, at, t)
	}
	w.topics = topics
	number, known := w.topicNumber[t.Name]
	if !known {
		number = len(w.partitions)
		w.topicNumber[t.Name] = number
		w.partitions = append(w.partitions, nil)
	}
	for n := len(w.partitions[number]); n < t.Partitions; n++ {
		w.partitions[number] = append(w.partitions[number], int32(len(w.costs.parts)))
		w.costs.parts = append(w.costs.parts, partition{wanted: w.wanted[t.Name],
			name: holdfast.TopicPartition{Topic: t.Name, Partition: int32(n)}})
		w.costs.counts[uncounted]++
	}
	for n, part := range w.partitions[number] {
		w.costs.parts[part].exists = n < t.Partitions
		w.costs.review(w.now, part)
	}
}

// spreadNews lets every client see the topics when it next fetches its metadata.
func (w *world) spreadNews() {
	for _, p := range w.processes {
		if !p.up {
			continue
		}
		at := w.now
		if age := w.timing.MetadataMaxAge; age > 0 {
			at += age - (w.now-p.started)%age
		}
		w.schedule(occurrence{at: at, kind: metadataRefresh, process: p})
	}
}

// commit lets a member commit what it owns.
func (w *world) commit(p *process) {
	if p.member.MayCommit() && p.callback == nil && !p.stalled && len(p.owned) > 0 {
		w.wake(p)
		p.member.Commit(p.owned)
		w.attend(p)
	}
	w.schedule(occurrence{at: w.now + w.timing.Commit, kind: commitTimer, process: p})
}

// say writes a line of the trace.
func (w *world) say(format string, args ...any) {
	if w.scenario.Trace {
		w.trace = append(w.trace, fmt.Sprintf("%10.3f  ", w.now.Seconds())+
			fmt.Sprintf(format, args...))
	}
}

// report sums up what was played.
func (w *world) report() *Report {
	r := &Report{Rebalances: w.record.finish(w), Refused: w.refused,
		Violations: w.violations, Gaps: w.gaps, Trace: w.trace}
	r.Totals = Totals{Rebalances: len(r.Rebalances), Lost: w.costs.lost(),
		StopTheWorld: w.costs.stopTheWorld, Events: w.played}
	r.Totals.RecordsDelayed = w.scenario.RecordRate * r.Totals.Lost.Sum()
	for i := range r.Rebalances {
		r.Totals.Moved += r.Rebalances[i].Moved
	}
	r.Lanes = w.costs.lanes.finish(w)
	for _, p := range w.processes {
		if p.up {
			r.Final = append(r.Final, MemberPartitions{p.spec.ID, p.owned})
		}
	}
	slices.SortFunc(r.Final, func(a, b MemberPartitions) int {
		return cmp.Compare(a.Member, b.Member)
	})
	return r
}
