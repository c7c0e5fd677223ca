package flow

// network is the compressed flow network of a Problem and the flow in it. Its
// nodes are numbered through:
//
//	rows     topics with the same subscribers, or with racks the partitions of
//	         such topics that have the same racks; a source of supply[row]
//	classes  members with the same subscription, with racks in the same rack
//	members
//	tiers    one node each; it takes the extras, that is, one unit of every member
//	         that has one partition more than its tier's base
//
// and there are four kinds of arcs:
//
//	row -> member  a cell: the member keeps partitions of the row, at most as many
//	               as it owned, at no cost
//	row -> class   a pool arc: partitions move to some member of the class; no
//	               limit, each costs 1
//	class -> member  who of the class gets them: no limit, no cost
//	member -> tier   the extra: at most 1, no cost
//
// With racks a cell or pool arc that misses costs missCost more. Residual arcs are
// never stored: out and into list them, from the flow on the four kinds.
type network struct {
	p *Problem

	rows, classes, members, tiers int32
	class0, member0, tier0, nodes int32 // first node of each kind, and how many in all

	fewestRows int // that any class can get from

	rowOf     []int32 // of each partition, None where nobody reads its topic
	cellOf    []int32 // of each partition, None where nobody owned it
	supply    []int32 // of each row: its partitions
	classOf   []int32 // of each member
	classRack []int32 // of each class
	rowSet    []int32 // of each row: its racks, an index into sets.lists, or None
	sets      rackSets

	memberAt   []int32 // the members of class c: memberList[memberAt[c]:memberAt[c+1]]
	memberList []int32
	owned      []int32 // of each member: its previous partitions
	placed     []int32 // of each member: the flow on the arc from its class
	extra      []bool  // of each member: the flow on the arc to its tier
	tierOf     []int32 // of each row and class node
	base       []int32 // of each tier: the load of its members without an extra
	extras     []int32 // of each tier: how many members have one more

	pool
	cells

	missCost int64   // what a rack miss costs in moves; 0 without racks
	pot      []int64 // of each node: its potential
	excess   []int32 // of each node: what it still has to send on, or to get if negative

	showMembers bool // whether out and into list the arcs of members
	showTiers   bool // whether out lists those of tiers

	tierAt   []int32 // the members of open tier t: tierList[tierAt[t]:tierAt[t+1]]
	tierList []int32

	walk
	blocking
}

// cells holds the arcs from rows to the members that owned some of the row.
type cells struct {
	rowCell    []int32
	rowList    []int32 // the cells of row r are rowList[rowCell[r]:rowCell[r+1]]
	cellRow    []int32
	cellMember []int32
	own        []int32 // how many of the row the member owned; 0 once out of reach
	keep       []int32 // the flow: how many it keeps
	lock       []int32 // how many of these are promised and not to be given up
	cellMiss   []bool  // nil without racks

	memberCell  []int32 // the cells of m: memberCells[memberCell[m]:memberCell[m+1]]
	memberCells []int32
}

// poolCost is what moving a partition of row r to class c costs.
func (n *network) poolCost(r, c int32) int64 {
	if n.sets.any() && n.sets.miss(n.rowSet[r], n.classRack[c]) {
		return 1 + n.missCost
	}
	return 1
}

// cellCost is what one unit on cell k costs.
func (n *network) cellCost(k int32) int64 {
	if n.cellMiss != nil && n.cellMiss[k] {
		return n.missCost
	}
	return 0
}

// keepWithin takes out the arcs from rows to classes of another group; of says which
// of the groups each node is in.
func (n *network) keepWithin(of []int32, groups int32) {
	if groups <= 1 {
		return
	}
	ofRow, ofClass := of[:n.class0], of[n.class0:n.member0]
	n.classesOf.keepEqual(ofRow, ofClass, groups)
	n.rowsOf.keepEqual(ofClass, ofRow, groups)
}
