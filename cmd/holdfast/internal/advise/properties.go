package advise

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
)

// parseProperties reads the lines of a Java properties file, as
// java.util.Properties does: #, ! and empty lines are nothing, an odd number of
// backslashes at the end continues a line, a key ends at =, : or white space.
// librdkafka's own files are a simpler case of it. Of a key that is there twice
// the last one counts.
func (c *Config) parseProperties(text []byte) ([]setting, error) {
	var settings []setting
	seen := map[string]int{}
	lines := splitLines(decode(text))
	for i := 0; i < len(lines); i++ {
		first := i + 1
		line := strings.TrimLeft(lines[i], " \t\f")
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		for continues(line) && i+1 < len(lines) {
			i++
			line = line[:len(line)-1] + strings.TrimLeft(lines[i], " \t\f")
		}
		if continues(line) { // the last line of the file
			line = line[:len(line)-1]
		}
		s, err := property(line)
		if err != nil {
			return nil, &groupfile.Error{File: c.File, Line: first, Key: s.key, Problem: err.Error()}
		}
		s.line = first
		if before, twice := seen[s.key]; twice {
			c.warn("key-twice: %s is on line %d and on line %d, which counts", s.key, before, first)
		}
		seen[s.key] = first
		settings = append(settings, s)
	}
	return settings, nil
}

// decode reads UTF-8, and ISO 8859-1 where it is not UTF-8: both are in use.
func decode(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = rune(b)
	}
	return string(runes)
}

func splitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
}

// continues reports whether a line goes on: it ends in a backslash that no other
// one escapes.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// property splits a line into key and value, both unescaped.
func property(line string) (setting, error) {
	end := len(line)
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++ // what follows is no separator
		} else if strings.IndexByte("=: \t\f", line[i]) >= 0 {
			end = i
			break
		}
	}
	rest := strings.TrimLeft(line[end:], " \t\f")
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], " \t\f")
	}
	key, err := unescape(line[:end])
	if err != nil {
		return setting{}, err
	}
	value, err := unescape(rest)
	return setting{key: key, value: value}, err
}

// escapeError is a \u that is not followed by four hexadecimal digits.
type escapeError struct{ text string }

func (e *escapeError) Error() string {
	return strconv.Quote(e.text) + ` is not \u and four hexadecimal digits`
}

func unescape(text string) (string, error) {
	if !strings.Contains(text, `\`) {
		return text, nil
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			code := text[i+1 : min(i+5, len(text))]
			n, err := strconv.ParseUint(code, 16, 16)
			if err != nil || len(code) < 4 {
				return "", &escapeError{text[i-1 : i+1+len(code)]}
			}
			b.WriteRune(rune(n))
			i += 4
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String(), nil
}
