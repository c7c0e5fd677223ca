package flow

// blocking splits the nodes into blocks such that every cycle of tight residual
// arcs lies inside one block. Flow that is optimal and stays so only ever changes
// along such cycles, so blocks are never joined again.
type blocking struct {
	block  []int32 // of each node
	blocks int32

	ahead, aheadArc []int32 // of each node seen from the end: the next one, and the arc
	back, backArc   []int32 // of each node seen from the start: the one before
	mark            []int32 // of each node: +search if seen from the start, -search from the end
	search          int32
	front, rear     []int32 // the nodes seen from the start and from the end
}

// findBlocks makes the strongly connected components of the tight residual graph
// the blocks (Tarjan's algorithm, without recursion because chains are long).
func (n *network) findBlocks(nodes int32) {
	for v := range n.block {
		n.block[v] = None
	}
	n.blocks = 0
	order, low := n.back, n.backArc // of each node: when it was seen, from 1 on; lowest seen from it
	clear(order)
	clear(n.next)
	seen := int32(0)
	stack, path := n.front[:0], n.rear[:0]
	for root := range nodes {
		if order[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if order[v] == 0 {
				seen++
				order[v], low[v] = seen, seen
				stack = append(stack, v)
			}
			w, _, at := n.out(v, n.next[v])
			if w != None {
				// Come by this arc once more when w is done, to take over its low.
				if order[w] == 0 {
					n.next[v] = at
					path = append(path, w)
					continue
				}
				n.next[v] = at + 1
				if n.block[w] == None {
					low[v] = min(low[v], low[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if low[v] != order[v] {
				continue
			}
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				n.block[w] = n.blocks
				if w == v {
					break
				}
			}
			n.blocks++
		}
	}
	n.front, n.rear = stack, path
}

// connect looks for a path of tight arcs inside one block from v to w and, if
// there is one, sends one unit along it. If there is none, no cycle through v and
// w is possible any more, and they end up in different blocks. The search goes
// from both ends in turn, and stops when one is exhausted, so that a failure costs
// twice the smaller side, which then becomes a block of its own.
func (n *network) connect(v, w int32) bool {
	if n.block[v] != n.block[w] {
		return false
	}
	n.search++
	n.front = append(n.front[:0], v)
	n.rear = append(n.rear[:0], w)
	n.mark[v], n.mark[w] = n.search, -n.search
	var forward, backward cursor
	for {
		meet, more := n.stepForward(&forward)
		if meet == None && more {
			meet, more = n.stepBackward(&backward)
			if !more {
				n.split(n.rear)
				return false
			}
		} else if !more {
			n.split(n.front)
			return false
		}
		if meet != None {
			n.follow(meet, w)
			for meet != v {
				before := n.back[meet]
				n.push(before, n.backArc[meet], meet, 1)
				meet = before
			}
			return true
		}
	}
}

// cursor is how far one side of a search is: the node in its list, and the
// position among its arcs.
type cursor struct {
	node int
	at   int32
}

// stepForward looks at one arc from the start. It returns the node where the two
// sides meet, if they do, and whether there was an arc left to look at.
func (n *network) stepForward(c *cursor) (meet int32, more bool) {
	for c.node < len(n.front) {
		v := n.front[c.node]
		w, arc, at := n.out(v, c.at)
		if w == None {
			c.node, c.at = c.node+1, 0
			continue
		}
		c.at = at + 1
		if n.block[w] != n.block[v] || n.mark[w] == n.search {
			return None, true
		}
		n.back[w], n.backArc[w] = v, arc
		if n.mark[w] == -n.search {
			return w, true
		}
		n.mark[w] = n.search
		n.front = append(n.front, w)
		return None, true
	}
	return None, false
}

// stepBackward looks at one arc towards the end.
func (n *network) stepBackward(c *cursor) (meet int32, more bool) {
	for c.node < len(n.rear) {
		w := n.rear[c.node]
		v, arc, at := n.into(w, c.at)
		if v == None {
			c.node, c.at = c.node+1, 0
			continue
		}
		c.at = at + 1
		if n.block[w] != n.block[v] || n.mark[v] == -n.search {
			return None, true
		}
		n.ahead[v], n.aheadArc[v] = w, arc
		if n.mark[v] == n.search {
			return v, true
		}
		n.mark[v] = -n.search
		n.rear = append(n.rear, v)
		return None, true
	}
	return None, false
}

// split makes nodes a block of their own.
func (n *network) split(nodes []int32) {
	for _, v := range nodes {
		n.block[v] = n.blocks
	}
	n.blocks++
}
