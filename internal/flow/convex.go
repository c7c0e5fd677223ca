package flow

import "math"

// convex is a flow network whose arcs cost the square of what they carry, or
// nothing. Every arc holds between least and most. It is found by successive
// shortest paths, as in network, only that what an arc costs depends on its flow:
// the next unit on an arc with x costs 2x+1, and taking one back saves 2x-1.
type convex struct {
	nodes  int32
	arcs   []convexArc
	outAt  []int32 // the arcs out of v: outs[outAt[v]:outAt[v+1]]
	outs   []int32
	intoAt []int32 // the arcs into v: intos[intoAt[v]:intoAt[v+1]]
	intos  []int32
	pot    []int64
	excess []int32

	depth []int32 // of each node: distance from the sources in this round, or 0
	next  []int32 // of each node: how many of its residual arcs are done with
	queue []int32
	path  []int32 // residual arcs from a source on
}

// convexArc is an arc; plus is what it carries besides x, unchangeably.
type convexArc struct {
	from, to       int32
	x, least, most int32
	plus           int32
	square         bool
}

// up is what one more unit on the arc costs.
func (a *convexArc) up() int64 {
	if a.square {
		return 2*int64(a.x+a.plus) + 1
	}
	return 0
}

// down is what one unit less saves.
func (a *convexArc) down() int64 {
	if a.square {
		return 2*int64(a.x+a.plus) - 1
	}
	return 0
}

// add adds an arc and returns its number.
func (g *convex) add(a convexArc) int32 {
	g.arcs = append(g.arcs, a)
	return int32(len(g.arcs)) - 1
}

// join numbers the arcs by their ends, once all are there.
func (g *convex) join() {
	ends := make([]int32, len(g.arcs))
	for e := range g.arcs {
		ends[e] = g.arcs[e].from
	}
	g.outAt, g.outs = group(ends, g.nodes)
	for e := range g.arcs {
		ends[e] = g.arcs[e].to
	}
	g.intoAt, g.intos = group(ends, g.nodes)
	g.depth = make([]int32, g.nodes)
	g.next = make([]int32, g.nodes)
}

// degree is the number of residual arcs out of v, of those that have room and
// those that have not: first the arcs out of v, then those into it, backwards.
func (g *convex) degree(v int32) int32 {
	return g.outAt[v+1] - g.outAt[v] + g.intoAt[v+1] - g.intoAt[v]
}

// residual returns residual arc i out of v: its head, its arc, the direction in
// which it changes the arc's flow, and its reduced cost. There is no room on it if
// the direction is 0.
func (g *convex) residual(v, i int32) (w, e, way int32, cost int64) {
	if forward := g.outAt[v+1] - g.outAt[v]; i < forward {
		e = g.outs[g.outAt[v]+i]
		a := &g.arcs[e]
		if a.x < a.most {
			way = 1
		}
		return a.to, e, way, a.up() + g.pot[v] - g.pot[a.to]
	} else {
		e = g.intos[g.intoAt[v]+i-forward]
	}
	a := &g.arcs[e]
	if a.x > a.least {
		way = -1
	}
	return a.from, e, way, g.pot[v] - g.pot[a.from] - a.down()
}

// solve sends all excess to deficits at the least cost. Reduced costs must not be
// negative to begin with.
func (g *convex) solve() {
	var sources []int32
	for v, e := range g.excess {
		if e > 0 {
			sources = append(sources, int32(v))
		}
	}
	for left := int64(math.MaxInt64); len(sources) > 0; {
		sum := int64(0)
		for _, s := range sources {
			sum += int64(g.excess[s])
		}
		if sum >= left { // it would go on for ever
			panic("flow: a deficit in reach was not met")
		}
		left = sum
		g.reprice(sources)
		for g.layer(sources) {
			for _, s := range sources {
				for g.excess[s] > 0 && g.augment(s) {
				}
			}
		}
		left := sources[:0]
		for _, s := range sources {
			if g.excess[s] > 0 {
				left = append(left, s)
			}
		}
		sources = left
	}
}

// reprice is Dijkstra's algorithm, as in network.
func (g *convex) reprice(sources []int32) {
	dist := make([]int64, g.nodes)
	for v := range dist {
		dist[v] = far
	}
	var heap radixHeap
	var seen []int32
	for _, s := range sources {
		dist[s] = 0
		seen = append(seen, s)
		heap.push(0, s)
	}
	nearest := int64(-1)
	for {
		at, v, ok := heap.pop()
		if !ok {
			panic("flow: spread cannot meet the loads")
		}
		if at > dist[v] {
			continue
		}
		if g.excess[v] < 0 {
			nearest = at
			break
		}
		for i := range g.degree(v) {
			w, _, way, cost := g.residual(v, i)
			if way != 0 && at+cost < dist[w] {
				if dist[w] == far {
					seen = append(seen, w)
				}
				dist[w] = at + cost
				heap.push(at+cost, w)
			}
		}
	}
	for _, v := range seen {
		if dist[v] < nearest {
			g.pot[v] += dist[v] - nearest
		}
	}
}

// layer measures distances from the sources with excess over tight arcs, up to the
// nearest deficit, and reports whether there is one.
func (g *convex) layer(sources []int32) bool {
	for _, v := range g.queue {
		g.depth[v] = 0
	}
	g.queue = g.queue[:0]
	see := func(v, depth int32) {
		g.depth[v], g.next[v] = depth, 0
		g.queue = append(g.queue, v)
	}
	for _, s := range sources {
		if g.excess[s] > 0 {
			see(s, 1)
		}
	}
	limit := int32(0)
	for q := 0; q < len(g.queue) && g.depth[g.queue[q]] != limit; q++ {
		v := g.queue[q]
		for i := range g.degree(v) {
			w, _, way, cost := g.residual(v, i)
			if way == 0 || cost != 0 || g.depth[w] != 0 {
				continue
			}
			see(w, g.depth[v]+1)
			if g.excess[w] < 0 && limit == 0 {
				limit = g.depth[w]
			}
		}
	}
	return limit > 0
}

// augment sends one unit from s to a deficit along a shortest path of tight arcs.
func (g *convex) augment(s int32) bool {
	g.path = g.path[:0]
	v := s
	for g.excess[v] >= 0 {
		if g.next[v] < g.degree(v) {
			w, e, way, cost := g.residual(v, g.next[v])
			if way != 0 && cost == 0 && g.depth[w] == g.depth[v]+1 {
				g.path = append(g.path, e)
				v = w
			} else {
				g.next[v]++
			}
			continue
		}
		if len(g.path) == 0 {
			return false
		}
		g.depth[v] = deadEnd
		last := len(g.path) - 1
		a := &g.arcs[g.path[last]]
		v = a.from + a.to - v
		g.path = g.path[:last]
	}
	g.excess[v]++
	g.excess[s]--
	for _, e := range g.path {
		s = g.move(e, s)
	}
	return true
}

// move sends one unit over arc e away from v, and returns where it comes to.
func (g *convex) move(e, v int32) int32 {
	a := &g.arcs[e]
	if v == a.from {
		a.x++
		return a.to
	}
	a.x--
	return a.from
}
