package groupfile

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// value is a view of one value of a file. It holds no copy: what a list or a
// mapping has inside is looked at when it is asked for, so that a file costs
// little more than its own bytes.
type value struct {
	doc     *document
	node    *yaml.Node // of a YAML file
	at, end int        // of a JSON file: its text is doc.src[at:end]
}

type kind uint8

const (
	null kind = iota
	scalar
	list
	mapping
)

// freeVisits is how many values the aliases of a file may add to its own. A few
// lines of nested aliases could otherwise stand for any number.
const freeVisits = 1_000_000

func (v value) kind() kind {
	if v.node == nil {
		return v.jsonKind()
	}
	switch v.node.Kind {
	case yaml.SequenceNode:
		return list
	case yaml.MappingNode:
		return mapping
	}
	if v.node.ShortTag() == "!!null" {
		return null
	}
	return scalar
}

// absent reports a YAML null that is not even written, as after "owned:".
func (v value) absent() bool {
	return v.node != nil && v.kind() == null && v.node.Value == ""
}

// line is where the value begins.
func (v value) line() int {
	if v.node == nil {
		return v.doc.lineAt(v.at)
	}
	return v.doc.line + max(v.node.Line, 1) - 1
}

// text is what a scalar says: a string's characters, anything else as written.
func (v value) text() string {
	if v.node == nil {
		return v.jsonText()
	}
	return v.node.Value
}

// isString reports whether a scalar is a string, whatever it looks like.
func (v value) isString() bool {
	if v.node == nil {
		return v.doc.src[v.at] == '"'
	}
	return v.node.ShortTag() == "!!str"
}

// items goes through a list.
func (v value) items() iter.Seq2[int, value] {
	if v.node == nil {
		return v.jsonItems()
	}
	return func(yield func(int, value) bool) {
		for i, n := range v.node.Content {
			if !v.doc.visit() || !yield(i, v.doc.ofNode(n)) {
				return
			}
		}
	}
}

// entries goes through the keys and values of a mapping.
func (v value) entries() iter.Seq2[value, value] {
	if v.node == nil {
		return v.jsonEntries()
	}
	return func(yield func(value, value) bool) {
		content := v.node.Content
		for i := 0; i+1 < len(content); i += 2 {
			if !v.doc.visit() || !yield(v.doc.ofNode(content[i]), v.doc.ofNode(content[i+1])) {
				return
			}
		}
	}
}

// String shows the value in an error.
func (v value) String() string {
	switch v.kind() {
	case null:
		return "null"
	case list:
		return "a list"
	case mapping:
		return "a mapping"
	}
	if text := v.text(); v.isString() || len(text) > longest || Printable(text) != text {
		return quoted(text)
	}
	return v.text()
}

// fail returns the error that something is wrong with the value.
func (v value) fail(format string, args ...any) *Error {
	return &Error{File: v.doc.name, Line: v.line(), Problem: fmt.Sprintf(format, args...)}
}

// integer reads a number without fraction. What is too large for an int64 comes
// back as the nearest int64.
func (v value) integer() (n int64, ok bool) {
	switch {
	case v.kind() != scalar || v.isString():
		return 0, false
	case v.node == nil:
		return wholeNumber(v.doc.src[v.at:v.end])
	}
	return wholeNumber(v.node.Value)
}

// wholeNumber reads decimal digits with an optional minus. A leading zero is
// refused: it means octal to some readers.
func wholeNumber[T string | []byte](text T) (n int64, ok bool) {
	digits := text
	if len(text) > 0 && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		digit := int64(digits[i] - '0')
		if n > (math.MaxInt64-digit)/10 {
			n = math.MaxInt64 // and stays there
			continue
		}
		n = 10*n + digit
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}

// int32 reads a number that the protocol carries as an int32.
func (v value) int32(what string) (int32, error) {
	n, ok := v.integer()
	switch {
	case !ok:
		return 0, v.fail("%v is not %s", v, what)
	case n < math.MinInt32 || n > math.MaxInt32:
		return 0, v.fail("%v does not fit an int32", v)
	}
	return int32(n), nil
}

// float reads a finite number.
func (v value) float(what string) (float64, error) {
	if v.kind() != scalar || v.isString() {
		return 0, v.fail("%v is not %s", v, what)
	}
	text := v.text()
	switch strings.TrimLeft(strings.ToLower(text), "+-") {
	case ".inf", ".nan":
		return 0, v.fail("%s is not a finite number", text)
	}
	if strings.Trim(text, "0123456789.+-eE") != "" {
		return 0, v.fail("%v is not %s", v, what)
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsInf(f, 0):
		return 0, v.fail("%s is not a finite number", text)
	case err != nil:
		return 0, v.fail("%v is not %s", v, what)
	}
	return f, nil
}

// name reads an id or a topic, which must say something. Numbers and the like
// are taken as they are written.
func (v value) name(what string) (string, error) {
	if k := v.kind(); k == list || k == mapping {
		return "", v.fail("%v is not %s", v, what)
	}
	if v.kind() == null || v.text() == "" {
		return "", v.fail("%v is not %s: it is empty", v.shown(), what)
	}
	return v.doc.intern(v.text()), nil
}

// shown is how an empty name looks in an error.
func (v value) shown() string {
	if v.kind() == null {
		return "null"
	}
	return `""`
}

// fields reads a mapping whose keys are fixed. A key that is ignored, or whose
// value is null, is left out.
func (v value) fields(known, ignored []string) (map[string]value, error) {
	if v.kind() != mapping {
		return nil, v.fail("%v where a mapping belongs (%s, ..)", v, known[0])
	}
	found := make(map[string]value, len(known))
	seen := make(map[string]value, len(known))
	for key, val := range v.entries() {
		name := key.text()
		first, twice := seen[name]
		switch {
		case key.kind() != scalar:
			return nil, key.fail("%v is not a key", key)
		case twice:
			return nil, within(keyOf(name),
				key.fail("the key is there twice (first on line %d)", first.line()))
		case slices.Contains(known, name):
			if val.kind() != null {
				found[name] = val
			}
		case !slices.Contains(ignored, name):
			return nil, within(keyOf(name),
				key.fail("unknown key (known here: %s)", strings.Join(known, ", ")))
		}
		seen[name] = key
	}
	return found, nil
}
