package advise

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
)

// Client says whose settings a file has.
type Client string

// The clients whose settings are read.
const (
	Java       Client = "java"
	Spring     Client = "spring"
	Librdkafka Client = "librdkafka"
)

// Clients lists them in the order in which they are shown.
func Clients() []Client { return []Client{Java, Spring, Librdkafka} }

// maxConfig bounds the file: nobody configures a client in a megabyte.
const maxConfig = 1 << 20

// The keys of Kafka's clients that have to do with assignment.
const (
	keyStrategy  = "partition.assignment.strategy"
	keySession   = "session.timeout.ms"
	keyHeartbeat = "heartbeat.interval.ms"
	keyPoll      = "max.poll.interval.ms"
	keyInstance  = "group.instance.id"
	keyRack      = "client.rack"
	keyProtocol  = "group.protocol"
	keyRemote    = "group.remote.assignor"
)

// What a client does that is told nothing: the same for Java and librdkafka.
const (
	defaultSession   = 45 * time.Second
	defaultHeartbeat = 3 * time.Second
	defaultPoll      = 5 * time.Minute
)

// setting is one key and its value, as the client would see them.
type setting struct {
	key, value string
	line       int
}

// Config is what a client's configuration says about assignment.
type Config struct {
	File   string
	Client Client

	// Listed is partition.assignment.strategy as written, entry by entry, and nil
	// where it is not set; Strategies has the names that go over the wire, those of
	// the client's default where it is not set.
	Listed, Strategies []string

	// The timeouts, those of the client's default where they are not set.
	Session, Heartbeat, Poll time.Duration

	InstanceID, Rack string
	// Consumer reports group.protocol=consumer (KIP-848): the broker assigns.
	Consumer bool

	// Warnings are oddities that are no errors, each "id: what".
	Warnings []string

	set map[string]setting
}

// has reports whether the file sets a key.
func (c *Config) has(key string) bool {
	_, ok := c.set[key]
	return ok
}

// where names the file and line of a key that is set.
func (c *Config) where(key string) string {
	return fmt.Sprintf("%s:%d", groupfile.Printable(c.File), c.set[key].line)
}

// fail returns the error that a key's value cannot be used.
func (c *Config) fail(s setting, format string, args ...any) error {
	return &groupfile.Error{File: c.File, Line: s.line, Key: s.key,
		Problem: fmt.Sprintf(format, args...)}
}

// ParseConfig reads a client's configuration: properties or JSON of Kafka's Java
// client or librdkafka, or YAML or properties of a Spring application. Where
// client is "" the file tells whose it is. Keys that have nothing to do with
// assignment are passed over. The error is a *groupfile.Error.
func ParseConfig(source groupfile.Source, client Client) (*Config, error) {
	if len(source.Text) > maxConfig {
		return nil, &groupfile.Error{File: source.Name,
			Problem: fmt.Sprintf("more than %d bytes", maxConfig)}
	}
	c := &Config{File: source.Name, set: map[string]setting{}}
	text := bytes.TrimPrefix(source.Text, []byte("\ufeff"))
	form := formOf(source.Name, text)
	var settings []setting
	var err error
	switch form {
	case formYAML:
		settings, err = c.parseYAML(text)
	case formJSON:
		settings, err = c.parseJSON(text)
	default:
		settings, err = c.parseProperties(text)
	}
	if err != nil {
		return nil, err
	}
	c.Client = client
	if client == "" {
		c.Client = guess(form, settings)
	}
	if c.Client == Spring {
		if settings, err = c.unspring(settings); err != nil {
			return nil, err
		}
	} else if form == formYAML {
		return nil, &groupfile.Error{File: c.File, Line: 1,
			Problem: fmt.Sprintf("YAML, which %s does not read (properties or JSON do)", c.Client)}
	}
	for _, s := range settings {
		c.set[s.key] = s
	}
	return c, c.interpret()
}

type form int

const (
	formProperties form = iota
	formJSON
	formYAML
)

// formOf tells how a file is written by its name, else by how it begins.
func formOf(name string, text []byte) form {
	switch {
	case strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml"):
		return formYAML
	case strings.HasSuffix(name, ".json"):
		return formJSON
	case strings.HasSuffix(name, ".properties"), strings.HasSuffix(name, ".conf"):
		return formProperties
	}
	text = bytes.TrimLeft(text, " \t\r\n")
	switch {
	case len(text) > 0 && text[0] == '{':
		return formJSON
	case bytes.HasPrefix(text, []byte("spring:")), bytes.HasPrefix(text, []byte("---")):
		return formYAML
	}
	return formProperties
}

// guess tells whose settings these are by what only one client has: Spring's
// prefix, Java's class names and serializers, librdkafka's own keys.
func guess(f form, settings []setting) Client {
	if f == formYAML {
		return Spring
	}
	onlyRdkafka := []string{"metadata.broker.list", "enable.partition.eof",
		"statistics.interval.ms", "queued.min.messages", "enable.auto.offset.store", "debug"}
	short := false
	for _, s := range settings {
		switch {
		case strings.HasPrefix(s.key, "spring."):
			return Spring
		case s.key == "key.deserializer", s.key == "value.deserializer",
			s.key == keyStrategy && strings.Contains(s.value, "Assignor"):
			return Java
		case slices.Contains(onlyRdkafka, s.key):
			return Librdkafka
		case s.key == keyStrategy:
			short = true
		}
	}
	if f == formJSON || short {
		return Librdkafka
	}
	return Java
}

// interpret fills in the fields from the settings.
func (c *Config) interpret() error {
	c.Session, c.Heartbeat, c.Poll = defaultSession, defaultHeartbeat, defaultPoll
	for _, t := range []struct {
		key  string
		into *time.Duration
		min  int64
	}{{keySession, &c.Session, 1}, {keyHeartbeat, &c.Heartbeat, 1}, {keyPoll, &c.Poll, 1}} {
		s, ok := c.set[t.key]
		if !ok {
			continue
		}
		ms, err := strconv.ParseInt(strings.TrimSpace(s.value), 10, 32)
		switch {
		case err != nil:
			return c.fail(s, "%q is not a whole number of milliseconds that fits an int32", s.value)
		case ms < t.min:
			return c.fail(s, "%d is not a time: it is below %d ms", ms, t.min)
		}
		*t.into = time.Duration(ms) * time.Millisecond
	}
	if s, ok := c.set[keyInstance]; ok {
		if strings.TrimSpace(s.value) == "" {
			return c.fail(s, "%q is empty, and a static member has a name", s.value)
		}
		c.InstanceID = s.value
	}
	c.Rack = c.set[keyRack].value
	if s, ok := c.set[keyProtocol]; ok {
		switch strings.ToLower(strings.TrimSpace(s.value)) {
		case "consumer":
			c.Consumer = true
		case "classic":
		default:
			return c.fail(s, "%q is not a group protocol (known: classic, consumer)", s.value)
		}
	}
	return c.interpretStrategies()
}

// interpretStrategies splits the list and turns it into the names on the wire.
func (c *Config) interpretStrategies() error {
	c.Strategies = defaultStrategies(c.Client)
	s, ok := c.set[keyStrategy]
	if !ok {
		return nil
	}
	c.Strategies = nil
	for entry := range strings.SplitSeq(s.value, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			return c.fail(s, "%q has an entry without a name", s.value)
		}
		c.Listed = append(c.Listed, entry)
		if name := wireName(entry); !slices.Contains(c.Strategies, name) {
			c.Strategies = append(c.Strategies, name)
		}
	}
	return nil
}

// defaultStrategies is partition.assignment.strategy where it is not set.
func defaultStrategies(client Client) []string {
	if client == Librdkafka {
		return []string{"range", "roundrobin"}
	}
	return []string{"range", "cooperative-sticky"}
}
