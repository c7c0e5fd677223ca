package advise

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
)

func parse(name, text string, client Client) (*Config, error) {
	return ParseConfig(groupfile.Source{Name: name, Text: []byte(text)}, client)
}

// TestProperties reads what java.util.Properties reads, in the same way.
func TestProperties(t *testing.T) {
	for _, c := range []struct{ text, key, value string }{
		{"a=b", "a", "b"},
		{"a:b", "a", "b"},
		{"a b", "a", "b"},
		{"  a \t = \t b ", "a", "b "},
		{"a", "a", ""},
		{"a=", "a", ""},
		{"a==b", "a", "=b"},
		{"a : = b", "a", "= b"},
		{`a\ b\=\:c=d`, "a b=:c", "d"},
		{"a=b\\\n   c", "a", "bc"},
		{"a=b\\\\\nc=d", "a", `b\`},
		{"a=b\\\r\n  c\r\n", "a", "bc"},
		{"a=b\\", "a", "b"},
		{"# a=c\n! a=d\n\n\ta=b", "a", "b"},
		{"a=1\n#\\\na=2", "a", "2"},
		{`a=\u0041\t\n\q`, "a", "A\t\nq"},
		{"a=caf\xe9", "a", "café"},
		{"a=café", "a", "café"},
		{"a=1\na=2", "a", "2"},
	} {
		config := &Config{File: "f"}
		settings, err := config.parseProperties([]byte(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		found := map[string]string{}
		for _, s := range settings {
			found[s.key] = s.value
		}
		if got, ok := found[c.key]; !ok || got != c.value {
			t.Errorf("%q: %q, want %q = %q", c.text, found, c.key, c.value)
		}
	}
}

// TestSpring reads the same settings in each of the ways in which Spring
// applications write them.
func TestSpring(t *testing.T) {
	const class = "org.apache.kafka.clients.consumer.StickyAssignor"
	for name, text := range map[string]string{
		"nested.yaml": "spring:\n  kafka:\n    consumer:\n      heartbeat-interval: 2s\n" +
			"      properties:\n        partition:\n          assignment:\n" +
			"            strategy: " + class + "\n" +
			"        session: {timeout: {ms: 12000}}\n",
		"dotted.yaml": "spring.kafka.consumer.heartbeatInterval: 2000\n" +
			"spring.kafka.consumer.properties.partition.assignment.strategy: " + class + "\n" +
			"spring.kafka.consumer.properties.session.timeout.ms: 12000\n",
		"brackets.yml": "spring:\n  kafka:\n    properties:\n" +
			"      \"[partition.assignment.strategy]\": " + class +
			"\n      \"[session.timeout.ms]\": \"12000\"\n" +
			"    consumer: {heartbeat-interval: PT2S}\n",
		"order.yaml": "spring.kafka:\n  properties: {session.timeout.ms: 1, heartbeat.interval.ms: 1}\n" +
			"  consumer:\n    heartbeat-interval: 2000ms\n    properties:\n" +
			"      session.timeout.ms: 12000\n" +
			"      partition.assignment.strategy: " + class + "\n",
		"profile.yaml": "spring.kafka.consumer.heartbeat-interval: 2s\n" +
			"spring.kafka.properties.session.timeout.ms: ${SESSION:12000}\n---\n" +
			"spring.config.activate.on-profile: test\nspring.kafka.properties.session.timeout.ms: 1\n---\n" +
			"spring.kafka.properties.partition.assignment.strategy: " + class + "\n",
		"alias.yaml": "kafka: &kafka\n  properties: {session.timeout.ms: 12000}\nspring:\n  kafka:\n" +
			"    <<: *kafka\n    consumer:\n      heartbeat-interval: 2s\n      properties: " +
			"{partition.assignment.strategy: " + class + "}\n",
		"application.properties": "spring.kafka.consumer.heartbeat-interval=2s\n" +
			"spring.kafka.consumer.properties.session.timeout.ms=12000\n" +
			"spring.kafka.consumer.properties[partition.assignment.strategy]=" + class + "\n",
	} {
		c, err := parse(name, text, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.Client != Spring || c.Session != 12*time.Second || c.Heartbeat != 2*time.Second ||
			!slices.Equal(c.Strategies, []string{"sticky"}) {
			t.Errorf("%s: %s, session %v, heartbeat %v, %v", name, c.Client, c.Session, c.Heartbeat,
				c.Strategies)
		}
	}
}

// TestClient tells whose a file is.
func TestClient(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Client
	}{
		{"x.properties", "group.id=g", Java},
		{"x.properties", keyStrategy + "=org.apache.kafka.clients.consumer.RangeAssignor", Java},
		{"x.properties", "partition.assignment.strategy=range\nkey.deserializer=x", Java},
		{"x.properties", "partition.assignment.strategy=range", Librdkafka},
		{"x.properties", "metadata.broker.list=x", Librdkafka},
		{"x.properties", "spring.kafka.consumer.group-id=x", Spring},
		{"x.json", `{"group.id": "g"}`, Librdkafka},
		{"stdin", ` {"group.id": "g"}`, Librdkafka},
		{"x.json", `{"partition.assignment.strategy": "com.example.MyAssignor"}`, Java},
		{"stdin", "spring:\n  kafka: {}\n", Spring},
		{"x.yml", "a: b", Spring},
	} {
		config, err := parse(c.name, c.text, "")
		if err != nil || config.Client != c.want {
			t.Errorf("%s %q: %v, %v, want %s", c.name, c.text, config, err, c.want)
		}
	}
	if c, err := parse("x.properties", "partition.assignment.strategy=range", Java); err != nil ||
		c.Client != Java {
		t.Errorf("the client that is named does not count: %v, %v", c, err)
	}
}

// TestErrors: what cannot be used is an error with file, line, key and value.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"c.properties", "a=b\nsession.timeout.ms=10s",
			`c.properties:2: session.timeout.ms: "10s" is not a whole number of milliseconds`},
		{"c.properties", "max.poll.interval.ms=99999999999",
			`c.properties:1: max.poll.interval.ms: "99999999999" is not a whole number`},
		{"c.properties", "heartbeat.interval.ms=-1",
			"c.properties:1: heartbeat.interval.ms: -1 is not a time"},
		{"c.properties", "partition.assignment.strategy=",
			`c.properties:1: partition.assignment.strategy: "" has`},
		{"c.properties", "partition.assignment.strategy=a,,b", `"a,,b" has an entry without a name`},
		{"c.properties", "\n\na=b\\\n\\u00z0",
			`c.properties:3: a: "\\u00z0" is not \u and four hexadecimal digits`},
		{"c.properties", `a=\u00`, `c.properties:1: a: "\\u00" is not \u`},
		{"c.properties", "group.instance.id=", `c.properties:1: group.instance.id: "" is empty`},
		{"c.properties", "group.protocol=streams",
			`c.properties:1: group.protocol: "streams" is not a group protocol`},
		{"c.json", "[]", "c.json:1: not JSON with an object of settings"},
		{"c.json", "{\n\"session.timeout.ms\": {}}",
			"c.json:2: session.timeout.ms: it is not a string or a number"},
		{"c.json", "{\n\"a\": }", "c.json:2: a: not JSON: "},
		{"c.json", "{\"a\": 1", "c.json:1: not JSON: "},
		{"c.json", "{} {}", "c.json:1: something follows"},
		{"c.json", "{\"session.timeout.ms\": 1.5}",
			`c.json:1: session.timeout.ms: "1.5" is not a whole number`},
		{"a.yaml", "", "a.yaml:1: there is nothing in it"},
		{"a.yaml", "- a", "a.yaml:1: a mapping of settings belongs here"},
		{"a.yaml", "text", "a.yaml:1: a mapping of settings belongs here"},
		{"a.yaml", "a: b\n c: d", "a.yaml:2: not YAML: "},
		{"a.yaml", "spring.kafka.consumer:\n  heartbeat-interval: soon",
			`a.yaml:2: spring.kafka.consumer.heartbeat-interval: "soon" is not a duration`},
		{"a.yaml", "spring.kafka.consumer.properties:\n  partition.assignment.strategy:\n  - a\n  - b",
			"a.yaml:3: spring.kafka.consumer.properties.partition.assignment.strategy: a list where"},
		{"a.yaml", "a: &a {b: *a}", "a.yaml:1: "},
		{"a.yaml", strings.Repeat("{a: ", 200) + "b" + strings.Repeat("}", 200), "without end"},
	} {
		_, err := parse(c.name, c.text, "")
		var typed *groupfile.Error
		switch {
		case !errors.As(err, &typed):
			t.Errorf("%s %q: %v (%T)", c.name, c.text, err, err)
		case !strings.Contains(err.Error(), c.want):
			t.Errorf("%s %q: %v, want %s", c.name, c.text, err, c.want)
		}
	}
	if _, err := parse("a.yaml", "a: b", Librdkafka); err == nil {
		t.Error("YAML is read for librdkafka")
	}
	if _, err := parse("c.properties", strings.Repeat("#", maxConfig+1), ""); err == nil {
		t.Error("a file of any size is read")
	}
}

// TestWarnings: what is odd, and no error.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"c.properties", "a=1\na=2", "key-twice: a is on line 1 and on line 2, which counts"},
		{"c.json", "{\"a\": 1,\n\"a\": 2}", "key-twice: a is on line 1 and on line 2, which counts"},
		{"a.yaml", "spring.kafka.properties.session.timeout.ms: ${S}",
			"placeholder: session.timeout.ms is ${S}, which only the application knows"},
		{"a.yaml", "a: b\n---\nspring.profiles: test\n",
			"profile-skipped: the document with spring.profiles"},
	} {
		config, err := parse(c.name, c.text, "")
		if err != nil || len(config.Warnings) != 1 || !strings.HasPrefix(config.Warnings[0], c.want) {
			t.Errorf("%q: %v, %v, want %s", c.text, config, err, c.want)
		}
	}
}

// FuzzParseConfig: whatever the bytes, there is an answer that can be judged, or
// an error that names the file.
func FuzzParseConfig(f *testing.F) {
	for _, seed := range []string{"a=b\\\n c\\u0041", `{"session.timeout.ms": 1}`,
		"spring:\n  kafka:\n    consumer: {heartbeat-interval: 3s}\n", "a: &a {b: *a}", "a=\\u00",
		"\xff=1"} {
		for form := range uint8(3) {
			f.Add(form, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, form uint8, text []byte) {
		name := []string{"f.properties", "f.json", "f.yaml"}[form%3]
		config, err := ParseConfig(groupfile.Source{Name: name, Text: text}, "")
		if err != nil {
			var typed *groupfile.Error
			if !errors.As(err, &typed) || typed.File != name {
				t.Fatalf("%v (%T)", err, err)
			}
			return
		}
		if _, err := Advise(Input{Config: config}); err != nil {
			t.Fatal(err)
		}
	})
}
