package flow

import (
	"math/bits"
	"slices"
)

// bitmap is a matrix of bits of which only the words that are not zero are
// stored. Where most bits are set it takes little more than a bit for each, where
// few are it takes twelve bytes for each; and 64 columns can be tried at once.
type bitmap struct {
	start []int32  // row r has the words start[r] to start[r+1]-1
	index []int32  // which 64 columns each word is
	words []uint64 // column 64*index+i is bit i
}

// transposed returns the matrix with rows and columns exchanged; columns is the
// number of columns of b.
func (b *bitmap) transposed(columns int32) bitmap {
	t := newBitmap(columns)
	for r := range int32(len(b.start) - 1) {
		for w := b.start[r]; w < b.start[r+1]; w++ {
			for x := b.words[w]; x != 0; x &= x - 1 {
				t.count(b.index[w]<<6+int32(bits.TrailingZeros64(x)), r)
			}
		}
	}
	t.allocate()
	for r := range int32(len(b.start) - 1) {
		for w := b.start[r]; w < b.start[r+1]; w++ {
			for x := b.words[w]; x != 0; x &= x - 1 {
				t.add(b.index[w]<<6+int32(bits.TrailingZeros64(x)), r)
			}
		}
	}
	return t.bitmap
}

// bitmapBuilder builds a bitmap in two passes: count is called for every bit,
// then, after allocate, add for the same bits. The columns of a row come in
// ascending order in both.
type bitmapBuilder struct {
	bitmap
	last []int32 // of each row: the index of its last word, then where that is
}

func newBitmap(rows int32) *bitmapBuilder {
	b := &bitmapBuilder{bitmap{start: make([]int32, rows+1)}, make([]int32, rows)}
	for r := range b.last {
		b.last[r] = None
	}
	return b
}

func (b *bitmapBuilder) count(r, column int32) {
	if b.last[r] != column>>6 {
		b.last[r] = column >> 6
		b.start[r+1]++
	}
}

func (b *bitmapBuilder) allocate() {
	for r := range b.last {
		b.last[r] = b.start[r] - 1
		b.start[r+1] += b.start[r]
	}
	total := b.start[len(b.last)]
	b.index = make([]int32, total)
	b.words = make([]uint64, total)
}

func (b *bitmapBuilder) add(r, column int32) {
	w := b.last[r]
	if w < b.start[r] || b.index[w] != column>>6 {
		w++
		b.last[r] = w
		b.index[w] = column >> 6
	}
	b.words[w] |= 1 << (column & 63)
}

// row returns the words of row r and which they are.
func (b *bitmap) row(r int32) (index []int32, words []uint64) {
	return b.index[b.start[r]:b.start[r+1]], b.words[b.start[r]:b.start[r+1]]
}

// equal reports whether two rows are the same.
func (b *bitmap) equal(r, s int32) bool {
	index, words := b.row(r)
	index2, words2 := b.row(s)
	return slices.Equal(index, index2) && slices.Equal(words, words2)
}

// has reports whether the bit is set.
func (b *bitmap) has(r, column int32) bool {
	first, end := b.start[r], b.start[r+1]
	i := column >> 6
	w := first + i // right where no word is left out
	if w >= end || b.index[w] != i {
		k, _ := slices.BinarySearch(b.index[first:end], i)
		w = first + int32(k)
	}
	return w < end && b.index[w] == i && b.words[w]>>(column&63)&1 == 1
}

// keepEqual clears the bits where the row's group is not the column's.
func (b *bitmap) keepEqual(ofRow, ofColumn []int32, groups int32) {
	rowAt, rows := group(ofRow, groups)
	columnAt, columns := group(ofColumn, groups)
	mine := newSet(int32(len(ofColumn)))
	for g := range groups {
		for _, c := range columns[columnAt[g]:columnAt[g+1]] {
			mine.add(c)
		}
		for _, r := range rows[rowAt[g]:rowAt[g+1]] {
			for w := b.start[r]; w < b.start[r+1]; w++ {
				b.words[w] &= mine[b.index[w]]
			}
		}
		for _, c := range columns[columnAt[g]:columnAt[g+1]] {
			mine.remove(c)
		}
	}
}

// set is a set of small numbers.
type set []uint64

func newSet(size int32) set { return make(set, (size+63)>>6) }

func (s set) add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s set) remove(i int32)   { s[i>>6] &^= 1 << (i & 63) }
func (s set) has(i int32) bool { return s[i>>6]>>(i&63)&1 == 1 }

// fill makes s the set of all numbers below size.
func (s set) fill(size int32) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	if size&63 != 0 {
		s[len(s)-1] = 1<<(size&63) - 1
	}
}
