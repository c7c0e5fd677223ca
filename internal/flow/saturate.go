package flow

// walk is the scratch space of the searches.
type walk struct {
	queue   []int32 // the nodes that the search at hand has seen
	targets []int32 // those of them that had a deficit
	depth   []int32 // of each node: what the search knows of it
	next    []int32 // of each node: position of the arc to try next
	path    []int32 // nodes from a source on
	pathArc []int32 // the arcs between them

	classMask set // the classes that out lists for a row
	rowMask   set // the rows that into lists for a class
	unseen    set // the classes that a search from the sources may yet see
	live      set // the classes from which a deficit may be reached
}

// What depth says of a node, if not its distance from the nearest deficit.
const (
	unknown = 0
	reached = -1 // from the sources
	deadEnd = -2 // no deficit can be reached from it in this round
)

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
	clear(n.rowMask)
}

// saturate sends excess from the sources to deficits over tight arcs until no
// source with excess reaches a deficit. Classes that n.unseen does not have are
// left out of it.
//
// It is Dinic's algorithm with the distances measured to the deficits, so that in
// one round every source makes progress, not only the nearest ones. What no source
// reaches, and what reaches no deficit, cannot come to do so while the same arcs
// are tight; so later rounds look only at what is left of the earlier ones, and
// the many nodes around a source that is stuck are looked at once.
func (n *network) saturate(sources []int32) {
	n.reach(sources)
	for moving := true; moving && n.rank(); {
		moving = false
		n.classMask = n.live
		for _, s := range sources {
			for n.excess[s] > 0 && n.depth[s] > 0 && n.augment(s) {
				moving = true
			}
		}
		for _, v := range n.queue {
			n.depth[v] = unknown
			if c := v - n.class0; c >= 0 && c < n.classes {
				n.live.remove(c)
			}
		}
		n.sweep()
	}
}

// reach lists in n.queue what the sources with excess reach, and in n.targets
// where there are deficits among it.
func (n *network) reach(sources []int32) {
	n.queue, n.targets = n.queue[:0], n.targets[:0]
	n.classMask = n.unseen
	for _, s := range sources {
		if n.excess[s] > 0 {
			n.see(s)
		}
	}
	for q := 0; q < len(n.queue); q++ {
		v := n.queue[q]
		for i := int32(0); ; i++ {
			w, _, at := n.out(v, i)
			if w == None {
				break
			}
			i = at
			if n.depth[w] == unknown {
				n.see(w)
			}
		}
	}
	for _, v := range n.queue {
		n.depth[v] = unknown
		if c := v - n.class0; c >= 0 && c < n.classes {
			n.unseen.add(c)
		}
	}
}

// see notes that the sources reach v.
func (n *network) see(v int32) {
	n.depth[v] = reached
	n.queue = append(n.queue, v)
	if n.excess[v] < 0 {
		n.targets = append(n.targets, v)
	}
	if c := v - n.class0; c >= 0 && c < n.classes {
		n.unseen.remove(c)
	}
}

// rank measures the distance to the nearest deficit and leaves in n.queue what
// reaches one. It reports whether there is anything. Distances count from 2 on, so
// that there is nothing nearer than a deficit, not even what is unknown.
func (n *network) rank() bool {
	for _, v := range n.queue {
		n.depth[v] = reached
		if v < n.class0 {
			n.rowMask.add(v)
		}
	}
	found := n.path[:0]
	for _, v := range n.targets {
		if n.excess[v] < 0 && n.depth[v] == reached {
			found = n.measured(found, v, 2)
		}
	}
	for q := 0; q < len(found); q++ {
		w := found[q]
		for i := int32(0); ; i++ {
			v, _, at := n.into(w, i)
			if v == None {
				break
			}
			i = at
			if n.depth[v] == reached {
				found = n.measured(found, v, n.depth[w]+1)
			}
		}
	}
	for _, v := range n.queue {
		if n.depth[v] == reached {
			n.depth[v] = unknown
			if v < n.class0 {
				n.rowMask.remove(v)
			}
		}
	}
	n.queue, n.path = found, n.queue
	return len(found) > 0
}

// measured adds v to found.
func (n *network) measured(found []int32, v, depth int32) []int32 {
	n.depth[v], n.next[v] = depth, 0
	if v < n.class0 {
		n.rowMask.remove(v)
	} else if v < n.member0 {
		n.live.add(v - n.class0)
	}
	return append(found, v)
}

// augment sends as much as one shortest path takes from s to a deficit,
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
		w, arc := n.nearer(v)
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

// nearer returns an arc from v to a node one nearer to a deficit, from v's next
// arc on.
func (n *network) nearer(v int32) (w, arc int32) {
	for {
		w, arc, at := n.out(v, n.next[v])
		n.next[v] = at
		if w == None || n.depth[w] == n.depth[v]-1 {
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
