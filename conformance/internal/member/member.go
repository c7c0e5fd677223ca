// Package member has the three kinds of group members that the tests put
// together: franz-go with holdfast's strategies in this process, Kafka's Java
// console consumer and librdkafka's Python client as child processes.
package member

import (
	"strings"
	"sync"
	"time"

	"github.com/holdfast/holdfast/conformance/internal/kafka"
)

// Record is one record that a member consumed.
type Record struct {
	Partition kafka.Partition
	Offset    int64
	Value     string
}

// Member is a running member of a group.
type Member interface {
	// ClientID is the client.id, by which the broker's records name the member.
	ClientID() string

	// Records returns what the member has consumed so far, in order.
	Records() []Record

	// Leave ends the member as a shutdown does, with a LeaveGroup request. The
	// error says that it failed before or could not be ended.
	Leave() error
}

// Config is what all kinds of members have in common.
type Config struct {
	Tools    *kafka.Tools
	Broker   *kafka.Broker
	Group    string
	ClientID string
	Topics   []string
}

// Every member has the same timings: heartbeats so short that a rebalance takes no
// longer than it must, and sessions that a busy machine does not end.
const (
	sessionTimeout = 15 * time.Second
	heartbeat      = 500 * time.Millisecond
	commitInterval = 500 * time.Millisecond
)

// leaveWithin bounds how long a member may take to leave.
const leaveWithin = 60 * time.Second

// consumed collects records from one goroutine for another.
type consumed struct {
	mu      sync.Mutex
	records []Record
	err     error // the first thing that was not a record
}

func (c *consumed) add(r Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records = append(c.records, r)
}

func (c *consumed) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

// Records implements Member.
func (c *consumed) Records() []Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Record(nil), c.records...)
}

func (c *consumed) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// topicOf returns the topic out of a value that a Load has produced, for a
// consumer that does not print it.
func topicOf(value string) string {
	topic, _, _ := strings.Cut(value, "/")
	return topic
}
