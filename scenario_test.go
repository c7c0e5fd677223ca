package holdfast

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected text of the scenario files")

// TestScenarios runs the files in testdata/scenarios. A file is a list of blocks:
//
//	# Why this is worth a look.
//	group
//	topic orders 9
//	member X owns orders:3-6
//	departed W owns orders:0-2
//	assign sticky
//	----
//	what the plan says
//
// "group" begins a new group. A member reads every topic of its group unless
// "reads" names others; "reads -" is none. "then" goes on from the plan before:
// everybody has what it gave, and the lines say what changes. Several commands
// may stand in one block; an empty line ends what is expected.
//
// With -update the expected text becomes what the plan says now.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			s := scenario{T: t, file: name}
			got := s.run(string(text))
			if *update && got != string(text) {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// scenario is a file that is being run.
type scenario struct {
	*testing.T
	file   string
	line   int
	group  Group
	plan   *Plan
	layout layout
	blocks int
}

// run runs all blocks and returns the file as it should be.
func (s *scenario) run(text string) string {
	var out, block, want []string
	expecting := false
	for line := range strings.Lines(text + "\n") {
		s.line++
		line = strings.TrimSuffix(line, "\n")
		switch {
		case expecting && line != "":
			want = append(want, line)
			continue
		case expecting:
			out = append(out, s.block(block, want)...)
			block, want, expecting = nil, nil, false
		case line == "----":
			expecting = true
		case line != "" && line[0] != '#':
			block = append(block, strings.TrimSpace(line))
		}
		out = append(out, line)
	}
	if len(block) > 0 {
		s.Fatalf("%s: the last block has no ----", s.file)
	}
	if s.blocks == 0 {
		s.Fatalf("%s: no blocks", s.file)
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n") + "\n"
}

// block runs the commands of one block and returns what they print.
func (s *scenario) block(commands, want []string) []string {
	s.blocks++
	var got []string
	for _, line := range commands {
		text, err := s.command(strings.Fields(line))
		if err != nil {
			s.Fatalf("%s: block that ends at line %d: %q: %v", s.file, s.line, line, err)
		}
		if text != "" {
			got = append(got, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
		}
	}
	if !*update && !slices.Equal(got, want) {
		s.Errorf("%s: block that ends at line %d:\n%s\ngot:\n%s\nwant:\n%s\n"+
			"rerun: go test . -run '^%s$'; rewrite: add -update", s.file, s.line,
			strings.Join(commands, "\n"), strings.Join(got, "\n"), strings.Join(want, "\n"), s.Name())
	}
	return got
}

var errSyntax = errors.New("cannot read this line")

func (s *scenario) command(words []string) (string, error) {
	switch words[0] {
	case "group":
		s.group, s.plan, s.layout = Group{}, nil, layout{}
	case "then":
		return "", s.then()
	case "assign":
		return s.assign(words[1:])
	case "topic":
		return "", s.topic(words[1:])
	case "layout":
		return "", s.layout.read(words[1:])
	case "member", "departed":
		return "", s.member(words)
	case "leave", "crash":
		return "", s.leave(words)
	case "drop":
		s.group.Topics = slices.DeleteFunc(s.group.Topics,
			func(t Topic) bool { return t.Name == words[1] })
	default:
		return "", errSyntax
	}
	return "", nil
}

// then makes the plan's end what the members claim, one generation on.
func (s *scenario) then() error {
	if s.plan == nil {
		return errors.New("no plan to go on from")
	}
	s.group.Departed = nil
	s.group.Members = slices.Clone(s.group.Members)
	for i := range s.group.Members {
		m := &s.group.Members[i]
		m.Generation = max(m.Generation, 0) + 1
		m.Owned = nil
		for topic, partitions := range s.plan.TopicsOf(m.ID) {
			m.Owned = append(m.Owned, TopicPartitions{topic, partitions})
		}
	}
	return nil
}

// assign prints a plan, or the error. Whatever the file expects, the plan must
// verify, and be the same for the group in another order.
func (s *scenario) assign(words []string) (string, error) {
	var o StickyOptions
	brief := false
	for _, word := range words[1:] {
		switch word {
		case "ignore-racks":
			o.IgnoreRacks = true
		case "leader-racks":
			o.LeaderRackOnly = true
		case "spread":
			o.Spread = true
		case "brief":
			brief = true
		default:
			return "", errSyntax
		}
	}
	found, err := ParseStrategies(words[0])
	if err != nil {
		return "", err
	}
	a := found[0]
	switch a.Name() {
	case "sticky":
		a = NewSticky(o)
	case "cooperative-sticky":
		a = NewCooperativeSticky(o)
	}
	if s.plan, err = a.Assign(s.group); err != nil {
		return "error: " + err.Error(), nil
	}
	s.check(a)
	r := reportOf(s.plan)
	if brief {
		r.moves = nil
	}
	return r.String(), nil
}

func (s *scenario) check(a Assignor) {
	if err := s.plan.Verify(s.group); err != nil {
		s.Errorf("%s: block that ends at line %d: %v", s.file, s.line, err)
	}
	other := s.group
	shuffle(rand.New(rand.NewPCG(1, 2)), &other)
	again, err := a.Assign(other)
	if err != nil || reportOf(again).String() != reportOf(s.plan).String() {
		s.Errorf("%s: block that ends at line %d: another answer in another order", s.file, s.line)
	}
	checkReaders(s.T, &s.plan.Division)
}

// topic reads "orders 9", "orders 3 racks a,b b -" or, after a layout, "orders 9";
// a name that is there already gets the new count.
func (s *scenario) topic(words []string) error {
	if len(words) < 2 {
		return errSyntax
	}
	n, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	t := Topic{Name: words[0], Partitions: n, Racks: s.layout.next(n)}
	if len(words) > 3 && words[2] == "racks" {
		for _, set := range words[3:] {
			t.Racks = append(t.Racks, commas(set))
		}
	}
	s.group.Topics = slices.Clone(s.group.Topics)
	for i := range s.group.Topics {
		if s.group.Topics[i].Name == t.Name {
			s.group.Topics[i] = t
			return nil
		}
	}
	s.group.Topics = append(s.group.Topics, t)
	return nil
}

// layout places replicas as Kafka's own tests do: replica j of partition i is on
// broker (i + j + partitions of the topics before), modulo the number of brokers,
// and the brokers stand in the racks in turn.
type layout struct {
	replicas, brokers int
	racks             []string
	before            int
}

func (l *layout) read(words []string) error {
	if len(words) != 3 {
		return errSyntax
	}
	l.before = 0
	_, err := fmt.Sscanf(words[0]+" "+words[1], "replicas=%d brokers=%d", &l.replicas, &l.brokers)
	racks, ok := strings.CutPrefix(words[2], "racks=")
	if err != nil || !ok {
		return errSyntax
	}
	l.racks = strings.Split(racks, ",")
	return nil
}

func (l *layout) next(partitions int) [][]string {
	var all [][]string
	for i := range partitions {
		if l.replicas == 0 {
			break
		}
		var racks []string
		for j := range l.replicas {
			broker := (i + j + l.before) % l.brokers
			racks = append(racks, l.racks[broker%len(l.racks)])
		}
		all = append(all, racks)
	}
	l.before += partitions
	return all
}

// member reads "member X reads orders,payments owns orders:3-6 gen 7 rack a
// instance pod-0", the parts after the id in any order. A member that is there
// already changes in what the line names.
func (s *scenario) member(words []string) error {
	m := Member{ID: words[1], Generation: 1}
	list := &s.group.Members
	if words[0] == "departed" {
		list = &s.group.Departed
	}
	at := slices.IndexFunc(*list, func(m Member) bool { return m.ID == words[1] })
	if at >= 0 {
		m = (*list)[at]
	} else if words[0] == "member" {
		for _, t := range s.group.Topics {
			m.Topics = append(m.Topics, t.Name)
		}
	}
	if err := readMember(&m, words[2:]); err != nil {
		return err
	}
	if at >= 0 {
		(*list)[at] = m
	} else {
		*list = append(*list, m)
	}
	return nil
}

func readMember(m *Member, words []string) error {
	for len(words) > 0 {
		if len(words) < 2 {
			return errSyntax
		}
		value := words[1]
		switch words[0] {
		case "reads":
			m.Topics = commas(value)
		case "gen":
			n, err := strconv.ParseInt(value, 10, 32)
			if err != nil {
				return err
			}
			m.Generation = int32(n)
		case "rack":
			m.Rack = value
		case "instance":
			m.InstanceID = value
		case "owns":
			rest, err := readOwned(m, words[1:])
			if err != nil {
				return err
			}
			words = rest
			continue
		default:
			return errSyntax
		}
		words = words[2:]
	}
	return nil
}

// readOwned reads "orders:0-3,7 payments:1" and returns the words after it.
func readOwned(m *Member, words []string) ([]string, error) {
	for len(words) > 0 {
		topic, list, ok := strings.Cut(words[0], ":")
		if !ok {
			break
		}
		owned := TopicPartitions{Topic: topic}
		for _, run := range commas(list) {
			var first, last int32
			if n, _ := fmt.Sscanf(run, "%d-%d", &first, &last); n == 0 {
				return nil, errSyntax
			} else if n == 1 {
				last = first
			}
			for p := first; p <= last; p++ {
				owned.Partitions = append(owned.Partitions, p)
			}
		}
		m.Owned = append(m.Owned, owned)
		words = words[1:]
	}
	return words, nil
}

// commas reads a list; "-" is the empty one.
func commas(list string) []string {
	if list == "-" {
		return nil
	}
	return strings.Split(list, ",")
}

// leave takes members out of the group; a crashed one is listed as departed.
func (s *scenario) leave(words []string) error {
	for _, id := range words[1:] {
		at := slices.IndexFunc(s.group.Members, func(m Member) bool { return m.ID == id })
		if at < 0 {
			return fmt.Errorf("no member %q", id)
		}
		if words[0] == "crash" {
			s.group.Departed = append(s.group.Departed, s.group.Members[at])
		}
		s.group.Members = slices.Delete(s.group.Members, at, at+1)
	}
	return nil
}
