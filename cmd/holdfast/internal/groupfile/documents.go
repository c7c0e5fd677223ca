package groupfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Documents splits a stream into its documents: YAML documents between lines of
// ---, or, where the stream begins with { or [ or is named .json, one document a
// line. The stream is cut by its lines alone, so that a document that cannot be
// read does not touch the others.
type Documents struct {
	name    string
	in      *bufio.Reader
	line    int    // of the next line that is read
	lines   bool   // each line is a document
	begun   bool   // the kind of the stream is known
	opened  bool   // a --- stands before the present document
	pending []byte // what stands behind that ---
}

// NewDocuments returns the documents of a stream; name is that of the file.
func NewDocuments(name string, in io.Reader) *Documents {
	return &Documents{name: name, in: bufio.NewReaderSize(in, 64<<10), line: 1,
		lines: isJSON(name, nil)}
}

// Next returns the next document, or io.EOF. An *[Error] stands for one document
// that is too large; any other error ends the stream.
func (d *Documents) Next() (Source, error) {
	doc := gathered{Source: Source{Name: d.name, Line: d.line, Text: d.pending}}
	if d.pending != nil {
		doc.Line--
		d.pending = nil
	}
	for {
		line, err := d.readLine(&doc)
		if errors.Is(err, io.EOF) && doc.empty() {
			return doc.Source, io.EOF
		}
		if errors.Is(err, io.EOF) {
			return doc.done()
		}
		if err != nil {
			return doc.Source, err
		}
		d.lookAt(line)
		rest, isStart := startOf(line)
		switch {
		case isStart:
			returns := d.opened || !doc.empty()
			d.opened, d.lines, d.pending = true, false, rest
			if returns {
				return doc.done()
			}
			doc = gathered{Source: Source{Name: d.name, Line: d.line - 1, Text: rest}}
			d.pending = nil
		case isEnd(line) && !d.lines:
			d.opened = false
			if !doc.empty() {
				return doc.done()
			}
			doc.add([]byte("\n")) // in its place, for the line numbers behind it
		case d.lines && len(bytes.TrimSpace(line)) == 0 && !doc.large:
			doc.Line = d.line
		default:
			doc.add(line)
			if d.lines {
				return doc.done()
			}
		}
	}
}

// lookAt finds out from the first line with something on it what the stream is.
func (d *Documents) lookAt(line []byte) {
	if !d.begun && len(bytes.TrimSpace(line)) > 0 {
		d.begun = true
		d.lines = isJSON(d.name, bytes.TrimPrefix(line, []byte("\ufeff")))
	}
}

// readLine reads a line with its end. Of one that is longer than any document
// may be, the rest is dropped.
func (d *Documents) readLine(doc *gathered) ([]byte, error) {
	var line []byte
	for {
		part, err := d.in.ReadSlice('\n')
		if len(line)+len(part) > MaxJSON {
			doc.large = true
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			d.line++
			return line, nil
		case err == nil:
			d.line++
		}
		return line, err
	}
}

// gathered is a document on its way.
type gathered struct {
	Source
	large bool
}

func (g *gathered) add(line []byte) {
	g.large = g.large || len(g.Text)+len(line) > MaxJSON
	if !g.large {
		g.Text = append(g.Text, line...)
	}
}

// empty reports whether there is nothing but white space, comments and
// directives.
func (g *gathered) empty() bool {
	if g.large {
		return false
	}
	for line := range bytes.Lines(g.Text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return false
		}
	}
	return true
}

func (g *gathered) done() (Source, error) {
	if g.large {
		return g.Source, tooLarge(g.Name, MaxJSON, "")
	}
	return g.Source, nil
}

// startOf reports whether the line is a --- with or without something behind it,
// which then comes back in its place.
func startOf(line []byte) (rest []byte, ok bool) {
	if !bytes.HasPrefix(line, []byte("---")) || len(line) > 3 && !isSpace(line[3]) {
		return nil, false
	}
	return append([]byte("   "), line[3:]...), true
}

func isEnd(line []byte) bool {
	return bytes.HasPrefix(line, []byte("...")) && len(bytes.TrimSpace(line)) == 3
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// Read returns the whole of one file as a source.
func Read(name string, in io.Reader) (Source, error) {
	text, err := io.ReadAll(io.LimitReader(in, MaxJSON+1))
	if err == nil && len(text) > MaxJSON {
		err = tooLarge(name, MaxJSON, "")
	}
	return Source{Name: name, Text: text}, err
}
