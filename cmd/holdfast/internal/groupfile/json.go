package groupfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
)

// openJSON checks the whole text with the standard library; after that, the
// views of it may take for granted that it is well formed.
func openJSON(doc *document) (value, error) {
	var raw json.RawMessage
	if err := json.Unmarshal(doc.src, &raw); err != nil {
		at := len(doc.src)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = max(0, int(syntax.Offset)-1)
		}
		return value{}, &Error{File: doc.name, Line: doc.lineAt(at),
			Problem: "not JSON, by whose rules it is read: " + err.Error()}
	}
	if at := loneSurrogate(doc.src); at >= 0 {
		return value{}, &Error{File: doc.name, Line: doc.lineAt(at),
			Problem: string(doc.src[at:at+6]) + " alone is not a character"}
	}
	at := doc.space(0)
	return value{doc: doc, at: at, end: doc.skip(at)}, nil
}

// loneSurrogate finds an escape that is half a character, or returns -1.
// encoding/json would replace it silently, and make different names equal.
func loneSurrogate(src []byte) int {
	if !bytes.Contains(src, []byte(`\u`)) {
		return -1
	}
	for i := 0; i+1 < len(src); i++ {
		if src[i] != '\\' {
			continue
		}
		if src[i+1] != 'u' {
			i++
			continue
		}
		switch unit := surrogate(src[i:]); {
		case unit == 'h' && surrogate(src[i+6:]) == 'l':
			i += 11
		case unit != 0:
			return i
		default:
			i += 5
		}
	}
	return -1
}

// surrogate tells the high and the low half of a pair, as 'h' and 'l', from all
// else.
func surrogate(src []byte) byte {
	if len(src) < 6 || src[0] != '\\' || src[1] != 'u' || src[2]|0x20 != 'd' {
		return 0
	}
	switch c := src[3] | 0x20; {
	case src[3] == '8', src[3] == '9', c == 'a', c == 'b':
		return 'h'
	case c >= 'c' && c <= 'f':
		return 'l'
	}
	return 0
}

// space returns the first position from i on that is not white space.
func (d *document) space(i int) int {
	for i < len(d.src) {
		switch d.src[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// skip returns where the value that begins at i ends.
func (d *document) skip(i int) int {
	switch d.src[i] {
	case '"':
		return d.skipString(i)
	case '{', '[':
		depth := 0
		for ; ; i++ {
			switch d.src[i] {
			case '"':
				i = d.skipString(i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(d.src) {
		switch d.src[i] {
		case ',', ']', '}', ' ', '\t', '\n', '\r':
			return i
		}
		i++
	}
	return i
}

func (d *document) skipString(i int) int {
	for i++; d.src[i] != '"'; i++ {
		if d.src[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// next returns the value at i or behind white space there, and what follows it
// and a comma.
func (d *document) next(i int) (v value, after int) {
	v = value{doc: d, at: d.space(i)}
	v.end = d.skip(v.at)
	after = d.space(v.end)
	if c := d.src[after]; c == ',' || c == ':' {
		after = d.space(after + 1)
	}
	return v, after
}

func (v value) jsonKind() kind {
	switch v.doc.src[v.at] {
	case '{':
		return mapping
	case '[':
		return list
	case 'n':
		return null
	}
	return scalar
}

func (v value) jsonText() string {
	text := v.doc.src[v.at:v.end]
	if text[0] != '"' {
		return string(text)
	}
	if bytes.IndexByte(text, '\\') < 0 {
		return v.doc.internBytes(text[1 : len(text)-1])
	}
	var s string
	// The text was checked when the file was opened.
	_ = json.Unmarshal(text, &s)
	return s
}

func (v value) jsonItems() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		d := v.doc
		for k, i := 0, d.space(v.at+1); d.src[i] != ']'; k++ {
			var item value
			item, i = d.next(i)
			if !yield(k, item) {
				return
			}
		}
	}
}

func (v value) jsonEntries() iter.Seq2[value, value] {
	return func(yield func(value, value) bool) {
		d := v.doc
		for i := d.space(v.at + 1); d.src[i] != '}'; {
			var key, val value
			key, i = d.next(i)
			val, i = d.next(i)
			if !yield(key, val) {
				return
			}
		}
	}
}
