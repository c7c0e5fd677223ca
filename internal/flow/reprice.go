package flow

import "math/bits"

// distances is Dijkstra's algorithm on reduced costs, with its scratch space.
type distances struct {
	*network
	dist []int64 // of each node; far where it was not seen
	seen []int32
	near []int32 // nodes to do at the present distance
	todo radixHeap
}

func newDistances(n *network) *distances {
	d := &distances{network: n, dist: make([]int64, n.nodes)}
	for v := range d.dist {
		d.dist[v] = far
	}
	return d
}

const far = int64(1) << 62

// reprice changes the potentials so that a nearest deficit of the sources comes
// in reach over tight arcs. Only nodes nearer than it change.
func (d *distances) reprice(sources []int32) {
	for _, s := range sources {
		d.reachAt(s, 0, 0)
	}
	nearest := d.run()
	for _, v := range d.seen {
		if d.dist[v] < nearest {
			d.pot[v] += d.dist[v] - nearest
		}
		d.dist[v] = far
	}
	d.seen, d.near = d.seen[:0], d.near[:0]
	d.todo.clear()
}

// run spreads out from the sources until it comes to a deficit, and returns the
// distance of that.
func (d *distances) run() int64 {
	now := int64(0)
	for {
		for len(d.near) > 0 {
			v := d.near[len(d.near)-1]
			d.near = d.near[:len(d.near)-1]
			if d.excess[v] < 0 {
				return now
			}
			d.spread(v, now)
		}
		at, v, ok := d.todo.pop()
		if !ok {
			panic("flow: the loads of the tiers cannot be met")
		}
		if at == d.dist[v] {
			now = at
			d.near = append(d.near, v)
		}
	}
}

// reachAt notes that w can be reached at distance at; now is the distance that is
// being worked on.
func (d *distances) reachAt(w int32, at, now int64) {
	if at >= d.dist[w] {
		return
	}
	if d.dist[w] == far {
		d.seen = append(d.seen, w)
	}
	d.dist[w] = at
	if at == now {
		d.near = append(d.near, w)
	} else {
		d.todo.push(at, w)
	}
}

// spread goes over all residual arcs out of v, tight or not.
func (d *distances) spread(v int32, now int64) {
	from := now + d.pot[v]
	switch {
	case v < d.class0:
		index, words := d.classesOf.row(v)
		for w, x := range words {
			for ; x != 0; x &= x - 1 {
				c := index[w]<<6 + int32(bits.TrailingZeros64(x))
				d.reachAt(d.class0+c, from+d.poolCost(v, c)-d.pot[d.class0+c], now)
			}
		}
		for _, k := range d.rowList[d.rowCell[v]:d.rowCell[v+1]] {
			if d.keep[k] < d.own[k] {
				m := d.member0 + d.cellMember[k]
				d.reachAt(m, from+d.cellCost(k)-d.pot[m], now)
			}
		}
	case v < d.member0:
		c := v - d.class0
		for e := d.toClass[c]; e != None; e = d.arcs[e].nextC {
			r := d.arcs[e].row
			d.reachAt(r, from-d.poolCost(r, c)-d.pot[r], now)
		}
		for _, m := range d.memberList[d.memberAt[c]:d.memberAt[c+1]] {
			d.reachAt(d.member0+m, from-d.pot[d.member0+m], now)
		}
	case v < d.tier0:
		d.spreadMember(v, from, now)
	default:
		t := v - d.tier0
		for _, m := range d.tierList[d.tierAt[t]:d.tierAt[t+1]] {
			if d.extra[m] {
				d.reachAt(d.member0+m, from-d.pot[d.member0+m], now)
			}
		}
	}
}

func (d *distances) spreadMember(v int32, from, now int64) {
	m := v - d.member0
	c := d.class0 + d.classOf[m]
	if t := d.tierOf[c]; d.extras[t] > 0 && !d.extra[m] {
		d.reachAt(d.tier0+t, from-d.pot[d.tier0+t], now)
	}
	if d.placed[m] > 0 {
		d.reachAt(c, from-d.pot[c], now)
	}
	for _, k := range d.memberCells[d.memberCell[m]:d.memberCell[m+1]] {
		if d.keep[k] > d.lock[k] {
			r := d.cellRow[k]
			d.reachAt(r, from-d.cellCost(k)-d.pot[r], now)
		}
	}
}
