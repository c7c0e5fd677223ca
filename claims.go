package holdfast

import (
	"cmp"
	"slices"
)

// unowned marks a partition that nobody has; contested one that several members
// claimed at one generation. Both are replaced by unowned once all claims are
// read.
const (
	unowned   int32 = -1
	contested int32 = -2
)

// claims says whose each partition was, after all that members claim has been
// weighed (KIP-341, KIP-792): of the valid claims on a partition the highest
// generation stands, and equal highest generations of several members void each
// other.
type claims struct {
	owner []int32 // per partition: the member whose claim stands, or unowned

	// first and lists hold, member by member, the existing partitions that each
	// one claims, valid or not: what a live member may still be reading.
	first []int32
	lists []int32

	// Partitions without a standing claim of which more is known, ascending.
	prior   []priorOwner
	dropped []DroppedClaim
}

// priorOwner is what is known of a partition that nobody's claim stands on.
type priorOwner struct {
	partition int32
	from      int32 // member, or number of members + departed member, or unowned
	cause     Cause
}

// DroppedClaim is a claim that does not compete, and why.
type DroppedClaim struct {
	Member    string
	Topic     string
	Partition int32
	Reason    DropReason
}

// DropReason says why a claim does not compete.
type DropReason uint8

// The reasons, from what is missing most to what is missing least.
const (
	NoSuchTopic     DropReason = iota // the topic does not exist
	NoSuchPartition                   // the topic has no partition of that number
	NotSubscribed                     // the member does not subscribe to the topic
)

// String returns the reason in kebab case, such as "not-subscribed".
func (r DropReason) String() string {
	return [...]string{"no-such-topic", "no-such-partition", "not-subscribed"}[r]
}

// generation treats every negative value alike.
func (m *Member) generation() int32 { return max(m.Generation, NoGeneration) }

// claimReader weighs the claims of one member after the other, in id order.
type claimReader struct {
	*claims
	problem    *problem
	names      *topicNumbers
	subscribed []bool
	class      int32
	// contestedAt is the generation at which a contested partition was claimed.
	contestedAt map[int32]int32
	// outside are claims of live members on topics they do not subscribe to, and
	// of departed members: they only tell whose a partition was.
	outside []priorOwner
}

func resolveClaims(p *problem, names *topicNumbers) claims {
	c := claims{owner: make([]int32, p.partitionCount()),
		first: make([]int32, 1, len(p.members)+1)}
	for i := range c.owner {
		c.owner[i] = unowned
	}
	total := 0
	for _, m := range p.members {
		for _, tp := range m.Owned {
			total += len(tp.Partitions)
		}
	}
	c.lists = make([]int32, 0, total)
	r := claimReader{claims: &c, problem: p, names: names, class: -1,
		subscribed: make([]bool, len(p.topics)), contestedAt: map[int32]int32{}}
	for m := range p.members {
		r.live(int32(m))
		c.first = append(c.first, int32(len(c.lists)))
	}
	for d := range p.departed {
		r.gone(int32(d))
	}
	r.finish()
	return c
}

// live weighs the claims of a member that is in the group.
func (r *claimReader) live(m int32) {
	p, member := r.problem, r.problem.members[m]
	if class := p.class[m]; class != r.class && len(member.Owned) > 0 {
		p.subscribed(class, r.subscribed)
		r.class = class
	}
	for i := range member.Owned {
		tp := &member.Owned[i]
		t, first, count := r.topic(member, tp)
		if t < 0 {
			continue
		}
		for _, n := range tp.Partitions {
			switch {
			case n < 0 || n >= count:
				r.drop(member, tp.Topic, n, NoSuchPartition)
			case !r.subscribed[t]:
				r.drop(member, tp.Topic, n, NotSubscribed)
				r.lists = append(r.lists, first+n)
				r.outside = append(r.outside, priorOwner{first + n, m, Unsubscribed})
			default:
				r.lists = append(r.lists, first+n)
				r.weigh(first+n, m)
			}
		}
	}
}

// weigh compares a valid claim with those read before.
func (r *claimReader) weigh(partition, m int32) {
	var best int32
	switch holder := r.owner[partition]; holder {
	case unowned:
		r.owner[partition] = m
		return
	case m:
		return
	case contested:
		best = r.contestedAt[partition]
	default:
		best = r.problem.members[holder].generation()
	}
	switch mine := r.problem.members[m].generation(); {
	case mine > best:
		r.owner[partition] = m
	case mine == best:
		r.owner[partition] = contested
		r.contestedAt[partition] = mine
	}
}

// gone notes what a departed member had. Its subscription is over, so only
// partitions that do not exist are dropped.
func (r *claimReader) gone(d int32) {
	p, member := r.problem, r.problem.departed[d]
	for i := range member.Owned {
		tp := &member.Owned[i]
		t, first, count := r.topic(member, tp)
		if t < 0 {
			continue
		}
		for _, n := range tp.Partitions {
			if n < 0 || n >= count {
				r.drop(member, tp.Topic, n, NoSuchPartition)
				continue
			}
			from := int32(len(p.members)) + d
			r.outside = append(r.outside, priorOwner{first + n, from, Orphaned})
		}
	}
}

// topic looks up the topic of some claims: its number, its first partition and how
// many it has. If there is none the claims are dropped and the number is -1.
func (r *claimReader) topic(m *Member, tp *TopicPartitions) (t, first, count int32) {
	t = r.names.of(tp.Topic)
	if t < 0 {
		for _, n := range tp.Partitions {
			r.drop(m, tp.Topic, n, NoSuchTopic)
		}
		return t, 0, 0
	}
	first = r.problem.start[t]
	return t, first, r.problem.start[t+1] - first
}

func (r *claimReader) drop(m *Member, topic string, n int32, why DropReason) {
	r.dropped = append(r.dropped, DroppedClaim{m.ID, topic, n, why})
}

// finish settles whose the partitions were that nobody's claim stands on. The
// newest of the claims that do not compete tells it; at equal generations a
// member that is present comes before one that left, and the smaller id first.
func (r *claimReader) finish() {
	p := r.problem
	slices.SortFunc(r.outside, func(a, b priorOwner) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition),
			cmp.Compare(p.generationOf(b.from), p.generationOf(a.from)),
			cmp.Compare(a.from, b.from))
	})
	last := unowned
	for _, o := range r.outside {
		if o.partition != last && r.owner[o.partition] == unowned {
			r.prior = append(r.prior, o)
		}
		last = o.partition
	}
	if len(r.contestedAt) > 0 {
		for i, holder := range r.owner {
			if holder == contested {
				r.owner[i] = unowned
				r.prior = append(r.prior, priorOwner{int32(i), unowned, Contested})
			}
		}
		slices.SortFunc(r.prior, func(a, b priorOwner) int {
			return cmp.Compare(a.partition, b.partition)
		})
	}
	slices.SortFunc(r.dropped, func(a, b DroppedClaim) int {
		return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Topic, b.Topic),
			cmp.Compare(a.Partition, b.Partition))
	})
	r.dropped = slices.Compact(r.dropped)
}

// memberOrDeparted returns the member that a priorOwner's from stands for.
func (p *problem) memberOrDeparted(from int32) *Member {
	if int(from) < len(p.members) {
		return p.members[from]
	}
	return p.departed[int(from)-len(p.members)]
}

func (p *problem) generationOf(from int32) int32 {
	return p.memberOrDeparted(from).generation()
}

// claimedBy returns the existing partitions that the member claims.
func (c *claims) claimedBy(m int) []int32 { return c.lists[c.first[m]:c.first[m+1]] }
