package flow

import "math/bits"

// blocking splits the nodes into blocks such that every cycle of tight residual
// arcs lies inside one block. Flow that is optimal and stays so only ever changes
// along such cycles, so blocks are never joined again, and a pool arc between two
// of them can be forgotten.
type blocking struct {
	block  []int32 // of each node
	blocks int32

	mark   []int32 // of each node: the last search that saw it, negative from the end
	search int32
	tries  int  // how many arcs connectShort may still look at
	front  side // what the search saw from its start
	rear   side // what it saw from its end

	ahead, aheadArc []int32 // of each node seen from the end: the next one, and the arc
	back, backArc   []int32 // of each node seen from the start: the one before
}

// side is one side of a search from both ends.
type side struct {
	nodes []int32
	at    int   // the node whose arcs are being looked at
	next  int32 // the position among them
	set   set   // of the front: its rows; of the rear: its classes
}

// prepareBlocks allocates what the canonical rules search with.
func (n *network) prepareBlocks() {
	n.prepareWalk(n.nodes)
	n.rowMask.fill(n.rows)
	n.block = make([]int32, n.nodes)
	n.mark = make([]int32, n.nodes)
	n.ahead = make([]int32, n.nodes)
	n.aheadArc = make([]int32, n.nodes)
	n.back = make([]int32, n.nodes)
	n.backArc = make([]int32, n.nodes)
	n.front.set = newSet(n.rows)
	n.rear.set = newSet(n.classes)
}

// findBlocks makes the strongly connected components of the tight residual graph
// the blocks (Kosaraju's algorithm, which never looks at an arc to a node that it
// has seen, so that the bitmaps help).
func (n *network) findBlocks(nodes int32) {
	for v := range n.block {
		n.block[v] = None
	}
	n.blocks = 0
	clear(n.next)
	n.search++
	n.classMask = n.unseen
	finished := n.front.nodes[:0]
	path := n.rear.nodes[:0]
	for root := range nodes {
		if n.mark[root] == n.search {
			continue
		}
		path = n.enter(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			w, _, at := n.out(v, n.next[v])
			n.next[v] = at + 1
			switch {
			case w == None:
				path = path[:len(path)-1]
				finished = append(finished, v)
			case n.mark[w] != n.search:
				path = n.enter(path, w)
			}
		}
	}
	for i := len(finished) - 1; i >= 0; i-- {
		if v := finished[i]; n.block[v] == None {
			path = n.collect(path[:0], v)
			n.blocks++
		}
	}
	n.front.nodes, n.rear.nodes = finished, path
	n.unseen.fill(n.classes)
	n.rowMask.fill(n.rows)
}

func (n *network) enter(path []int32, v int32) []int32 {
	n.mark[v] = n.search
	if c := v - n.class0; c >= 0 && c < n.classes {
		n.unseen.remove(c)
	}
	return append(path, v)
}

// collect makes all that leads to v and is in no block yet a block.
func (n *network) collect(queue []int32, v int32) []int32 {
	join := func(v int32) {
		n.block[v] = n.blocks
		queue = append(queue, v)
		if v < n.class0 {
			n.rowMask.remove(v)
		}
	}
	join(v)
	for q := 0; q < len(queue); q++ {
		w := queue[q]
		for i := int32(0); ; i++ {
			u, _, at := n.into(w, i)
			if u == None {
				break
			}
			i = at
			if n.block[u] == None {
				join(u)
			}
		}
	}
	return queue
}

// connect looks for a path of tight arcs inside one block from v, a class or
// member, to row w and, if there is one, sends one unit along it. If there is none,
// no cycle through v and w is possible any more, and they end up in different
// blocks. The search goes from both ends in turn, and stops when one is exhausted,
// so that a failure costs about twice the smaller side, which then becomes a block
// of its own.
func (n *network) connect(v, w int32) bool {
	if n.block[v] != n.block[w] {
		return false
	}
	if n.connectShort(v, w) {
		return true
	}
	n.search++
	n.front.nodes, n.front.at, n.front.next = append(n.front.nodes[:0], v), 0, 0
	n.rear.nodes, n.rear.at, n.rear.next = append(n.rear.nodes[:0], w), 0, 0
	n.classMask = n.unseen
	n.mark[v], n.mark[w] = n.search, -n.search
	if v < n.member0 {
		n.unseen.remove(v - n.class0)
	}
	n.rowMask.remove(w)
	meet, more := None, true
	for meet == None && more {
		if meet, more = n.stepFront(); !more {
			n.split(n.front.nodes)
		} else if meet == None {
			if meet, more = n.stepRear(); !more {
				n.split(n.rear.nodes)
			}
		}
	}
	n.restoreMasks()
	if meet == None {
		return false
	}
	n.follow(meet, w)
	for meet != v {
		before := n.back[meet]
		n.push(before, n.backArc[meet], meet, 1)
		meet = before
	}
	n.sweep()
	return true
}

// connectShort tries some of the paths of three arcs, by which v gives up one of
// another row, which goes to a class that gets one of w; then some of five arcs,
// with one more class and row between. In dense groups that nearly always does.
func (n *network) connectShort(v, w int32) bool {
	return n.giveUp(v, w, false) || n.giveUp(v, w, true)
}

// giveUp goes through the rows of which v can get less, and sends one unit over
// the first from which, in some tries, a way on to w is found: viaClass or viaNone.
func (n *network) giveUp(v, w int32, viaClass bool) bool {
	n.tries = 32
	if v < n.member0 {
		for e := n.toClass[v-n.class0]; e != None && n.tries > 0; e = n.arcs[e].nextC {
			if r := n.arcs[e].row; r != w && n.via(viaClass, v, r, w) {
				n.take(e, 1)
				n.sweep()
				return true
			}
		}
		return false
	}
	m := v - n.member0
	for _, k := range n.memberCells[n.memberCell[m]:n.memberCell[m+1]] {
		if n.tries <= 0 {
			return false
		}
		if r := n.cellRow[k]; n.keep[k] > n.lock[k] && r != w && n.via(viaClass, v, r, w) {
			n.keep[k]--
			n.sweep()
			return true
		}
	}
	return false
}

func (n *network) via(class bool, v, r, w int32) bool {
	if class {
		return n.viaClass(v, r, w)
	}
	return n.viaNone(r, w)
}

// viaNone lets row r give one to a class in place of row w.
func (n *network) viaNone(r, w int32) bool {
	e := n.exchange(r, w)
	if e == None {
		return false
	}
	n.handOver(r, e)
	return true
}

// viaClass lets row r give one to a class in place of another row, and that one to
// another class in place of row w.
func (n *network) viaClass(v, r, w int32) bool {
	index, words := n.classesOf.row(r)
	for i := 0; i < len(index) && n.tries > 0; i++ {
		for x := words[i]; x != 0 && n.tries > 0; x &= x - 1 {
			c := index[i]<<6 + int32(bits.TrailingZeros64(x))
			n.tries--
			between := n.toClass[c]
			if between == None || n.class0+c == v {
				continue
			}
			s := n.arcs[between].row
			if s == r || s == w {
				continue
			}
			if e := n.exchange(s, w); e != None && n.arcs[e].class != c {
				n.handOver(r, between)
				n.handOver(s, e)
				return true
			}
		}
	}
	return false
}

// exchange returns an arc of row w to a class that row r can give to as well, or
// None.
func (n *network) exchange(r, w int32) int32 {
	for e := n.fromRow[w]; e != None && n.tries > 0; e = n.arcs[e].nextR {
		n.tries--
		if n.classesOf.has(r, n.arcs[e].class) {
			return e
		}
	}
	return None
}

// handOver lets the class of arc e get one of row r instead of one of its own row.
func (n *network) handOver(r, e int32) {
	n.give(r, n.arcs[e].class, 1)
	n.take(e, 1)
}

// restoreMasks lets the next search see everything again.
func (n *network) restoreMasks() {
	for _, v := range n.front.nodes {
		if v < n.class0 {
			n.front.set.remove(v)
		} else if v < n.member0 {
			n.unseen.add(v - n.class0)
		}
	}
	for _, v := range n.rear.nodes {
		if v < n.class0 {
			n.rowMask.add(v)
		} else if v < n.member0 {
			n.rear.set.remove(v - n.class0)
		}
	}
}

// stepFront looks at one arc from the start, or at 64 of a row's. It returns the
// node where the two sides meet, if they do, and whether there was anything left to
// look at.
func (n *network) stepFront() (meet int32, more bool) {
	for s := &n.front; s.at < len(s.nodes); {
		v := s.nodes[s.at]
		if v < n.class0 && s.next < second {
			if j := n.classesOf.start[v] + s.next>>6; j < n.classesOf.start[v+1] {
				s.next += 64
				return n.frontWord(v, j), true
			}
			s.next = second
		}
		w, arc, at := n.out(v, s.next)
		if w == None {
			s.at, s.next = s.at+1, 0
			continue
		}
		s.next = at + 1
		return n.seeFront(v, w, arc), true
	}
	return None, false
}

// frontWord looks at the classes of word j of row v: first whether the rear has one
// of them, then which are new.
func (n *network) frontWord(v, j int32) (meet int32) {
	i := n.classesOf.index[j]
	if x := n.classesOf.words[j] & n.rear.set[i]; x != 0 {
		c := i<<6 + int32(bits.TrailingZeros64(x))
		return n.seeFront(v, n.class0+c, c)
	}
	for x := n.classesOf.words[j] & n.unseen[i]; x != 0; x &= x - 1 {
		bit := int32(bits.TrailingZeros64(x))
		c := i<<6 + bit
		if n.block[n.class0+c] != n.block[v] {
			n.classesOf.words[j] &^= 1 << bit
			continue
		}
		n.seeFront(v, n.class0+c, c)
	}
	return None
}

// seeFront notes that w was reached from v, and returns it if the rear has it.
func (n *network) seeFront(v, w, arc int32) (meet int32) {
	if n.block[w] != n.block[v] || n.mark[w] == n.search {
		return None
	}
	n.back[w], n.backArc[w] = v, arc
	if n.mark[w] == -n.search {
		return w
	}
	n.mark[w] = n.search
	n.front.nodes = append(n.front.nodes, w)
	if w < n.class0 {
		n.front.set.add(w)
	} else if w < n.member0 {
		n.unseen.remove(w - n.class0)
	}
	return None
}

// stepRear is stepFront for the arcs that lead to the end.
func (n *network) stepRear() (meet int32, more bool) {
	for s := &n.rear; s.at < len(s.nodes); {
		w := s.nodes[s.at]
		if c := w - n.class0; c >= 0 && c < n.classes && s.next < second {
			if j := n.rowsOf.start[c] + s.next>>6; j < n.rowsOf.start[c+1] {
				s.next += 64
				return n.rearWord(w, j), true
			}
			s.next = second
		}
		v, arc, at := n.into(w, s.next)
		if v == None {
			s.at, s.next = s.at+1, 0
			continue
		}
		s.next = at + 1
		return n.seeRear(v, w, arc), true
	}
	return None, false
}

func (n *network) rearWord(w, j int32) (meet int32) {
	i := n.rowsOf.index[j]
	if x := n.rowsOf.words[j] & n.front.set[i]; x != 0 {
		return n.seeRear(i<<6+int32(bits.TrailingZeros64(x)), w, w-n.class0)
	}
	for x := n.rowsOf.words[j] & n.rowMask[i]; x != 0; x &= x - 1 {
		bit := int32(bits.TrailingZeros64(x))
		if r := i<<6 + bit; n.block[r] != n.block[w] {
			n.rowsOf.words[j] &^= 1 << bit
		} else {
			n.seeRear(r, w, w-n.class0)
		}
	}
	return None
}

// seeRear notes that v leads to w, and returns it if the front has it.
func (n *network) seeRear(v, w, arc int32) (meet int32) {
	if n.block[v] != n.block[w] || n.mark[v] == -n.search {
		return None
	}
	n.ahead[v], n.aheadArc[v] = w, arc
	if n.mark[v] == n.search {
		return v
	}
	n.mark[v] = -n.search
	n.rear.nodes = append(n.rear.nodes, v)
	if v < n.class0 {
		n.rowMask.remove(v)
	} else if v < n.member0 {
		n.rear.set.add(v - n.class0)
	}
	return None
}

// split makes nodes a block of their own.
func (n *network) split(nodes []int32) {
	for _, v := range nodes {
		n.block[v] = n.blocks
	}
	n.blocks++
}
