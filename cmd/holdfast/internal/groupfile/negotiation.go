package groupfile

import (
	"strconv"
	"strings"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
)

// Negotiation is what a file says of the choice of a strategy.
type Negotiation struct {
	// Members have their lists of strategies and stand in the order of joining.
	Members []group.Voter

	// Steps is the whole group in each step of a rolling change, nil where the file
	// has no steps.
	Steps [][]group.Voter
}

var negotiationKeys = []string{"members", "steps", "topics", "departed", "partition_racks"}

// ParseNegotiation reads a file for the choice of a strategy: a group file whose
// members have the key protocols. Topics may be absent; what strategy says plays
// no part. With the key steps it is a rolling change. A step is either a list
// with one entry for each member in turn, which is its list of strategies or a
// mapping with id and protocols, or it is a mapping from the ids of those that
// change to their new lists. Members that a file does not name are called m1, m2
// and so on. Java class names of the built-in strategies are read as the names
// that they have on the wire. The error is an *[Error].
func ParseNegotiation(s Source) (*Negotiation, error) {
	root, err := open(s)
	if err != nil {
		return nil, err
	}
	fields, err := root.fields(negotiationKeys, append([]string{"strategy"}, fileIgnored...))
	if err != nil {
		return nil, err
	}
	r := reader{file: &File{}, doc: root.doc}
	n := &Negotiation{}
	err = r.group(fields)
	if err == nil {
		err = n.read(&r, root, fields)
	}
	if over := root.doc.overrun(); over != nil {
		return nil, over
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (n *Negotiation) read(r *reader, root value, fields map[string]value) error {
	steps, ok := fields["steps"]
	if _, named := fields["members"]; !named && !ok {
		return within("members", root.fail("missing, and a choice needs it"))
	}
	for i, m := range r.file.Group.Members {
		if r.file.Protocols[i] == nil && !ok {
			return within("members"+index(i),
				fields["members"].fail("member %s has no protocols", named(m.ID)))
		}
		n.Members = append(n.Members, voter(m.ID, m.InstanceID, r.file.Protocols[i]))
	}
	if !ok {
		return nil
	}
	return within("steps", n.readSteps(r, steps))
}

// voter is a member with the names of its strategies as they are on the wire:
// names there are opaque, but a Java class never is one.
func voter(id, instance string, protocols []string) group.Voter {
	for i, name := range protocols {
		if !strings.HasPrefix(name, "org.apache.kafka.") {
			continue
		}
		if found, err := holdfast.ParseStrategies(name); err == nil && len(found) == 1 {
			protocols[i] = found[0].Name()
		}
	}
	return group.Voter{ID: id, InstanceID: instance, Protocols: protocols}
}

func (n *Negotiation) readSteps(r *reader, v value) error {
	if v.kind() != list {
		return v.fail("%v where a list of steps belongs", v)
	}
	n.Steps = [][]group.Voter{}
	now := n.Members
	for i, item := range v.items() {
		var err error
		switch item.kind() {
		case list:
			now, err = n.wholeStep(r, item)
		case mapping:
			now, err = n.changes(r, now, item)
		default:
			err = item.fail("%v is not a step", item)
		}
		if err != nil {
			return within(index(i), err)
		}
		n.Steps = append(n.Steps, now)
	}
	if len(n.Steps) == 0 {
		return v.fail("a rolling change has at least one step")
	}
	return nil
}

// wholeStep reads a step that lists all members.
func (n *Negotiation) wholeStep(r *reader, v value) ([]group.Voter, error) {
	var step []group.Voter
	ids := make(map[string]bool)
	for i, item := range v.items() {
		next := group.Voter{ID: "m" + strconv.Itoa(i+1)}
		if i < len(n.Members) {
			next = n.Members[i]
		}
		var err error
		if item.kind() == mapping {
			next, err = n.namedVoter(r, item)
		} else {
			next.Protocols, err = r.names(item, "a list of strategies", "the name of a strategy")
		}
		if err == nil && ids[next.ID] {
			err = item.fail("member %s is there twice", quoted(next.ID))
		}
		if err != nil {
			return nil, within(index(i), err)
		}
		ids[next.ID] = true
		step = append(step, voter(next.ID, next.InstanceID, next.Protocols))
	}
	return step, nil
}

func (n *Negotiation) namedVoter(r *reader, v value) (group.Voter, error) {
	var next group.Voter
	fields, err := v.fields([]string{"id", "protocols", "instance_id"}, memberIgnored)
	if err != nil {
		return next, err
	}
	for _, key := range []string{"id", "protocols"} {
		if _, ok := fields[key]; !ok {
			return next, within(key, v.fail("missing, and a member of a step needs it"))
		}
	}
	if next.ID, err = fields["id"].name("a member id"); err != nil {
		return next, within("id", err)
	}
	for _, m := range n.Members {
		if m.ID == next.ID {
			next.InstanceID = m.InstanceID
		}
	}
	if v, ok := fields["instance_id"]; ok {
		if next.InstanceID, err = v.name("a group.instance.id"); err != nil {
			return next, within("instance_id", err)
		}
	}
	next.Protocols, err = r.names(fields["protocols"], "a list of strategies",
		"the name of a strategy")
	return next, within("protocols", err)
}

// changes reads a step that names those that change.
func (n *Negotiation) changes(r *reader, now []group.Voter, v value) ([]group.Voter, error) {
	step := append([]group.Voter{}, now...)
	at := make(map[string]int)
	for i, m := range step {
		at[m.ID] = i
	}
	seen := make(map[string]bool)
	for key, val := range v.entries() {
		id, err := key.name("a member id")
		if err != nil {
			return nil, err
		}
		if seen[id] {
			return nil, within(keyOf(id), key.fail("the member is there twice"))
		}
		seen[id] = true
		protocols, err := r.names(val, "a list of strategies", "the name of a strategy")
		if err != nil {
			return nil, within(keyOf(id), err)
		}
		i, known := at[id]
		if !known {
			i = len(step)
			step = append(step, group.Voter{})
		}
		step[i] = voter(id, step[i].InstanceID, protocols)
	}
	return step, nil
}

// Start is the group before the first step: the members of the file, where they
// have lists; else nil.
func (n *Negotiation) Start() []group.Voter {
	for _, m := range n.Members {
		if m.Protocols == nil {
			return nil
		}
	}
	return n.Members
}
