package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// run is one demo under way.
type run struct {
	config  Config
	broker  *broker
	journal *journal
	records records
	members []*member // that are in the group, in the order of joining
	crashed []*member
	names   int

	failing sync.Mutex
	failure error // the first thing that should not have happened
	failed  chan struct{}
}

// Run runs the demo and calls report after each event. The error says why it could
// not be run to its end; what it measured is judged by Result.Err. On a cluster it
// deletes what it has created, however it ends.
func Run(ctx context.Context, c Config, report func(Rebalance)) (result Result, err error) {
	if c, err = c.Check(); err != nil {
		return Result{}, err
	}
	r := &run{config: c, failed: make(chan struct{})}
	if r.broker, err = openBroker(ctx, c); err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, r.broker.close(true)) }()
	r.journal = newJournal(r.broker.topics, c.Partitions, c.SessionTimeout)
	producer, err := r.startProducer()
	if err != nil {
		return Result{}, err
	}
	defer r.closeMembers()
	result = Result{Strategy: c.Strategy.Name(), Protocol: c.Protocol()}
	script := r.script(ctx, func(rebalance Rebalance) {
		result.Rebalances = append(result.Rebalances, rebalance)
		if report != nil {
			report(rebalance)
		}
	})
	stopping, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err = errors.Join(script, producer.stop(stopping))
	if err == nil {
		err = r.drain(ctx)
	}
	result.OwnedTwice, result.Dropped = r.journal.close()
	result.Records = r.records.count()
	return result, err
}

// script is what happens: the group starts, one joins, one crashes, one leaves.
func (r *run) script(ctx context.Context, report func(Rebalance)) error {
	steps := []struct {
		kind string
		name func() string
		do   func(name string) error
	}{
		{"start", func() string { return "" }, func(string) error {
			for range r.config.Members {
				if err := r.join(r.newName()); err != nil {
					return err
				}
			}
			return nil
		}},
		{"join", r.newName, r.join},
		{"crash", r.follower, func(name string) error {
			m := r.take(name)
			r.crashed = append(r.crashed, m)
			m.crash()
			return nil
		}},
		{"leave", r.follower, func(name string) error {
			r.take(name).leave()
			return nil
		}},
	}
	for _, step := range steps {
		name := step.name()
		e := r.journal.begin(step.kind, name, time.Now())
		if err := step.do(name); err != nil {
			return err
		}
		if err := r.settle(ctx); err != nil {
			return fmt.Errorf("%s %s: %w", step.kind, name, err)
		}
		rebalance, err := r.journal.end(e, r.config.Strategy)
		if err != nil {
			return err
		}
		report(rebalance)
		if err := r.sleep(ctx, r.config.Pause); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) newName() string {
	r.names++
	return fmt.Sprintf("m%d", r.names)
}

func (r *run) join(name string) error {
	m, err := r.startMember(name)
	if err != nil {
		return err
	}
	r.members = append(r.members, m)
	return nil
}

// follower returns the first member that does not lead, so that who leads stays
// and knows whose the partitions were.
func (r *run) follower() string {
	leader := r.journal.leader()
	for _, m := range r.members {
		if m.name != leader {
			return m.name
		}
	}
	return r.members[0].name
}

// take takes a member off the list.
func (r *run) take(name string) *member {
	for i, m := range r.members {
		if m.name == name {
			r.members = append(r.members[:i:i], r.members[i+1:]...)
			return m
		}
	}
	return nil
}

// settle waits until the group has come to rest and stays so for two heartbeats,
// in which every member would hear of another rebalance.
func (r *run) settle(ctx context.Context) error {
	// One member may have to take all partitions over.
	all := time.Duration(r.config.Topics * r.config.Partitions)
	patience := time.Minute + all*(r.config.Restore+r.config.Revoke)
	deadline := time.Now().Add(patience)
	var since time.Time
	for {
		waiting, now := r.journal.settled(), time.Now()
		switch {
		case waiting != "":
			since = time.Time{}
		case since.IsZero():
			since = now
		case now.Sub(since) >= 2*r.config.Heartbeat:
			return nil
		}
		if now.After(deadline) {
			return fmt.Errorf("the group did not come to rest within %v: %s", patience, waiting)
		}
		if err := r.sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// drain waits until every record that was produced has been processed. What has
// not by then is lost.
func (r *run) drain(ctx context.Context) error {
	patience := 10 * time.Second
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if r.records.remaining() == 0 {
			return nil
		}
		if err := r.sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// sleep waits unless the demo has to end.
func (r *run) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-r.failed:
		r.failing.Lock()
		defer r.failing.Unlock()
		return r.failure
	case <-timer.C:
		return nil
	}
}

// fail ends the demo with the first thing that should not have happened.
func (r *run) fail(err error) {
	r.failing.Lock()
	defer r.failing.Unlock()
	if r.failure == nil {
		r.failure = err
		close(r.failed)
	}
}

// closeMembers lets everybody leave.
func (r *run) closeMembers() {
	r.journal.close()
	var all sync.WaitGroup
	for _, m := range r.members {
		all.Go(m.leave)
	}
	for _, m := range r.crashed {
		all.Go(m.client.CloseAllowingRebalance)
	}
	all.Wait()
}
