package group

// Breakage is a set of rules to break on purpose, so that a simulator can show
// that its checkers notice. The zero value breaks none; nothing but a test sets
// it.
type Breakage uint64

// Rules of the coordinator that can be broken.
const (
	// ForgetToFence lets a static member's old incarnation go on.
	ForgetToFence Breakage = 1 << iota
	// AcceptOldGenerations takes every generation for the current one.
	AcceptOldGenerations
	// HideRebalances answers heartbeats as if no rebalance were under way.
	HideRebalances
	// ForgetJoinBarrier completes a join phase when the first member has joined.
	ForgetJoinBarrier
	// KeepAbsentMembers leaves members in the group that did not rejoin in time.
	KeepAbsentMembers
	// RebalanceOnReturn starts a rebalance whenever a static member comes back.
	RebalanceOnReturn
	// NeverExpire never ends a session.
	NeverExpire
	// LoadOlderRecord makes a new coordinator begin with the record before the last.
	LoadOlderRecord
)

// Rules of a consumer group's coordinator that can be broken.
const (
	// GrantHeldPartitions gives partitions out that another member still holds.
	GrantHeldPartitions Breakage = 1 << (iota + 48)
	// ForgetRevocations counts partitions as free as soon as their member is asked to
	// give them up.
	ForgetRevocations
)

// Rules of the member that can be broken.
const (
	// GrantWithoutWithholding lets the leader give partitions to new owners while
	// the old ones may still read them.
	GrantWithoutWithholding Breakage = 1 << (iota + 16)
	// OnlyNewestClaims drops all claims that are not of the newest generation.
	OnlyNewestClaims
	// SkipSecondRound forgets to rejoin after giving partitions up.
	SkipSecondRound
	// KeepAfterRevoke reports partitions as given up and goes on reading them.
	KeepAfterRevoke
	// KeepWhenLost goes on with its partitions after it lost its membership.
	KeepWhenLost
	// KeepWhenEager does not give up its partitions before an eager rebalance.
	KeepWhenEager
	// IgnoreRebalances does not rejoin when a heartbeat tells it to.
	IgnoreRebalances
	// ForgetMetadata does not rejoin as leader when the partitions change.
	ForgetMetadata
	// ForgetOwned joins without saying what it owns, and goes on reading it.
	ForgetOwned
	// SendOldClaims joins with what it owned a generation ago, under the new number.
	SendOldClaims
)

// Has reports whether the rule is broken.
func (b Breakage) Has(rule Breakage) bool { return b&rule != 0 }
