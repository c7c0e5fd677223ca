package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/holdfast/holdfast"
)

// groupFile is a group as the command holdfast reads it: a found group can be
// given to `holdfast assign` as it stands. Case and Event are comments there.
type groupFile struct {
	Case    string         `json:"case"`
	Event   string         `json:"event"`
	Topics  map[string]int `json:"topics"`
	Members []fileMember   `json:"members"`
}

type fileMember struct {
	ID           string             `json:"id"`
	Subscription []string           `json:"subscription"`
	Owned        map[string][]int32 `json:"owned,omitempty"`
	Generation   int32              `json:"generation"`
}

// writeGroup writes a group to a file.
func writeGroup(path, name, event string, g holdfast.Group) error {
	f := groupFile{Case: name, Event: event, Topics: make(map[string]int)}
	for _, t := range g.Topics {
		f.Topics[t.Name] = t.Partitions
	}
	for _, m := range g.Members {
		one := fileMember{ID: m.ID, Subscription: m.Topics, Generation: m.Generation}
		if len(m.Owned) > 0 {
			one.Owned = make(map[string][]int32)
		}
		for _, o := range m.Owned {
			one.Owned[o.Topic] = o.Partitions
		}
		f.Members = append(f.Members, one)
	}
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// readGroup reads what writeGroup has written.
func readGroup(path string) (holdfast.Group, error) {
	var f groupFile
	var g holdfast.Group
	data, err := os.ReadFile(path)
	if err != nil {
		return g, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return g, fmt.Errorf("%s: %w", path, err)
	}
	for name, n := range f.Topics {
		g.Topics = append(g.Topics, holdfast.Topic{Name: name, Partitions: n})
	}
	slices.SortFunc(g.Topics, byName)
	for _, one := range f.Members {
		m := holdfast.Member{ID: one.ID, Topics: one.Subscription, Generation: one.Generation}
		for topic, partitions := range one.Owned {
			m.Owned = append(m.Owned,
				holdfast.TopicPartitions{Topic: topic, Partitions: partitions})
		}
		slices.SortFunc(m.Owned, byTopic)
		g.Members = append(g.Members, m)
	}
	return g, nil
}
