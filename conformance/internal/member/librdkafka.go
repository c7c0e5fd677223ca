package member

import (
	_ "embed" // the script
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"

	"github.com/holdfast/holdfast/conformance/internal/kafka"
)

//go:embed librdkafka.py
var librdkafkaScript string

// Librdkafka is a consumer on librdkafka, the C client that most languages other
// than Java and Go use.
type Librdkafka struct {
	consumed
	id      string
	process *kafka.Process
}

// librdkafkaEvent is one line of the script's output.
type librdkafkaEvent struct {
	Event      string
	Topic      string
	Partition  int32
	Offset     int64
	Value      string
	Text       string
	Partitions [][2]any
}

// StartLibrdkafka starts a consumer with one of librdkafka's strategies.
func StartLibrdkafka(c Config, strategy string) (*Librdkafka, error) {
	config, err := json.Marshal(map[string]any{
		"bootstrap.servers":             c.Broker.Addr,
		"group.id":                      c.Group,
		"client.id":                     c.ClientID,
		"partition.assignment.strategy": strategy,
		"session.timeout.ms":            sessionTimeout.Milliseconds(),
		"heartbeat.interval.ms":         heartbeat.Milliseconds(),
		"auto.commit.interval.ms":       commitInterval.Milliseconds(),
		"auto.offset.reset":             "earliest",
		"topics":                        c.Topics,
	})
	if err != nil {
		return nil, err
	}
	m := &Librdkafka{id: c.ClientID}
	cmd := exec.Command(c.Tools.Python, "-c", librdkafkaScript, string(config))
	m.process, err = kafka.Start(c.ClientID, c.Broker.Logs, cmd, m.read)
	return m, err
}

// read parses the script's output.
func (m *Librdkafka) read(output io.Reader) {
	events := json.NewDecoder(output)
	owned := map[[2]any]bool{}
	for {
		var e librdkafkaEvent
		if err := events.Decode(&e); err != nil {
			if !errors.Is(err, io.EOF) {
				m.fail(fmt.Errorf("%s: %w", m.id, err))
			}
			_, _ = io.Copy(io.Discard, output) // or the process would wait for a reader
			return
		}
		switch e.Event {
		case "record":
			p := kafka.Partition{Topic: e.Topic, Number: e.Partition}
			m.add(Record{Partition: p, Offset: e.Offset, Value: e.Value})
		case "assigned", "revoked":
			for _, p := range e.Partitions {
				if owned[p] == (e.Event == "assigned") {
					m.fail(fmt.Errorf("%s: %v is %s twice in a row", m.id, p, e.Event))
				}
				owned[p] = e.Event == "assigned"
			}
		default: // lost, or an error: neither is right in these tests
			m.fail(fmt.Errorf("%s: %s %v %s", m.id, e.Event, slices.Clone(e.Partitions), e.Text))
		}
	}
}

// ClientID implements Member.
func (m *Librdkafka) ClientID() string { return m.id }

// Leave implements Member.
func (m *Librdkafka) Leave() error {
	if err := m.process.Stop(leaveWithin); err != nil {
		return err
	}
	return m.failure()
}
