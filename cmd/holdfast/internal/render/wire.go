package render

import (
	"encoding/hex"
	"io"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/holdfast/holdfast/wire"
)

// Wire writes decoded bytes of the consumer protocol.
type Wire struct{ w *jsonwriter.Writer }

// WriteWire writes one object, to which body gives its keys.
func WriteWire(out io.Writer, body func(*Wire)) error {
	w := jsonwriter.New(out, 2)
	w.Object(func() {
		w.Key("format_version")
		w.String(FormatVersion)
		body(&Wire{w})
	})
	w.Newline()
	return w.Flush()
}

// Subscription writes what a member tells its leader. What the version has no
// field for, or the bytes end before, is null.
func (p *Wire) Subscription(s *wire.Subscription, f *wire.Findings) {
	w := p.w
	p.kind("subscription", s.Version)
	w.Key("topics")
	w.Strings(s.Topics)
	w.Key("owned")
	p.owned(s.Owned)
	w.Key("generation")
	if s.HasGeneration() && !lacks(f, wire.UserDataMissing, wire.UserDataDamaged,
		wire.OwnedMissing, wire.OwnedDamaged, wire.GenerationMissing, wire.GenerationDamaged) {
		w.Int(int64(s.Generation))
	} else {
		w.Null()
	}
	p.stringOrNull("rack", s.Rack)
	p.userData(s.UserData)
	p.claims(s.UserData)
	p.findings(f)
}

func lacks(f *wire.Findings, ids ...wire.WarningID) bool {
	for _, id := range ids {
		if f.Has(id) {
			return true
		}
	}
	return false
}

// claims writes what the user data claims: as the strategy sticky writes it, and
// as cooperative-sticky does, each null where the user data is not that.
func (p *Wire) claims(userData []byte) {
	w := p.w
	w.Key("sticky")
	if s, f := wire.DecodeSticky(userData); len(userData) > 0 && len(f.Warnings) == 0 {
		w.Flat(func() {
			w.Object(func() {
				w.Key("owned")
				p.owned(s.Owned)
				p.stickyGeneration(&s)
			})
		})
	} else {
		w.Null()
	}
	w.Key("cooperative_generation")
	if g, f := wire.DecodeCooperative(userData); len(userData) > 0 && len(f.Warnings) == 0 {
		w.Int(int64(g))
	} else {
		w.Null()
	}
}

func (p *Wire) stickyGeneration(s *wire.Sticky) {
	p.w.Key("generation")
	if s.Version >= 1 {
		p.w.Int(int64(s.Generation))
	} else {
		p.w.Null()
	}
}

// Assignment writes what the leader tells a member.
func (p *Wire) Assignment(a *wire.Assignment, f *wire.Findings) {
	p.kind("assignment", a.Version)
	p.w.Key("assignment")
	p.owned(a.Assigned)
	p.userData(a.UserData)
	p.findings(f)
}

// Sticky writes the user data of the strategy sticky.
func (p *Wire) Sticky(s *wire.Sticky, f *wire.Findings) {
	p.kind("sticky", s.Version)
	p.w.Key("owned")
	p.owned(s.Owned)
	p.stickyGeneration(s)
	p.findings(f)
}

// RecordKey writes the key of a record of __consumer_offsets.
func (p *Wire) RecordKey(k *wire.RecordKey, f *wire.Findings) {
	w := p.w
	w.Key("kind")
	w.String("group-record")
	w.Key("record")
	w.String("key")
	w.Key("type")
	w.Int(int64(k.Type))
	p.stringOrNull("group", k.Group)
	p.stringOrNull("topic", k.Topic)
	w.Key("partition")
	if k.Topic == "" {
		w.Null()
	} else {
		w.Int(int64(k.Partition))
	}
	p.stringOrNull("member", k.Member)
	p.findings(f)
}

// GroupRecord writes what the coordinator keeps of a classic group.
func (p *Wire) GroupRecord(g *wire.GroupMetadata, f *wire.Findings) {
	w := p.w
	w.Key("kind")
	w.String("group-record")
	w.Key("record")
	w.String("value")
	w.Key("version")
	w.Int(int64(g.Version))
	w.Key("protocol_type")
	w.String(g.ProtocolType)
	w.Key("generation")
	w.Int(int64(g.Generation))
	p.stringOrNull("protocol", g.Protocol)
	p.stringOrNull("leader", g.Leader)
	w.Key("state_timestamp_ms")
	if g.StateTimestampMs < 0 {
		w.Null()
	} else {
		w.Int(g.StateTimestampMs)
	}
	w.Key("members")
	w.Array(func() {
		for i := range g.Members {
			w.Object(func() { p.member(&g.Members[i]) })
		}
	})
	p.findings(f)
}

func (p *Wire) member(m *wire.GroupMember) {
	w := p.w
	w.Key("id")
	w.String(m.ID)
	p.stringOrNull("instance_id", m.InstanceID)
	w.Key("client_id")
	w.String(m.ClientID)
	w.Key("client_host")
	w.String(m.ClientHost)
	w.Key("rebalance_timeout_ms")
	w.Int(int64(m.RebalanceTimeoutMs))
	w.Key("session_timeout_ms")
	w.Int(int64(m.SessionTimeoutMs))
	w.Key("subscription")
	if s, f, err := wire.DecodeSubscription(m.Subscription); err == nil {
		w.Object(func() { p.Subscription(&s, &f) })
	} else {
		p.unread(m.Subscription, err)
	}
	w.Key("assignment")
	if a, f, err := wire.DecodeAssignment(m.Assignment); err == nil {
		w.Object(func() { p.Assignment(&a, &f) })
	} else {
		p.unread(m.Assignment, err)
	}
}

// unread writes bytes that tell nothing, and why; null where there are none.
func (p *Wire) unread(data []byte, err error) {
	if len(data) == 0 {
		p.w.Null()
		return
	}
	p.w.Object(func() {
		p.w.Key("bytes")
		p.w.String(hex.EncodeToString(data))
		p.w.Key("error")
		p.w.String(err.Error())
	})
}

func (p *Wire) kind(kind string, version int16) {
	p.w.Key("kind")
	p.w.String(kind)
	p.w.Key("version")
	p.w.Int(int64(version))
}

// owned writes topics by name and partitions by number, each once.
func (p *Wire) owned(list []holdfast.TopicPartitions) {
	p.w.Flat(func() {
		p.w.Object(func() {
			for _, tp := range wire.Sorted(list) {
				p.w.Key(tp.Topic)
				p.w.Ints(tp.Partitions)
			}
		})
	})
}

func (p *Wire) stringOrNull(key, s string) {
	p.w.Key(key)
	p.w.StringOrNull(s)
}

func (p *Wire) userData(data []byte) {
	p.w.Key("user_data")
	if data == nil {
		p.w.Null()
	} else {
		p.w.String(hex.EncodeToString(data))
	}
}

func (p *Wire) findings(f *wire.Findings) {
	w := p.w
	w.Key("trailing")
	w.Int(int64(f.Trailing))
	w.Key("malformed")
	w.Bool(f.Malformed)
	w.Key("warnings")
	w.Array(func() {
		for _, warning := range f.Warnings {
			w.String(warning.String())
		}
	})
}
