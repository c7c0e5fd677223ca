package wire

// RecordType tells what a record of __consumer_offsets speaks of: the number
// that its key begins with.
type RecordType int16

// The types whose keys are understood here. Of all but GroupMetadataRecord the
// values are not.
const (
	OffsetCommitRecordV0    RecordType = 0
	OffsetCommitRecord      RecordType = 1
	GroupMetadataRecord     RecordType = 2 // a classic group
	ConsumerGroupRecord     RecordType = 3 // a group of KIP-848, and 4 to 8
	PartitionMetadataRecord RecordType = 4
	MemberMetadataRecord    RecordType = 5
	TargetEpochRecord       RecordType = 6
	TargetAssignmentRecord  RecordType = 7
	CurrentAssignmentRecord RecordType = 8
)

// RecordKey is the key of a record in __consumer_offsets.
type RecordKey struct {
	Type  RecordType
	Group string

	// Topic and Partition are the committed offset's, for types 0 and 1.
	Topic     string
	Partition int32

	// Member is the member's id, for types 5, 7 and 8.
	Member string
}

// DecodeRecordKey reads the key of a record. A type that is not known gives its
// number alone and ForeignRecord among the findings (KIP-915 asks readers to
// pass over such records). The error is a *DecodeError.
func DecodeRecordKey(data []byte) (RecordKey, Findings, error) {
	r := reader{what: "record key", data: data}
	k := RecordKey{Type: RecordType(r.version())}
	var f Findings
	if k.Type > CurrentAssignmentRecord {
		f.warn(ForeignRecord, 0, "type %d is not known", k.Type)
		f.Trailing = r.left()
		return k, f, nil
	}
	k.Group = string(r.name("group"))
	switch k.Type {
	case OffsetCommitRecordV0, OffsetCommitRecord:
		k.Topic = string(r.name("topic"))
		k.Partition = r.int32("partition")
	case MemberMetadataRecord, TargetAssignmentRecord, CurrentAssignmentRecord:
		k.Member = string(r.name("member"))
	}
	if r.err != nil {
		return RecordKey{}, Findings{}, r.err
	}
	f.rest(&r)
	return k, f, nil
}

// IsRecordKey guesses whether bytes out of __consumer_offsets are a key or a
// value, for people who paste one of the two: both begin with a small number.
// They are a key if they can be read as one of a known type to the last byte,
// and not as a GroupMetadata as well.
func IsRecordKey(data []byte) bool {
	_, f, err := DecodeRecordKey(data)
	if err != nil || len(f.Warnings) > 0 {
		return false
	}
	_, f, err = DecodeGroupMetadata(data)
	return err != nil || len(f.Warnings) > 0
}

// AppendRecordKey appends the key of a record. The error is an *EncodeError, and
// dst is then returned as it was.
func AppendRecordKey(dst []byte, k *RecordKey) ([]byte, error) {
	w := writer{what: "record key", buf: dst}
	w.version(int16(k.Type), int16(CurrentAssignmentRecord))
	w.string("group", k.Group)
	switch k.Type {
	case OffsetCommitRecordV0, OffsetCommitRecord:
		w.string("topic", k.Topic)
		w.int32(k.Partition)
	case MemberMetadataRecord, TargetAssignmentRecord, CurrentAssignmentRecord:
		w.string("member", k.Member)
	}
	return w.done(dst)
}
