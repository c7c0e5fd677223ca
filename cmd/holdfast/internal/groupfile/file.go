package groupfile

import (
	"slices"

	"github.com/holdfast/holdfast"
)

// File is what a group file says.
type File struct {
	Group holdfast.Group

	// Strategies is what the key strategy names, in order of preference; nil where
	// it names none.
	Strategies []holdfast.Assignor

	// Protocols is what each of Group.Members lists under protocols, as written; nil
	// for a member that has no such key. Only the choice of a strategy looks at it.
	Protocols [][]string

	// Warnings are oddities that are no errors, each "id: what".
	Warnings []string
}

// The keys that a group file may have, and those that are comments in it.
var (
	fileKeys    = []string{"topics", "members", "departed", "strategy", "partition_racks"}
	fileIgnored = []string{"case", "event", "expect", "assumed", "after", "before", "previous",
		"process", "lags", "metadata_partition_order"}
	memberKeys = []string{"id", "instance_id", "rack", "subscription", "owned", "generation",
		"capacity", "protocols", "user_data_hex"}
	memberIgnored = []string{"leader", "host", "pattern", "metadata_note"}
)

// Parse reads a group file. The error is an *[Error].
func Parse(s Source) (*File, error) {
	root, err := open(s)
	if err != nil {
		return nil, err
	}
	fields, err := root.fields(fileKeys, fileIgnored)
	if err != nil {
		return nil, err
	}
	for _, key := range fileKeys[:2] {
		if _, ok := fields[key]; !ok {
			return nil, within(key, root.fail("missing, and a group needs it"))
		}
	}
	r := reader{file: &File{}, doc: root.doc}
	err = r.group(fields)
	if over := root.doc.overrun(); over != nil {
		return nil, over
	}
	if err != nil {
		return nil, err
	}
	return r.file, nil
}

// reader fills a File.
type reader struct {
	file   *File
	doc    *document
	topics map[string]int // position in file.Group.Topics
	all    []string       // every topic of the file
	total  int            // partitions of the topics so far
	claims int            // claimed partitions so far
	ids    map[string]value
}

// group reads what describes the group, in an order in which what a key refers
// to has been read before.
func (r *reader) group(fields map[string]value) error {
	if v, ok := fields["strategy"]; ok {
		if err := r.strategy(v); err != nil {
			return within("strategy", err)
		}
	}
	if v, ok := fields["topics"]; ok {
		if err := r.readTopics(v); err != nil {
			return within("topics", err)
		}
	}
	if v, ok := fields["partition_racks"]; ok {
		if err := r.partitionRacks(v); err != nil {
			return within("partition_racks", err)
		}
	}
	r.ids = make(map[string]value)
	if v, ok := fields["members"]; ok {
		members, protocols, err := r.members(v)
		if err != nil {
			return within("members", err)
		}
		r.file.Group.Members, r.file.Protocols = members, protocols
	}
	if v, ok := fields["departed"]; ok {
		departed, _, err := r.members(v)
		if err != nil {
			return within("departed", err)
		}
		r.file.Group.Departed = departed
	}
	return nil
}

func (r *reader) strategy(v value) error {
	name, err := v.name("the name of a strategy")
	if err != nil {
		return err
	}
	if r.file.Strategies, err = Strategies(name); err != nil {
		return v.fail("%v", err)
	}
	return nil
}

// readTopics reads name: count, or name: {partitions, weights, racks}.
func (r *reader) readTopics(v value) error {
	if v.kind() != mapping {
		return v.fail("%v where a mapping of topics to partition counts belongs", v)
	}
	r.topics = make(map[string]int)
	lines := make(map[string]value)
	for key, val := range v.entries() {
		name, err := key.name("the name of a topic")
		if err != nil {
			return err
		}
		if first, twice := lines[name]; twice {
			return within(keyOf(name),
				key.fail("the topic is there twice (first on line %d)", first.line()))
		}
		lines[name] = key
		topic, err := r.topic(name, val)
		if err != nil {
			return within(keyOf(name), err)
		}
		r.topics[name] = len(r.all)
		r.all = append(r.all, name)
		r.file.Group.Topics = append(r.file.Group.Topics, topic)
	}
	return nil
}

var topicKeys = []string{"partitions", "weights", "racks"}

func (r *reader) topic(name string, v value) (holdfast.Topic, error) {
	t := holdfast.Topic{Name: name}
	if v.kind() != mapping {
		return t, r.partitionCount(&t, v)
	}
	fields, err := v.fields(topicKeys, nil)
	if err != nil {
		return t, err
	}
	count, ok := fields["partitions"]
	if !ok {
		return t, within("partitions", v.fail("missing, and a topic needs it"))
	}
	if err := r.partitionCount(&t, count); err != nil {
		return t, within("partitions", err)
	}
	if w, ok := fields["weights"]; ok {
		if t.Weights, err = weights(w, t.Partitions); err != nil {
			return t, within("weights", err)
		}
	}
	if k, ok := fields["racks"]; ok {
		if t.Racks, err = r.racks(k, t.Partitions); err != nil {
			return t, within("racks", err)
		}
	}
	return t, nil
}

func (r *reader) partitionCount(t *holdfast.Topic, v value) error {
	n, ok := v.integer()
	switch {
	case !ok:
		return v.fail("%v is not a number of partitions", v)
	case n < 0:
		return v.fail("%v partitions are fewer than none", v)
	case n > int64(holdfast.MaxPartitions-r.total):
		return v.fail("%v partitions are more than %d in all topics together", v,
			holdfast.MaxPartitions)
	}
	t.Partitions = int(n)
	r.total += t.Partitions
	return nil
}

// weights reads one weight for each partition.
func weights(v value, partitions int) ([]float64, error) {
	if v.kind() != list {
		return nil, v.fail("%v where a list of weights belongs", v)
	}
	all := make([]float64, 0, partitions)
	for i, item := range v.items() {
		if i == partitions {
			return nil, v.fail("more weights than the topic's %d partitions", partitions)
		}
		w, err := item.float("a weight")
		switch {
		case err != nil:
			return nil, within(index(i), err)
		case w < 0:
			return nil, within(index(i), item.fail("%v is negative, and a weight is not", item))
		case w > holdfast.MaxWeight:
			return nil, within(index(i), item.fail("%v is more than the greatest weight, %v", item,
				holdfast.MaxWeight))
		}
		all = append(all, w)
	}
	if len(all) < partitions {
		return nil, v.fail("%d weights for %d partitions", len(all), partitions)
	}
	return all, nil
}

// partitionRacks reads the other way to write racks, topic by topic.
func (r *reader) partitionRacks(v value) error {
	if v.kind() != mapping {
		return v.fail("%v where a mapping of topics to racks belongs", v)
	}
	for key, val := range v.entries() {
		name, err := key.name("the name of a topic")
		if err != nil {
			return err
		}
		at, ok := r.topics[name]
		if !ok {
			return within(keyOf(name), key.fail("topics has no topic of that name"))
		}
		topic := &r.file.Group.Topics[at]
		if topic.Racks != nil {
			return within(keyOf(name), key.fail("the topic has its racks already"))
		}
		if topic.Racks, err = r.racks(val, topic.Partitions); err != nil {
			return within(keyOf(name), err)
		}
	}
	return nil
}

// racks reads, for each partition, the racks of its replicas. Equal lists share
// their memory.
func (r *reader) racks(v value, partitions int) ([][]string, error) {
	if v.kind() != list {
		return nil, v.fail("%v where a list of racks for each partition belongs", v)
	}
	all := make([][]string, 0, partitions)
	for i, item := range v.items() {
		if i == partitions {
			return nil, v.fail("racks for more than the topic's %d partitions", partitions)
		}
		replicas, err := r.names(item, "a list of racks", "a rack")
		if err != nil {
			return nil, within(index(i), err)
		}
		if i > 0 && slices.Equal(replicas, all[i-1]) {
			replicas = all[i-1]
		}
		all = append(all, replicas)
	}
	if len(all) < partitions {
		return nil, v.fail("racks for %d of %d partitions", len(all), partitions)
	}
	return all, nil
}

// names reads a list of names; null is an empty one.
func (r *reader) names(v value, what, each string) ([]string, error) {
	names := []string{}
	if v.kind() == null {
		return names, nil
	}
	if v.kind() != list {
		return nil, v.fail("%v where %s belongs", v, what)
	}
	for i, item := range v.items() {
		name, err := item.name(each)
		if err != nil {
			return nil, within(index(i), err)
		}
		names = append(names, name)
	}
	return names, nil
}
