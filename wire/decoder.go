package wire

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

	// last is the section that was seen last. Most members of most groups say the
	// same, and comparing bytes is cheaper than finding where a section ends.
	last section
}

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
	if d != nil && d.last.bytes != "" && r.left() >= len(d.last.bytes) &&
		string(r.data[start:start+len(d.last.bytes)]) == d.last.bytes {
		r.at += len(d.last.bytes)
		return d.last.topics
	}
	n := r.count("topics", leastString)
	for range n {
		if r.name("topics"); r.err != nil {
			return nil
		}
	}
	if r.err != nil {
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
	return known.topics
}

// add keeps a section of n topics that has been walked over.
func (d *Decoder) add(bytes string, n int) section {
	if d.sections == nil {
		d.sections = make(map[string]section)
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
