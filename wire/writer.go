package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// writer appends to a byte slice. The first failure stays in err.
type writer struct {
	buf  []byte
	err  *EncodeError
	what string

	// flexible selects the compact encodings, as in reader.
	flexible bool
}

// done returns what was written, or dst as it was before.
func (w *writer) done(dst []byte) ([]byte, error) {
	if w.err != nil {
		return dst, w.err
	}
	return w.buf, nil
}

// version opens a value; newest is the newest version that is known.
func (w *writer) version(version, newest int16) {
	w.check(version, newest)
	w.int16(version)
}

func (w *writer) check(version, newest int16) {
	if version < 0 || version > newest {
		w.fail(ErrVersion, "version", fmt.Sprintf("%d, known are 0 to %d", version, newest))
	}
}

func (w *writer) fail(reason error, field, value string) {
	if w.err == nil {
		w.err = &EncodeError{Reason: reason, What: w.what, Field: field, Value: value}
	}
}

func (w *writer) int16(v int16) { w.buf = binary.BigEndian.AppendUint16(w.buf, uint16(v)) }
func (w *writer) int32(v int32) { w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(v)) }
func (w *writer) int64(v int64) { w.buf = binary.BigEndian.AppendUint64(w.buf, uint64(v)) }

// length writes a length; -1 stands for null. wide as in reader.length.
func (w *writer) length(field string, wide bool, n int) {
	limit := math.MaxInt32 - 1
	if !wide {
		limit = math.MaxInt16
	}
	switch {
	case n > limit:
		w.fail(ErrTooLong, field, fmt.Sprintf("%d, the most is %d", n, limit))
	case w.flexible:
		w.buf = binary.AppendUvarint(w.buf, uint64(n+1))
	case wide:
		w.int32(int32(n))
	default:
		w.int16(int16(n))
	}
}

func (w *writer) string(field, s string) {
	w.length(field, false, len(s))
	w.buf = append(w.buf, s...)
}

// nullableString writes the empty string as null.
func (w *writer) nullableString(field, s string) {
	if s == "" {
		w.length(field, false, -1)
		return
	}
	w.string(field, s)
}

// nullableBytes writes nil as null.
func (w *writer) nullableBytes(field string, b []byte) {
	if b == nil {
		w.length(field, true, -1)
		return
	}
	w.bytes(field, b)
}

func (w *writer) bytes(field string, b []byte) {
	w.length(field, true, len(b))
	w.buf = append(w.buf, b...)
}

// noTags closes a struct of a flexible version.
func (w *writer) noTags() {
	if w.flexible {
		w.buf = append(w.buf, 0)
	}
}
