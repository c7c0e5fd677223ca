package advise

import (
	"fmt"
	"strings"
	"time"
)

// classes are the classes of Kafka's strategies that are recommended.
var classes = map[string]string{
	"sticky":             "org.apache.kafka.clients.consumer.StickyAssignor",
	"cooperative-sticky": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
}

// configure writes what to use for each client. A test hands each text to the
// client that it is for.
func (q *inquiry) configure() {
	s := snippet{strategy: q.advice.Recommendation, racks: q.racked(),
		unequal: q.Group != nil && !q.equalSubscriptions()}
	s.session, s.heartbeat, s.poll = q.better()
	add := func(client, text string) {
		q.advice.Configurations = append(q.advice.Configurations, Configuration{client, text})
	}
	if q.kip848() {
		add("java", s.consumerProperties())
		add("librdkafka", s.consumerProperties())
		add("franz-go", s.consumerFranz())
		add("sarama", noConsumer("sarama"))
		add("kafka-go", noConsumer("kafka-go"))
		return
	}
	add("java", s.java())
	add("librdkafka", s.librdkafka())
	add("franz-go", s.franz())
	add("sarama", s.sarama())
	add("kafka-go", s.kafkago())
}

// snippet is what the configurations have in common.
type snippet struct {
	strategy                 string
	session, heartbeat, poll time.Duration
	racks                    bool // of members and partitions
	unequal                  bool // subscriptions
}

const instanceComment = `# group.instance.id=NAME, another one in each process (a pod's name in a
# StatefulSet, say), saves the rebalances of a restart that is over within the session.
`

func (s *snippet) times() string {
	return fmt.Sprintf("%s=%d\n%s=%d\n%s=%d\n", keySession, ms(s.session), keyHeartbeat,
		ms(s.heartbeat), keyPoll, ms(s.poll))
}

func (s *snippet) rackComment() string {
	if !s.racks {
		return ""
	}
	return "# client.rack=RACK, that of the process, or its partitions come from anywhere.\n"
}

func (s *snippet) java() string {
	return "# Kafka's Java client, 2.4 or newer; Spring: under spring.kafka.consumer.properties\n" +
		keyStrategy + "=" + classes[s.strategy] + "\n" + s.times() + instanceComment + s.rackComment()
}

func (s *snippet) librdkafka() string {
	head := "# librdkafka 1.6 or newer (confluent-kafka, rdkafka, ..)\n"
	if s.strategy == "sticky" {
		head += "# It has no sticky, and cannot be in one group with members that list sticky\n" +
			"# alone: this is for a group of its own.\n"
	}
	return head + keyStrategy + "=cooperative-sticky\n" + s.times() + instanceComment + s.rackComment()
}

// goDuration writes a duration as Go source.
func goDuration(d time.Duration) string {
	switch {
	case d%time.Minute == 0:
		return fmt.Sprintf("%d * time.Minute", d/time.Minute)
	case d%time.Second == 0:
		return fmt.Sprintf("%d * time.Second", d/time.Second)
	}
	return fmt.Sprintf("%d * time.Millisecond", d/time.Millisecond)
}

// fill puts the parts of a snippet into a template of Go source.
func (s *snippet) fill(template string, more ...string) string {
	pairs := []string{"SESSION", goDuration(s.session), "HEARTBEAT", goDuration(s.heartbeat),
		"POLL", goDuration(s.poll)}
	return strings.NewReplacer(append(pairs, more...)...).Replace(template)
}

const franzTemplate = `package consumer

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// franzOptions are those of a member of the group. An instance id, another one in
// each process, makes it a static member, which does not leave when it closes.
func franzOptions(group, instanceID string, topics ...string) []kgo.Opt {
	options := []kgo.Opt{
		kgo.ConsumerGroup(group),
		kgo.ConsumeTopics(topics...),
		kgo.Balancers(BALANCER),
		kgo.SessionTimeout(SESSION),
		kgo.HeartbeatInterval(HEARTBEAT),
		kgo.RebalanceTimeout(POLL),
RACK	}
	if instanceID != "" {
		options = append(options, kgo.InstanceID(instanceID))
	}
	return options
}
`

func (s *snippet) franz() string {
	balancer, rack := "kgo.CooperativeStickyBalancer()", ""
	if s.strategy == "sticky" {
		balancer = "kgo.StickyBalancer()"
	}
	if s.racks {
		rack = "\t\t// kgo.Rack(..) with the rack of the process, or its partitions come from anywhere.\n"
	}
	return s.fill(franzTemplate, "BALANCER", balancer, "RACK", rack)
}

const saramaTemplate = `package consumer

import (
	"time"

	"github.com/IBM/sarama"
)

// saramaConfig is that of a member of one group: a strategy remembers what its
// member owns, so that each group needs one of its own. An instance id, another
// one in each process, makes it a static member.
NOTEfunc saramaConfig(instanceID string) *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.V2_4_0_0
	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{
		BALANCER,
	}
	config.Consumer.Group.Session.Timeout = SESSION
	config.Consumer.Group.Heartbeat.Interval = HEARTBEAT
	config.Consumer.Group.Rebalance.Timeout = POLL
	config.Consumer.Group.InstanceId = instanceID
	return config
}
`

func (s *snippet) sarama() string {
	balancer := "sarama.NewBalanceStrategyCooperativeSticky()"
	note := "//\n// As a leader, v1.61.1 gives out what a member still has if another one that was\n" +
		"// away claims it from an older generation.\n"
	if s.strategy == "sticky" {
		balancer, note = "sarama.NewBalanceStrategySticky()", ""
	}
	if s.unequal {
		note += "//\n// With unequal subscriptions its search for an assignment does not always end\n" +
			"// (v1.61.1).\n"
	}
	if s.racks {
		note += "//\n// It tells the group no rack, so that its partitions come from anywhere.\n"
	}
	return s.fill(saramaTemplate, "BALANCER", balancer, "NOTE", note)
}

const kafkagoTemplate = `package consumer

import (
	"time"

	"github.com/segmentio/kafka-go"
)

// kafkagoConfig is for a group of kafka-go members alone: kafka-go (v0.4.51) has
// no STRATEGY and cannot be in a group whose members list nothing else.
// It is always eager, keeps nothing where it was, and has no static members. As a
// leader it does not understand what newer clients send. Its roundrobin starts anew
// with each topic, so that over several topics it is no more even than range.
func kafkagoConfig(brokers []string, group string, topics ...string) kafka.ReaderConfig {
	return kafka.ReaderConfig{
		Brokers:           brokers,
		GroupID:           group,
		GroupTopics:       topics,
		GroupBalancers:    []kafka.GroupBalancer{kafka.RangeGroupBalancer{}},
		SessionTimeout:    SESSION,
		HeartbeatInterval: HEARTBEAT,
		RebalanceTimeout:  POLL,
	}
}
`

func (s *snippet) kafkago() string { return s.fill(kafkagoTemplate, "STRATEGY", s.strategy) }

// consumerProperties is KIP-848 for Java and librdkafka: the broker's settings
// decide on sessions and heartbeats.
func (s *snippet) consumerProperties() string {
	return "# the broker assigns (KIP-848); sessions and heartbeats are settings of the broker\n" +
		keyProtocol + "=consumer\n" + keyRemote + "=uniform\n" +
		fmt.Sprintf("%s=%d\n", keyPoll, ms(s.poll)) + instanceComment + s.rackComment()
}

// consumerFranz is KIP-848 for franz-go, which takes the balancer's name for the
// broker's: sticky is uniform there.
func (s *snippet) consumerFranz() string {
	text := s.fill(franzTemplate, "kgo.Balancers(BALANCER)",
		"kgo.Balancers(kgo.StickyBalancer()), // uniform, where the broker assigns\n"+
			"\t\tkgo.ServerSideBalancer()", "RACK", "")
	for _, option := range []string{"\t\tkgo.SessionTimeout(" + goDuration(s.session) + "),\n",
		"\t\tkgo.HeartbeatInterval(" + goDuration(s.heartbeat) + "),\n"} {
		text = strings.Replace(text, option, "", 1)
	}
	return text
}

// noConsumer is Go source that says why there is none.
func noConsumer(client string) string {
	return "package consumer\n\n// " + client + ` does not know group.protocol=consumer (KIP-848).
// A member of it that joins such a group is served by the classic protocol, as far
// as the broker's group.consumer.migration.policy allows that.
`
}
