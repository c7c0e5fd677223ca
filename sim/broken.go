package sim

import "github.com/holdfast/holdfast/group"

// broken is what only tests set: rules to break on purpose.
type broken struct {
	coordinator, member group.Breakage
	// playHeartbeats plays heartbeats that change nothing, too.
	playHeartbeats bool
}
