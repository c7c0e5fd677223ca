package flow

import "slices"

// Equal computes the optimal assignment where all members have one subscription
// and racks and spread play no part; Solve uses it whenever that is so. There the
// rules come down to a recipe. Every member's target is the average rounded down,
// and the members that own most, then have the smaller ids, get one more until the
// targets add up. Who owns more than the target gives up its highest numbers, at
// equal numbers the later topic. What nobody owns then goes, in order of topic and
// number, to the member below its target that owns fewest, then has the smaller
// id. It costs O(members + partitions).
func Equal(p *Problem) Result {
	e := equal{p: p, owner: slices.Clone(p.Owner)}
	e.setTargets()
	e.shed()
	e.fill()
	return e.result()
}

// isEqual reports whether every member has the same subscription.
func isEqual(p *Problem) bool {
	for _, c := range p.Class {
		if c != p.Class[0] {
			return false
		}
	}
	return len(p.Class) > 0
}

type equal struct {
	p     *Problem
	owner []int32
	own   []int32 // of each member: what it owned, then what it has kept of it
	more  []bool  // of each member: whether it gets one more than base
	base  int32
	total int // partitions to give to somebody
	kept  int
}

// target is what member m is to have.
func (e *equal) target(m int32) int32 {
	if e.more[m] {
		return e.base + 1
	}
	return e.base
}

// topics lists the topics that are read.
func (e *equal) topics() []int32 { return e.p.Topics[e.p.Class[0]] }

// setTargets counts what the members own and picks those that get one more.
func (e *equal) setTargets() {
	p := e.p
	members := p.Members()
	for _, t := range e.topics() {
		e.total += int(p.Start[t+1] - p.Start[t])
	}
	e.own = make([]int32, members)
	e.more = make([]bool, members)
	for _, m := range p.Owner {
		if m != None {
			e.own[m]++
		}
	}
	e.base = int32(e.total / members)
	extras := e.total % members
	if extras == 0 {
		return
	}
	least, ties := e.threshold(extras)
	for m, own := range e.own {
		if own > least {
			e.more[m] = true
		} else if own == least && ties > 0 {
			e.more[m] = true
			ties--
		}
	}
}

// threshold returns how much the last of the given number of members that own most
// owns, and how many of those that own just as much are among them.
func (e *equal) threshold(members int) (least int32, ties int) {
	most := int32(0)
	for _, own := range e.own {
		most = max(most, own)
	}
	count := make([]int, most+1)
	for _, own := range e.own {
		count[own]++
	}
	for least = most; count[least] < members; least-- {
		members -= count[least]
	}
	return least, members
}

// shed takes from the members above their target the highest numbers, at equal
// numbers the later topics.
func (e *equal) shed() {
	surplus := make([]int32, len(e.own))
	left := 0
	for m, own := range e.own {
		if target := e.target(int32(m)); own > target {
			surplus[m] = own - target
			left += int(own - target)
			e.own[m] = target
		}
		e.kept += int(e.own[m])
	}
	d := newDescent(e)
	for left > 0 {
		if d.high == 0 {
			panic("flow: members have a surplus of partitions that they do not own")
		}
		left -= d.shed(surplus)
	}
}

// fill gives away what is not owned. The members that own least are served first,
// by id; those that stay below their target are next served together with the
// members that owned one more to begin with.
func (e *equal) fill() {
	pool := e.total - e.kept
	if pool == 0 {
		return
	}
	level := make([]int32, len(e.own))
	for m, own := range e.own {
		level[m] = own
		if own == e.target(int32(m)) {
			level[m] = None
		}
	}
	start, byLevel := group(level, e.base+1)
	var now, served []int32 // who is served, and how many of these have been
	at := int32(-1)         // what those served own
	next := 0
	for _, t := range e.topics() {
		for i := e.p.Start[t]; i < e.p.Start[t+1]; i++ {
			if e.owner[i] != None {
				continue
			}
			for next == len(now) {
				at++
				joining := byLevel[start[at]:start[at+1]]
				now, served = e.merge(served[:0], now, joining, at), now
				next = 0
			}
			e.owner[i] = now[next]
			next++
			if pool--; pool == 0 {
				return
			}
		}
	}
}

// merge joins, in order of ids and into dst, the members of a that do not have
// their target at load at, and all of b.
func (e *equal) merge(dst, a, b []int32, at int32) []int32 {
	if at == e.base {
		// Only those with an extra go on.
		end := 0
		for _, m := range a {
			if e.more[m] {
				a[end] = m
				end++
			}
		}
		a = a[:end]
	} else if at > e.base {
		a = a[:0]
	}
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			dst, a = append(dst, a[0]), a[1:]
		} else {
			dst, b = append(dst, b[0]), b[1:]
		}
	}
	return append(append(dst, a...), b...)
}

// result works out the figures: every member has its target.
func (e *equal) result() Result {
	r := Result{Owner: e.owner, Kept: e.kept}
	for m := range e.own {
		t := int64(e.target(int32(m)))
		r.Squares += t * t
	}
	return r
}
