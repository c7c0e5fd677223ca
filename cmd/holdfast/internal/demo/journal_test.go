package demo

import (
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/adapter/kgobalancer"
)

var midnight = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// at is a time of the tests: milliseconds after midnight.
func at(ms int) time.Time { return midnight.Add(time.Duration(ms) * time.Millisecond) }

func has(numbers ...int32) map[string][]int32 { return map[string][]int32{"t": numbers} }

// story is a journal of one topic "t" of 4 partitions that members a, b and c write.
func story() *journal {
	j := newJournal([]string{"t"}, 4, time.Second)
	for _, name := range []string{"a", "b", "c"} {
		j.start(name)
	}
	return j
}

// as is a member of story in a generation.
func as(name string, generation int32) membership { return membership{name + "-1", generation} }

func wantDoubles(t *testing.T, what string, j *journal, want int) {
	t.Helper()
	if got, _ := j.close(); got != want {
		t.Errorf("%s: %d partitions with two owners, want %d", what, got, want)
	}
}

func TestTwoOwners(t *testing.T) {
	j := story()
	j.led("a", plan(t, 1, "a-1"))
	j.assigned("a", as("a", 1), has(0, 1, 2, 3), at(0))
	j.led("a", plan(t, 2, "a-1", "b-1"))
	j.released("a", has(2, 3))
	j.assigned("b", as("b", 2), has(2, 3), at(10))
	wantDoubles(t, "handed over", j, 0)

	j = story()
	j.led("a", plan(t, 1, "a-1"))
	j.assigned("a", as("a", 1), has(0, 1, 2, 3), at(0))
	j.led("a", plan(t, 2, "a-1", "b-1"))
	j.assigned("b", as("b", 2), has(2, 3), at(10))
	j.released("a", has(2, 3))
	j.led("a", plan(t, 3, "a-1", "b-1", "c-1"))
	j.assigned("c", as("c", 3), has(3), at(20))
	wantDoubles(t, "given out while a has them", j, 2)
}

// The coordinator drops a member that is silent or has crashed; only then may
// others have what it had, whenever it hears of it.
func TestTwoOwnersOfADroppedMember(t *testing.T) {
	for _, crashes := range []bool{false, true} {
		for _, dropped := range []bool{false, true} {
			j := story()
			j.led("b", plan(t, 1, "a-1", "b-1"))
			j.assigned("a", as("a", 1), has(0, 1), at(0))
			if crashes {
				j.crash("a", at(5))
			}
			group := []string{"a-1", "b-1"}
			want, wantDropped := 2, 0
			if dropped {
				group, want = group[1:], 0
				if !crashes {
					wantDropped = 1
				}
			}
			j.led("b", plan(t, 2, group...))
			j.assigned("b", as("b", 2), has(0, 1), at(10))
			j.released("a", has(0, 1))
			if got, drops := j.close(); got != want || drops != wantDropped {
				t.Errorf("crashes %v, dropped %v: %d partitions with two owners, %d dropped; want %d, %d",
					crashes, dropped, got, drops, want, wantDropped)
			}
		}
	}
}

// Who leaves is not dropped, even if the others hear of it first.
func TestLeavingIsNotDropping(t *testing.T) {
	j := story()
	j.led("b", plan(t, 1, "a-1", "b-1"))
	j.assigned("a", as("a", 1), has(0, 1), at(0))
	j.note("a", func(m *life) { m.leave = at(5) })
	j.led("b", plan(t, 2, "b-1"))
	if _, dropped := j.close(); dropped != 0 {
		t.Errorf("%d dropped, want none", dropped)
	}
}

// Eager: everybody stops, also who goes on with the same partitions.
func TestUnconsumed(t *testing.T) {
	j := story()
	j.assigned("a", as("a", 1), has(0, 1), at(0))
	j.assigned("b", as("b", 1), has(2, 3), at(0))
	for p := range int32(3) { // Partition 3 is not consumed.
		j.processed([]string{"a", "a", "b"}[p], partition{"t", p}, at(10))
	}
	e := j.begin("join", "c", at(100))
	j.paused("a", has(0, 1), at(130))
	j.released("a", has(0, 1))
	j.resumed("a", at(135))
	j.paused("b", has(2, 3), at(140))
	j.released("b", has(2, 3))
	j.resumed("b", at(145))
	j.assigned("a", as("a", 2), has(0), at(150))
	j.assigned("b", as("b", 2), has(1), at(150))
	j.assigned("c", as("c", 2), has(2, 3), at(150))
	j.processed("a", partition{"t", 0}, at(200)) // 70 after it was given up
	j.processed("b", partition{"t", 1}, at(210)) // 80
	j.processed("c", partition{"t", 2}, at(240)) // 100
	j.processed("c", partition{"t", 3}, at(900)) // was nobody's before
	if got, want := j.unconsumed(e, at(120)), 250*time.Millisecond; got != want {
		t.Errorf("unconsumed %v, want %v", got, want)
	}
	// Time before the group begins to rebalance is not counted.
	if got, want := j.unconsumed(e, at(150)), 200*time.Millisecond; got != want {
		t.Errorf("unconsumed from 150 on %v, want %v", got, want)
	}
}

// Cooperative: what a member keeps it goes on with, except for the moment in which
// it gives up the rest.
func TestUnconsumedCooperative(t *testing.T) {
	j := story()
	j.assigned("a", as("a", 1), has(0, 1, 2, 3), at(0))
	for p := range int32(4) {
		j.processed("a", partition{"t", p}, at(10))
	}
	e := j.begin("join", "b", at(100))
	j.paused("a", has(3), at(150))
	j.released("a", has(3))
	j.resumed("a", at(155)) // 5 for each of the three that it keeps
	j.assigned("a", as("a", 2), nil, at(155))
	j.assigned("b", as("b", 3), has(3), at(200))
	j.processed("a", partition{"t", 0}, at(201))
	j.processed("b", partition{"t", 3}, at(250)) // 100
	if got, want := j.unconsumed(e, at(110)), 115*time.Millisecond; got != want {
		t.Errorf("unconsumed %v, want %v", got, want)
	}
}

func TestBeginning(t *testing.T) {
	joins := func(j *journal, name string, ms ...int) {
		for _, t := range ms {
			j.note(name, func(m *life) { m.joins = append(m.joins, at(t)) })
		}
	}
	cases := []struct {
		name, kind, member string
		tell               func(*journal)
		want               int
	}{
		{"the first to join", "start", "", func(j *journal) {
			joins(j, "b", 120)
			joins(j, "a", 110, 130)
		}, 110},
		{"joining for an id first", "join", "c", func(j *journal) {
			joins(j, "c", 110, 115, 300)
			j.stirred("a", at(140))
			joins(j, "a", 141)
		}, 115},
		{"joining once", "join", "c", func(j *journal) { joins(j, "c", 112) }, 112},
		{"others notice before", "join", "c", func(j *journal) {
			joins(j, "c", 110, 150)
			j.stirred("a", at(140))
		}, 140},
		{"others noticed another one", "join", "c", func(j *journal) {
			j.stirred("a", at(50))
			joins(j, "a", 51, 160)
			joins(j, "c", 110, 150)
		}, 150},
		{"session ran out", "crash", "b", func(j *journal) {
			j.stirred("a", at(1090))
			j.stirred("c", at(1180))
		}, 1080},
		{"session ran out before", "crash", "b", func(j *journal) { j.stirred("a", at(1070)) }, 1070},
		{"leaving", "leave", "b", func(j *journal) {
			j.stirred("b", at(110))
			j.note("b", func(m *life) { m.leave = at(120) })
			j.stirred("a", at(170))
		}, 120},
	}
	for _, c := range cases {
		j := story()
		j.note("b", func(m *life) { m.contact = at(80) })
		e := j.begin(c.kind, c.member, at(100))
		c.tell(j)
		if got := j.beginning(e); !got.Equal(at(c.want)) {
			t.Errorf("%s: began at %v, want %v", c.name, got.Sub(midnight), at(c.want).Sub(midnight))
		}
	}
}

func plan(t *testing.T, generation int32, ids ...string) kgobalancer.Leading {
	t.Helper()
	g := holdfast.Group{Topics: []holdfast.Topic{{Name: "t", Partitions: 4}}}
	for _, id := range ids {
		m := holdfast.Member{ID: id, Topics: []string{"t"}}
		if id == "a-1" && generation == 2 {
			m.Owned = []holdfast.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1, 2, 3}}}
		}
		g.Members = append(g.Members, m)
	}
	p, err := holdfast.CooperativeSticky.Assign(g)
	if err != nil {
		t.Fatal(err)
	}
	return kgobalancer.Leading{Generation: generation, Plan: p}
}

// A group has settled when nothing is left to happen, and not before.
func TestSettled(t *testing.T) {
	j := newJournal([]string{"t"}, 4, time.Second)
	j.start("a")
	j.start("b")
	unsettled := func(want string) {
		t.Helper()
		if got := j.settled(); got != want {
			t.Errorf("waiting: %q, want %q", got, want)
		}
	}
	unsettled("nobody leads yet")
	j.led("a", plan(t, 1, "a-1"))
	unsettled("generation 1 has 1 members, 2 live")
	j.assigned("a", as("a", 1), has(0, 1, 2, 3), at(0))
	for p := range int32(4) {
		j.processed("a", partition{"t", p}, at(10))
	}
	e := j.begin("join", "b", at(15))
	j.led("a", plan(t, 2, "a-1", "b-1"))
	unsettled("generation 2 withholds partitions")
	j.led("a", plan(t, 3, "a-1", "b-1"))
	j.assigned("a", as("a", 3), nil, at(20))
	unsettled("b is not in generation 3 yet")
	j.paused("a", has(3), at(20))
	j.released("a", has(3))
	j.resumed("a", at(20))
	j.assigned("b", as("b", 3), nil, at(30))
	unsettled("partition 3 of 4 has no owner")
	j.assigned("b", as("b", 3), has(3), at(35))
	unsettled("partition 3 of 4 is not consumed")
	j.processed("b", partition{"t", 3}, at(40))
	unsettled("")
	j.led("b", plan(t, 2, "a-1")) // News of the past.

	j.note("b", func(m *life) { m.joins = []time.Time{at(16)} })
	r, err := j.end(e, holdfast.CooperativeSticky)
	if err != nil {
		t.Fatal(err)
	}
	if r.Moved != 1 || r.Causes.Shed != 1 || r.Generation != 3 || r.Leader != "a" ||
		r.Duration != 19*time.Millisecond || r.Unconsumed != 20*time.Millisecond ||
		len(r.Members) != 2 || r.Members[0] != (Share{"a", 3}) || r.Members[1] != (Share{"b", 1}) {
		t.Errorf("%+v", r)
	}
}

func TestRecords(t *testing.T) {
	var r records
	for range 5 {
		r.next()
	}
	for id := range 4 { // The broker never took record 4.
		r.accept(id)
	}
	r.process(0, "a")
	r.process(1, "a")
	r.process(0, "b") // not because anybody crashed
	r.process(2, "c")
	r.crash("c")
	r.process(2, "a")
	r.process(2, "b")
	r.process(4, "a")
	r.process(99, "a")
	if n := r.remaining(); n != 1 {
		t.Errorf("%d remaining, want 1", n)
	}
	want := Records{Produced: 4, Processed: 3, ProcessedTwice: 2, TwiceByCrash: 1, Lost: 1}
	if got := r.count(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
