package kgobalancer

import (
	"log/slog"

	"github.com/holdfast/holdfast/wire"
)

// Warning is one oddity in what the coordinator passed on about a member.
type Warning struct {
	Member string // its id
	wire.Warning
}

// Oddities beyond those of a decoder.
const (
	// MemberTwice: the coordinator lists the member more than once. One entry
	// counts.
	MemberTwice wire.WarningID = "member-twice"

	// Unreadable: not even the topics of the subscription can be read. The member
	// counts as one without topics.
	Unreadable wire.WarningID = "unreadable"
)

func (t *turn) warn(member string, warnings ...wire.Warning) {
	for _, w := range warnings {
		t.warnings = append(t.warnings, Warning{Member: member, Warning: w})
	}
}

// maxWarningLines is how many warnings of one turn are logged one by one. A group
// of thousands of old clients would otherwise fill the log at each rebalance.
const maxWarningLines = 10

// report tells the application about a plan.
func (b *balancer) report(l Leading) {
	for i, w := range l.Warnings {
		if i == maxWarningLines {
			b.log(slog.LevelWarn, "more members' bytes are odd",
				slog.String("group", l.Group), slog.Int("warnings", len(l.Warnings)-i))
			break
		}
		b.log(slog.LevelWarn, "a member's bytes are odd", slog.String("group", l.Group),
			slog.String("member", w.Member), slog.String("warning", w.String()))
	}
	b.logPlan(l)
	if b.options.OnPlan != nil {
		b.options.OnPlan(l)
	}
}

func (b *balancer) logPlan(l Leading) {
	if b.options.Logger == nil {
		return
	}
	plan, causes, withheld := l.Plan, l.Plan.Causes(), 0
	if rounds := plan.Rounds(); len(rounds) > 0 {
		withheld = len(rounds[0].Withheld())
	}
	b.log(slog.LevelInfo, "led a rebalance",
		slog.String("group", l.Group),
		slog.Int("generation", int(l.Generation)),
		slog.String("leader", l.Leader),
		slog.Int("members", len(plan.Members())),
		slog.Int("moved", plan.Moved()),
		slog.Int("kept", plan.Kept()),
		slog.Int("shed", causes.Shed),
		slog.Int("orphaned", causes.Orphaned),
		slog.Int("unsubscribed", causes.Unsubscribed),
		slog.Int("contested", causes.Contested),
		slog.Int("unowned", causes.Unowned),
		slog.Int("withheld", withheld),
		slog.Duration("took", l.Duration))
}
