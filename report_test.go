package holdfast

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// held is who has what: member -> topic -> partitions, ascending.
type held = map[string]map[string][]int32

// report is everything that a plan says, in values that do not know where they
// came from: a plan of ours and the slow one of the tests can be compared.
type report struct {
	strategy   string
	assignment held
	kept       int
	causes     Causes
	least      int
	moves      []Move
	balance    Balance
	spread     int64
	misses     int
	dropped    []DroppedClaim
	unassigned []TopicPartition
	missing    []string
	rounds     []roundReport
}

type roundReport struct {
	assignment held
	revoked    held
	withheld   []Withheld
}

func reportOf(p *Plan) report {
	r := report{strategy: p.Strategy(), assignment: p.Assignment(), kept: p.Kept(),
		causes: p.Causes(), least: p.LeastMoves(), moves: p.Moves(), balance: p.Balance(),
		spread: p.Spread(), misses: p.RackMisses(), dropped: p.DroppedClaims(),
		unassigned: p.Unassigned(), missing: p.MissingTopics()}
	for i := range p.Rounds() {
		round := &p.Rounds()[i]
		r.rounds = append(r.rounds,
			roundReport{round.Assignment(), round.Revoked(), round.Withheld()})
	}
	return r
}

// String prints the report as the scenario files have it, one fact a line.
func (r report) String() string {
	var b strings.Builder
	writeHeld(&b, "", r.assignment)
	fmt.Fprintf(&b, "moved = %d%s, kept = %d, load %d..%d\n", r.causes.Total(),
		r.causes.list(), r.kept, r.balance.Min, r.balance.Max)
	fmt.Fprintf(&b, "squares %d (least %d), least shed %d, spread %d, rack misses %d\n",
		r.balance.SumOfSquares, r.balance.LeastSumOfSquares, r.least, r.spread, r.misses)
	for _, m := range r.moves {
		fmt.Fprintf(&b, "%s-%d %s -> %s %s\n", m.Topic, m.Partition,
			cmp.Or(m.From, "?"), m.To, m.Cause)
	}
	for _, d := range r.dropped {
		fmt.Fprintf(&b, "dropped %s %s-%d %s\n", d.Member, d.Topic, d.Partition, d.Reason)
	}
	for _, u := range r.unassigned {
		fmt.Fprintf(&b, "unassigned %s-%d\n", u.Topic, u.Partition)
	}
	for _, name := range r.missing {
		fmt.Fprintf(&b, "missing %s\n", name)
	}
	for i, round := range r.rounds {
		fmt.Fprintf(&b, "round %d\n", i+1)
		writeHeld(&b, "  ", round.assignment)
		writeHeld(&b, "  revoked ", round.revoked)
		for _, w := range round.withheld {
			fmt.Fprintf(&b, "  withheld %s-%d from %s to %s\n", w.Topic, w.Partition,
				strings.Join(w.From, ","), w.To)
		}
	}
	return b.String()
}

// list names the causes that there are, in brackets.
func (c Causes) list() string {
	var parts []string
	for i, n := range []int{c.Shed, c.Orphaned, c.Unsubscribed, c.Contested, c.Unowned} {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, Cause(i)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func writeHeld(b *strings.Builder, before string, h held) {
	for _, id := range slices.Sorted(maps.Keys(h)) {
		fmt.Fprintf(b, "%s%s:", before, id)
		for _, topic := range slices.Sorted(maps.Keys(h[id])) {
			fmt.Fprintf(b, " %s[%s]", topic, runs(h[id][topic]))
		}
		b.WriteByte('\n')
	}
}

// runs prints ascending numbers, three or more in a row as first-last.
func runs(numbers []int32) string {
	var parts []string
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n] == numbers[n-1]+1 {
			n++
		}
		if n < 3 {
			n = 1
			parts = append(parts, strconv.Itoa(int(numbers[0])))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[0], numbers[n-1]))
		}
		numbers = numbers[n:]
	}
	return strings.Join(parts, ",")
}

// checkReaders holds all ways to read one division against each other.
func checkReaders(t *testing.T, d *Division) {
	t.Helper()
	fromAll, fromOf, fromOwners := held{}, held{}, held{}
	for id, topics := range d.All() {
		fromAll[id] = map[string][]int32{}
		last := ""
		for topic, partitions := range topics {
			if topic <= last && last != "" {
				t.Fatalf("All: topic %q after %q", topic, last)
			}
			last = topic
			fromAll[id][topic] = partitions
		}
	}
	for _, id := range d.Members() {
		fromOf[id], fromOwners[id] = d.Of(id), map[string][]int32{}
		count := 0
		for topic, partitions := range d.TopicsOf(id) {
			if !slices.IsSorted(partitions) {
				t.Fatalf("TopicsOf(%q): %v", id, partitions)
			}
			if !slices.Equal(partitions, d.Of(id)[topic]) {
				t.Fatalf("TopicsOf(%q) gives %v of %q, Of %v", id, partitions, topic, d.Of(id)[topic])
			}
			count += len(partitions)
		}
		if d.Count(id) != count {
			t.Fatalf("Count(%q) = %d, TopicsOf has %d", id, d.Count(id), count)
		}
	}
	ids := d.Members()
	for i, m := range d.Owners() {
		if m >= 0 {
			at := d.problem.name(int32(i))
			of := fromOwners[ids[m]]
			of[at.Topic] = append(of[at.Topic], at.Partition)
		}
	}
	want := d.Assignment()
	for name, got := range map[string]held{"All": fromAll, "Of": fromOf, "Owners": fromOwners} {
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s gives %v, Assignment %v", name, got, want)
		}
	}
	if d.Of("no such member") != nil || d.Count("no such member") != 0 {
		t.Fatal("an unknown member has something")
	}
	for topic := range d.TopicsOf("no such member") {
		t.Fatalf("an unknown member has %q", topic)
	}
}
