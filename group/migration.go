package group

// upgrade turns a classic group into a consumer group. Each member keeps what it
// has, and its generation becomes its epoch. Whoever is in the middle of a classic
// rebalance has to begin again.
func (b *Broker) upgrade(now Time) {
	old := b.classic
	c := NewConsumerCoordinator(b.config.Consumer, b.topics)
	c.incarnation, c.ids = b.config.Classic.Incarnation, old.ids
	c.groupEpoch, c.targetEpoch = old.generation, old.generation
	for _, m := range old.seats {
		old.answerJoin(m, &JoinReply{Code: RebalanceInProgress})
		old.answerSync(m, &SyncReply{Code: RebalanceInProgress})
		s := &consumerSeat{id: m.id, instance: m.instance, client: m.client,
			rebalanceTimeout: m.rebalanceTimeout,
			topics:           append([]string{}, m.protocols[0].Metadata.Topics...),
			epoch:            old.generation, previousEpoch: old.generation, state: settled,
			assigned: m.assigned, target: m.assigned,
			classic: &classicSeat{m.sessionTimeout, m.protocols, 0}}
		c.add(s)
		c.hold(s, s.assigned, s)
		c.arm(now, s)
		c.ready.Changed = append(c.ready.Changed, CurrentAssignment{MemberID: s.id,
			InstanceID: s.instance, ClientID: s.client, Topics: s.topics, Epoch: s.epoch,
			Assigned: s.assigned})
	}
	c.known = c.subscribed()
	b.collect()
	b.begun += old.begun
	b.classic, b.consumer = nil, c
}

// downgrade turns a consumer group without members of the consumer protocol into a
// classic group, which then rebalances.
func (b *Broker) downgrade(now Time) {
	old := b.consumer
	c := NewCoordinator(b.config.Classic)
	c.created, c.generation = true, old.groupEpoch
	c.ids = old.ids
	for _, m := range old.seats {
		s := &seat{id: m.id, instance: m.instance, client: m.client,
			sessionTimeout: m.classic.sessionTimeout, rebalanceTimeout: m.rebalanceTimeout,
			protocols: m.classic.protocols, assigned: m.assigned}
		s.session = session{member: s, deadline: noTime, queued: noTime, number: c.seatNumber()}
		c.seats = append(c.seats, s)
		c.byID[s.id] = s
		if s.instance != "" {
			c.byInstance[s.instance] = s
		}
		c.count(s.protocols, +1)
		c.alive(now, s)
	}
	b.collect()
	b.begun += old.begun
	b.consumer, b.classic = nil, c
	if len(c.seats) == 0 {
		c.record()
		return
	}
	c.leader, c.state, c.protocol = c.seats[0], Stable, c.chosen()
	c.record()
	c.prepare(now, old.cause, old.causer)
}
