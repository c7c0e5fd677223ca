package plain

// The ranks of a cost, most important first.
const (
	rankLoad = iota
	rankMiss
	rankMoved
	rankSpread
	ranks

	rankNone = -1 // for an arc without a square
)

// cost is a list of ranks, compared from the front.
type cost [ranks]int64

func (c cost) plus(d cost) cost {
	for r := range c {
		c[r] += d[r]
	}
	return c
}

func (c cost) minus(d cost) cost {
	for r := range c {
		c[r] -= d[r]
	}
	return c
}

func (c cost) less(d cost) bool {
	for r := range c {
		if c[r] != d[r] {
			return c[r] < d[r]
		}
	}
	return false
}

// arc carries whole units from one node to another. Each unit costs price; with
// a square, k units cost k*k more in that rank. Of its flow, floor units are
// promised and stay.
type arc struct {
	from, to           int32
	limit, flow, floor int32
	price              cost
	square             int8
}

// next is the cost of one unit more.
func (a *arc) next() cost {
	c := a.price
	if a.square != rankNone {
		c[a.square] += 2*int64(a.flow) + 1
	}
	return c
}

// last is what one unit less would save.
func (a *arc) last() cost {
	c := a.price
	if a.square != rankNone {
		c[a.square] += 2*int64(a.flow) - 1
	}
	return c
}

// step is one way along the residual graph: an arc, forward or back.
type step struct {
	arc  int32
	back bool
}

// network is a graph with a cheapest flow. The height of a node is a shortest
// distance, so that no residual step costs less than the climb it makes; a step
// that costs exactly its climb is tight. The tight steps are those that lead
// from one cheapest flow to another.
type network struct {
	arcs    []arc
	out, in [][]int32 // arcs that leave and enter each node
	height  []cost
	block   []int32 // nodes of different blocks are on no common tight cycle
	blocks  int32

	// For send and promise; all nodes are unmarked between calls.
	distance []cost
	via      []step
	seen     []bool
	touched  []int32
	queue    []int32
	heap     heap
}

// grow adds nodes and returns the first.
func (g *network) grow(nodes int) int32 {
	first := int32(len(g.out))
	for range nodes {
		g.out, g.in = append(g.out, nil), append(g.in, nil)
		g.height, g.distance = append(g.height, cost{}), append(g.distance, cost{})
		g.via = append(g.via, step{})
		g.seen = append(g.seen, false)
		g.block = append(g.block, 0)
	}
	return first
}

// add adds an arc and returns its number.
func (g *network) add(a arc) int32 {
	number := int32(len(g.arcs))
	g.arcs = append(g.arcs, a)
	g.out[a.from] = append(g.out[a.from], number)
	g.in[a.to] = append(g.in[a.to], number)
	return number
}

// each calls visit with every residual step out of a node, where it leads and
// what it costs beyond its climb: at least nothing.
func (g *network) each(node int32, visit func(s step, to int32, slack cost)) {
	for _, e := range g.out[node] {
		if a := &g.arcs[e]; a.flow < a.limit {
			visit(step{arc: e}, a.to, a.next().plus(g.height[node]).minus(g.height[a.to]))
		}
	}
	for _, e := range g.in[node] {
		if a := &g.arcs[e]; a.flow > a.floor {
			visit(step{arc: e, back: true}, a.from,
				g.height[node].minus(a.last()).minus(g.height[a.from]))
		}
	}
}

// send moves one unit along a cheapest path (Dijkstra's algorithm on the slack,
// which is never negative), so the flow stays the cheapest of its size.
func (g *network) send(from, to int32) {
	g.mark(from, step{}, cost{})
	g.heap.push(item{node: from})
	g.queue = g.queue[:0] // nodes whose distance is final
	for {
		it := g.heap.pop()
		if it.distance != g.distance[it.node] {
			continue // a shorter way was found after this entry was made
		}
		if it.node == to {
			break
		}
		g.queue = append(g.queue, it.node)
		g.each(it.node, func(s step, next int32, slack cost) {
			d := it.distance.plus(slack)
			if !g.seen[next] || d.less(g.distance[next]) {
				g.mark(next, s, d)
				g.heap.push(item{distance: d, node: next})
			}
		})
		if g.seen[to] && g.distance[to] == it.distance {
			break // nothing that is still to come is nearer
		}
	}
	for _, node := range g.queue {
		g.height[node] = g.height[node].plus(g.distance[node]).minus(g.distance[to])
	}
	g.shift(from, to)
	g.unmark()
}

// promise makes sure that one unit more of the arc's flow is there to stay, if
// some cheapest flow that keeps all promises has it, and says whether.
func (g *network) promise(e int32) bool {
	a := &g.arcs[e]
	if a.flow == a.floor {
		if a.flow == a.limit || g.block[a.from] != g.block[a.to] {
			return false
		}
		if a.next().plus(g.height[a.from]) != g.height[a.to] {
			return false
		}
		if !g.turn(a.to, a.from) {
			return false
		}
		a.flow++
	}
	a.floor++
	return true
}

// turn moves one unit along tight steps. If there is no such path, what was
// reached is closed: no tight step leads out of it, none ever will, because flow
// changes along tight cycles only and none can cross its border. It becomes a
// block of its own, so that the same fruitless search is not made twice.
func (g *network) turn(from, to int32) bool {
	block := g.block[from]
	g.mark(from, step{}, cost{})
	g.queue = append(g.queue[:0], from)
	for at := 0; at < len(g.queue) && !g.seen[to]; at++ {
		node := g.queue[at]
		g.each(node, func(s step, next int32, slack cost) {
			if slack == (cost{}) && !g.seen[next] && g.block[next] == block {
				g.mark(next, s, cost{})
				g.queue = append(g.queue, next)
			}
		})
	}
	found := g.seen[to]
	if found {
		g.shift(from, to)
	} else {
		g.blocks++
		for _, node := range g.touched {
			g.block[node] = g.blocks
		}
	}
	g.unmark()
	return found
}

// shift moves one unit along the path that via describes, from its end.
func (g *network) shift(from, to int32) {
	for node := to; node != from; {
		s := g.via[node]
		a := &g.arcs[s.arc]
		if s.back {
			a.flow--
			node = a.to
		} else {
			a.flow++
			node = a.from
		}
	}
}

// mark notes how a node was reached.
func (g *network) mark(node int32, s step, distance cost) {
	if !g.seen[node] {
		g.seen[node] = true
		g.touched = append(g.touched, node)
	}
	g.via[node], g.distance[node] = s, distance
}

func (g *network) unmark() {
	for _, node := range g.touched {
		g.seen[node] = false
	}
	g.touched = g.touched[:0]
	g.heap = g.heap[:0]
}

// item is a node in the queue of send.
type item struct {
	distance cost
	node     int32
}

// heap holds items, the nearest first. Push and pop cost O(log items).
type heap []item

func (h *heap) push(it item) {
	*h = append(*h, it)
	q := *h
	for i := len(q) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q[i].distance.less(q[parent].distance) {
			return
		}
		q[i], q[parent] = q[parent], q[i]
		i = parent
	}
}

func (h *heap) pop() item {
	q := *h
	top := q[0]
	q[0] = q[len(q)-1]
	q = q[:len(q)-1]
	*h = q
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q); child++ {
			if q[child].distance.less(q[least].distance) {
				least = child
			}
		}
		if least == i {
			return top
		}
		q[i], q[least] = q[least], q[i]
		i = least
	}
}
