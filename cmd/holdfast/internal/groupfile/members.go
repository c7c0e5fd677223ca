package groupfile

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

// maxClaims bounds the claimed partitions of a file. Members that contradict
// each other may claim more than there is.
const maxClaims = 2 * holdfast.MaxPartitions

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// members reads a list of members and what each lists under protocols.
func (r *reader) members(v value) ([]holdfast.Member, [][]string, error) {
	if v.kind() != list {
		return nil, nil, v.fail("%v where a list of members belongs", v)
	}
	var members []holdfast.Member
	var protocols [][]string
	for i, item := range v.items() {
		m, p, err := r.member(item)
		if err != nil {
			return nil, nil, within(index(i), err)
		}
		members = append(members, m)
		protocols = append(protocols, p)
	}
	return members, protocols, nil
}

func (r *reader) member(v value) (m holdfast.Member, protocols []string, err error) {
	fields, err := v.fields(memberKeys, memberIgnored)
	if err != nil {
		return m, nil, err
	}
	if m, err = r.newMember(v, fields); err != nil {
		return m, nil, err
	}
	protocols, err = r.memberFields(&m, fields)
	return m, protocols, err
}

// newMember reads the id, which no other member may have.
func (r *reader) newMember(v value, fields map[string]value) (holdfast.Member, error) {
	m := holdfast.Member{Topics: r.all, Generation: holdfast.NoGeneration}
	id, ok := fields["id"]
	if !ok {
		return m, within("id", v.fail("missing, and a member needs one"))
	}
	var err error
	if m.ID, err = id.name("a member id"); err != nil {
		return m, within("id", err)
	}
	if first, twice := r.ids[m.ID]; twice {
		return m, within("id",
			id.fail("member %s is there twice (first on line %d)", quoted(m.ID), first.line()))
	}
	r.ids[m.ID] = id
	return m, nil
}

// memberFields reads what else is said of a member.
func (r *reader) memberFields(
	m *holdfast.Member, fields map[string]value,
) (protocols []string, err error) {
	// In this order, so that of several errors it is always the same one.
	for _, key := range memberKeys[1:] {
		v, ok := fields[key]
		if !ok {
			continue
		}
		switch key {
		case "instance_id":
			m.InstanceID, err = v.name("a group.instance.id")
		case "rack":
			m.Rack, err = v.name("a rack")
		case "subscription":
			m.Topics, err = r.names(v, "a list of topics", "the name of a topic")
		case "owned":
			m.Owned, err = r.owned(v)
		case "generation":
			m.Generation, err = v.int32("a generation")
		case "capacity":
			m.Capacity, err = capacity(v)
		case "protocols":
			protocols, err = r.names(v, "a list of strategies", "the name of a strategy")
		case "user_data_hex":
			err = r.userData(m, v)
		}
		if err != nil {
			return nil, within(key, err)
		}
	}
	return protocols, nil
}

func capacity(v value) (float64, error) {
	c, err := v.float("a capacity")
	if err == nil && c <= 0 {
		return 0, v.fail("%v is not above 0, and a capacity is", v)
	}
	if err == nil && (c > holdfast.MaxWeight || c < 1/holdfast.MaxWeight) {
		return 0, v.fail("%v is not from %v to %v, as a capacity is", v, 1/holdfast.MaxWeight,
			holdfast.MaxWeight)
	}
	return c, err
}

// owned reads topic: "3-6", topic: "0,2,5-7" or topic: [3, 4, 5, 6].
func (r *reader) owned(v value) ([]holdfast.TopicPartitions, error) {
	if v.kind() != mapping {
		return nil, v.fail("%v where a mapping of topics to partitions belongs", v)
	}
	var all []holdfast.TopicPartitions
	seen := make(map[string]value)
	for key, val := range v.entries() {
		name, err := key.name("the name of a topic")
		if err != nil {
			return nil, err
		}
		if first, twice := seen[name]; twice {
			return nil, within(keyOf(name),
				key.fail("the topic is there twice (first on line %d)", first.line()))
		}
		seen[name] = key
		partitions, err := r.partitions(val)
		if err != nil {
			return nil, within(keyOf(name), err)
		}
		if len(partitions) > 0 {
			all = append(all, holdfast.TopicPartitions{Topic: name, Partitions: partitions})
		}
	}
	return all, nil
}

func (r *reader) partitions(v value) ([]int32, error) {
	switch v.kind() {
	case mapping:
		return nil, v.fail("%v where partitions belong", v)
	case null:
		if v.absent() {
			return nil, v.fail("no partitions (a list with commas needs quotes: \"0,2,5-7\")")
		}
		return nil, nil
	case scalar:
		return r.ranges(nil, v)
	}
	partitions := []int32{}
	for i, item := range v.items() {
		var err error
		if partitions, err = r.ranges(partitions, item); err != nil {
			return nil, within(index(i), err)
		}
	}
	return partitions, nil
}

// ranges appends what one scalar names: a number, or a text of ranges.
func (r *reader) ranges(to []int32, v value) ([]int32, error) {
	if k := v.kind(); k != scalar {
		return nil, v.fail("%v is not a partition", v)
	}
	before := len(to)
	var err error
	if n, ok := v.integer(); ok && n == int64(int32(n)) {
		to = append(to, int32(n))
	} else if ok {
		_, err = v.int32("a partition")
	} else {
		var problem error
		if to, problem = appendRanges(to, v.text(), maxClaims-r.claims); problem != nil {
			err = v.fail("%v", problem)
		}
	}
	if err != nil {
		return nil, err
	}
	if r.claims += len(to) - before; r.claims > maxClaims {
		return nil, v.fail("more than %d claims in the file", maxClaims)
	}
	return to, nil
}

// userData takes the claims from a sticky assignor's user data, where a member
// has none of its own.
func (r *reader) userData(m *holdfast.Member, v value) error {
	if v.kind() != scalar {
		return v.fail("%v where user data in hex belongs", v)
	}
	if len(m.Owned) > 0 {
		return nil
	}
	odd := func(what string) {
		r.file.Warnings = append(r.file.Warnings, fmt.Sprintf(
			"foreign-user-data: user_data_hex of member %s, on line %d: %v",
			named(m.ID), v.line(), what))
	}
	data, err := hex.DecodeString(v.text())
	if err != nil {
		odd("read as no claim; " + err.Error())
		return nil
	}
	sticky, findings := wire.DecodeSticky(data)
	if findings.Malformed {
		odd(findings.Warnings[0].Detail)
		return nil
	}
	for _, tp := range sticky.Owned {
		if r.claims += len(tp.Partitions); r.claims > maxClaims {
			return v.fail("more than %d claims in the file", maxClaims)
		}
	}
	m.Owned = sticky.Owned
	if sticky.Version >= 1 {
		m.Generation = max(sticky.Generation, holdfast.NoGeneration)
	}
	return nil
}

// named is a name for a sentence.
func named(name string) string {
	if len(name) <= longest {
		return Printable(name)
	}
	return quoted(name)
}
