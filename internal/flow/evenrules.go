package flow

// evenRules chooses among the optimal flows of a spread by the rules R3 to R5. It
// does what extraRule, settleKept and fill do, on arcs with square costs: an arc
// that can take one more at the optimum cannot give one back until it has. That a
// partition stays with its owner or goes to a member is the same question here: can
// the arc between them carry one more than it is bound to?
type evenRules struct {
	*spread
	owner  []int32
	block  []int32 // of each node: no cycle of tight arcs leaves its block
	blocks int32
	seen   []int32 // of each node: the last search that saw it, negative from its end
	search int32
	by     []int32    // of each node seen: the arc by which
	sides  [2][]int32 // the nodes seen from the start and from the end
}

// settle reads the flow into owner after choosing by the rules.
func (s *spread) settle(topics, owner []int32) {
	g := &s.g
	r := evenRules{spread: s, owner: owner}
	r.block = make([]int32, g.nodes)
	r.seen = make([]int32, g.nodes)
	r.by = make([]int32, g.nodes)
	r.settleExtras()
	r.settleKept(topics)
	r.settleRest(topics)
}

// settleExtras applies rule R3.
func (r *evenRules) settleExtras() {
	n, g := r.n, &r.g
	arc := make([]int32, n.members) // the member's arc to its tier, if that is open
	for m := range arc {
		arc[m] = None
	}
	for e := range g.arcs {
		a := &g.arcs[e]
		m := a.from - r.memberNode(0)
		if m >= 0 && m < n.members && g.pot[a.from] == g.pot[a.to] {
			arc[m] = int32(e)
		}
	}
	closed := make([]bool, g.nodes)
	for _, m := range n.byOwned() {
		e := arc[m]
		if e == None {
			continue
		}
		if g.arcs[e].x == 1 || r.fetch(m, arc, closed) {
			g.arcs[e].least, g.arcs[e].x = 1, 1
		}
	}
	for e := range g.arcs {
		a := &g.arcs[e]
		if m := a.from - r.memberNode(0); m >= 0 && m < n.members {
			a.least, a.most = a.x, a.x
		}
	}
}

// fetch moves an extra that the rule did not give to the member that has it to m,
// if there is one in reach, and else closes what it has seen.
func (r *evenRules) fetch(m int32, arc []int32, closed []bool) bool {
	g := &r.g
	to := r.memberNode(m)
	if closed[to] {
		return false
	}
	r.search++
	queue := append(r.sides[1][:0], to)
	r.seen[to] = r.search
	for q := 0; q < len(queue); q++ {
		w := queue[q]
		for i := range g.degree(w) {
			v, e, ok := g.tightInto(w, i)
			isTier := v >= r.tierNode(0) && v < r.firstSlot()
			if !ok || r.seen[v] == r.search || closed[v] || isTier {
				continue
			}
			r.seen[v], r.by[v] = r.search, e
			queue = append(queue, v)
			other := v - r.memberNode(0)
			if other < 0 || other >= r.n.members || arc[other] == None {
				continue
			}
			if a := &g.arcs[arc[other]]; a.x > a.least && a.to == g.arcs[arc[m]].to {
				a.x = 0
				for v != to {
					v = g.move(r.by[v], v)
				}
				r.sides[1] = queue
				return true
			}
		}
	}
	for _, v := range queue {
		closed[v] = true
	}
	r.sides[1] = queue
	return false
}

// tightInto returns the tail of residual arc i into v, its arc, and whether it has
// room and is tight.
func (g *convex) tightInto(v, i int32) (u, e int32, ok bool) {
	if backward := g.outAt[v+1] - g.outAt[v]; i < backward {
		e = g.outs[g.outAt[v]+i]
		a := &g.arcs[e]
		return a.to, e, a.x > a.least && g.pot[a.to] == g.pot[v]+a.down()
	} else {
		e = g.intos[g.intoAt[v]+i-backward]
	}
	a := &g.arcs[e]
	return a.from, e, a.x < a.most && g.pot[v] == g.pot[a.from]+a.up()
}

// settleKept applies rule R4.
func (r *evenRules) settleKept(topics []int32) {
	p := r.n.p
	open := make([]bool, len(r.n.own))
	for _, t := range topics {
		for i := p.Start[t]; i < p.Start[t+1]; i++ {
			switch e := r.arcOf[i]; {
			case e == keptAnyway:
				r.owner[i] = p.Owner[i]
			case e >= 0:
				open[r.n.cellOf[i]] = true
			}
		}
	}
	for _, i := range r.n.byNumber(open) {
		if e := r.arcOf[i]; e >= 0 && r.raise(e) {
			r.owner[i] = p.Owner[i]
		}
	}
	for _, t := range topics {
		for i := p.Start[t]; i < p.Start[t+1]; i++ {
			if e := r.arcOf[i]; e >= 0 {
				a := &r.g.arcs[e]
				a.least, a.most = a.x, a.x
			}
		}
	}
}

// settleRest applies rule R5.
func (r *evenRules) settleRest(topics []int32) {
	p := r.n.p
	now := make([]int32, r.n.members)
	for _, m := range r.owner {
		if m != None {
			now[m]++
		}
	}
	heaps := make([]heapOf, len(r.lots))
	var choices []choice
	for _, t := range topics {
		choices = choices[:0]
		for i := p.Start[t]; i < p.Start[t+1]; i++ {
			l := r.lotOf[i]
			if l == None || r.owner[i] != None {
				continue
			}
			h := &heaps[l]
			if h.topic == 0 {
				choices = r.offer(h, l, now, choices)
			}
			r.owner[i] = r.give(choices, h, now)
			now[r.owner[i]]++
		}
	}
}

// member returns the member that arc e of a lot leads to.
func (r *evenRules) member(e int32) int32 {
	to := r.g.arcs[e].to
	if to >= r.firstSlot() {
		to = r.g.arcs[r.g.outs[r.g.outAt[to]]].to
	}
	return to - r.memberNode(0)
}

// offer makes a heap of the members that lot l may go to.
func (r *evenRules) offer(h *heapOf, l int32, now []int32, choices []choice) []choice {
	g := &r.g
	*h = heapOf{topic: 1, start: int32(len(choices))}
	for _, e := range g.outs[g.outAt[l]:g.outAt[l+1]] {
		if a := &g.arcs[e]; a.most > a.least {
			m := r.member(e)
			choices = append(choices, choice{uint64(now[m])<<32 | uint64(m), e})
		}
	}
	h.size = int32(len(choices)) - h.start
	for i := h.size/2 - 1; i >= 0; i-- {
		down(choices[h.start:], i)
	}
	return choices
}

// give returns the member that one more partition of the lot goes to.
func (r *evenRules) give(choices []choice, h *heapOf, now []int32) int32 {
	heap := choices[h.start:]
	for {
		m, e := int32(heap[0].key&(1<<32-1)), heap[0].class
		if key := uint64(now[m])<<32 | uint64(m); key != heap[0].key {
			heap[0].key = key
		} else if r.raise(e) {
			return m
		} else {
			h.size--
			heap[0] = heap[h.size]
		}
		down(heap[:h.size], 0)
	}
}

// raise makes arc e carry at least one more than it is bound to, if some optimum
// allows it, and reports whether it does.
func (r *evenRules) raise(e int32) bool {
	g := &r.g
	a := &g.arcs[e]
	if a.x > a.least {
		a.least++
		return true
	}
	if a.x < a.most && g.pot[a.to] == g.pot[a.from]+a.up() && r.connect(a.to, a.from) {
		a.x++
		a.least++
		return true
	}
	a.most = a.x
	return false
}

// connect sends one unit from v to w along tight arcs, if it can, as in network.
func (r *evenRules) connect(v, w int32) bool {
	if r.block[v] != r.block[w] {
		return false
	}
	r.search++
	r.seen[v], r.seen[w] = r.search, -r.search
	r.sides = [2][]int32{append(r.sides[0][:0], v), append(r.sides[1][:0], w)}
	var at, next [2]int32 // of each side: the node in hand, and its next arc
	for side := 0; ; side = 1 - side {
		if int(at[side]) == len(r.sides[side]) {
			r.blocks++
			for _, v := range r.sides[side] {
				r.block[v] = r.blocks
			}
			return false
		}
		u := r.sides[side][at[side]]
		if next[side] == r.g.degree(u) {
			at[side], next[side] = at[side]+1, 0
			side = 1 - side // this was no step
			continue
		}
		next[side]++
		if r.step(side, u, next[side]-1) {
			return true
		}
	}
}

// step looks at residual arc i out of u, or into u on the side of the end. When
// the sides meet it sends one unit along the path.
func (r *evenRules) step(side int, u, i int32) bool {
	var v, e int32
	var ok bool
	mine := r.search
	if side == 0 {
		var way int32
		var cost int64
		v, e, way, cost = r.g.residual(u, i)
		ok = way != 0 && cost == 0
	} else {
		v, e, ok = r.g.tightInto(u, i)
		mine = -mine
	}
	if !ok || r.block[v] != r.block[u] || r.seen[v] == mine {
		return false
	}
	if r.seen[v] != -mine {
		r.seen[v], r.by[v] = mine, e
		r.sides[side] = append(r.sides[side], v)
		return false
	}
	from, to := u, v
	if side == 1 {
		from, to = v, u
	}
	r.send(from, e, to)
	return true
}

// send sends one unit from the start of the search to its end, by the arc from
// node `from` of the one side to node `to` of the other.
func (r *evenRules) send(from, middle, to int32) {
	g := &r.g
	for v := from; v != r.sides[0][0]; {
		// by led to v from the start, so v is the head of the step.
		a := &g.arcs[r.by[v]]
		tail := a.from + a.to - v
		g.move(r.by[v], tail)
		v = tail
	}
	g.move(middle, from)
	for v := to; v != r.sides[1][0]; {
		v = g.move(r.by[v], v)
	}
}
