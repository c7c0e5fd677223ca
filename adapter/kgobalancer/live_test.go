package kgobalancer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// room is a group of real clients on an embedded broker. It follows who has which
// partition and notes every moment in which two members have one.
type room struct {
	t       *testing.T
	cluster *kfake.Cluster
	topics  map[string]int32

	mu       sync.Mutex
	owner    map[string]string   // "topic/partition" -> member
	former   map[string]string   // owner when mark was called
	counts   map[string]int      // member -> generations that it was assigned in
	led      map[string]*Leading // member -> its last plan
	clients  map[string]*kgo.Client
	doubles  []string
	everHeld int
}

func newRoom(t *testing.T, topics map[string]int32) *room {
	t.Helper()
	r := &room{t: t, topics: topics, owner: map[string]string{}, counts: map[string]int{},
		led: map[string]*Leading{}, clients: map[string]*kgo.Client{}}
	options := []kfake.Opt{kfake.NumBrokers(1)}
	for topic, n := range topics {
		options = append(options, kfake.SeedTopics(n, topic))
	}
	var err error
	if r.cluster, err = kfake.NewCluster(options...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, client := range r.clients {
			client.Close()
		}
		r.cluster.Close()
	})
	return r
}

// join starts a member with the balancers, which see Options that record plans.
func (r *room) join(id string, balancers func(Options) []kgo.GroupBalancer, extra ...kgo.Opt) {
	r.t.Helper()
	var topics []string
	for topic := range r.topics {
		topics = append(topics, topic)
	}
	options := Options{OnPlan: func(l Leading) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.led[id] = &l
	}}
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(r.cluster.ListenAddrs()...),
		kgo.ClientID(id),
		kgo.ConsumerGroup("group"),
		kgo.ConsumeTopics(topics...),
		kgo.Balancers(balancers(options)...),
		kgo.HeartbeatInterval(50 * time.Millisecond),
		kgo.SessionTimeout(10 * time.Second),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, now map[string][]int32) {
			r.assigned(id, now)
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
			r.released(id, gone)
		}),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
			r.released(id, gone)
		}),
	}, extra...)...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.clients[id] = client
}

func (r *room) leave(id string) {
	r.clients[id].Close()
	delete(r.clients, id)
}

func (r *room) assigned(id string, partitions map[string][]int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[id]++
	for topic, list := range partitions {
		for _, p := range list {
			key := fmt.Sprintf("%s/%d", topic, p)
			if other := r.owner[key]; other != "" {
				r.doubles = append(r.doubles, key+": "+other+" and "+id)
			}
			r.owner[key] = id
			r.everHeld++
		}
	}
}

func (r *room) released(id string, partitions map[string][]int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for topic, list := range partitions {
		for _, p := range list {
			if key := fmt.Sprintf("%s/%d", topic, p); r.owner[key] == id {
				delete(r.owner, key)
			}
		}
	}
}

// share returns how many partitions each member has, such as "a 4, b 4, c 4", and
// how many partitions have no owner.
func (r *room) share() (string, int) {
	counts := make(map[string]int)
	for id := range r.clients {
		counts[id] = 0
	}
	for _, id := range r.owner {
		counts[id]++
	}
	var parts []string
	for id, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", id, n))
	}
	slices.Sort(parts)
	total := 0
	for _, n := range r.topics {
		total += int(n)
	}
	return strings.Join(parts, ", "), total - len(r.owner)
}

// settle waits until all partitions are shared in this way.
func (r *room) settle(want string) {
	r.t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		r.mu.Lock()
		got, missing := r.share()
		doubles := slices.Clone(r.doubles)
		r.mu.Unlock()
		if len(doubles) > 0 {
			r.t.Fatalf("two owners: %v", doubles)
		}
		if got == want && missing == 0 {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("shared as %s, %d without owner, want %s", got, missing, want)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// mark remembers who has what; moved counts what has another owner since.
func (r *room) mark() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.former = make(map[string]string, len(r.owner))
	for key, id := range r.owner {
		r.former[key] = id
	}
}

func (r *room) moved() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for key, id := range r.former {
		if r.owner[key] != id {
			n++
		}
	}
	return n
}

func (r *room) leaderIs(want ...string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var got []string
	for id := range r.led {
		got = append(got, id)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		r.t.Errorf("holdfast led in %v, want %v", got, want)
	}
}

func ours(strategy holdfast.Assignor) func(Options) []kgo.GroupBalancer {
	return func(o Options) []kgo.GroupBalancer { return []kgo.GroupBalancer{New(strategy, o)} }
}

func theirs(balancers ...kgo.GroupBalancer) func(Options) []kgo.GroupBalancer {
	return func(Options) []kgo.GroupBalancer { return balancers }
}

var two = map[string]int32{"orders": 7, "payments": 5}

// Members come and go; every partition has one owner again, and with the sticky
// strategies what need not move stays.
func TestLiveGroup(t *testing.T) {
	for _, strategy := range holdfast.Strategies() {
		t.Run(strategy.Name(), func(t *testing.T) {
			t.Parallel()
			r := newRoom(t, two)
			isSticky := strings.HasSuffix(strategy.Name(), "sticky")
			join, leave := [2]string{"a 6, b 6", "a 4, b 4, c 4"}, "a 6, c 6"
			if strategy.Name() == "range" {
				join, leave = [2]string{"a 7, b 5", "a 5, b 4, c 3"}, "a 7, c 5"
			}
			r.join("a", ours(strategy))
			r.settle("a 12")
			// Member ids are clientid-uuid, so the order of ids is that of the names.
			r.join("b", ours(strategy))
			r.settle(join[0])
			r.mark()
			r.join("c", ours(strategy))
			r.settle(join[1])
			if moved := r.moved(); isSticky && moved != 4 {
				t.Errorf("c joined and %d partitions moved, want 4", moved)
			}
			r.mark()
			r.leave("b")
			r.settle(leave)
			if moved := r.moved(); isSticky && moved != 4 {
				t.Errorf("b left and %d partitions moved, want 4", moved)
			}
			r.leaderIs("a")
			r.mu.Lock()
			defer r.mu.Unlock()
			led := r.led["a"]
			if led.Group != "group" || !strings.HasPrefix(led.Leader, "a-") || led.Generation < 4 ||
				led.Duration <= 0 || len(led.Warnings) > 0 {
				t.Errorf("last plan: %+v", *led)
			}
			if got := led.Plan.Causes(); got.Orphaned != 4 || got.Unowned != 0 {
				t.Errorf("b left with 4 partitions, causes %+v", got)
			}
		})
	}
}

// A group of holdfast members and franz-go members under franz-go's own balancer,
// with either in the lead.
func TestLiveMixedGroup(t *testing.T) {
	pairs := []struct {
		ours   holdfast.Assignor
		theirs func() kgo.GroupBalancer
		share  [3]string // of one, two and three members
	}{
		{holdfast.CooperativeSticky, kgo.CooperativeStickyBalancer,
			[3]string{"a 12", "a 6, b 6", "a 4, b 4, c 4"}},
		{holdfast.Sticky, kgo.StickyBalancer, [3]string{"a 12", "a 6, b 6", "a 4, b 4, c 4"}},
		{holdfast.Range, kgo.RangeBalancer, [3]string{"a 12", "a 7, b 5", "a 5, b 4, c 3"}},
		{holdfast.RoundRobin, kgo.RoundRobinBalancer, [3]string{"a 12", "a 6, b 6", "a 4, b 4, c 4"}},
	}
	for _, pair := range pairs {
		for _, weLead := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/lead=%v", pair.ours.Name(), weLead), func(t *testing.T) {
				t.Parallel()
				r := newRoom(t, two)
				us, them := ours(pair.ours), theirs(pair.theirs())
				first, second := us, them
				if !weLead {
					first, second = them, us
				}
				r.join("a", first)
				r.settle(pair.share[0])
				r.join("b", second)
				r.settle(pair.share[1])
				r.join("c", first)
				r.settle(pair.share[2])
				if weLead {
					r.leaderIs("a")
				} else {
					r.leaderIs()
					r.leave("a") // Who leads now must cope with what the others say.
					r.leave("c")
					r.settle("b 12")
					r.leaderIs("b")
				}
			})
		}
	}
}

// The two steps from an eager strategy to the cooperative one (KIP-429).
func TestLiveMigration(t *testing.T) {
	t.Parallel()
	both := func(o Options) []kgo.GroupBalancer {
		return []kgo.GroupBalancer{New(holdfast.CooperativeSticky, o), New(holdfast.Sticky, o)}
	}
	r := newRoom(t, two)
	// The eager member has to be there first. If b came first it would be alone and
	// run cooperative-sticky, and a franz-go client that is then taken down to an
	// eager strategy hears of it together with all others, after it has rejoined with
	// what it owns; the new owner may read before it has let go.
	r.join("a", ours(holdfast.Sticky))
	r.settle("a 12")
	r.join("b", both)
	r.settle("a 6, b 6")
	r.leave("a")
	r.join("c", both)
	r.settle("b 6, c 6")
	r.mark()
	r.join("d", ours(holdfast.CooperativeSticky))
	r.settle("b 4, c 4, d 4")
	if moved := r.moved(); moved != 4 {
		t.Errorf("%d partitions moved, want 4", moved)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range []string{"b", "c", "d"} {
		if led := r.led[id]; led != nil && led.Plan.Strategy() == "cooperative-sticky" {
			return
		}
	}
	t.Error("no member led under cooperative-sticky")
}

// A static member that comes back within its session has what it had, and nothing
// of the others moves (KIP-345).
func TestLiveStaticMembers(t *testing.T) {
	for _, strategy := range holdfast.Strategies() {
		t.Run(strategy.Name(), func(t *testing.T) {
			t.Parallel()
			r := newRoom(t, two)
			// The first one leads, and its instance id is the greatest, so that range and
			// roundrobin begin with another one than the order of the names would have.
			r.join("a", ours(strategy), kgo.InstanceID("i3"))
			r.settle("a 12")
			r.join("b", ours(strategy), kgo.InstanceID("i2"))
			r.join("c", ours(strategy), kgo.InstanceID("i1"))
			want := "a 4, b 4, c 4"
			if strategy.Name() == "range" {
				want = "a 3, b 4, c 5"
			}
			r.settle(want)
			r.mark()
			r.leave("b") // A static member does not say so to the group.
			r.join("b", ours(strategy), kgo.InstanceID("i2"))
			r.settle(want)
			if moved := r.moved(); moved != 0 {
				t.Errorf("%d partitions moved, want none", moved)
			}
		})
	}
}

// witness notes what the client tells its balancer about itself.
type witness struct {
	kgo.GroupBalancer
	current chan int // partitions that the client says it has, join by join
}

func (w witness) JoinGroupMetadata(
	topics []string, current map[string][]int32, generation int32,
) []byte {
	n := 0
	for _, partitions := range current {
		n += len(partitions)
	}
	select {
	case w.current <- n:
	default:
	}
	return w.GroupBalancer.JoinGroupMetadata(topics, current, generation)
}

// Why the balancer of an eager sticky group has to remember: its client tells it of
// nothing when it rejoins. A cooperative one tells all.
func TestLiveEagerClientForgets(t *testing.T) {
	for strategy, want := range map[holdfast.Assignor]int{
		holdfast.Sticky: 0, holdfast.CooperativeSticky: 12,
	} {
		r := newRoom(t, two)
		w := witness{current: make(chan int, 100)}
		r.join("a", func(o Options) []kgo.GroupBalancer {
			w.GroupBalancer = New(strategy, o)
			return []kgo.GroupBalancer{w}
		})
		r.settle("a 12")
		for len(w.current) > 0 {
			<-w.current
		}
		r.join("b", ours(strategy))
		if got := <-w.current; got != want {
			t.Errorf("%s: the client says it has %d partitions, want %d", strategy.Name(), got, want)
		}
		r.settle("a 6, b 6")
	}
}

// A leader also assigns topics that it does not consume itself, and racks that the
// client knows reach the plan.
func TestLiveForeignTopics(t *testing.T) {
	t.Parallel()
	r := newRoom(t, map[string]int32{"orders": 3})
	r.join("a", ours(holdfast.CooperativeSticky), kgo.Rack("r1"))
	r.settle("a 3")
	r.cluster.Close()
	r = newRoom(t, two)
	all := r.topics
	r.topics = map[string]int32{"orders": 7}
	r.join("a", ours(holdfast.CooperativeSticky), kgo.Rack("r1"))
	r.settle("a 7")
	r.topics = all
	r.join("b", ours(holdfast.CooperativeSticky))
	r.settle("a 6, b 6")
	r.leaderIs("a")
}
