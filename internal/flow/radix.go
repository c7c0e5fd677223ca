package flow

import "math/bits"

// radixHeap is a heap whose keys never go below the last one taken out. An entry
// is in the bucket of the highest bit in which its key differs from that one, so
// it changes buckets at most 64 times, always downwards.
type radixHeap struct {
	last    int64
	buckets [65][]radixEntry
}

type radixEntry struct {
	key  int64
	node int32
}

// clear empties the heap.
func (h *radixHeap) clear() {
	h.last = 0
	for b := range h.buckets {
		h.buckets[b] = h.buckets[b][:0]
	}
}

func (h *radixHeap) push(key int64, node int32) {
	b := bits.Len64(uint64(key ^ h.last))
	h.buckets[b] = append(h.buckets[b], radixEntry{key, node})
}

// pop takes out an entry with the least key.
func (h *radixHeap) pop() (key int64, node int32, ok bool) {
	b := 0
	for len(h.buckets[b]) == 0 {
		if b++; b == len(h.buckets) {
			return 0, 0, false
		}
	}
	if b > 0 {
		from := h.buckets[b]
		h.last = from[0].key
		for _, e := range from {
			h.last = min(h.last, e.key)
		}
		for _, e := range from {
			h.push(e.key, e.node)
		}
		h.buckets[b] = from[:0]
	}
	end := len(h.buckets[0]) - 1
	e := h.buckets[0][end]
	h.buckets[0] = h.buckets[0][:end]
	return e.key, e.node, true
}
