package groupfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is a group file, or a flag that stands for a part of one, that cannot be
// used.
type Error struct {
	File    string // as it was named; "" for a flag
	Line    int    // from 1; 0 where there is none
	Key     string // such as members[1].owned.orders; "" for the file itself
	Problem string // what is wrong, with the value
}

// Error returns file, line, key and problem on one line.
func (e *Error) Error() string {
	var text strings.Builder
	if e.File != "" {
		text.WriteString(Printable(e.File))
		if e.Line > 0 {
			fmt.Fprintf(&text, ":%d", e.Line)
		}
		text.WriteString(": ")
	}
	if e.Key != "" {
		text.WriteString(e.Key)
		text.WriteString(": ")
	}
	text.WriteString(e.Problem)
	return text.String()
}

// within says which key an error was found under. Other errors stay as they are.
func within(key string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Key == "":
		e.Key = key
	case e.Key[0] == '[':
		e.Key = key + e.Key
	default:
		e.Key = key + "." + e.Key
	}
	return e
}

// keyOf writes a name as a part of a key: as it is where that cannot be misread,
// else in brackets.
func keyOf(name string) string {
	plain := name != ""
	for i := 0; plain && i < len(name); i++ {
		c := name[i]
		plain = c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	if plain && len(name) <= longest {
		return name
	}
	return "[" + quoted(name) + "]"
}

// longest is how much of a value an error shows.
const longest = 60

// quoted shows a value of a file in an error: in quotes, control characters
// escaped, the middle of a long one left out.
func quoted(s string) string {
	if len(s) <= longest {
		return strconv.Quote(s)
	}
	head, tail := s[:longest/2], s[len(s)-longest/4:]
	for !utf8.ValidString(head) && len(head) > longest/4 {
		head = head[:len(head)-1]
	}
	for !utf8.ValidString(tail) && len(tail) > 0 {
		tail = tail[1:]
	}
	return strconv.Quote(head) + ".." + strconv.Quote(tail) +
		fmt.Sprintf(" (%d bytes)", len(s))
}

// Printable returns a name as it is where a terminal shows it as it is, else in
// quotes with what would not be seen, or would do something, escaped.
func Printable(name string) string {
	if name == "" || name[0] == '"' || strings.TrimSpace(name) != name ||
		!utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	for _, r := range name {
		if !strconv.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}
