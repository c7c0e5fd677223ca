package flow

// walk is the scratch space of the searches.
type walk struct {
	queue   []int32 // the nodes that the last search has seen
	depth   []int32 // of each node: 0 unseen, -1 a dead end
	next    []int32 // of each node: position of the arc to try next
	path    []int32 // nodes from a source on
	pathArc []int32 // the arcs between them

	classMask set // the classes that out lists for a row
	rowMask   set // the rows that into lists for a class
	unseen    set // the classes that the search at hand may yet see
	live      set // the classes that it has seen and that are no dead ends
}

// prepareWalk makes the scratch space for searches over the given number of nodes.
func (n *network) prepareWalk(nodes int32) {
	n.queue = n.queue[:0]
	n.depth = make([]int32, nodes)
	n.next = make([]int32, nodes)
	if n.unseen == nil {
		n.unseen, n.live = newSet(n.classes), newSet(n.classes)
		n.rowMask = newSet(n.rows)
	}
	n.unseen.fill(n.classes)
	n.rowMask.fill(n.rows)
}

// deadEnd marks a node from which no deficit can be reached in this round.
const deadEnd = -1

// saturate sends excess from the sources to deficits over tight arcs until no
// source with excess reaches a deficit (Dinic's algorithm). Then n.queue holds
// what the sources with excess left do reach. Classes that n.unseen does not have
// are left out of it.
func (n *network) saturate(sources []int32) {
	for n.layer(sources) {
		n.classMask = n.live
		for _, s := range sources {
			for n.excess[s] > 0 && n.augment(s) {
			}
		}
		n.sweep()
	}
}

// layer sets the depth of every node by breadth-first search from the sources
// with excess, up to the depth of the nearest deficit. It reports whether there
// is one.
func (n *network) layer(sources []int32) bool {
	n.forget()
	n.classMask = n.unseen
	for _, s := range sources {
		if n.excess[s] > 0 {
			n.see(s, 1)
		}
	}
	limit := int32(0)
	for q := 0; q < len(n.queue); q++ {
		v := n.queue[q]
		if n.depth[v] == limit {
			break
		}
		for i := int32(0); ; i++ {
			w, _, at := n.out(v, i)
			if w == None {
				break
			}
			i = at
			if n.depth[w] != 0 {
				continue
			}
			n.see(w, n.depth[v]+1)
			if n.excess[w] < 0 && limit == 0 {
				limit = n.depth[w]
			}
		}
	}
	return limit > 0
}

// see notes that the search has reached v.
func (n *network) see(v, depth int32) {
	n.depth[v] = depth
	n.next[v] = 0
	n.queue = append(n.queue, v)
	if c := v - n.class0; c >= 0 && c < n.classes {
		n.unseen.remove(c)
		n.live.add(c)
	}
}

// forget clears what the last search has seen.
func (n *network) forget() {
	for _, v := range n.queue {
		n.depth[v] = 0
		if c := v - n.class0; c >= 0 && c < n.classes {
			n.unseen.add(c)
			n.live.remove(c)
		}
	}
	n.queue = n.queue[:0]
}

// augment sends as much as one path of growing depth takes from s to a deficit,
// and reports whether there is such a path. Arcs that led nowhere are not tried
// again in this round.
func (n *network) augment(s int32) bool {
	n.path = append(n.path[:0], s)
	n.pathArc = n.pathArc[:0]
	for len(n.path) > 0 {
		v := n.path[len(n.path)-1]
		if n.excess[v] < 0 {
			n.send()
			return true
		}
		w, arc := n.deeper(v)
		if w != None {
			n.path = append(n.path, w)
			n.pathArc = append(n.pathArc, arc)
			continue
		}
		n.depth[v] = deadEnd
		if c := v - n.class0; c >= 0 && c < n.classes {
			n.live.remove(c)
		}
		n.path = n.path[:len(n.path)-1]
		if len(n.pathArc) > 0 {
			n.pathArc = n.pathArc[:len(n.pathArc)-1]
		}
	}
	return false
}

// deeper returns an arc from v to a node one deeper, from v's next arc on.
func (n *network) deeper(v int32) (w, arc int32) {
	for {
		w, arc, at := n.out(v, n.next[v])
		n.next[v] = at
		if w == None || n.depth[w] == n.depth[v]+1 {
			return w, arc
		}
		n.next[v] = at + 1
	}
}

// send moves what the path's ends and arcs allow along the path.
func (n *network) send() {
	s, t := n.path[0], n.path[len(n.path)-1]
	amount := min(n.excess[s], -n.excess[t])
	for i, arc := range n.pathArc {
		amount = min(amount, n.room(n.path[i], arc, n.path[i+1]))
	}
	for i, arc := range n.pathArc {
		n.push(n.path[i], arc, n.path[i+1], amount)
	}
	n.excess[s] -= amount
	n.excess[t] += amount
}
