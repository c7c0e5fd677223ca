package group

// reconcile brings a member nearer to its target. owned is what it says it owns,
// nil if it does not say.
func (c *ConsumerCoordinator) reconcile(now Time, s *consumerSeat, owned *Partitions) {
	before, revoking, epoch := s.assigned, s.revoking, s.epoch
	switch s.state {
	case settled:
		if s.epoch != c.targetEpoch {
			c.next(s, s.epoch, owned)
		}
	case unrevoked:
		// It has given up what it no longer reports. Only then can it go on.
		if owned != nil && len(owned.And(s.revoking)) == 0 {
			c.next(s, s.epoch+1, owned)
		}
	case unreleased:
		c.next(s, s.epoch, owned)
	}
	if s.epoch != epoch {
		s.previousEpoch = epoch
	}
	if !before.Equal(s.assigned) || !revoking.Equal(s.revoking) || epoch != s.epoch {
		c.ready.Changed = append(c.ready.Changed, CurrentAssignment{MemberID: s.id,
			InstanceID: s.instance, ClientID: s.client, Topics: s.topics, Epoch: s.epoch,
			Assigned: s.assigned, Revoking: s.revoking})
	}
	switch {
	case s.state != unrevoked:
		c.sessions.disarm(&s.revokeBy)
	case len(revoking) == 0:
		c.sessions.arm(&s.revokeBy, now+s.rebalanceTimeout)
	}
	c.settle(s)
}

// next computes the member's next assignment: it keeps what it has and shall have.
// As long as it holds something that it shall not have, it is asked to give that
// up and gets nothing. Else it gets what nobody holds, and waits for the rest.
func (c *ConsumerCoordinator) next(s *consumerSeat, epoch int32, owned *Partitions) {
	keep := s.assigned.And(s.target)
	revoke := s.assigned.Minus(keep)
	missing := s.target.Minus(keep)
	held := c.heldByOthers(s, missing)
	if c.config.Broken.Has(GrantHeldPartitions) {
		held = nil
	}
	add := missing.Minus(held)
	free := s.assigned.Plus(s.revoking)
	if len(revoke) > 0 && (owned == nil || len(owned.And(revoke)) > 0) {
		s.state, s.epoch = unrevoked, epoch
		s.assigned, s.revoking = keep, revoke
	} else {
		s.state, s.epoch = settled, c.targetEpoch
		if len(held) > 0 {
			s.state = unreleased
		}
		s.assigned, s.revoking = keep.Plus(add), nil
	}
	c.hold(s, free, nil)
	if c.config.Broken.Has(ForgetRevocations) {
		c.hold(s, s.assigned, s)
		return
	}
	c.hold(s, s.assigned.Plus(s.revoking), s)
}

// heldByOthers returns those of the partitions that another member holds.
func (c *ConsumerCoordinator) heldByOthers(s *consumerSeat, p Partitions) Partitions {
	var held Partitions
	for _, t := range p {
		list := c.holders[t.Topic]
		var numbers []int32
		for _, n := range t.Partitions {
			if int(n) < len(list) && list[n] != nil && list[n] != s {
				numbers = append(numbers, n)
			}
		}
		if len(numbers) > 0 {
			held = append(held, topicPartitions(t.Topic, numbers))
		}
	}
	return held
}

// waits reports whether everything that the member still misses is held by others.
func (c *ConsumerCoordinator) waits(s *consumerSeat) bool {
	missing := s.target.Minus(s.assigned)
	return len(missing.Minus(c.heldByOthers(s, missing))) == 0
}
