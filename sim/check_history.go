package sim

import (
	"fmt"

	"github.com/holdfast/holdfast/group"
)

// checker watches a history and says when a promise does not hold. It sees what
// everybody sees: records, what members own, and how a commit would be answered.
type checker interface {
	// before is called before each occurrence that disturbs the group.
	before(w *world, o *occurrence)
	// after is called after each occurrence.
	after(w *world, o *occurrence)
	// recorded is called for each record.
	recorded(w *world, r *group.Record)
	// end is called when the scenario is over.
	end(w *world)
}

// newCheckers returns all checkers.
func newCheckers(s *Scenario) []checker {
	return []checker{&ownerCheck{reported: make(map[int32]bool)},
		&fencingCheck{members: make(map[string]bool)}, newSettledCheck(s), &roundsCheck{}}
}

// maxViolations bounds the list: what comes after is mostly more of the same.
const maxViolations = 20

func (w *world) violate(check, format string, args ...any) {
	if len(w.violations) < maxViolations {
		detail := fmt.Sprintf(format, args...)
		w.violations = append(w.violations, Violation{w.now, check, detail})
		w.say("violation of %s: %s", check, detail)
	}
}

// gap writes down what Kafka's protocol leaves open.
func (w *world) gap(check, format string, args ...any) {
	if len(w.gaps) < maxViolations {
		detail := fmt.Sprintf(format, args...)
		w.gaps = append(w.gaps, Violation{w.now, check, detail})
		w.say("gap in %s: %s", check, detail)
	}
}

// canCommit reports whether the member would commit now, and the coordinator take
// it.
func (w *world) canCommit(p *process) bool {
	m := p.member
	return w.coordinatorUp && p.up && m.MayCommit() &&
		w.coordinator.CanCommit(m.ID(), m.InstanceID(), m.Generation()) == group.None
}
