package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
)

// process is one consumer process of the scenario, through all its restarts.
type process struct {
	spec        Member
	number      int32
	incarnation int32 // counts starts, so that nothing reaches the next one by mistake
	member      consumer
	classic     *group.Member // member, where it speaks the classic protocol
	beating     beating       // member
	up          bool
	gone        bool // it left or crashed for good
	closing     bool // its end is under way
	changed     bool // it will come back with other strategies or topics
	restart     Time // after its end it starts again so much later; -1: it does not

	started   Time
	phase     Time // it polls at phase + k * Timing.Poll
	stalled   bool
	stallEnds Time
	cut       bool
	cutEnds   Time

	tickAt   Time // when a tick is in the queue, or never
	pollAt   Time // when a poll is in the queue, or never
	asleep   bool // its heartbeats are not played
	heard    Time // when asleep: when the coordinator last heard of it
	inbox    []*message
	callback *group.Callback // the listener that runs

	owned     group.Partitions // as accounted for
	tookOver  int32            // the generation of its last assignment
	early     bool             // it last said what it owned before it took over what it was told
	restoring []restore        // in the order in which they become ready
	vouched   int              // the record that the fencing check found it in
}

// restore is a partition that is being made ready.
type restore struct {
	partition int32
	ready     Time
}

// never is a time that does not come.
const never = Time(1<<63 - 1)

// consumer is what the simulator needs of a member, whichever protocol it speaks.
type consumer interface {
	ID() string
	Generation() int32
	InstanceID() string
	State() group.MemberState
	MayCommit() bool
	Failure() error
	Owned() group.Partitions
	Topics() []string
	Ready() group.MemberReady
	Deadline() (Time, bool)
	Tick(now Time)
	WantsPoll() bool
	Poll(now Time)
	Stall(lastPoll Time)
	Resume()
	Done(now Time)
	InCallback() bool
	Receive(now Time, id int, r group.Response)
	Disconnected(now Time)
	SetMetadata(now Time, topics []holdfast.Topic)
	Subscribe(topics []string)
	Close(now Time)
	Commit(p group.Partitions) int
}

// beating is what it takes to leave heartbeats out.
type beating interface {
	Quiet() bool
	NextHeartbeat() (at, every Time)
	SkipHeartbeats(next, heard Time)
}

// lastPoll is the last time at or before now at which the application polled.
func (w *world) lastPoll(p *process) Time {
	poll := w.timing.Poll
	if poll == 0 || w.now < p.phase {
		return w.now
	}
	return w.now - (w.now-p.phase)%poll
}

// nextPoll is when the application polls next. Without partitions it has nothing
// else to do and sits in poll already.
func (w *world) nextPoll(p *process) Time {
	if last := w.lastPoll(p); last != w.now && len(p.owned) > 0 {
		return last + w.timing.Poll
	}
	return w.now
}

// start begins a new incarnation of the process.
func (w *world) start(p *process) {
	p.incarnation++
	p.up, p.closing, p.changed, p.restart = true, false, false, -1
	p.stalled, p.asleep, p.inbox, p.callback = false, false, nil, nil
	p.tickAt, p.pollAt = never, never
	p.owned, p.restoring, p.vouched, p.early = nil, nil, 0, false
	p.started = w.now
	p.phase = w.now
	if w.timing.Poll > 0 {
		p.phase += Time(w.random.Int64N(int64(w.timing.Poll)))
	}
	topics := w.topicsOf(p)
	w.newConsumer(p, topics)
	w.costs.subscribe(w, topics)
	p.member.SetMetadata(w.now, w.topics)
	if w.timing.Commit > 0 {
		w.schedule(occurrence{at: w.now + w.timing.Commit, kind: commitTimer, process: p})
	}
	w.attend(p)
}

// strategiesOf returns the member's list.
func (w *world) strategiesOf(m *Member) []holdfast.Assignor {
	if m.Strategies == nil {
		return w.scenario.Strategies
	}
	return m.Strategies
}

// topicsOf returns what the process subscribes to when it starts, sorted.
func (w *world) topicsOf(p *process) []string {
	topics := w.allTopics
	if p.spec.Topics != nil {
		topics = p.spec.Topics
	}
	topics = slices.Clone(topics)
	slices.Sort(topics)
	return slices.Compact(topics)
}

func (w *world) newConsumer(p *process, topics []string) {
	strategies := w.strategiesOf(&p.spec)
	t := &w.timing
	config := group.MemberConfig{ClientID: p.spec.ID,
		InstanceID: p.spec.InstanceID, Rack: p.spec.Rack, Capacity: p.spec.Capacity,
		Assignors: strategies, SessionTimeout: t.SessionTimeout,
		HeartbeatInterval: t.HeartbeatInterval, MaxPollInterval: t.MaxPollInterval,
		RequestTimeout: t.RequestTimeout, AutoCommit: t.Commit > 0,
		Broken: w.scenario.broken.member}
	if w.speaksConsumer(&p.spec) {
		id := fmt.Sprintf("%s-%d", p.spec.ID, p.incarnation)
		m := group.NewConsumerMember(config, id, "", topics)
		p.classic, p.member, p.beating = nil, m, m
		return
	}
	p.classic = group.NewMember(config, topics)
	p.member, p.beating = p.classic, p.classic
}

// speaksConsumer reports whether the member uses the consumer protocol.
func (w *world) speaksConsumer(m *Member) bool {
	return cmp.Or(m.Protocol, w.scenario.Protocol) == Consumer
}

// attend does what the member wants after something happened to it: it is polled,
// its requests are sent, its listeners run, its timers are set.
func (w *world) attend(p *process) {
	if p.asleep && !p.beating.Quiet() {
		w.wake(p)
	}
	for p.up {
		w.pollIfDue(p)
		out := p.member.Ready()
		for _, r := range out.Requests {
			w.sendRequest(p, r)
		}
		if out.Refresh {
			p.member.SetMetadata(w.now, w.topics)
		}
		if out.Callback != nil {
			w.listen(p, out.Callback)
			continue
		}
		if len(out.Requests) == 0 && !out.Refresh {
			break
		}
	}
	if !p.up {
		return
	}
	switch p.member.State() {
	case group.FailedHard:
		w.refuse(p)
		return
	case group.Closed:
		w.ended(p)
		return
	}
	w.setTimer(p)
}

// pollIfDue polls the member, or sees to it that it is polled when its
// application comes around to it.
func (w *world) pollIfDue(p *process) {
	if p.stalled || p.callback != nil || !p.member.WantsPoll() {
		return
	}
	at := w.nextPoll(p)
	if at == w.now {
		p.member.Poll(w.now)
	} else if at != p.pollAt {
		p.pollAt = at
		w.schedule(occurrence{at: at, kind: processPoll, process: p})
	}
}

// setTimer puts the member's next deadline into the queue, if it is not there. An
// earlier one that is there already will find out that it is too early.
func (w *world) setTimer(p *process) {
	if w.sleep(p) {
		return
	}
	if at, ok := p.member.Deadline(); ok && at < p.tickAt {
		p.tickAt = max(at, w.now)
		w.schedule(occurrence{at: p.tickAt, kind: processTick, process: p})
	}
}

func (w *world) tickProcess(p *process) {
	p.tickAt = never
	if p.asleep {
		return
	}
	if at, ok := p.member.Deadline(); ok && at <= w.now {
		p.member.Tick(w.now)
	}
	w.attend(p)
}

// listen runs a listener. What it gives up is not processed from here on; what it
// gets is owned at once, and processed when it is ready.
func (w *world) listen(p *process, c *group.Callback) {
	w.say("%s: %v %v", p.spec.ID, c.Kind, c.Partitions)
	var takes Time
	switch c.Kind {
	case group.OnAssigned:
		p.tookOver = p.member.Generation()
		w.own(p)
	case group.OnRevoked:
		takes = Time(c.Partitions.Len()) * w.timing.Revoke
		w.record.revoked(p, c.Partitions, c.BeforeJoin || w.coordinator.Consumer())
	case group.OnLost:
	}
	p.callback = c
	if takes == 0 {
		w.listened(p)
		return
	}
	w.costs.release(w, p, c.Partitions)
	w.schedule(occurrence{at: w.now + takes, kind: listenerDone, process: p})
}

// listened is the end of a listener.
func (w *world) listened(p *process) {
	p.callback = nil
	p.member.Done(w.now)
	w.own(p)
}

// own brings the accounts up to what the member owns now.
func (w *world) own(p *process) {
	owned := p.member.Owned()
	if sameSlice(owned, p.owned) {
		return
	}
	lost, added := p.owned.Minus(owned), owned.Minus(p.owned)
	p.owned = owned
	w.costs.drop(w, p, lost)
	w.costs.take(w, p, added)
}

func sameSlice(a, b group.Partitions) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// close ends the process in good order; it starts again after down, or not if
// that is negative.
func (w *world) close(p *process, down Time) {
	if !p.up || p.closing {
		return
	}
	w.wake(p)
	p.closing, p.restart = true, down
	p.stalled = false
	p.member.Resume()
	p.member.Close(w.now)
	w.attend(p)
}

// ended is what comes after the member's last word.
func (w *world) ended(p *process) {
	w.costs.drop(w, p, p.owned)
	p.owned, p.up = nil, false
	if p.restart >= 0 {
		w.schedule(occurrence{at: w.now + p.restart + w.timing.Start, kind: processStart,
			process: p})
	}
}

// crash ends the process without a word.
func (w *world) crash(p *process) {
	if !p.up {
		return
	}
	w.wake(p)
	w.costs.crash(w, p)
	p.owned, p.up = nil, false
	w.say("%s: crashes", p.spec.ID)
}

// refuse ends a process whose member failed.
func (w *world) refuse(p *process) {
	w.refused = append(w.refused, Refusal{p.spec.ID, p.member.Failure().Error(), w.now})
	w.say("%s: fails: %v", p.spec.ID, p.member.Failure())
	w.costs.drop(w, p, p.owned)
	p.owned, p.up = nil, false
}

// stall stops the application's polls.
func (w *world) stall(p *process, until Time) {
	if !p.up || p.closing {
		return
	}
	w.wake(p)
	p.stallEnds = max(p.stallEnds, until)
	if !p.stalled {
		p.stalled = true
		p.member.Stall(w.lastPoll(p))
		w.costs.pause(w, p)
		w.say("%s: stalls", p.spec.ID)
	}
	w.schedule(occurrence{at: until, kind: stallEnds, process: p})
	w.setTimer(p)
}

func (w *world) resume(p *process) {
	if !p.stalled || w.now < p.stallEnds {
		return
	}
	p.stalled = false
	p.phase = w.now
	p.member.Resume()
	w.costs.resume(w, p)
	w.say("%s: polls again", p.spec.ID)
	w.readInbox(p)
	w.attend(p)
}

// readInbox hands over what came while the application did not poll.
func (w *world) readInbox(p *process) {
	for _, m := range p.inbox {
		p.member.Receive(w.now, m.ref.ID, m.response)
	}
	p.inbox = nil
}

// partitionsOf turns partitions into numbers; those that the scenario has never
// had are left out.
func (w *world) numbers(p group.Partitions) []int32 {
	w.scratch = w.scratch[:0]
	for _, t := range p {
		at, ok := w.topicNumber[t.Topic]
		if !ok {
			continue
		}
		numbers := w.partitions[at]
		for _, n := range t.Partitions {
			if int(n) < len(numbers) {
				w.scratch = append(w.scratch, numbers[n])
			}
		}
	}
	return w.scratch
}

// cancelRestore forgets that partitions were being made ready.
func (p *process) cancelRestore(partition int32) {
	p.restoring = slices.DeleteFunc(p.restoring, func(r restore) bool {
		return r.partition == partition
	})
}
