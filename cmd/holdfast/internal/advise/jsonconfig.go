package advise

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
)

// parseJSON reads one object whose keys are the client's. Numbers and booleans
// are taken as they are written; what is inside of lists and objects has nothing
// to do with assignment, but a list of strategies is taken as one.
func (c *Config) parseJSON(text []byte) ([]setting, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	line := func() int { return 1 + bytes.Count(text[:d.InputOffset()], []byte("\n")) }
	fail := func(key, format string, args ...any) error {
		return &groupfile.Error{File: c.File, Line: line(), Key: key,
			Problem: fmt.Sprintf(format, args...)}
	}
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, fail("", "not JSON with an object of settings")
	}
	var settings []setting
	seen := map[string]int{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fail("", "not JSON: %v", err)
		}
		key, ok := token.(string)
		if !ok {
			return nil, fail("", "%v where a key belongs", token)
		}
		s := setting{key: key, line: line()}
		var value any
		if err := d.Decode(&value); err != nil {
			return nil, fail(key, "not JSON: %v", err)
		}
		if s.value, ok = plainText(value); !ok {
			if key == keyStrategy || isOurs(key) {
				return nil, fail(key, "it is not a string or a number")
			}
			continue
		}
		if before, twice := seen[key]; twice {
			c.warn("key-twice: %s is on line %d and on line %d, which counts", key, before, s.line)
		}
		seen[key] = s.line
		settings = append(settings, s)
	}
	if _, err := d.Token(); err != nil {
		return nil, fail("", "not JSON: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fail("", "something follows the object of settings")
	}
	return settings, nil
}

// plainText is a value of JSON as a client's setting.
func plainText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// isOurs reports a key that has to do with assignment.
func isOurs(key string) bool {
	switch key {
	case keyStrategy, keySession, keyHeartbeat, keyPoll, keyInstance, keyRack, keyProtocol, keyRemote:
		return true
	}
	return false
}

// warn adds a warning to those of the file.
func (c *Config) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}
