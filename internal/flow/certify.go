package flow

// Verdict says whether an assignment is optimal in balance, rack misses and moves.
type Verdict int

// The verdicts: the first rank in which there is something better, or Optimal.
const (
	Optimal   Verdict = iota // nothing is better
	Invalid                  // a partition is not with one of its topic's subscribers
	Unevenly                 // the sum of squared loads can be less
	OffRack                  // with that, there can be fewer rack misses
	Unsettled                // with both, more can be kept
)

// String says the verdict in words.
func (v Verdict) String() string {
	switch v {
	case Optimal:
		return "optimal"
	case Invalid:
		return "invalid"
	case Unevenly:
		return "loads can be more even"
	case OffRack:
		return "rack misses can be fewer"
	case Unsettled:
		return "more can be kept"
	}
	return "unknown verdict"
}

// Certify judges any assignment of p, whoever made it: it proves that there is
// none better in the ranks balance, rack misses and moves, or returns one. Spread
// and the canonical rules are not looked at. It shares nothing with Solve but a
// counting sort.
//
// The proof: seen as a flow from topics to members, the assignment has a convex
// cost, so it is optimal if and only if no cycle of its residual graph has a
// negative cost. A cycle hands partitions on: member a gives one of a topic to b,
// who gives one of another topic to c, and so on. Where the chain does not close,
// the first member is left with one less and the last with one more. No chain may
// lead from a load to one that is smaller by two or more; of the closed ones and
// those that end one below where they began, which leave the loads as even as they
// are, none may save misses or moves. The former is a search, in O(edges), the
// latter the Bellman-Ford algorithm, in O(edges x rounds) with few rounds in
// practice and never more than there are members and topics.
func Certify(p *Problem, owner []int32) (verdict Verdict, better []int32) {
	c := newCertifier(p)
	if !c.read(owner) {
		return Invalid, nil
	}
	if c.findDescent() {
		return Unevenly, c.realise()
	}
	if p.Racked() && c.findCycle(1, 0) {
		return OffRack, c.realise()
	}
	if c.findCycle(int64(len(c.first))+1, 1) {
		return Unsettled, c.realise()
	}
	realised := c.realise()
	kept := func(owner []int32) (count int) {
		for i, m := range owner {
			if m != None && m == p.Owner[i] {
				count++
			}
		}
		return count
	}
	if kept(realised) > kept(owner) { // of what a member has, it could keep more
		return Unsettled, realised
	}
	return Optimal, nil
}

// certifier holds an assignment as counts: bundles are the partitions of one topic
// with one set of racks, shares how many of a bundle a member has and had.
type certifier struct {
	p        *Problem
	bundleOf []int32 // of each partition
	first    []int32 // of each bundle: one of its partitions
	topicOf  []int32 // of each bundle
	readerAt []int32 // the classes that read topic t: readers[readerAt[t]:readerAt[t+1]]
	readers  []int32
	memberAt []int32 // the members of class c: members[memberAt[c]:memberAt[c+1]]
	members  []int32
	shareAt  []int32 // the shares of bundle b: shareAt[b] to shareAt[b+1]-1
	shares   []holding
	load     []int32
}

type holding struct{ member, has, had int32 }

func newCertifier(p *Problem) *certifier {
	c := &certifier{p: p, bundleOf: make([]int32, p.Partitions())}
	seenBy := make([]int32, len(p.RackSets)+1)
	bundle := make([]int32, len(p.RackSets)+1)
	for t := range int32(p.TopicCount()) {
		for i := p.Start[t]; i < p.Start[t+1]; i++ {
			set := int32(0)
			if p.Racked() {
				set = p.RackSet[i] + 1
			}
			if seenBy[set] != t+1 {
				seenBy[set], bundle[set] = t+1, int32(len(c.first))
				c.first = append(c.first, i)
				c.topicOf = append(c.topicOf, t)
			}
			c.bundleOf[i] = bundle[set]
		}
	}
	c.readerAt = make([]int32, p.TopicCount()+1)
	for _, list := range p.Topics {
		for _, t := range list {
			c.readerAt[t+1]++
		}
	}
	for t := range p.TopicCount() {
		c.readerAt[t+1] += c.readerAt[t]
	}
	c.readers = make([]int32, c.readerAt[p.TopicCount()])
	next := append([]int32(nil), c.readerAt...)
	for class, list := range p.Topics {
		for _, t := range list {
			c.readers[next[t]] = int32(class)
			next[t]++
		}
	}
	c.memberAt, c.members = group(p.Class, int32(len(p.Topics)))
	return c
}

// read counts the shares; it reports whether the assignment is valid.
func (c *certifier) read(owner []int32) bool {
	p := c.p
	c.load = make([]int32, p.Members())
	c.shareAt = make([]int32, len(c.first)+1)
	partitionAt, partitions := group(c.bundleOf, int32(len(c.first)))
	reader := make([]int32, p.Members()) // last topic+1 that the member was found to read
	last := make([]int32, p.Members())   // last bundle+1 with a share of the member
	at := make([]int32, p.Members())     // that share
	find := func(b, m int32) *holding {
		if last[m] != b+1 {
			last[m], at[m] = b+1, int32(len(c.shares))
			c.shares = append(c.shares, holding{member: m})
		}
		return &c.shares[at[m]]
	}
	for b := range int32(len(c.first)) {
		t := c.topicOf[b]
		some := false
		c.eachReader(b, func(m int32) { reader[m], some = t+1, true })
		for _, i := range partitions[partitionAt[b]:partitionAt[b+1]] {
			m := owner[i]
			if m < None || int(m) >= p.Members() || m == None && some ||
				m != None && reader[m] != t+1 {
				return false
			}
			if m != None {
				find(b, m).has++
				c.load[m]++
			}
			if m := p.Owner[i]; m != None {
				find(b, m).had++
			}
		}
		c.shareAt[b+1] = int32(len(c.shares))
	}
	return true
}

// eachReader calls f for the members that read bundle b.
func (c *certifier) eachReader(b int32, f func(m int32)) {
	t := c.topicOf[b]
	for _, class := range c.readers[c.readerAt[t]:c.readerAt[t+1]] {
		for _, m := range c.members[c.memberAt[class]:c.memberAt[class+1]] {
			f(m)
		}
	}
}

func (c *certifier) sharesOf(b int32) []holding { return c.shares[c.shareAt[b]:c.shareAt[b+1]] }

// findDescent looks for a chain that ends with a member that has at least two
// fewer than the first, and if there is one moves a partition along it. It goes
// backwards from the members in the order of their loads, so that what it sees is
// seen first from the least load that it leads to.
func (c *certifier) findDescent() bool {
	bundleAt, bundles := c.bundlesByReader()
	order := c.byLoad()
	to := make([]int32, len(c.load)) // of each member seen: whom it would give to
	over := make([]int32, len(c.load))
	seen := make([]bool, len(c.load))
	done := make([]bool, len(c.first))
	for _, end := range order {
		if seen[end] {
			continue
		}
		seen[end], to[end] = true, None
		queue := []int32{end}
		for q := 0; q < len(queue); q++ {
			m := queue[q]
			class := c.p.Class[m]
			for _, b := range bundles[bundleAt[class]:bundleAt[class+1]] {
				if done[b] {
					continue
				}
				done[b] = true
				for _, s := range c.sharesOf(b) {
					if s.has == 0 || seen[s.member] {
						continue
					}
					seen[s.member], to[s.member], over[s.member] = true, m, b
					if c.load[s.member] >= c.load[end]+2 {
						for m := s.member; to[m] != None; m = to[m] {
							c.hand(over[m], m, to[m])
						}
						return true
					}
					queue = append(queue, s.member)
				}
			}
		}
	}
	return false
}

// bundlesByReader lists the bundles that each class reads.
func (c *certifier) bundlesByReader() (at, list []int32) {
	var class, bundle []int32
	for b, t := range c.topicOf {
		for _, r := range c.readers[c.readerAt[t]:c.readerAt[t+1]] {
			class = append(class, r)
			bundle = append(bundle, int32(b))
		}
	}
	at, list = group(class, int32(len(c.p.Topics)))
	for i, j := range list {
		list[i] = bundle[j]
	}
	return at, list
}

// byLoad lists the members by load.
func (c *certifier) byLoad() []int32 {
	most := int32(0)
	for _, l := range c.load {
		most = max(most, l)
	}
	_, list := group(c.load, most+1)
	return list
}

// hand moves one partition of bundle b from member m to member to, in numbers.
func (c *certifier) hand(b, m, to int32) {
	shares := c.sharesOf(b)
	for i := range shares {
		switch shares[i].member {
		case m:
			shares[i].has--
		case to:
			shares[i].has++
			to = None
		}
	}
	c.load[m]--
	if to == None {
		return
	}
	// The receiver has no share yet: give it one, and move up what comes after.
	end := c.shareAt[b+1]
	c.shares = append(c.shares, holding{})
	copy(c.shares[end+1:], c.shares[end:])
	c.shares[end] = holding{member: to, has: 1}
	for b++; int(b) < len(c.shareAt); b++ {
		c.shareAt[b]++
	}
}

// realise turns the shares into owners: every member keeps what it can of its
// share, the first partitions first, and what is left goes round in order.
func (c *certifier) realise() []int32 {
	p := c.p
	owner := make([]int32, p.Partitions())
	partitionAt, partitions := group(c.bundleOf, int32(len(c.first)))
	has := make([]int32, p.Members())
	for b := range int32(len(c.first)) {
		shares := c.sharesOf(b)
		for _, s := range shares {
			has[s.member] = s.has
		}
		mine := partitions[partitionAt[b]:partitionAt[b+1]]
		for _, i := range mine {
			owner[i] = None
			if m := p.Owner[i]; m != None && has[m] > 0 {
				owner[i] = m
				has[m]--
			}
		}
		next := 0
		for _, i := range mine {
			if owner[i] != None {
				continue
			}
			for next < len(shares) && has[shares[next].member] == 0 {
				next++
			}
			if next < len(shares) {
				owner[i] = shares[next].member
				has[owner[i]]--
			}
		}
	}
	return owner
}
