package makespan

// queue is a heap of members in which each one can be found again when its load
// has changed.
type queue struct {
	members []int32
	at      []int32 // of each member of the group: its index in members
	before  func(a, b int32) bool
}

// newQueue makes a queue of members that are all alike so far. The group's size
// bounds the member numbers.
func newQueue(members []int32, group int, before func(a, b int32) bool) *queue {
	q := &queue{members: append([]int32(nil), members...), at: make([]int32, group),
		before: before}
	for i, m := range q.members {
		q.at[m] = int32(i)
	}
	for i := len(q.members)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
	return q
}

func (q *queue) first() int32 { return q.members[0] }

// fix moves a member whose load has changed to its place, in O(log members).
func (q *queue) fix(m int32) {
	i := int(q.at[m])
	for i > 0 && q.before(q.members[i], q.members[(i-1)/2]) {
		q.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
	q.down(i)
}

func (q *queue) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.members); child++ {
			if q.before(q.members[child], q.members[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		q.swap(i, least)
		i = least
	}
}

func (q *queue) swap(i, j int) {
	q.members[i], q.members[j] = q.members[j], q.members[i]
	q.at[q.members[i]], q.at[q.members[j]] = int32(i), int32(j)
}
