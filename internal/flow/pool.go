package flow

// pool is the flow on the arcs from rows to classes. Which arcs there are is in
// two bitmaps; only those that carry something are stored, in a list for each row
// and one for each class.
type pool struct {
	classesOf bitmap // of each row: the classes it can give to
	rowsOf    bitmap // of each class: the rows it can get from

	arcs    []poolArc
	free    []int32 // numbers of arcs that can be used again
	fromRow []int32 // of each row: the first of its arcs, or None
	toClass []int32 // of each class: the first of its arcs, or None
	emptied []int32 // arcs that ran empty and are still in their lists
}

// poolArc is an arc that carries flow, with its neighbours in the lists of its row
// and of its class.
type poolArc struct {
	row, class, flow int32
	nextR, prevR     int32
	nextC, prevC     int32
}

func newPool(rows, classes int32) pool {
	p := pool{fromRow: make([]int32, rows), toClass: make([]int32, classes),
		arcs: make([]poolArc, 0, rows+classes)} // as many as a tree of the network has
	p.clear()
	return p
}

// clear takes all flow out.
func (p *pool) clear() {
	p.arcs, p.free, p.emptied = p.arcs[:0], p.free[:0], p.emptied[:0]
	for r := range p.fromRow {
		p.fromRow[r] = None
	}
	for c := range p.toClass {
		p.toClass[c] = None
	}
}

// find returns the arc from r to c if it is stored, else None. It goes through
// both lists in step, so that the shorter one counts.
func (p *pool) find(r, c int32) int32 {
	e, f := p.fromRow[r], p.toClass[c]
	for e != None && f != None {
		if p.arcs[e].class == c {
			return e
		}
		if p.arcs[f].row == r {
			return f
		}
		e, f = p.arcs[e].nextR, p.arcs[f].nextC
	}
	return None
}

// give sends d more from row r to class c.
func (p *pool) give(r, c, d int32) {
	if e := p.find(r, c); e != None {
		p.arcs[e].flow += d
		return
	}
	var e int32
	if last := len(p.free) - 1; last >= 0 {
		e, p.free = p.free[last], p.free[:last]
	} else {
		e = int32(len(p.arcs))
		p.arcs = append(p.arcs, poolArc{})
	}
	first, firstC := p.fromRow[r], p.toClass[c]
	p.arcs[e] = poolArc{r, c, d, first, None, firstC, None}
	p.fromRow[r], p.toClass[c] = e, e
	if first != None {
		p.arcs[first].prevR = e
	}
	if firstC != None {
		p.arcs[firstC].prevC = e
	}
}

// take sends d less on arc e. An arc that runs empty stays in its lists until the
// next sweep, because a search may stand on it.
func (p *pool) take(e, d int32) {
	p.arcs[e].flow -= d
	if p.arcs[e].flow == 0 {
		p.emptied = append(p.emptied, e)
	}
}

// sweep removes the arcs that ran empty.
func (p *pool) sweep() {
	for _, e := range p.emptied {
		if p.arcs[e].flow == 0 {
			p.remove(e)
		}
	}
	p.emptied = p.emptied[:0]
}

func (p *pool) remove(e int32) {
	a := &p.arcs[e]
	if a.prevR != None {
		p.arcs[a.prevR].nextR = a.nextR
	} else {
		p.fromRow[a.row] = a.nextR
	}
	if a.nextR != None {
		p.arcs[a.nextR].prevR = a.prevR
	}
	if a.prevC != None {
		p.arcs[a.prevC].nextC = a.nextC
	} else {
		p.toClass[a.class] = a.nextC
	}
	if a.nextC != None {
		p.arcs[a.nextC].prevC = a.prevC
	}
	a.flow = -1 // so that an arc emptied twice is removed once
	p.free = append(p.free, e)
}
