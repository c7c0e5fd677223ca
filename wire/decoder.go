package wire

import "encoding/binary"

// Decoder reads the subscriptions of one group and keeps one copy of what many
// members say alike: members with the same topics, written in the same order,
// get the same slice, and a topic has the same string in every list of owned
// partitions. The zero Decoder is ready to use.
//
// What it hands out is shared: treat Topics as read-only. A Decoder keeps what
// it has seen, at most as many bytes as it has read and a header for each name;
// drop it when the group is read. It must not be used by several goroutines at
// once.
type Decoder struct {
	sections map[string]section // by their bytes
	names    map[string]string  // every name seen, to itself

	// last is the section that was seen last, and begins has for each beginning the
	// last that began so. Most members of most groups say the same as others, and
	// comparing bytes is cheaper than finding where a section ends.
	last   section
	begins map[string]section
}

// beginning is how many bytes of a section tell it from others as a rule.
const beginning = 256

// section is the part of a subscription that lists the topics.
type section struct {
	bytes  string // from the count on
	topics []string
}

// Subscription does what DecodeSubscription does. For topics that it has seen
// before it allocates nothing, and two slices for the owned partitions.
func (d *Decoder) Subscription(data []byte) (Subscription, Findings, error) {
	return decodeSubscription(data, d)
}

// topics reads a topics section: a count and so many names. d may be nil.
//
// A section says itself where it ends, so bytes that begin with a known section
// hold that section.
func (d *Decoder) topics(r *reader) []string {
	start := r.at
	if d != nil {
		if topics, ok := d.seen(r); ok {
			return topics
		}
	}
	n := r.count("topics", leastString)
	if r.skipNames(n); r.err != nil {
		return nil
	}
	bytes := r.data[start:r.at]
	if d == nil {
		return cut(string(bytes[4:]), n)
	}
	known, ok := d.sections[string(bytes)]
	if !ok {
		known = d.add(string(bytes), n)
	}
	d.last = known
	if len(bytes) >= beginning {
		d.begins[known.bytes[:beginning]] = known
	}
	return known.topics
}

// seen reads a section that is the last one seen, or the last that began alike.
func (d *Decoder) seen(r *reader) (topics []string, ok bool) {
	rest := r.data[r.at:]
	s := d.last
	if !s.opens(rest) {
		if len(rest) < beginning {
			return nil, false
		}
		if s = d.begins[string(rest[:beginning])]; !s.opens(rest) {
			return nil, false
		}
	}
	r.at += len(s.bytes)
	d.last = s
	return s.topics, true
}

// opens reports whether data begins with the section; nothing begins with the zero
// section.
func (s *section) opens(data []byte) bool {
	return s.bytes != "" && len(data) >= len(s.bytes) && string(data[:len(s.bytes)]) == s.bytes
}

// skipNames goes past n names, and checks their lengths.
func (r *reader) skipNames(n int) {
	at := r.at
	for ; n > 0 && at+2 <= len(r.data); n-- {
		size := int(int16(binary.BigEndian.Uint16(r.data[at:])))
		if size < 0 || at+2+size > len(r.data) {
			break
		}
		at += 2 + size
	}
	for r.at = at; n > 0 && r.err == nil; n-- { // what is left is not in order
		r.name("topics")
	}
}

// add keeps a section of n topics that has been walked over.
func (d *Decoder) add(bytes string, n int) section {
	if d.sections == nil {
		d.sections, d.begins = make(map[string]section), make(map[string]section)
	}
	s := section{bytes: bytes, topics: cut(bytes[4:], n)}
	for i, topic := range s.topics {
		s.topics[i] = d.known(topic)
	}
	d.sections[bytes] = s
	return s
}

// cut takes n names apart that stand one after the other, each after its length,
// without copying them.
func cut(names string, n int) []string {
	topics := make([]string, n)
	at := 0
	for i := range topics {
		size := int(names[at])<<8 | int(names[at+1])
		at += 2
		topics[i] = names[at : at+size]
		at += size
	}
	return topics
}

// known returns the string that stands for this name everywhere.
func (d *Decoder) known(name string) string {
	if same, ok := d.names[name]; ok {
		return same
	}
	if d.names == nil {
		d.names = make(map[string]string)
	}
	d.names[name] = name
	return name
}

// intern is known for bytes: a name that is known costs no allocation.
func (d *Decoder) intern(name []byte) string {
	if same, ok := d.names[string(name)]; ok {
		return same
	}
	return d.known(string(name))
}
