package group

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
)

// hostile sends a broker requests that make no sense together: ids of others, old
// and future generations, claims on anything. Nothing may panic, nothing is answered
// twice, and the books stay in order.
type hostile struct {
	*rand.Rand
	t       *testing.T
	seed    uint64
	broker  *Broker
	now     Time
	ids     []string
	sent    int
	answers int
}

func TestBrokerUnderHostileRequests(t *testing.T) {
	for seed := range uint64(1500) {
		h := &hostile{Rand: rand.New(rand.NewPCG(seed, 5)), t: t, seed: seed, ids: []string{"", "x"}}
		topics := []holdfast.Topic{{Name: "t", Partitions: 3}, {Name: "u", Partitions: 2}}
		h.broker = NewBroker(BrokerConfig{Classic: CoordinatorConfig{MinSession: 1,
			InitialRebalanceDelay: time.Second, MaxSize: 3 + h.IntN(3)}}, topics)
		for range 120 {
			h.step(topics)
			if t.Failed() {
				t.Fatalf("rerun: go test ./group -run TestBrokerUnderHostileRequests (seed %d)", seed)
			}
		}
	}
}

// step sends a request, or lets time pass, or moves the group to another broker.
func (h *hostile) step(topics []holdfast.Topic) {
	switch h.IntN(12) {
	case 0, 1, 2:
		h.now += Time(h.IntN(4000)) * time.Millisecond
		for at, ok := h.broker.Deadline(); ok && at <= h.now; at, ok = h.broker.Deadline() {
			h.broker.Tick(h.now)
		}
	case 3:
		if h.IntN(8) == 0 {
			h.broker.Stop()
			h.collect()
			h.broker = h.broker.TakeOver(h.now, 1+h.sent)
		} else {
			topics[0].Partitions = h.IntN(5)
			h.broker.SetTopics(append([]holdfast.Topic{}, topics...))
		}
	default:
		h.sent++
		h.broker.Step(h.now, Ref{ID: h.sent}, h.request())
	}
	h.collect()
	if h.broker.classic != nil {
		h.checkClassic(h.broker.classic)
	} else {
		h.checkConsumer(h.broker.consumer)
	}
}

func (h *hostile) collect() {
	for _, r := range h.broker.Ready().Replies {
		h.answers++
		if id := idIn(r.Response); id != "" {
			h.ids = append(h.ids, id)
		}
	}
}

func idIn(r Response) string {
	switch r := r.(type) {
	case *JoinReply:
		return r.MemberID
	case *ConsumerReply:
		return r.MemberID
	}
	return ""
}

func (h *hostile) id() string { return h.ids[h.IntN(len(h.ids))] }

func (h *hostile) instance() string { return []string{"", "", "i", "j"}[h.IntN(4)] }

func (h *hostile) generation() int32 { return h.broker.Generation() - 2 + int32(h.IntN(4)) }

func (h *hostile) partitions() Partitions {
	var lists []holdfast.TopicPartitions
	for range h.IntN(3) {
		lists = append(lists, topicPartitions([]string{"t", "u", "z"}[h.IntN(3)],
			[]int32{int32(h.IntN(4))}))
	}
	return NewPartitions(lists)
}

func (h *hostile) request() Request {
	switch h.IntN(7) {
	case 0, 1:
		var list []Protocol
		for _, name := range []string{"range", "sticky", "cooperative-sticky"}[:1+h.IntN(3)] {
			list = append(list, Protocol{name, &Subscription{Topics: []string{"t", "u"}[:h.IntN(3)],
				Owned: h.partitions(), Generation: h.generation()}})
		}
		return &JoinGroup{Version: int16(h.IntN(10)), ClientID: "c", MemberID: h.id(),
			InstanceID: h.instance(), SessionTimeout: Time(1+h.IntN(9)) * time.Second,
			RebalanceTimeout: Time(1+h.IntN(9)) * time.Second, Protocols: list[:h.IntN(len(list)+1)]}
	case 2:
		r := &SyncGroup{MemberID: h.id(), InstanceID: h.instance(), Generation: h.generation(),
			Protocol: h.broker.Protocol()}
		for range h.IntN(3) {
			r.Assignments = append(r.Assignments, MemberAssignment{h.id(), h.partitions()})
		}
		return r
	case 3:
		return &Heartbeat{MemberID: h.id(), InstanceID: h.instance(), Generation: h.generation()}
	case 4:
		return &LeaveGroup{Members: []LeavingMember{{h.id(), h.instance()}, {h.id(), ""}}[:h.IntN(3)]}
	case 5:
		return &OffsetCommit{MemberID: h.id(), InstanceID: h.instance(), Generation: h.generation()}
	}
	if h.IntN(3) > 0 && h.broker.consumer == nil {
		return &Heartbeat{MemberID: h.id()} // Stay classic for most of the time.
	}
	return &ConsumerHeartbeat{MemberID: fmt.Sprint("k", h.IntN(4)), InstanceID: h.instance(),
		ClientID: "k", Epoch: []int32{0, 0, -1, -2, h.generation()}[h.IntN(5)], Full: h.IntN(2) == 0,
		Topics: []string{"t", "u"}[:h.IntN(3)], Owned: h.partitions(), HasOwned: h.IntN(2) == 0,
		RebalanceTimeout: time.Second, Assignor: []string{"", "range", "none"}[h.IntN(3)]}
}

func (h *hostile) fail(format string, args ...any) {
	h.t.Errorf("seed %d: %s", h.seed, fmt.Sprintf(format, args...))
}

// checkClassic compares what the coordinator counts with what it counts.
func (h *hostile) checkClassic(c *Coordinator) {
	joined, unsynced, parked := 0, 0, 0
	listed := map[string]int{}
	for _, s := range c.seats {
		if s.join.waiting {
			joined++
			parked++
		}
		if s.sync.waiting {
			parked++
		}
		if s.unsynced {
			unsynced++
		}
		if c.byID[s.id] != s || s.instance != "" && c.byInstance[s.instance] != s {
			h.fail("%s is not found by its id or instance", s.id)
		}
		for _, p := range s.protocols {
			listed[p.Name]++
		}
	}
	for name, n := range listed { // order: each name on its own
		if c.listed[name] != n {
			h.fail("%d members list %s, %d are counted", n, name, c.listed[name])
		}
	}
	if joined != c.joined || unsynced != c.unsynced || len(c.byID) != len(c.seats) {
		h.fail("joined %d of %d, unsynced %d of %d, ids %d of %d", c.joined, joined, c.unsynced,
			unsynced, len(c.byID), len(c.seats))
	}
	if h.answers+parked > h.sent {
		h.fail("%d requests, and %d answers with %d parked", h.sent, h.answers, parked)
	}
	if c.state == Stable && (c.leader == nil || c.byID[c.leader.id] != c.leader) {
		h.fail("a stable group has no leader")
	}
	if c.state == Empty && len(c.seats) > 0 {
		h.fail("an empty group has members")
	}
}

// checkConsumer looks for partitions with two holders, and members who hold what
// they shall not.
func (h *hostile) checkConsumer(c *ConsumerCoordinator) {
	holder := map[string]string{}
	moving := 0
	for _, s := range c.seats {
		if s.counted {
			moving++
		}
		for _, p := range s.assigned.Plus(s.revoking) {
			for _, n := range p.Partitions {
				key := fmt.Sprint(p.Topic, n)
				if holder[key] != "" && s.classic == nil {
					h.fail("%s is held by %s and by %s", key, holder[key], s.id)
				}
				holder[key] = s.id
			}
		}
		if s.epoch > c.groupEpoch {
			h.fail("%s is in epoch %d of %d", s.id, s.epoch, c.groupEpoch)
		}
		if c.byID[s.id] != s {
			h.fail("%s is not found by its id", s.id)
		}
	}
	if moving != c.unsettled {
		h.fail("%d members are on the way, %d are counted", moving, c.unsettled)
	}
}
