package wire

import (
	"github.com/holdfast/holdfast"
)

// MaxVersion is the newest version of Subscription and Assignment known here.
const MaxVersion int16 = 3

// Subscription is what a member tells the leader of its group when it joins:
// the metadata of one protocol in a JoinGroup request
// (ConsumerProtocolSubscription).
type Subscription struct {
	// Version is the version that was read. It may be above MaxVersion.
	Version int16

	Topics []string

	// UserData is what the member's strategy says beside; nil is null.
	UserData []byte

	// Owned is what the member says it owns. Version 1 on (KIP-429).
	Owned []holdfast.TopicPartitions

	// Generation is the generation of Owned, holdfast.NoGeneration where there is
	// none. Version 2 on (KIP-792).
	Generation int32

	// Rack is the member's client.rack, "" where it has none. Version 3 on
	// (KIP-881).
	Rack string
}

// HasGeneration reports whether the version has a field for a generation.
func (s *Subscription) HasGeneration() bool { return s.Version >= 2 }

// DecodeSubscription reads a subscription of any version. The error is a
// *DecodeError, and says that not even the topics can be read; all else that is
// odd is in the findings. UserData shares the memory of data. It costs
// O(len(data)) in time and memory. To read the subscriptions of a group, use a
// Decoder.
func DecodeSubscription(data []byte) (Subscription, Findings, error) {
	return decodeSubscription(data, nil)
}

func decodeSubscription(data []byte, d *Decoder) (Subscription, Findings, error) {
	r := reader{what: "subscription", data: data}
	s := Subscription{Version: r.version(), Generation: holdfast.NoGeneration}
	if r.err == nil {
		s.Topics = d.topics(&r)
	}
	if r.err != nil {
		return Subscription{}, Findings{}, r.err
	}
	var f Findings
	f.newerThan(MaxVersion, s.Version)
	s.readRest(&r, d, &f)
	return s, f, nil
}

// afterTopics lists the fields behind the topics, which are the ones that may be
// missing or damaged.
var afterTopics = [...]struct {
	name             string
	since            int16
	missing, damaged WarningID
}{
	{"user data", 0, UserDataMissing, UserDataDamaged},
	{"owned partitions", 1, OwnedMissing, OwnedDamaged},
	{"generation", 2, GenerationMissing, GenerationDamaged},
	{"rack", 3, RackMissing, RackDamaged},
}

// readRest reads what follows the topics, as far as it can be read.
func (s *Subscription) readRest(r *reader, d *Decoder, f *Findings) {
	var owned partitionList
	for _, field := range afterTopics {
		if s.Version < field.since {
			break
		}
		if r.left() == 0 {
			f.warn(field.missing, r.at, "version %d ends at byte %d, before its %s",
				s.Version, r.at, field.name)
			break
		}
		switch field.since {
		case 0:
			s.UserData = r.span(field.name, true, true)
		case 1:
			owned = r.partitionList(field.name)
		case 2:
			s.Generation = r.int32(field.name)
		case 3:
			s.Rack = r.nullableString(field.name)
		}
		if r.err != nil {
			s.Generation = holdfast.NoGeneration
			f.damaged(field.damaged, r.err)
			return
		}
	}
	s.Owned = owned.read(naming{decoder: d})
	f.rest(r)
}

// AppendSubscription appends s in the version asked for, 0 to MaxVersion, which
// leaves out the fields that the version does not have; s.Version plays no part.
// Topics and partitions are written in the order given; Kafka's own clients sort
// them first, see Sorted. The error is an *EncodeError, and dst is then returned
// as it was. It allocates nothing but the room in dst.
func AppendSubscription(dst []byte, version int16, s *Subscription) ([]byte, error) {
	w := writer{what: "subscription", buf: dst}
	w.version(version, MaxVersion)
	w.length("topics", true, len(s.Topics))
	for _, topic := range s.Topics {
		w.string("topics", topic)
	}
	w.nullableBytes("user data", s.UserData)
	if version >= 1 {
		w.partitionList("owned partitions", s.Owned)
	}
	if version >= 2 {
		w.int32(s.Generation)
	}
	if version >= 3 {
		w.nullableString("rack", s.Rack)
	}
	return w.done(dst)
}
