package advise

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/group"
)

// Severity says what a finding does to the group.
type Severity string

// The severities, the worst first.
const (
	Error   Severity = "error"   // a client or the broker refuses it
	Warning Severity = "warning" // it works, and costs
	Info    Severity = "info"    // worth knowing; no reason to fail a check
)

// Finding is something that is known to go wrong, as it stands in this group.
type Finding struct {
	ID       string // in kebab case
	Severity Severity
	Message  string
	Figures  []Figure
}

// Figure is a number, a name or a list of names behind a finding. The value is an
// int, a float64, a string or a []string.
type Figure struct {
	Name  string
	Value any
}

// Configuration is what to write for one client.
type Configuration struct{ Client, Text string }

// Path is the way from the lists that the members have to the one that is
// recommended.
type Path struct {
	Steps  []Step
	Check  group.Upgrade // what package group says of the steps
	Remark string        // what the lists alone do not say; "" if nothing
}

// Step is one bounce: what to do, and the lists that the members have then.
type Step struct {
	Do      string
	Members []group.Voter
}

// Advice is the answer.
type Advice struct {
	Client         Client // "" where no configuration was read
	Recommendation string
	Because        []string
	Findings       []Finding // by severity
	Configurations []Configuration
	Path           Path
	Warnings       []string
}

// Worth reports whether a finding is there that is more than worth knowing.
func (a *Advice) Worth() bool {
	return slices.ContainsFunc(a.Findings, func(f Finding) bool { return f.Severity != Info })
}

// Input is what there is to judge; one of Group and Config must be there. With
// both, the configuration is what the members of the group are to run with, or
// do run with where the group names no strategies.
type Input struct {
	Group  *groupfile.File
	Config *Config
	// Steps is a rolling change that is planned, as negotiate reads it; nil for none.
	Steps [][]group.Voter
	// PausesHarmless says that nobody minds when the group stands still.
	PausesHarmless bool
	// Restore is what it costs a member to get one partition ready, for what is
	// simulated.
	Restore time.Duration
}

// errNothing is the error of an Input without anything in it.
var errNothing = errors.New("neither a group nor a configuration to judge")

// inquiry is one Advise: the input in the terms of the core.
type inquiry struct {
	Input
	group   holdfast.Group
	now     []group.Voter // the members with the lists that are in force
	assumed bool          // nobody named the lists in force: they are a client's default
	planned []string      // the list that the members are to get, nil for none
	chosen  group.Negotiation
	advice  *Advice

	plans  map[string]*holdfast.Plan
	costs  *costs
	joined *int // what movedByJoin has found
}

// Advise judges. The error is that of the core for a group that no strategy can
// work with. It costs a few assignments of the group, and for a small group three
// runs of the simulator.
func Advise(in Input) (*Advice, error) {
	if in.Group == nil && in.Config == nil {
		return nil, errNothing
	}
	q := &inquiry{Input: in, advice: &Advice{}, plans: map[string]*holdfast.Plan{}}
	if in.Config != nil {
		q.advice.Client = in.Config.Client
		q.advice.Warnings = append(q.advice.Warnings, in.Config.Warnings...)
	}
	if in.Group != nil {
		q.group = in.Group.Group
		q.advice.Warnings = append(q.advice.Warnings, in.Group.Warnings...)
		if err := q.assignAll(); err != nil {
			return nil, err
		}
	}
	q.lists()
	q.chosen = group.Negotiate(q.now)
	q.recommend()
	q.walk()
	if in.Config == nil || !in.Config.Consumer {
		q.play()
	}
	for _, check := range checks {
		q.advice.Findings = append(q.advice.Findings, check(q)...)
	}
	rank := []Severity{Error, Warning, Info}
	slices.SortStableFunc(q.advice.Findings, func(a, b Finding) int {
		return slices.Index(rank, a.Severity) - slices.Index(rank, b.Severity)
	})
	q.because()
	q.configure()
	return q.advice, nil
}

// checks are all that is looked for, in the order in which it is shown.
var checks = []func(*inquiry) []Finding{
	(*inquiry).listsRefused, (*inquiry).consumerProtocol, (*inquiry).noCommonStrategy,
	(*inquiry).oneBounce, (*inquiry).unsafeSteps, (*inquiry).tied, (*inquiry).timeouts,
	(*inquiry).rangeSkew,
	(*inquiry).defaultStrategy, (*inquiry).besideEager, (*inquiry).eagerMode,
	(*inquiry).eagerPauses, (*inquiry).unequalRoundRobin, (*inquiry).racksIgnored,
	(*inquiry).idleMembers, (*inquiry).weightsIgnored, (*inquiry).dynamicMembers,
	(*inquiry).fixedInstance,
}

// assignAll computes the plan of each strategy, as compare does.
func (q *inquiry) assignAll() error {
	for _, a := range holdfast.Strategies() {
		if a.Name() == holdfast.Weighted.Name() && !q.weighed() {
			continue
		}
		plan, err := a.Assign(q.group)
		if err != nil {
			return err
		}
		q.plans[a.Name()] = plan
	}
	return nil
}

// weighed reports whether partitions or members differ in weight.
func (q *inquiry) weighed() bool {
	return slices.ContainsFunc(q.group.Topics, func(t holdfast.Topic) bool {
		return len(t.Weights) > 0
	}) || slices.ContainsFunc(q.group.Members, func(m holdfast.Member) bool {
		return m.Capacity != 0
	})
}

// lists finds out which list each member has, from the best source there is: the
// member, the group's strategy, the configuration, the default of a client.
func (q *inquiry) lists() {
	var all []string
	if q.Config != nil {
		all, q.assumed = q.Config.Strategies, q.Config.Listed == nil
	}
	if q.Group == nil {
		// Two stand for however many there are: one bounce has a member before and one
		// after it.
		q.now = []group.Voter{{ID: "m1", Protocols: all}, {ID: "m2", Protocols: all}}
		return
	}
	named := q.Group.Strategies != nil || slices.ContainsFunc(q.Group.Protocols,
		func(protocols []string) bool { return protocols != nil })
	if named {
		if q.Config != nil && q.Config.Listed != nil {
			q.planned = all
		}
		all = nil
		for _, a := range q.Group.Strategies {
			all = append(all, a.Name())
		}
	}
	q.assumed = !named && (q.Config == nil || q.assumed)
	if all == nil {
		all = defaultStrategies(Java)
	}
	for i, m := range q.group.Members {
		v := group.Voter{ID: m.ID, InstanceID: m.InstanceID, Protocols: all}
		if own := q.Group.Protocols[i]; own != nil {
			v.Protocols = wireNames(own)
		}
		q.now = append(q.now, v)
	}
}

// wireNames are the names that go over the wire for the names in a file.
func wireNames(list []string) []string {
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = wireName(name)
	}
	return names
}

// wireName is the name on the wire of one of Kafka's own classes. Other names are
// opaque.
func wireName(name string) string {
	if strings.HasPrefix(name, "org.apache.kafka.") {
		if a := assignor(name); a != nil {
			return a.Name()
		}
	}
	return name
}

// assignor is the strategy of that name, nil if it is nobody's that we know.
func assignor(name string) holdfast.Assignor {
	found, err := holdfast.ParseStrategies(name)
	if err != nil {
		return nil
	}
	return found[0]
}

// client is whose settings are judged, Java's where there are none.
func (q *inquiry) client() Client {
	if q.Config == nil {
		return Java
	}
	return q.Config.Client
}

// kip848 reports whether the broker assigns.
func (q *inquiry) kip848() bool { return q.Config != nil && q.Config.Consumer }

// timing is session, heartbeat and poll interval as they are in force.
func (q *inquiry) timing() (session, heartbeat, poll time.Duration) {
	if q.Config == nil {
		return defaultSession, defaultHeartbeat, defaultPoll
	}
	return q.Config.Session, q.Config.Heartbeat, q.Config.Poll
}
