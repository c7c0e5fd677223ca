package wire

import (
	"encoding/binary"
	"fmt"
)

// reader walks over bytes. The first failure stays in err, and every read after
// it returns a zero value, so that a caller checks once for a row of fields.
type reader struct {
	data []byte
	at   int
	err  *DecodeError
	what string

	// flexible selects the compact encodings of KIP-482: lengths are unsigned
	// varints of n+1, 0 is null, and each struct ends with tagged fields.
	flexible bool
}

func (r *reader) left() int { return len(r.data) - r.at }

// fail records the first failure; at is where the field begins.
func (r *reader) fail(reason error, field string, at int, format string, args ...any) {
	if r.err == nil {
		r.err = &DecodeError{Reason: reason, What: r.what, Field: field, Offset: at,
			Value: fmt.Sprintf(format, args...)}
	}
	r.at = len(r.data)
}

// take returns the next n bytes, n being one of the fixed sizes.
func (r *reader) take(n int, field string) []byte {
	if n > r.left() {
		r.fail(ErrTruncated, field, r.at, "bytes needed: %d, left: %d", n, r.left())
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at : r.at]
}

func (r *reader) int16(field string) int16 {
	if b := r.take(2, field); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) int32(field string) int32 {
	if b := r.take(4, field); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (r *reader) int64(field string) int64 {
	if b := r.take(8, field); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// version reads the number that opens everything but user data. Negative ones
// do not exist; what comes after one cannot be guessed.
func (r *reader) version() int16 {
	v := r.int16("version")
	if v < 0 {
		r.fail(ErrVersion, "version", 0, "%d", v)
	}
	return v
}

// uvarint reads an unsigned varint of at most 32 bits.
func (r *reader) uvarint(field string) uint32 {
	start := r.at
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.take(1, field)
		if b == nil {
			return 0
		}
		v |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			if v > 1<<32-1 {
				break
			}
			return uint32(v)
		}
	}
	r.fail(ErrLength, field, start, "a varint of more than 32 bits")
	return 0
}

// length reads the length of a string, byte slice or array; -1 stands for null.
// wide selects the 32-bit length of the old encodings. What it returns never
// exceeds the bytes left divided by size, the least that one element takes.
func (r *reader) length(field string, wide bool, size int) int {
	start := r.at
	n := 0
	switch {
	case r.flexible:
		n = int(r.uvarint(field)) - 1
	case wide:
		n = int(r.int32(field))
	default:
		n = int(r.int16(field))
	}
	switch {
	case r.err != nil:
		return 0
	case n < -1:
		r.fail(ErrLength, field, start, "%d is negative", n)
		return 0
	case n > r.left()/size:
		r.fail(ErrTruncated, field, start, "length %d, bytes left: %d", n, r.left())
		return 0
	}
	return n
}

// count reads the number of elements of an array that may not be null.
func (r *reader) count(field string, size int) int {
	start := r.at
	n := r.length(field, true, size)
	if n < 0 {
		r.fail(ErrLength, field, start, "null is not allowed")
		return 0
	}
	return n
}

// span reads a string or byte slice and returns its bytes, nil for null.
func (r *reader) span(field string, wide, nullable bool) []byte {
	start := r.at
	n := r.length(field, wide, 1)
	if n < 0 && !nullable {
		r.fail(ErrLength, field, start, "null is not allowed")
	}
	if n < 0 || r.err != nil {
		return nil
	}
	return r.take(n, field)
}

// name reads a string that may not be null and returns its bytes.
func (r *reader) name(field string) []byte { return r.span(field, false, false) }

// nullableString reads a string; null is the empty one.
func (r *reader) nullableString(field string) string {
	return string(r.span(field, false, true))
}

// tags skips a struct's tagged fields. Their meaning is not known, and the rule
// of KIP-482 is that a reader passes over what it does not know.
func (r *reader) tags(field string) {
	if !r.flexible {
		return
	}
	for n := r.uvarint(field); n > 0 && r.err == nil; n-- {
		r.uvarint(field)
		size := uint64(r.uvarint(field))
		if size > uint64(r.left()) {
			r.fail(ErrTruncated, field, r.at, "length %d, bytes left: %d", size, r.left())
			return
		}
		r.at += int(size)
	}
}
