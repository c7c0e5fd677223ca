package wire

import (
	"github.com/holdfast/holdfast"
)

// Sticky is what the strategy sticky puts into a subscription's user data: what
// the member owned, and from version 1 on (KIP-341) when. The bytes do not say
// their version.
type Sticky struct {
	// Version is the version that was read: 1 where a generation follows the
	// partitions, else 0.
	Version int16

	Owned []holdfast.TopicPartitions

	// Generation is the generation of Owned, holdfast.NoGeneration in version 0.
	Generation int32
}

// MaxStickyVersion is the newest version of Sticky known here.
const MaxStickyVersion int16 = 1

// DecodeSticky reads user data as the strategy sticky does: null and empty user
// data claim nothing; otherwise version 1 is tried, and if the bytes end too
// early for it, version 0. User data that is neither is some other strategy's:
// it claims nothing either, and the findings say ForeignUserData. It costs
// O(len(userData)) in time and memory.
func DecodeSticky(userData []byte) (Sticky, Findings) {
	return decodeSticky(userData, nil)
}

// Sticky does what [DecodeSticky] does, and shares topic names with all else
// that d has read.
func (d *Decoder) Sticky(userData []byte) (Sticky, Findings) {
	return decodeSticky(userData, d)
}

func decodeSticky(userData []byte, d *Decoder) (Sticky, Findings) {
	var f Findings
	s := Sticky{Generation: holdfast.NoGeneration}
	if len(userData) == 0 {
		return s, f
	}
	r := reader{what: "sticky user data", data: userData}
	list := r.partitionList("partitions")
	if r.err != nil {
		f.foreign(r.err)
		return s, f
	}
	if r.left() >= 4 {
		s.Version = 1
		s.Generation = r.int32("generation")
	}
	s.Owned = list.read(naming{decoder: d})
	f.rest(&r)
	return s, f
}

// foreign records why user data is not the strategy's.
func (f *Findings) foreign(err *DecodeError) {
	f.Malformed = true
	f.warn(ForeignUserData, err.Offset, "read as no claim; %s, at byte %d", err.reason(), err.Offset)
}

// AppendSticky appends s in the version asked for, 0 or 1; s.Version plays no
// part. Partitions are written in the order given. The error is an *EncodeError,
// and dst is then returned as it was. It allocates nothing but the room in dst.
func AppendSticky(dst []byte, version int16, s *Sticky) ([]byte, error) {
	w := writer{what: "sticky user data", buf: dst}
	w.check(version, MaxStickyVersion)
	w.partitionList("partitions", s.Owned)
	if version >= 1 {
		w.int32(s.Generation)
	}
	return w.done(dst)
}

// DecodeCooperative reads the generation that the strategy cooperative-sticky
// puts into user data, holdfast.NoGeneration where there is none: for null and
// empty user data, and for bytes that are not just one int32, which the findings
// then call ForeignUserData. Kafka's own client takes the first four bytes of
// anything longer; of another strategy's user data that is no generation.
func DecodeCooperative(userData []byte) (generation int32, f Findings) {
	if len(userData) == 0 {
		return holdfast.NoGeneration, f
	}
	r := reader{what: "cooperative-sticky user data", data: userData}
	generation = max(r.int32("generation"), holdfast.NoGeneration)
	if r.err == nil && r.left() > 0 {
		r.fail(ErrLength, "generation", 0, "%d bytes, not 4", len(userData))
	}
	if r.err != nil {
		f.foreign(r.err)
		return holdfast.NoGeneration, f
	}
	return generation, f
}

// AppendCooperative appends the user data of the strategy cooperative-sticky.
func AppendCooperative(dst []byte, generation int32) []byte {
	w := writer{buf: dst}
	w.int32(generation)
	return w.buf
}

// CooperativeGeneration returns the generation of s.Owned as the strategy
// cooperative-sticky understands it: the subscription's own, and where it has
// none, the one in the user data of clients that knew no such field.
func (s *Subscription) CooperativeGeneration() (generation int32, f Findings) {
	if s.Generation >= 0 {
		return s.Generation, f
	}
	return DecodeCooperative(s.UserData)
}
