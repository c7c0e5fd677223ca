package kafka

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Broker is one Kafka broker that is its own controller (KRaft), on loopback.
type Broker struct {
	Addr string // host:port for clients
	Logs string // directory of the log files, of the broker and of whoever wants

	process *Process
	admin   *kadm.Client
}

// The broker's configuration: one node, every internal topic with one replica.
// The first rebalance of a group waits half a second for more members, not three,
// and sessions may be as short as a second, or tests would only wait.
const properties = `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@%[2]s
listeners=PLAINTEXT://%[1]s,CONTROLLER://%[2]s
advertised.listeners=PLAINTEXT://%[1]s
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=%[3]s
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=500
group.min.session.timeout.ms=1000
auto.create.topics.enable=false
`

// logging sends what Kafka says, from level info on, to the error output.
const logging = `status = error
appender.err.type = Console
appender.err.name = err
appender.err.target = SYSTEM_ERR
appender.err.layout.type = PatternLayout
appender.err.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1} %m%n
rootLogger.level = info
rootLogger.appenderRef.err.ref = err
`

// startTries bounds how often StartBroker looks for free ports: another process
// can take one between the look and the start.
const startTries = 3

// StartBroker starts a broker that keeps its data and logs below dir, and waits
// until it answers. It takes about five seconds and 400 MB.
func StartBroker(ctx context.Context, tools *Tools, dir string) (*Broker, error) {
	var errs []error
	for try := range startTries {
		b, err := startBroker(ctx, tools, filepath.Join(dir, fmt.Sprintf("broker-%d", try)), dir)
		if err == nil {
			return b, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func startBroker(ctx context.Context, tools *Tools, home, logs string) (*Broker, error) {
	ports, err := freeAddrs(2)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	config := filepath.Join(home, "server.properties")
	text := fmt.Sprintf(properties, ports[0], ports[1], filepath.Join(home, "data"))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return nil, err
	}
	format := Java(tools, home, 128, "kafka.tools.StorageTool", "format", "-t", clusterID(),
		"-c", config)
	if out, err := format.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("format the broker's storage: %w\n%s", err, out)
	}
	run := Java(tools, home, 384, "kafka.Kafka", config)
	b := &Broker{Addr: ports[0], Logs: logs}
	if b.process, err = Start("broker", logs, run, nil); err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr))
	if err != nil {
		b.process.Kill()
		return nil, err
	}
	b.admin = kadm.NewClient(client)
	if err := b.wait(ctx); err != nil {
		b.admin.Close()
		b.process.Kill()
		return nil, err
	}
	return b, nil
}

// readyWithin bounds how long a broker may take to answer on a busy machine.
const readyWithin = 60 * time.Second

// wait returns when the broker lists itself in the metadata.
func (b *Broker) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		brokers, err := b.admin.ListBrokers(ctx)
		if err == nil && len(brokers) == 1 {
			return nil
		}
		if b.process.Ended() {
			return fmt.Errorf("the broker ended while it started (%s), see %s",
				b.process.cmd.ProcessState, b.process.Log)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the broker did not answer within %v, see %s: %w", readyWithin,
				b.process.Log, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Stop ends the broker and waits for it.
func (b *Broker) Stop() error {
	b.admin.Close()
	return b.process.Stop(30 * time.Second)
}

// CreateTopics creates topics with that many partitions each.
func (b *Broker) CreateTopics(ctx context.Context, partitions int32, names ...string) error {
	answers, err := b.admin.CreateTopics(ctx, partitions, 1, nil, names...)
	if err != nil {
		return err
	}
	return answers.Error()
}

// Java builds the command that runs a class of Kafka's jars with megabytes of
// heap. It logs to its error output, by a configuration file that this writes to
// home. The compiler stops at its first tier: these processes live for seconds.
func Java(tools *Tools, home string, megabytes int, class string, args ...string) *exec.Cmd {
	config := filepath.Join(home, "log4j2.properties")
	flags := []string{fmt.Sprintf("-Xmx%dm", megabytes), "-XX:TieredStopAtLevel=1",
		"-Dlog4j2.configurationFile=" + config, "-cp", tools.ClassPath(), class}
	cmd := exec.Command("java", append(flags, args...)...)
	// A file that cannot be written shows in the process's own output: it then logs
	// errors only, and says so.
	_ = os.WriteFile(config, []byte(logging), 0o644)
	return cmd
}

// clusterID makes an id in the form of Kafka's: 16 bytes in base64.
func clusterID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	id[0] &= 0x7f        // an id must not begin with a dash
	return base64.RawURLEncoding.EncodeToString(id)
}

// freeAddrs returns n addresses of loopback that nobody listens on.
func freeAddrs(n int) ([]string, error) {
	var addrs []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // all at the end, so that all differ
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}
