package wire

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"github.com/holdfast/holdfast"
)

// Assignment is what the leader tells one member: its part of a SyncGroup
// request (ConsumerProtocolAssignment). Versions 0 to 3 differ in their number
// alone.
type Assignment struct {
	// Version is the version that was read. It may be above MaxVersion.
	Version int16

	Assigned []holdfast.TopicPartitions

	// UserData is what the leader's strategy says beside; nil is null.
	UserData []byte
}

// DecodeAssignment reads an assignment of any version. The error is a
// *DecodeError, and says that the partitions cannot be read; so it is for no
// bytes at all, which is what the coordinator gives a member that the leader
// left out. UserData shares the memory of data. It costs O(len(data)) in time
// and memory.
func DecodeAssignment(data []byte) (Assignment, Findings, error) {
	r := reader{what: "assignment", data: data}
	a := Assignment{Version: r.version()}
	list := r.partitionList("partitions")
	if r.err != nil {
		return Assignment{}, Findings{}, r.err
	}
	var f Findings
	f.newerThan(MaxVersion, a.Version)
	a.Assigned = list.read(naming{})
	if r.left() == 0 {
		f.warn(UserDataMissing, r.at, "version %d ends at byte %d, before its user data",
			a.Version, r.at)
		return a, f, nil
	}
	a.UserData = r.span("user data", true, true)
	if r.err != nil {
		f.damaged(UserDataDamaged, r.err)
		return a, f, nil
	}
	f.rest(&r)
	return a, f, nil
}

// AppendAssignment appends a in the version asked for, 0 to MaxVersion;
// a.Version plays no part. A member that gets nothing is told so by the bytes of
// an empty Assignment, not by no bytes. Topics and partitions are written in the
// order given. The error is an *EncodeError, and dst is then returned as it was.
// It allocates nothing but the room in dst. To write the answers of a whole
// group, see EncodeOwners.
func AppendAssignment(dst []byte, version int16, a *Assignment) ([]byte, error) {
	w := writer{what: "assignment", buf: dst}
	w.version(version, MaxVersion)
	w.partitionList("partitions", a.Assigned)
	w.nullableBytes("user data", a.UserData)
	return w.done(dst)
}

// AppendTopics appends an assignment without user data whose partitions come
// from an iterator, such as the TopicsOf of a holdfast.Division: each topic once,
// with its partitions. All else is as in AppendAssignment.
func AppendTopics(
	dst []byte, version int16, topics iter.Seq2[string, []int32],
) ([]byte, error) {
	w := writer{what: "assignment", buf: dst}
	w.version(version, MaxVersion)
	counter, n := len(w.buf), uint32(0)
	w.int32(0)
	for topic, partitions := range topics {
		w.string("partitions", topic)
		w.length("partitions", true, len(partitions))
		for _, p := range partitions {
			w.int32(p)
		}
		n++
	}
	binary.BigEndian.PutUint32(w.buf[counter:], n)
	w.nullableBytes("user data", nil)
	return w.done(dst)
}

// emptyAssignment is the size of an assignment of nothing without user data:
// version, topic count and the length -1.
const emptyAssignment = 2 + 4 + 4

// EncodeOwners writes the assignments of a whole group, one for each member, in
// the version asked for and without user data. Topics are laid end to end in the
// order given, and owners holds for each partition the number of its member, or
// a negative number where nobody gets it; so each member's topics and partitions
// come out in that order too.
//
// It takes two passes over owners and O(p + t + n) time for p partitions, t
// topics and n members, and all assignments share one allocation of just the
// size they need. The error is an *EncodeError.
func EncodeOwners(
	version int16, topics []holdfast.Topic, owners []int32, members int,
) ([][]byte, error) {
	w := writer{what: "assignment"}
	if w.check(version, MaxVersion); w.err != nil {
		return nil, w.err
	}
	answers := make([]answer, members)
	size, err := measureOwners(topics, owners, answers)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, size)
	all := make([][]byte, members)
	for m := range answers {
		a := &answers[m]
		all[m], buf = buf[:a.size:a.size], buf[a.size:]
		binary.BigEndian.PutUint16(all[m], uint16(version))
		binary.BigEndian.PutUint32(all[m][2:], uint32(a.topics))
		binary.BigEndian.PutUint32(all[m][a.size-4:], math.MaxUint32)
		*a = answer{size: 2 + 4, last: -1}
	}
	fillOwners(topics, owners, answers, all)
	return all, nil
}

// answer is one member's assignment while it is measured and then written.
type answer struct {
	size    int // bytes it takes; while writing: where the next byte goes
	topics  int
	last    int // the topic of its last partition
	counter int // where the partition count of that topic stands
}

// measureOwners finds the size of every answer and the sum of them.
func measureOwners(topics []holdfast.Topic, owners []int32, answers []answer) (int, error) {
	for m := range answers {
		answers[m] = answer{size: emptyAssignment, last: -1}
	}
	size, at := len(answers)*emptyAssignment, 0
	for t := range topics {
		name, partitions := topics[t].Name, topics[t].Partitions
		if len(name) > math.MaxInt16 {
			return 0, ownersError(ErrTooLong, "topic name of %d bytes", len(name))
		}
		if partitions < 0 || partitions > len(owners)-at {
			return 0, ownersError(ErrOwner, "topic %q has %d partitions, %d owners are left",
				name, partitions, len(owners)-at)
		}
		for p, m := range owners[at : at+partitions] {
			if m < 0 {
				continue
			}
			if int(m) >= len(answers) {
				return 0, ownersError(ErrOwner, "partition %d of topic %q has member %d of %d",
					p, name, m, len(answers))
			}
			a, before := &answers[m], answers[m].size
			if a.last != t {
				a.last = t
				a.topics++
				a.size += leastTopicPartitions + len(name)
			}
			a.size += leastPartition
			size += a.size - before
		}
		at += partitions
	}
	if at != len(owners) {
		return 0, ownersError(ErrOwner, "%d owners for %d partitions", len(owners), at)
	}
	return size, nil
}

func ownersError(reason error, format string, args ...any) error {
	return &EncodeError{Reason: reason, What: "assignment", Field: "owners",
		Value: fmt.Sprintf(format, args...)}
}

// fillOwners writes the lists of partitions into the room that was measured.
func fillOwners(topics []holdfast.Topic, owners []int32, answers []answer, all [][]byte) {
	at := 0
	for t := range topics {
		name, end := topics[t].Name, at+topics[t].Partitions
		for p, m := range owners[at:end] {
			if m < 0 {
				continue
			}
			a, out := &answers[m], all[m]
			if a.last != t {
				a.last = t
				binary.BigEndian.PutUint16(out[a.size:], uint16(len(name)))
				a.size += 2 + copy(out[a.size+2:], name)
				a.counter = a.size
				a.size += 4
			}
			count := out[a.counter : a.counter+4]
			binary.BigEndian.PutUint32(count, binary.BigEndian.Uint32(count)+1)
			binary.BigEndian.PutUint32(out[a.size:], uint32(p))
			a.size += 4
		}
		at = end
	}
}
