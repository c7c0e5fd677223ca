package group

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast/holdfast"
)

// play is a small world for scenario files: one coordinator, consumers by name, a
// network in which each message takes a millisecond, and a clock. Applications
// poll whenever there is something to do, unless they stall.
type play struct {
	now         Time
	config      BrokerConfig
	coordinator *Broker
	takeovers   int
	topics      []holdfast.Topic
	people      []*person
	queue       []delivery
	verbose     bool
	trace       []string
}

// person is one consumer process.
type person struct {
	name          string
	member        member
	stalled, cut  bool
	holding, held bool // listeners do not return; one is running
	inbox         []delivery
}

// member is what both kinds of members have.
type member interface {
	fmt.Stringer
	ID() string
	InstanceID() string
	Generation() int32
	Owned() Partitions
	State() MemberState
	Failure() error
	Ready() MemberReady
	Deadline() (Time, bool)
	Tick(now Time)
	WantsPoll() bool
	Poll(now Time)
	Stall(lastPoll Time)
	Resume()
	Done(now Time)
	Receive(now Time, id int, r Response)
	Disconnected(now Time)
	SetMetadata(now Time, topics []holdfast.Topic)
	Subscribe(topics []string)
	Close(now Time)
	Commit(p Partitions) int
}

// delivery is a message on its way.
type delivery struct {
	at       Time
	to       *person // nil: to the coordinator
	ref      Ref
	request  Request
	response Response
}

func newPlay() *play {
	p := &play{}
	p.coordinator = NewBroker(p.config, nil)
	return p
}

// run plays the commands of one block and returns the trace.
func (p *play) run(commands []string) ([]string, error) {
	p.trace = nil
	for _, line := range commands {
		words := strings.Fields(line)
		options := map[string]string{}
		var names []string
		for _, word := range words[1:] {
			if key, value, ok := strings.Cut(word, "="); ok {
				options[key] = value
			} else {
				names = append(names, word)
			}
		}
		if err := p.command(words[0], names, options); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
	}
	return p.trace, nil
}

// command is the table of commands. Each shows its arguments by an example.
func (p *play) command(name string, args []string, options map[string]string) error {
	switch name {
	case "coordinator": // coordinator delay=3s max-size=2 assignor=range
		p.config.Classic.InitialRebalanceDelay = duration(options["delay"])
		p.config.Classic.MaxSize, _ = strconv.Atoi(options["max-size"])
		p.config.Consumer.Assignor = options["assignor"]
		p.coordinator = NewBroker(p.config, p.topics)
	case "topic": // topic orders 4
		return p.topic(args)
	case "member": // member a strategies=range,sticky topics=orders instance=pod-0 max-poll=8s
		// member a protocol=consumer assignor=range
		return p.addMember(args[0], options)
	case "run": // run 3s
		p.advance(p.now + duration(args[0]))
	case "verbose": // shows heartbeats that change nothing, too
		p.verbose = true
	case "state": // state
		p.state()
	case "failover": // failover: the coordinator stops, and another loads the last record
		p.failover()
	default:
		for _, who := range args {
			at := slices.IndexFunc(p.people, func(x *person) bool { return x.name == who })
			if at < 0 {
				return fmt.Errorf("no member %q", who)
			}
			if err := p.personal(name, p.people[at], options); err != nil {
				return err
			}
		}
	}
	return nil
}

// personal are the commands about members, several of which may be named.
func (p *play) personal(name string, x *person, options map[string]string) error {
	switch name {
	case "start": // start a b: its first poll
		p.settle(x)
	case "close": // close a
		x.member.Close(p.now)
	case "crash": // crash a: the process is gone
		p.people = slices.DeleteFunc(p.people, func(y *person) bool { return y == x })
		return nil
	case "stall": // stall a: it polls no more
		x.stalled = true
		x.member.Stall(p.now)
	case "resume": // resume a
		x.stalled = false
		x.member.Resume()
		for _, d := range x.inbox {
			x.member.Receive(p.now, d.ref.ID, d.response)
		}
		x.inbox = nil
	case "cut": // cut a: nothing reaches it or comes from it
		x.cut = true
	case "mend": // mend a
		x.cut = false
	case "hold": // hold a: its listeners take time
		x.holding = true
	case "release": // release a: they return
		x.holding = false
		if x.held {
			x.held = false
			x.member.Done(p.now)
		}
	case "subscribe": // subscribe a topics=orders,payments
		x.member.Subscribe(list(strings.Split(options["topics"], ",")...))
	case "refresh": // refresh a: its client fetches the metadata
		x.member.SetMetadata(p.now, p.topics)
	case "commit": // commit a
		x.member.Commit(x.member.Owned())
	case "repeat": // repeat a after=10s: its last request arrives once more
		return p.repeat(x, duration(options["after"]))
	default:
		return fmt.Errorf("no such command")
	}
	p.settle(x)
	return nil
}

func duration(text string) Time {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

func (p *play) topic(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	p.topics = slices.DeleteFunc(slices.Clone(p.topics), func(t holdfast.Topic) bool {
		return t.Name == args[0]
	})
	p.topics = append(p.topics, holdfast.Topic{Name: args[0], Partitions: n})
	slices.SortFunc(p.topics, func(a, b holdfast.Topic) int { return strings.Compare(a.Name, b.Name) })
	p.coordinator.SetTopics(p.topics)
	return nil
}

func (p *play) addMember(name string, options map[string]string) error {
	modern := options["protocol"] == "consumer"
	var assignors []holdfast.Assignor
	if !modern {
		var err error
		if assignors, err = holdfast.ParseStrategies(options["strategies"]); err != nil {
			return err
		}
	}
	version, _ := strconv.Atoi(options["version"])
	topics := "t"
	if options["topics"] != "" {
		topics = options["topics"]
	}
	config := MemberConfig{ClientID: name,
		InstanceID: options["instance"], Assignors: assignors, JoinVersion: int16(version),
		SessionTimeout: duration(options["session"]), MaxPollInterval: duration(options["max-poll"])}
	x := &person{name: name}
	if modern {
		x.member = NewConsumerMember(config, name+"-1", options["assignor"],
			strings.Split(topics, ","))
	} else {
		x.member = NewMember(config, strings.Split(topics, ","))
	}
	x.member.SetMetadata(p.now, p.topics)
	p.people = append(p.people, x)
	return nil
}

// advance lets time pass: messages arrive, timers fire.
func (p *play) advance(until Time) {
	for {
		next, act := until+1, func() {}
		for i := range p.queue {
			if d := p.queue[i]; d.at < next {
				next, act = d.at, func() {
					p.queue = slices.Delete(p.queue, i, i+1)
					p.deliver(d)
				}
			}
		}
		if at, ok := p.coordinator.Deadline(); ok && at < next {
			next, act = at, func() { p.coordinator.Tick(p.now) }
		}
		for _, x := range p.people {
			if at, ok := x.member.Deadline(); ok && at < next {
				next, act = at, func() { x.member.Tick(p.now); p.settle(x) }
			}
		}
		if next > until {
			p.now = until
			return
		}
		p.now = next
		act()
		p.flush()
	}
}

// deliver hands a message over. An application that stalls does not read the
// answer to its join.
func (p *play) deliver(d delivery) {
	if d.to == nil {
		p.coordinator.Step(p.now, d.ref, d.request)
		return
	}
	if !slices.Contains(p.people, d.to) {
		return
	}
	if _, join := d.response.(*JoinReply); join && d.to.stalled {
		d.to.inbox = append(d.to.inbox, d)
		return
	}
	d.to.member.Receive(p.now, d.ref.ID, d.response)
	p.settle(d.to)
}

// settle polls the member while it wants to be, runs its listeners, and sends
// what it has to send.
func (p *play) settle(x *person) {
	for {
		if !x.stalled && x.member.WantsPoll() {
			x.member.Poll(p.now)
		}
		out := x.member.Ready()
		for _, r := range out.Requests {
			p.send(x, r)
		}
		if out.Refresh {
			x.member.SetMetadata(p.now, p.topics)
		}
		if c := out.Callback; c != nil {
			p.say("%s: %v %v", x.name, c.Kind, c.Partitions)
			if x.holding {
				x.held = true
				return
			}
			x.member.Done(p.now)
			continue
		}
		if len(out.Requests) == 0 && !out.Refresh {
			break
		}
	}
	if x.member.State() == FailedHard {
		p.say("%s: fails: %v", x.name, x.member.Failure())
		p.people = slices.DeleteFunc(p.people, func(y *person) bool { return y == x })
	}
}

func (p *play) send(x *person, r Outgoing) {
	_, quiet := r.Request.(*Heartbeat)
	if h, ok := r.Request.(*ConsumerHeartbeat); ok {
		quiet = h.SaysNothing()
	}
	if !quiet || p.verbose {
		p.say("%s -> coordinator: %v", x.name, r.Request)
	}
	if x.cut {
		return
	}
	at := slices.IndexFunc(p.people, func(y *person) bool { return y == x })
	if at < 0 {
		return
	}
	p.queue = append(p.queue, delivery{at: p.now + time.Millisecond,
		ref: Ref{From: at<<16 + int(x.name[0]), ID: r.ID}, request: r.Request})
}

// flush takes out what the coordinator has to say.
func (p *play) flush() {
	out := p.coordinator.Ready()
	for _, r := range out.Records {
		p.say("coordinator: %v", r)
	}
	for i := range out.Changed {
		p.say("coordinator: %v", &out.Changed[i])
	}
	for _, r := range out.Replies {
		at := slices.IndexFunc(p.people, func(x *person) bool {
			return int(x.name[0]) == r.To.From&0xffff
		})
		if at < 0 {
			continue
		}
		x := p.people[at]
		quiet := false
		switch h := r.Response.(type) {
		case *HeartbeatReply:
			quiet = h.Code == None
		case *ConsumerReply:
			quiet = h.Code == None && !h.HasAssigned && h.Epoch > 0
		}
		if !quiet || p.verbose {
			p.say("coordinator -> %s: %v", x.name, r.Response)
		}
		if !x.cut {
			p.queue = append(p.queue, delivery{at: p.now + time.Millisecond, to: x, ref: r.To,
				response: r.Response})
		}
	}
}

func (p *play) failover() {
	p.coordinator.Stop()
	p.flush()
	p.takeovers++
	p.queue = nil
	p.coordinator = p.coordinator.TakeOver(p.now, p.takeovers)
	for _, x := range p.people {
		x.member.Disconnected(p.now)
	}
}

func (p *play) repeat(x *person, after Time) error {
	for i := len(p.queue) - 1; i >= 0; i-- {
		if d := p.queue[i]; d.to == nil && d.ref.From&0xffff == int(x.name[0]) {
			d.at += max(after, time.Millisecond)
			p.queue = append(p.queue, d)
			return nil
		}
	}
	return fmt.Errorf("nothing is on its way")
}

func (p *play) state() {
	c := p.coordinator
	if c.Consumer() {
		p.say("%v", c.consumer)
	} else {
		p.say("%v generation %d %s leader %s", c.State(), c.Generation(),
			orNothing(c.Protocol()), orNothing(c.classic.Leader()))
	}
	for _, x := range p.people {
		m := x.member
		p.say("  %s: %v; commit: %v", x.name, m,
			c.CanCommit(m.ID(), m.InstanceID(), m.Generation()))
	}
}

func orNothing(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func (p *play) say(format string, args ...any) {
	p.trace = append(p.trace, fmt.Sprintf("%9.3f  ", p.now.Seconds())+fmt.Sprintf(format, args...))
}
