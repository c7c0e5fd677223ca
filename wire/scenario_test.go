package wire_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

var update = flag.Bool("update", false, "rewrite the expected part of the scenario files")

// block is one scenario: a kind, its bytes, and what they say.
type block struct {
	line int
	kind string
	data []byte
	want string
}

// readBlocks takes a scenario file apart. Comments belong to the blocks that
// follow them, and are kept when the file is rewritten.
func readBlocks(t testing.TB, path string) (blocks []block, lines []string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			continue
		}
		b := block{line: i + 1, kind: lines[i]}
		digits := ""
		for i++; i < len(lines) && lines[i] != "----"; i++ {
			digits += strings.ReplaceAll(lines[i], " ", "")
		}
		if b.data, err = hex.DecodeString(digits); err != nil {
			t.Fatalf("%s:%d: %v", path, b.line, err)
		}
		for i++; i < len(lines) && lines[i] != ""; i++ {
			b.want += lines[i] + "\n"
		}
		blocks = append(blocks, b)
	}
	return blocks, lines
}

// rewrite puts what was found in place of what was expected.
func rewrite(t *testing.T, path string, lines []string, found map[int]string) {
	t.Helper()
	var out []string
	for i := 0; i < len(lines); i++ {
		out = append(out, lines[i])
		if text, ok := found[i+1]; ok {
			for i++; lines[i] != "----"; i++ {
				out = append(out, lines[i])
			}
			out = append(out, "----", strings.TrimSuffix(text, "\n"))
			for i+1 < len(lines) && lines[i+1] != "" {
				i++
			}
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestScenarios(t *testing.T) {
	for _, path := range []string{"testdata/golden.txt", "testdata/tolerated.txt"} {
		blocks, lines := readBlocks(t, path)
		found := make(map[int]string)
		for _, b := range blocks {
			got, again := readBack(t, b.kind, b.data)
			found[b.line] = got
			if got != b.want && !*update {
				t.Errorf("%s:%d: %s %x\ngot:\n%swant:\n%s", path, b.line, b.kind, b.data, got, b.want)
			}
			if path == "testdata/golden.txt" && !bytes.Equal(again, b.data) {
				t.Errorf("%s:%d: written back:\n%x\nread:\n%x", path, b.line, again, b.data)
			}
		}
		if *update {
			rewrite(t, path, lines, found)
		}
	}
}

// readBack decodes bytes of a kind and returns what they say, and what is
// written for it in the version that was read.
func readBack(t *testing.T, kind string, data []byte) (text string, again []byte) {
	t.Helper()
	var f wire.Findings
	var err, failed error
	switch kind {
	case "subscription":
		var s wire.Subscription
		if s, f, err = wire.DecodeSubscription(data); err == nil {
			text = describeSubscription(&s)
			again, failed = wire.AppendSubscription(nil, min(s.Version, wire.MaxVersion), &s)
		}
	case "assignment":
		var a wire.Assignment
		if a, f, err = wire.DecodeAssignment(data); err == nil {
			text = fmt.Sprintf("version %d\nassigned%s\nuser-data %s\n", a.Version,
				describe(a.Assigned), describeBytes(a.UserData))
			again, failed = wire.AppendAssignment(nil, min(a.Version, wire.MaxVersion), &a)
		}
	case "sticky":
		var s wire.Sticky
		s, f = wire.DecodeSticky(data)
		text = fmt.Sprintf("version %d\nowned%s\ngeneration %d\n", s.Version,
			describe(s.Owned), s.Generation)
		again, failed = wire.AppendSticky(nil, s.Version, &s)
	case "cooperative":
		var generation int32
		generation, f = wire.DecodeCooperative(data)
		text = fmt.Sprintf("generation %d\n", generation)
		again = wire.AppendCooperative(nil, generation)
	case "record-key":
		var k wire.RecordKey
		if k, f, err = wire.DecodeRecordKey(data); err == nil {
			text = fmt.Sprintf("type %d\ngroup %q topic %q partition %d member %q\n",
				k.Type, k.Group, k.Topic, k.Partition, k.Member)
			if k.Type <= wire.CurrentAssignmentRecord {
				again, failed = wire.AppendRecordKey(nil, &k)
			}
		}
	case "group-metadata":
		var g wire.GroupMetadata
		if g, f, err = wire.DecodeGroupMetadata(data); err == nil {
			text = describeGroup(&g)
			again, failed = wire.AppendGroupMetadata(nil,
				min(g.Version, wire.MaxGroupMetadataVersion), &g)
		}
	default:
		t.Fatalf("unknown kind %q", kind)
	}
	if failed != nil {
		t.Errorf("%s %x: what was read cannot be written: %v", kind, data, failed)
	}
	if err != nil {
		return fmt.Sprintf("error %v\n", err), nil
	}
	return text + describeFindings(&f), again
}

func describeSubscription(s *wire.Subscription) string {
	text := fmt.Sprintf("version %d\n%s\nuser-data %s\nowned%s\n", s.Version,
		strings.Join(slices.Concat([]string{"topics"}, s.Topics), " "),
		describeBytes(s.UserData), describe(s.Owned))
	if s.HasGeneration() {
		text += fmt.Sprintf("generation %d\n", s.Generation)
	} else if s.Generation != holdfast.NoGeneration {
		text += "a generation in a version without one\n"
	}
	if s.Rack != "" {
		text += fmt.Sprintf("rack %s\n", s.Rack)
	}
	return text
}

func describeGroup(g *wire.GroupMetadata) string {
	text := fmt.Sprintf("version %d\ntype %q generation %d protocol %q leader %q timestamp %d\n",
		g.Version, g.ProtocolType, g.Generation, g.Protocol, g.Leader, g.StateTimestampMs)
	for _, m := range g.Members {
		text += fmt.Sprintf("member %q instance %q client %q host %q rebalance %d session %d\n"+
			"  subscription %x\n  assignment %x\n", m.ID, m.InstanceID, m.ClientID, m.ClientHost,
			m.RebalanceTimeoutMs, m.SessionTimeoutMs, m.Subscription, m.Assignment)
	}
	return text
}

func describe(list []holdfast.TopicPartitions) string {
	text := ""
	for _, tp := range list {
		numbers := fmt.Sprint(tp.Partitions)
		text += " " + tp.Topic + ":" +
			strings.ReplaceAll(numbers[1:len(numbers)-1], " ", ",")
	}
	return text
}

func describeBytes(b []byte) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprintf("%q", hex.EncodeToString(b))
}

func describeFindings(f *wire.Findings) string {
	text := ""
	if f.Trailing > 0 {
		text += fmt.Sprintf("trailing %d\n", f.Trailing)
	}
	if f.Malformed {
		text += "malformed\n"
	}
	for _, w := range f.Warnings {
		text += fmt.Sprintf("warning at %d, %s\n", w.Offset, w)
	}
	return text
}
