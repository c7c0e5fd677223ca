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

// line is one row of a bitmap while it is put together, word by word.
type line struct {
	words   []uint64
	touched []int32 // the words that are not zero, each once
}

func newLine(columns int32) *line { return &line{words: make([]uint64, (columns+63)>>6)} }

// add sets a bit.
func (l *line) add(column int32) {
	w := &l.words[column>>6]
	if *w == 0 {
		l.touched = append(l.touched, column>>6)
	}
	*w |= 1 << (column & 63)
}

// count is how many bits are set.
func (l *line) count() int {
	n := 0
	for _, i := range l.touched {
		n += bits.OnesCount64(l.words[i])
	}
	return n
}

func (l *line) clear() {
	for _, i := range l.touched {
		l.words[i] = 0
	}
	l.touched = l.touched[:0]
}

// append adds a row to the bitmap.
func (b *bitmap) append(l *line) {
	if !slices.IsSorted(l.touched) {
		slices.Sort(l.touched)
	}
	for _, i := range l.touched {
		b.index = append(b.index, i)
		b.words = append(b.words, l.words[i])
	}
	b.start = append(b.start, int32(len(b.index)))
}

// transposed returns the matrix with rows and columns exchanged; columns is the
// number of columns of b. It works on squares of 64 rows and 64 columns.
func (b *bitmap) transposed(columns int32) bitmap {
	t := transposition{
		bitmap: b,
		square: make([]int32, (columns+63)>>6),
	}
	rows := int32(len(b.start) - 1)
	for first := int32(0); first < rows; first += 64 {
		t.gather(first, min(first+64, rows))
		for s, i := range t.touched {
			t.turn(t.squares[64*s:64*s+64], i<<6, first>>6)
			t.square[i] = 0
		}
		t.touched = t.touched[:0]
	}
	var out bitmap
	start, order := group(t.column, columns)
	out.start = start
	out.index = make([]int32, len(order))
	out.words = make([]uint64, len(order))
	for i, j := range order {
		out.index[i], out.words[i] = t.index[j], t.words[j]
	}
	return out
}

// transposition is the scratch space of transposed.
type transposition struct {
	*bitmap
	square  []int32  // of each 64 columns: the number of their square, from 1 on
	touched []int32  // of each square: which 64 columns it is
	squares []uint64 // 64 words each
	// The result, in the order in which it is found.
	column, index []int32
	words         []uint64
}

// gather copies the words of up to 64 rows into their squares.
func (t *transposition) gather(first, end int32) {
	for r := first; r < end; r++ {
		index, words := t.row(r)
		for w, i := range index {
			if t.square[i] == 0 {
				t.touched = append(t.touched, i)
				t.square[i] = int32(len(t.touched))
				if len(t.squares) < 64*len(t.touched) {
					t.squares = append(t.squares, make([]uint64, 64)...)
				}
			}
			t.squares[64*(t.square[i]-1)+r-first] = words[w]
		}
	}
}

// turn transposes one square, adds its rows to the result, and clears it.
func (t *transposition) turn(square []uint64, column, index int32) {
	all := uint64(0) // the columns in use
	count := 0
	for _, x := range square {
		all |= x
		count += bits.OnesCount64(x)
	}
	if count <= 64 {
		t.turnSparse(square, all, column, index)
	} else {
		turnDense((*[64]uint64)(square))
		for c, x := range square {
			if x != 0 {
				t.column = append(t.column, column+int32(c))
				t.index = append(t.index, index)
				t.words = append(t.words, x)
			}
		}
	}
	clear(square)
}

func (t *transposition) turnSparse(square []uint64, all uint64, column, index int32) {
	var turned [64]uint64
	for r, x := range square {
		for ; x != 0; x &= x - 1 {
			turned[bits.TrailingZeros64(x)] |= 1 << r
		}
	}
	for ; all != 0; all &= all - 1 {
		c := bits.TrailingZeros64(all)
		t.column = append(t.column, column+int32(c))
		t.index = append(t.index, index)
		t.words = append(t.words, turned[c])
	}
}

// turnDense transposes 64 by 64 bits by exchanging ever smaller quarters.
func turnDense(a *[64]uint64) {
	mask := uint64(1<<32 - 1)
	for j := 32; j != 0; j >>= 1 {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			x := (a[k]>>j ^ a[k+j]) & mask
			a[k] ^= x << j
			a[k+j] ^= x
		}
		mask ^= mask << (j >> 1)
	}
}

// row returns the words of row r and which they are.
func (b *bitmap) row(r int32) (index []int32, words []uint64) {
	return b.index[b.start[r]:b.start[r+1]], b.words[b.start[r]:b.start[r+1]]
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

// choice reports whether some row has more than one bit.
func (b *bitmap) choice() bool {
	for r := range int32(len(b.start) - 1) {
		n := 0
		for _, x := range b.words[b.start[r]:b.start[r+1]] {
			n += bits.OnesCount64(x)
		}
		if n > 1 {
			return true
		}
	}
	return false
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

func (s set) add(i int32)    { s[i>>6] |= 1 << (i & 63) }
func (s set) remove(i int32) { s[i>>6] &^= 1 << (i & 63) }

// fill makes s the set of all numbers below size.
func (s set) fill(size int32) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	if size&63 != 0 {
		s[len(s)-1] = 1<<(size&63) - 1
	}
}
