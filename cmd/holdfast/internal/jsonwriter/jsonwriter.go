// Package jsonwriter writes JSON as it comes, so that an answer of hundreds of
// megabytes needs no memory. Keys appear in the order in which they are written:
// the caller sees to it that equal input gives equal bytes.
package jsonwriter

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Writer writes one JSON value. Commas, colons and line breaks come by
// themselves. Containers down to the depth Lines have one entry a line.
type Writer struct {
	Lines int

	out    *bufio.Writer
	depth  int
	filled []bool // per open container: it has an entry
	key    bool   // a key was just written
	buf    []byte
}

// New returns a Writer with a buffer in front of out. Flush ends it.
func New(out io.Writer, lines int) *Writer {
	return &Writer{Lines: lines, out: bufio.NewWriterSize(out, 64<<10)}
}

// Flush writes what is still in the buffer and returns the first error of all.
func (w *Writer) Flush() error { return w.out.Flush() }

// Newline ends a line between values.
func (w *Writer) Newline() { w.put("\n") }

// put and putBytes leave errors to Flush: a bufio.Writer keeps the first one.
func (w *Writer) put(s string)      { _, _ = w.out.WriteString(s) }
func (w *Writer) putBytes(b []byte) { _, _ = w.out.Write(b) }

// entry writes what stands between this entry and the one before.
func (w *Writer) entry() {
	if w.key {
		w.key = false
		return
	}
	if w.depth == 0 {
		return
	}
	filled := &w.filled[w.depth-1]
	if *filled {
		w.put(",")
	}
	w.gap(*filled)
	*filled = true
}

func (w *Writer) gap(space bool) {
	switch {
	case w.depth <= w.Lines:
		w.put("\n")
		for range w.depth {
			w.put("  ")
		}
	case space:
		w.put(" ")
	}
}

func (w *Writer) open(bracket string) {
	w.entry()
	w.put(bracket)
	w.depth++
	w.filled = append(w.filled[:w.depth-1], false)
}

func (w *Writer) close(bracket string) {
	filled := w.filled[w.depth-1]
	w.depth--
	if filled && w.depth < w.Lines {
		w.put("\n")
		for range w.depth {
			w.put("  ")
		}
	}
	w.put(bracket)
}

// Object writes an object whose keys and values body writes.
func (w *Writer) Object(body func()) {
	w.open("{")
	body()
	w.close("}")
}

// Array writes an array whose values body writes.
func (w *Writer) Array(body func()) {
	w.open("[")
	body()
	w.close("]")
}

// Flat keeps what body writes on one line.
func (w *Writer) Flat(body func()) {
	lines := w.Lines
	w.Lines = 0
	body()
	w.Lines = lines
}

// Key writes the key of the value that comes next.
func (w *Writer) Key(name string) {
	w.entry()
	w.quote(name)
	w.put(": ")
	w.key = true
}

// String writes a string.
func (w *Writer) String(s string) {
	w.entry()
	w.quote(s)
}

// quote writes a string as it is where JSON allows that. Bytes that are not UTF-8,
// which JSON cannot hold, become the four characters \xff.
func (w *Writer) quote(s string) {
	plain := true
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && s[i] < utf8.RuneSelf
	}
	if plain {
		w.put(`"`)
		w.put(s)
		w.put(`"`)
		return
	}
	if !utf8.ValidString(s) {
		s = escapeInvalid(s)
	}
	// A string always has a JSON form.
	text, _ := json.Marshal(s)
	w.putBytes(text)
}

func escapeInvalid(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Int writes a whole number.
func (w *Writer) Int(n int64) {
	w.entry()
	w.buf = strconv.AppendInt(w.buf[:0], n, 10)
	w.putBytes(w.buf)
}

// Float writes a finite number in the shortest form that reads back the same,
// and null for one that is not finite.
func (w *Writer) Float(f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		w.Null()
		return
	}
	w.entry()
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	w.buf = strconv.AppendFloat(w.buf[:0], f, form, -1, 64)
	w.putBytes(w.buf)
}

// Bool writes true or false.
func (w *Writer) Bool(b bool) {
	w.entry()
	w.put(strconv.FormatBool(b))
}

// Null writes null.
func (w *Writer) Null() {
	w.entry()
	w.put("null")
}

// StringOrNull writes a string, and null for the empty one.
func (w *Writer) StringOrNull(s string) {
	if s == "" {
		w.Null()
		return
	}
	w.String(s)
}

// Ints writes a list of whole numbers on one line, without spaces.
func (w *Writer) Ints(list []int32) {
	w.entry()
	w.put("[")
	for i, n := range list {
		w.buf = w.buf[:0]
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = strconv.AppendInt(w.buf, int64(n), 10)
		w.putBytes(w.buf)
	}
	w.put("]")
}

// Strings writes a list of strings on one line.
func (w *Writer) Strings(list []string) {
	w.Flat(func() {
		w.Array(func() {
			for _, s := range list {
				w.String(s)
			}
		})
	})
}
