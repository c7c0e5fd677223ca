package group

import (
	"math/rand/v2"
	"testing"

	"github.com/holdfast/holdfast"
)

// Two topics of three partitions as six bits: every pair of sets is tried.
func partitionsOf(bits int) Partitions {
	var p []holdfast.TopicPartitions
	for i := range 6 {
		if bits>>i&1 == 1 {
			p = append(p, holdfast.TopicPartitions{Topic: string(rune('t' + i/3)),
				Partitions: []int32{int32(i % 3)}})
		}
	}
	return NewPartitions(p)
}

func TestPartitionsAsSets(t *testing.T) {
	for a := range 64 {
		for b := range 64 {
			p, q := partitionsOf(a), partitionsOf(b)
			check := func(name string, got Partitions, want int) {
				if !got.Equal(partitionsOf(want)) {
					t.Errorf("%v %s %v = %v, want %v", p, name, q, got, partitionsOf(want))
				}
			}
			check("minus", p.Minus(q), a&^b)
			check("and", p.And(q), a&b)
			check("plus", p.Plus(q), a|b)
			check("of u and", p.Of([]string{"u"}), a&^7)
			if p.Equal(q) != (a == b) {
				t.Errorf("%v equal %v: %v", p, q, p.Equal(q))
			}
			if got := p.Has("u", 1); got != (a>>4&1 == 1) {
				t.Errorf("%v has u[1]: %v", p, got)
			}
		}
	}
}

func TestPartitionsString(t *testing.T) {
	p := NewPartitions([]holdfast.TopicPartitions{{Topic: "u", Partitions: []int32{7}},
		{Topic: "t", Partitions: []int32{5, 0, 1}}, {Topic: "t", Partitions: []int32{2, 1}},
		{Topic: "none"}})
	if got := p.String(); got != "t[0-2,5] u[7]" || p.Len() != 5 {
		t.Errorf("got %s with %d partitions", got, p.Len())
	}
	if got := Partitions(nil).String(); got != "nothing" {
		t.Errorf("got %s", got)
	}
}

// The queue of sessions against a plain list: deadlines move both ways, sessions
// stop and start.
func TestSessionsAgainstList(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		all := make([]session, 8)
		for i := range all {
			all[i].deadline, all[i].queued = noTime, noTime
		}
		var q sessions
		for now := Time(0); now < 200; now++ {
			for got := q.expired(now); got != nil; got = q.expired(now) {
				if got.deadline != noTime {
					t.Fatalf("seed %d: an expired session still runs", seed)
				}
				got.pending = "expired"
			}
			for i := range all {
				if s := &all[i]; s.deadline <= now {
					t.Fatalf("seed %d at %d: the session due at %d was missed", seed, now, s.deadline)
				}
			}
			s := &all[rng.IntN(len(all))]
			if rng.IntN(4) == 0 {
				q.disarm(s)
			} else {
				q.arm(s, now+1+Time(rng.IntN(20)))
			}
			if next := q.next(); next < now {
				t.Fatalf("seed %d at %d: the queue comes up at %d", seed, now, next)
			}
		}
	}
}
