package advise

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"go.yaml.in/yaml/v3"
)

// maxVisits bounds what the aliases of a YAML file expand to.
const maxVisits = 100_000

// flattener turns a tree of YAML into keys with dots, as Spring does.
type flattener struct {
	config   *Config
	settings []setting
	left     int
}

// parseYAML reads the documents of an application.yaml into dotted keys, in the
// order in which they count: a later document overrides an earlier one. Documents
// that only a profile activates are passed over with a warning.
func (c *Config) parseYAML(text []byte) ([]setting, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var all []setting
	for first := true; ; first = false {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			if first {
				return nil, &groupfile.Error{File: c.File, Line: 1, Problem: "there is nothing in it"}
			}
			return all, nil
		}
		if err != nil {
			return nil, c.yamlError(err)
		}
		f := flattener{config: c, left: maxVisits}
		if err := f.flatten("", &node, 0); err != nil {
			return nil, err
		}
		if on := f.profile(); on != nil {
			c.warn("profile-skipped: the document with %s (line %d) counts only under the profile %s",
				on.key, on.line, groupfile.Printable(on.value))
			continue
		}
		all = append(all, f.settings...)
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func (c *Config) yamlError(err error) error {
	text := err.Error()
	found := yamlLine.FindStringSubmatch(text)
	e := &groupfile.Error{File: c.File, Line: 1, Problem: "not YAML: " + text}
	if found != nil {
		e.Problem = "not YAML: " + text[len(found[0]):]
		if n, err := strconv.Atoi(found[1]); err == nil {
			e.Line = n
		}
	}
	return e
}

// profile is the setting that makes a document count under a profile alone.
func (f *flattener) profile() *setting {
	for i, s := range f.settings {
		if s.key == "spring.config.activate.on-profile" || s.key == "spring.profiles" {
			return &f.settings[i]
		}
	}
	return nil
}

// maxDepth bounds how deep a file nests.
const maxDepth = 100

func (f *flattener) flatten(prefix string, n *yaml.Node, depth int) error {
	fail := func(problem string) error {
		return &groupfile.Error{File: f.config.File, Line: n.Line, Key: prefix, Problem: problem}
	}
	if f.left--; f.left < 0 || depth > maxDepth {
		return fail("it nests, or its aliases expand, without end")
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return f.flatten(prefix, n.Content[0], depth)
	case yaml.AliasNode:
		return f.flatten(prefix, n.Alias, depth+1)
	case yaml.SequenceNode:
		if prefix == "" {
			return fail("a mapping of settings belongs here")
		}
		if i := strings.LastIndex(prefix, "properties."); strings.Contains(prefix, "kafka.") &&
			i >= 0 && isOurs(unbracket(prefix[i+len("properties."):])) {
			return fail("a list where a value belongs: Kafka's settings are text, with commas")
		}
		return nil
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if key != "<<" && prefix != "" {
				key = prefix + "." + key
			} else if key == "<<" {
				key = prefix
			}
			if err := f.flatten(key, n.Content[i+1], depth+1); err != nil {
				return err
			}
		}
		return nil
	case yaml.ScalarNode:
		if prefix == "" {
			return fail("a mapping of settings belongs here")
		}
		f.settings = append(f.settings, setting{key: prefix, value: n.Value, line: n.Line})
	}
	return nil
}

// unbracket takes the brackets away with which Spring marks a key that has dots
// in it: properties."[session.timeout.ms]" or properties[session.timeout.ms].
func unbracket(key string) string {
	return strings.NewReplacer(".[", ".", "[", ".", "]", "").Replace(key)
}

// unspring turns Spring's keys into those of the Java client, in the order in
// which Spring lets them count: spring.kafka.properties, then the named fields of
// spring.kafka.consumer, then spring.kafka.consumer.properties.
func (c *Config) unspring(settings []setting) ([]setting, error) {
	var common, fields, own []setting
	for _, s := range settings {
		value, known := placeholder(s.value)
		key := unbracket(s.key)
		rest, ok := strings.CutPrefix(key, "spring.kafka.")
		if !ok {
			continue
		}
		if name, mine := springKey(rest); !known && (name == keyInstance || name == keyRack) {
			value = s.value // each process fills in its own
		} else if !known {
			if mine {
				c.warn("placeholder: %s is %s, which only the application knows; it counts as not set",
					name, groupfile.Printable(s.value))
			}
			continue
		}
		s.value = value
		switch name, section := cutSection(rest); section {
		case "properties":
			s.key = name
			common = append(common, s)
		case "consumer.properties":
			s.key = name
			own = append(own, s)
		case "consumer":
			field, err := c.springField(name, s)
			if err != nil {
				return nil, err
			}
			fields = append(fields, field...)
		}
	}
	return append(append(common, fields...), own...), nil
}

// cutSection splits what follows spring.kafka into the section and the rest.
func cutSection(rest string) (name, section string) {
	for _, section := range []string{"consumer.properties", "properties", "consumer"} {
		if name, ok := strings.CutPrefix(rest, section+"."); ok {
			return name, section
		}
	}
	return rest, ""
}

// springKey is the client's key that a key of Spring stands for, if it has to do
// with assignment.
func springKey(rest string) (string, bool) {
	name, section := cutSection(rest)
	if section == "consumer" {
		key, ok := springFields[canonical(name)]
		return key, ok
	}
	return name, section != "" && isOurs(name)
}

// springFields are Spring's own names, in the form in which they compare.
var springFields = map[string]string{"heartbeatinterval": keyHeartbeat, "maxpollinterval": keyPoll}

// canonical is a name as Spring compares it: without dashes, in lower case.
func canonical(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// springField reads a named field; those that are about assignment are times.
func (c *Config) springField(name string, s setting) ([]setting, error) {
	key, ok := springFields[canonical(name)]
	if !ok {
		return nil, nil
	}
	d, ok := springDuration(strings.TrimSpace(s.value))
	if !ok {
		return nil, c.fail(s, "%q is not a duration, such as 3s, 3000 or PT3S", s.value)
	}
	return []setting{{key: key, value: strconv.FormatInt(d.Milliseconds(), 10), line: s.line}}, nil
}

var (
	simpleDuration = regexp.MustCompile(`^([+-]?\d{1,12})([a-zA-Z]{0,2})$`)
	isoDuration    = regexp.MustCompile(`^(?i)PT(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?$`)
)

// springDuration reads a number with a unit, milliseconds where it has none, or
// ISO 8601's form.
func springDuration(text string) (time.Duration, bool) {
	units := map[string]time.Duration{"": time.Millisecond, "ns": 1, "us": time.Microsecond,
		"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": 24 * time.Hour}
	if m := simpleDuration.FindStringSubmatch(text); m != nil {
		unit, ok := units[strings.ToLower(m[2])]
		n, err := strconv.ParseInt(m[1], 10, 64)
		if !ok || err != nil || n > int64(1<<62)/int64(unit) {
			return 0, false
		}
		return time.Duration(n) * unit, true
	}
	m := isoDuration.FindStringSubmatch(text)
	if m == nil || len(text) < 4 {
		return 0, false
	}
	var sum time.Duration
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		if m[i+1] != "" {
			n, err := strconv.ParseInt(m[i+1], 10, 32)
			if err != nil {
				return 0, false
			}
			sum += time.Duration(n) * unit
		}
	}
	return sum, true
}

var placeholders = regexp.MustCompile(`\$\{([^{}:]*)(:([^{}]*))?\}`)

// placeholder puts the defaults in for ${NAME:default}. It reports false where a
// name has none.
func placeholder(value string) (string, bool) {
	known := true
	value = placeholders.ReplaceAllStringFunc(value, func(p string) string {
		m := placeholders.FindStringSubmatch(p)
		if m[2] == "" {
			known = false
		}
		return m[3]
	})
	return value, known
}
