package flow

import "slices"

// descent goes through the partitions from the highest number down, at equal
// numbers from the last topic to the first. In memory that is a jump from topic to
// topic for each partition, so a few numbers of all topics at a time are copied
// to where they lie side by side.
type descent struct {
	*equal
	high   int32   // all numbers from here on are done
	start  []int32 // the topics of n partitions: list[start[n]:start[n+1]]
	list   []int32 // indices of equal.topics
	active []int32 // the topics that have numbers from high-1 on down, ascending
	owners []int32 // of the numbers at hand, topic by topic
}

// tile is how many partitions are copied at a time, unless the topics are more;
// cacheLine is how many of a topic lie so close together that it would be a waste
// to read fewer.
const (
	tile      = 1 << 15
	cacheLine = 16
)

func newDescent(e *equal) *descent {
	size := make([]int32, len(e.topics()))
	most := int32(0)
	for i, t := range e.topics() {
		size[i] = e.p.Start[t+1] - e.p.Start[t]
		most = max(most, size[i])
	}
	d := &descent{equal: e, high: most}
	d.start, d.list = group(size, most+1)
	return d
}

// shed frees what members with a surplus have of the next few numbers, as far as
// their surplus goes, and returns how many partitions that are.
func (d *descent) shed(surplus []int32) (freed int) {
	low := max(0, d.high-min(cacheLine, max(1, tile/int32(len(d.active)+1))))
	before := len(d.active)
	d.active = append(d.active, d.list[d.start[low+1]:d.start[d.high+1]]...)
	if len(d.active) > before {
		slices.Sort(d.active)
	}
	width := d.gather(low)
	for number := d.high - 1; number >= low; number-- {
		at := len(d.owners) - width + int(number-low)
		for a := len(d.active) - 1; a >= 0; a-- {
			if m := d.owners[at]; m != None && surplus[m] > 0 {
				surplus[m]--
				d.owner[d.p.Start[d.topics()[d.active[a]]]+number] = None
				freed++
			}
			at -= width
		}
	}
	d.high = low
	return freed
}

// gather copies the owners of the numbers from low to high-1, so many of each topic;
// None where a topic has no such partition.
func (d *descent) gather(low int32) (width int) {
	width = int(d.high - low)
	d.owners = d.owners[:0]
	for _, i := range d.active {
		t := d.topics()[i]
		first, end := d.p.Start[t]+low, d.p.Start[t+1]
		d.owners = append(d.owners, d.owner[first:min(first+int32(width), end)]...)
		for missing := first + int32(width) - end; missing > 0; missing-- {
			d.owners = append(d.owners, None)
		}
	}
	return width
}
