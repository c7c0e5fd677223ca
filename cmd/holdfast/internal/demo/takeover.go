package demo

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// takeover is what it costs a member to take partitions over and to give them up:
// the state that an application keeps for each. Without it an eager rebalance looks
// almost free, because a client has nothing to stop and nothing to start.
//
// A member loads the state of its new partitions one after the other, by topic and
// number, while it goes on with those it has; a partition is read once its state is
// there. Before it gives partitions up it saves the state of each, and as a client
// does nothing else while its callback runs, it reads nothing meanwhile.
type takeover struct {
	restore, revoke time.Duration // for each partition

	loading sync.Mutex // one partition at a time

	mu      sync.Mutex
	turn    int
	pending map[partition]int // not loaded yet; the assignment that asked for it
}

// begin starts loading. The partitions stay paused until they are loaded.
func (t *takeover) begin(c *kgo.Client, topics map[string][]int32) {
	if t.restore == 0 {
		return
	}
	c.PauseFetchPartitions(topics)
	list := listed(topics)
	t.mu.Lock()
	t.turn++
	turn := t.turn
	if t.pending == nil {
		t.pending = make(map[partition]int)
	}
	for _, p := range list {
		t.pending[p] = turn
	}
	t.mu.Unlock()
	go func() {
		t.loading.Lock()
		defer t.loading.Unlock()
		for _, p := range list {
			if t.wanted(p, turn) {
				time.Sleep(t.restore)
			}
			if t.loaded(p, turn) {
				c.ResumeFetchPartitions(map[string][]int32{p.topic: {p.number}})
			}
		}
	}()
}

func (t *takeover) wanted(p partition, turn int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pending[p] == turn
}

// loaded reports whether the partition, now loaded, is still this member's to read.
func (t *takeover) loaded(p partition, turn int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending[p] != turn {
		return false
	}
	delete(t.pending, p)
	return true
}

// end saves what there is to save and forgets what is not loaded yet.
func (t *takeover) end(c *kgo.Client, topics map[string][]int32) {
	list := listed(topics)
	t.forget(list)
	c.ResumeFetchPartitions(topics) // A pause would outlast the assignment.
	time.Sleep(time.Duration(len(list)) * t.revoke)
}

func (t *takeover) forget(list []partition) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range list {
		delete(t.pending, p)
	}
}

// listed lists partitions by topic and number.
func listed(topics map[string][]int32) []partition {
	var list []partition
	for topic, numbers := range topics {
		for _, n := range numbers {
			list = append(list, partition{topic, n})
		}
	}
	slices.SortFunc(list, func(a, b partition) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.number, b.number))
	})
	return list
}
