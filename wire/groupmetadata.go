package wire

// MaxGroupMetadataVersion is the newest version of GroupMetadata known here.
// Kafka reads it since KIP-915 and writes version 3.
const MaxGroupMetadataVersion int16 = 4

// GroupMetadata is what the coordinator keeps of a classic group: the value of a
// record of type 2 in __consumer_offsets. It is written for each complete
// generation, and when the group becomes empty.
type GroupMetadata struct {
	// Version is the version that was read. It may be above
	// MaxGroupMetadataVersion.
	Version int16

	ProtocolType string // "consumer"
	Generation   int32

	// Protocol is the strategy that the group chose and Leader the id of the member
	// that leads it; both are "" (null) in an empty group.
	Protocol string
	Leader   string

	// StateTimestampMs is when the state was entered, in milliseconds since 1970,
	// -1 where it is not known. Version 2 on.
	StateTimestampMs int64

	Members []GroupMember
}

// GroupMember is one member of a GroupMetadata.
type GroupMember struct {
	ID         string
	InstanceID string // group.instance.id, "" (null) for none. Version 3 on.
	ClientID   string
	ClientHost string

	// RebalanceTimeoutMs is the member's max.poll.interval.ms, in milliseconds; in
	// version 0, which has no field for it, the session timeout. Version 1 on.
	RebalanceTimeoutMs int32
	SessionTimeoutMs   int32

	// Subscription is the metadata of the chosen protocol, see DecodeSubscription,
	// and Assignment what the leader gave, see DecodeAssignment.
	Subscription []byte
	Assignment   []byte
}

// DecodeGroupMetadata reads the value of a group record of any version. The
// error is a *DecodeError, and says that what stands before the members cannot
// be read. Where a member cannot be read, the members before it stand and the
// findings say MembersDamaged. Subscription and Assignment share the memory of
// data. It costs O(len(data)) in time and memory.
func DecodeGroupMetadata(data []byte) (GroupMetadata, Findings, error) {
	r := reader{what: "group metadata", data: data}
	g := GroupMetadata{Version: r.version(), StateTimestampMs: -1}
	r.flexible = g.Version >= 4
	g.ProtocolType = string(r.name("protocol type"))
	g.Generation = r.int32("generation")
	g.Protocol = r.nullableString("protocol")
	g.Leader = r.nullableString("leader")
	if g.Version >= 2 {
		g.StateTimestampMs = r.int64("state timestamp")
	}
	if r.err != nil {
		return GroupMetadata{}, Findings{}, r.err
	}
	var f Findings
	f.newerThan(MaxGroupMetadataVersion, g.Version)
	g.readMembers(&r)
	if r.err != nil {
		f.damaged(MembersDamaged, r.err)
		return g, f, nil
	}
	if r.tags("tagged fields"); r.err != nil {
		f.damaged(TagsDamaged, r.err)
		return g, f, nil
	}
	f.rest(&r)
	return g, f, nil
}

// leastMember is the least that a member takes in any version: four strings and
// two byte slices of a byte each, two timeouts and no tagged fields.
const leastMember = 4 + 2 + 8 + 1

// readMembers appends members as far as they can be read.
func (g *GroupMetadata) readMembers(r *reader) {
	n := r.count("members", leastMember)
	if n > 0 {
		g.Members = make([]GroupMember, 0, n)
	}
	for range n {
		m := g.readMember(r)
		if r.err != nil {
			return
		}
		g.Members = append(g.Members, m)
	}
}

func (g *GroupMetadata) readMember(r *reader) GroupMember {
	m := GroupMember{ID: string(r.name("member id"))}
	if g.Version >= 3 {
		m.InstanceID = r.nullableString("instance id")
	}
	m.ClientID = string(r.name("client id"))
	m.ClientHost = string(r.name("client host"))
	if g.Version >= 1 {
		m.RebalanceTimeoutMs = r.int32("rebalance timeout")
	}
	m.SessionTimeoutMs = r.int32("session timeout")
	if g.Version == 0 {
		m.RebalanceTimeoutMs = m.SessionTimeoutMs
	}
	m.Subscription = r.span("subscription", true, false)
	m.Assignment = r.span("assignment", true, false)
	r.tags("tagged fields of a member")
	return m
}

// AppendGroupMetadata appends g in the version asked for, 0 to
// MaxGroupMetadataVersion, which leaves out the fields that the version does not
// have; g.Version plays no part. The error is an *EncodeError, and dst is then
// returned as it was. It allocates nothing but the room in dst.
func AppendGroupMetadata(dst []byte, version int16, g *GroupMetadata) ([]byte, error) {
	w := writer{what: "group metadata", buf: dst}
	w.version(version, MaxGroupMetadataVersion)
	w.flexible = version >= 4
	w.string("protocol type", g.ProtocolType)
	w.int32(g.Generation)
	w.nullableString("protocol", g.Protocol)
	w.nullableString("leader", g.Leader)
	if version >= 2 {
		w.int64(g.StateTimestampMs)
	}
	w.length("members", true, len(g.Members))
	for i := range g.Members {
		w.member(version, &g.Members[i])
	}
	w.noTags()
	return w.done(dst)
}

func (w *writer) member(version int16, m *GroupMember) {
	w.string("member id", m.ID)
	if version >= 3 {
		w.nullableString("instance id", m.InstanceID)
	}
	w.string("client id", m.ClientID)
	w.string("client host", m.ClientHost)
	if version >= 1 {
		w.int32(m.RebalanceTimeoutMs)
	}
	w.int32(m.SessionTimeoutMs)
	w.bytes("subscription", m.Subscription)
	w.bytes("assignment", m.Assignment)
	w.noTags()
}
