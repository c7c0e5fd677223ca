package group

// Close ends the member as KafkaConsumer.close does: the listener gives up what it
// has, and a dynamic member leaves the group. A static one says nothing: it may be
// back before its session ends (KIP-345). A listener that is running is finished
// first.
func (m *Member) Close(now Time) {
	switch {
	case m.state == Closed || m.state == FailedHard:
		return
	case m.after != nil:
		m.closing = true
		return
	}
	if len(m.owned) == 0 {
		m.leave(now)
		return
	}
	kind := OnRevoked
	if m.generation < 0 || m.id == "" {
		kind = OnLost
	} else {
		m.commit(m.owned)
	}
	m.call(now, Callback{kind, m.owned, false}, m.leave)
}

// leave is the end of Close.
func (m *Member) leave(Time) {
	m.owned, m.synced = nil, nil
	if m.config.InstanceID == "" && m.id != "" && m.state != Unjoined {
		m.sendLeave()
	}
	m.state = Closed
	m.abandon()
}
