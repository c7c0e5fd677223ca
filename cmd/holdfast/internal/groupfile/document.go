package groupfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The largest files that are read. YAML is limited more, because its tree costs
// tens of times its text; ranges and JSON are the way to say more.
const (
	MaxYAML = 64 << 20
	MaxJSON = 1 << 30
)

// document is the text of one file, or of one of the documents in a file.
type document struct {
	name  string
	src   []byte
	line  int // of its first byte in the file
	left  int // values that may still be visited, of a YAML file
	names map[string]string
}

// Source is the text of a group file and where it came from.
type Source struct {
	Name string // of the file, for errors
	Line int    // of its first byte; 0 counts as 1
	Text []byte
}

func isJSON(name string, text []byte) bool {
	for _, suffix := range []string{".json", ".jsonl", ".ndjson"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// open checks the text as text and returns its outermost value.
func open(s Source) (value, error) {
	doc := &document{name: s.Name, src: bytes.TrimPrefix(s.Text, []byte("\ufeff")),
		line: max(s.Line, 1), names: map[string]string{}}
	fail := func(at int, format string, args ...any) (value, error) {
		return value{}, &Error{File: doc.name, Line: doc.lineAt(at),
			Problem: fmt.Sprintf(format, args...)}
	}
	if at := invalidUTF8(doc.src); at >= 0 {
		return fail(at, "byte 0x%02x is not UTF-8", doc.src[at])
	}
	limit, hint := MaxYAML, "; JSON may have more"
	isJSON := isJSON(doc.name, doc.src)
	if isJSON {
		limit, hint = MaxJSON, ""
	}
	if len(doc.src) > limit {
		return value{}, tooLarge(doc.name, limit, hint)
	}
	if isJSON {
		return openJSON(doc)
	}
	return openYAML(doc)
}

func tooLarge(name string, limit int, hint string) *Error {
	return &Error{File: name, Problem: fmt.Sprintf("more than %d bytes%s", limit, hint)}
}

// invalidUTF8 returns the position of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
}

// lineAt counts lines; it is called for errors alone.
func (d *document) lineAt(at int) int {
	return d.line + bytes.Count(d.src[:min(at, len(d.src))], []byte("\n"))
}

// visit counts the values that are looked at and says whether to go on.
func (d *document) visit() bool {
	d.left--
	return d.left >= 0
}

// overrun is the error of a file that was not read to its end, because its
// aliases lead everywhere.
func (d *document) overrun() error {
	if d.left >= 0 {
		return nil
	}
	return &Error{File: d.name, Line: d.line,
		Problem: fmt.Sprintf("its aliases add more than %d values", freeVisits)}
}

// intern returns one copy of each name: a file names its topics again and again.
func (d *document) intern(s string) string {
	if known, ok := d.names[s]; ok {
		return known
	}
	if len(s) <= 255 {
		s = strings.Clone(s)
		d.names[s] = s
	}
	return s
}

func (d *document) internBytes(s []byte) string {
	if known, ok := d.names[string(s)]; ok {
		return known
	}
	return string(s)
}

func openYAML(doc *document) (value, error) {
	// Each value that is written takes a byte at least.
	doc.left = len(doc.src) + freeVisits
	decoder := yaml.NewDecoder(bytes.NewReader(doc.src))
	var first, second yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		return value{}, &Error{File: doc.name, Line: doc.line, Problem: "there is nothing in it"}
	case err != nil:
		return value{}, doc.yamlError(err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return value{}, doc.ofNode(&second).fail(
			"a second document begins here; --batch reads many")
	case !errors.Is(err, io.EOF):
		return value{}, doc.yamlError(err)
	}
	return doc.ofNode(&first), nil
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// yamlError takes the line out of an error of the YAML package.
func (d *document) yamlError(err error) error {
	text := err.Error()
	found := yamlLine.FindStringSubmatch(text)
	e := &Error{File: d.name, Line: d.line, Problem: "not YAML: " + text[len(found[0]):]}
	if n, err := strconv.Atoi(found[1]); err == nil {
		e.Line += n - 1
	}
	return e
}

// ofNode is a view of a node, or of what an alias stands for.
func (d *document) ofNode(n *yaml.Node) value {
	for {
		switch {
		case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
			n = n.Content[0]
		case n.Kind == yaml.AliasNode:
			n = n.Alias
		default:
			return value{doc: d, node: n}
		}
	}
}
