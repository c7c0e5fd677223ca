package assigntest

import (
	_ "embed" // for the scenarios
	"fmt"
	"strconv"
	"strings"

	"github.com/holdfast/holdfast"
)

//go:embed scenarios.txt
var scenarioText string

// scenario is a written group.
type scenario struct {
	name  string
	group holdfast.Group
}

// scenarios reads the written groups.
func scenarios() []scenario {
	list, err := parseScenarios(scenarioText)
	if err != nil {
		panic("assigntest: scenarios.txt: " + err.Error())
	}
	return list
}

func parseScenarios(text string) ([]scenario, error) {
	var list []scenario
	inside := false
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			inside = false
		case words[0][0] == '#':
		case !inside:
			list = append(list, scenario{name: words[0]})
			inside = true
		default:
			if err := list[len(list)-1].line(words); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
	}
	return list, nil
}

func (s *scenario) line(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("%q has no name", words[0])
	}
	switch words[0] {
	case "topic":
		return s.topic(words[1], words[2:])
	case "member", "gone":
		m, err := parseMember(words[1], words[2:])
		if err != nil {
			return err
		}
		if words[0] == "gone" {
			s.group.Departed = append(s.group.Departed, m)
		} else {
			s.group.Members = append(s.group.Members, m)
		}
		return nil
	}
	return fmt.Errorf("unknown word %q", words[0])
}

// topic reads "3" or "racks a+b b c": the racks of each partition.
func (s *scenario) topic(name string, words []string) error {
	t := holdfast.Topic{Name: name}
	switch {
	case len(words) > 0 && words[0] == "racks":
		for _, word := range words[1:] {
			t.Racks = append(t.Racks, strings.Split(word, "+"))
		}
		t.Partitions = len(t.Racks)
	case len(words) == 1:
		n, err := strconv.Atoi(words[0])
		if err != nil {
			return err
		}
		t.Partitions = n
	default:
		return fmt.Errorf("topic %q has no partitions", name)
	}
	s.group.Topics = append(s.group.Topics, t)
	return nil
}

// parseMember reads "reads t,u owns t:0-2 u:1 generation 7 rack a instance i".
func parseMember(id string, words []string) (holdfast.Member, error) {
	m := holdfast.Member{ID: id, Generation: holdfast.NoGeneration}
	for len(words) > 0 {
		key := words[0]
		n := 1
		for n < len(words) && (n == 1 || strings.Contains(words[n], ":")) {
			n++
		}
		if n == 1 {
			return m, fmt.Errorf("%q says nothing", key)
		}
		if err := setMember(&m, key, words[1:n]); err != nil {
			return m, err
		}
		words = words[n:]
	}
	return m, nil
}

func setMember(m *holdfast.Member, key string, values []string) error {
	switch key {
	case "reads":
		m.Topics = strings.Split(values[0], ",")
	case "rack":
		m.Rack = values[0]
	case "instance":
		m.InstanceID = values[0]
	case "generation":
		n, err := strconv.ParseInt(values[0], 10, 32)
		m.Generation = int32(n)
		return err
	case "owns":
		for _, value := range values {
			topic, numbers, _ := strings.Cut(value, ":")
			list, err := parseRanges(numbers)
			if err != nil {
				return err
			}
			m.Owned = append(m.Owned, holdfast.TopicPartitions{Topic: topic, Partitions: list})
		}
	default:
		return fmt.Errorf("unknown word %q", key)
	}
	return nil
}

func parseRanges(text string) ([]int32, error) {
	var list []int32
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		first, err := strconv.ParseInt(low, 10, 32)
		if err != nil {
			return nil, err
		}
		last, err := strconv.ParseInt(high, 10, 32)
		if err != nil {
			return nil, err
		}
		for n := first; n <= last; n++ {
			list = append(list, int32(n))
		}
	}
	return list, nil
}
