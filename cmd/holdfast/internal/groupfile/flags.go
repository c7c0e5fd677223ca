package groupfile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/holdfast/holdfast"
)

// Flags is a group written as flags, one text for each flag given.
type Flags struct {
	Topics   []string // NAME=PARTITIONS
	Members  []string // ID, ID=3-6 or ID=orders:3-6;payments:0
	Departed []string // as Members
}

// Group reads the flags. Every member subscribes to every topic. The error is an
// *[Error] whose key is the flag.
func (f Flags) Group() (holdfast.Group, error) {
	r := flagReader{topics: make(map[string]bool), ids: make(map[string]bool)}
	for _, text := range f.Topics {
		if err := r.topic(text); err != nil {
			return holdfast.Group{}, within("--topic "+quoted(text), err)
		}
	}
	var err error
	if r.group.Members, err = r.members("--member", f.Members); err != nil {
		return holdfast.Group{}, err
	}
	if r.group.Departed, err = r.members("--departed", f.Departed); err != nil {
		return holdfast.Group{}, err
	}
	return r.group, nil
}

type flagReader struct {
	group  holdfast.Group
	topics map[string]bool
	names  []string
	ids    map[string]bool
	total  int64
	claims int
}

func problem(format string, args ...any) *Error {
	return &Error{Problem: fmt.Sprintf(format, args...)}
}

func (r *flagReader) topic(text string) error {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return problem("a topic needs its number of partitions, as in orders=9")
	}
	name := text[:at]
	n, ok := wholeNumber(text[at+1:])
	switch {
	case name == "":
		return problem("the name of the topic is empty")
	case !utf8.ValidString(name):
		return problem("the name of the topic is not UTF-8")
	case r.topics[name]:
		return problem("the topic is there twice")
	case !ok || n < 0:
		return problem("%s is not a number of partitions", quoted(text[at+1:]))
	case n > holdfast.MaxPartitions-r.total:
		return problem("more than %d partitions in all topics together", holdfast.MaxPartitions)
	}
	r.total += n
	r.topics[name] = true
	r.names = append(r.names, name)
	r.group.Topics = append(r.group.Topics, holdfast.Topic{Name: name, Partitions: int(n)})
	return nil
}

func (r *flagReader) members(flag string, texts []string) ([]holdfast.Member, error) {
	var members []holdfast.Member
	for _, text := range texts {
		m, err := r.member(text)
		if err != nil {
			return nil, within(flag+" "+quoted(text), err)
		}
		members = append(members, m)
	}
	return members, nil
}

func (r *flagReader) member(text string) (holdfast.Member, error) {
	m := holdfast.Member{ID: text, Topics: r.names, Generation: holdfast.NoGeneration}
	claims := ""
	if at := strings.LastIndexByte(text, '='); at >= 0 {
		m.ID, claims = text[:at], text[at+1:]
	}
	switch {
	case m.ID == "":
		return m, problem("the member id is empty")
	case !utf8.ValidString(m.ID):
		return m, problem("the member id is not UTF-8")
	case r.ids[m.ID]:
		return m, problem("the member is there twice")
	}
	r.ids[m.ID] = true
	if claims == "" {
		return m, nil
	}
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(claims, ";") {
		topic, ranges, named := strings.Cut(part, ":")
		switch {
		case !named && len(r.names) != 1:
			return m, problem("which topic? With %d topics, claims are written orders:3-6;payments:0",
				len(r.names))
		case !named:
			topic, ranges = r.names[0], part
		}
		if seen[topic] {
			return m, problem("the topic %s is there twice", quoted(topic))
		}
		seen[topic] = true
		partitions, err := appendRanges(nil, ranges, maxClaims-r.claims)
		if err != nil {
			return m, problem("%v", err)
		}
		r.claims += len(partitions)
		m.Owned = append(m.Owned, holdfast.TopicPartitions{Topic: topic, Partitions: partitions})
	}
	return m, nil
}
