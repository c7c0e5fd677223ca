package member

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/holdfast/holdfast/conformance/internal/kafka"
)

// Java is Kafka's console consumer.
type Java struct {
	consumed
	id      string
	process *kafka.Process
}

// javaProperties is the consumer's configuration.
const javaProperties = `client.id=%s
partition.assignment.strategy=org.apache.kafka.clients.consumer.%s
session.timeout.ms=%d
heartbeat.interval.ms=%d
auto.commit.interval.ms=%d
`

// StartJava starts a console consumer with an assignor of Kafka's, named by its
// class without the package.
func StartJava(c Config, assignor string) (*Java, error) {
	home, err := os.MkdirTemp(c.Broker.Logs, c.ClientID+"-")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(home, "consumer.properties")
	text := fmt.Sprintf(javaProperties, c.ClientID, assignor, sessionTimeout.Milliseconds(),
		heartbeat.Milliseconds(), commitInterval.Milliseconds())
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return nil, err
	}
	cmd := kafka.Java(c.Tools, home, 128, "org.apache.kafka.tools.consumer.ConsoleConsumer",
		"--bootstrap-server", c.Broker.Addr, "--group", c.Group, "--command-config", config,
		"--include", strings.Join(c.Topics, "|"), "--from-beginning",
		"--formatter-property", "print.partition=true",
		"--formatter-property", "print.offset=true")
	m := &Java{id: c.ClientID}
	m.process, err = kafka.Start(c.ClientID, c.Broker.Logs, cmd, m.read)
	return m, err
}

// read parses the consumer's output, which has a line for each record and nothing
// else.
func (m *Java) read(output io.Reader) {
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		record, err := parseConsole(lines.Text())
		if err != nil {
			m.fail(fmt.Errorf("%s: %w", m.id, err))
			continue
		}
		m.add(record)
	}
	if err := lines.Err(); err != nil {
		m.fail(fmt.Errorf("%s: %w", m.id, err))
	}
}

// parseConsole reads a line such as "Partition:3<tab>Offset:17<tab>a/3/17".
func parseConsole(line string) (Record, error) {
	partition, rest, ok1 := strings.Cut(line, "\t")
	offset, value, ok2 := strings.Cut(rest, "\t")
	partition, ok3 := strings.CutPrefix(partition, "Partition:")
	offset, ok4 := strings.CutPrefix(offset, "Offset:")
	number, err1 := strconv.ParseInt(partition, 10, 32)
	at, err2 := strconv.ParseInt(offset, 10, 64)
	if !ok1 || !ok2 || !ok3 || !ok4 || err1 != nil || err2 != nil {
		return Record{}, fmt.Errorf("not a record of the console consumer: %q", line)
	}
	p := kafka.Partition{Topic: topicOf(value), Number: int32(number)}
	return Record{Partition: p, Offset: at, Value: value}, nil
}

// ClientID implements Member.
func (m *Java) ClientID() string { return m.id }

// Leave implements Member.
func (m *Java) Leave() error {
	if err := m.process.Stop(leaveWithin); err != nil {
		return err
	}
	return m.failure()
}
