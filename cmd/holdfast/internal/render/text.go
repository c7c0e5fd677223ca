package render

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
)

// Text writes the answer for a person: a line for each member, then what moved.
type Text struct {
	OneTopic bool // the group has one topic, so that its name need not be said
	Moves    bool // list every move and what waits for a second round
	Colour   bool // mark what moved
}

// Write writes the answer. Names that would do something to a terminal are quoted.
func (t Text) Write(out io.Writer, a *Answer) error {
	w := textWriter{Text: t, out: bufio.NewWriterSize(out, 64<<10)}
	if t.Colour {
		w.moved = make(map[holdfast.TopicPartition]bool)
		for m := range a.Plan.EachMove() {
			w.moved[holdfast.TopicPartition{Topic: m.Topic, Partition: m.Partition}] = true
		}
	}
	for id, topics := range a.Plan.All() {
		w.put(groupfile.Printable(id), ": ")
		n := 0
		for topic, partitions := range topics {
			if n > 0 {
				w.put(" ")
			}
			w.topic(topic, partitions)
			n++
		}
		if n == 0 {
			w.put("-")
		}
		w.put("\n")
	}
	w.summary(a)
	if t.Moves {
		w.moves(a.Plan)
	}
	return w.out.Flush()
}

type textWriter struct {
	Text
	out   *bufio.Writer
	moved map[holdfast.TopicPartition]bool
	buf   []byte
}

// put leaves errors to Flush: a bufio.Writer keeps the first one.
func (w *textWriter) put(texts ...string) {
	for _, s := range texts {
		_, _ = w.out.WriteString(s)
	}
}

const (
	markOn  = "\x1b[1;32m"
	markOff = "\x1b[0m"
)

// topic writes 3,4,5 where there is one topic, else orders[3-5].
func (w *textWriter) topic(topic string, partitions []int32) {
	if !w.OneTopic {
		w.put(groupfile.Printable(topic), "[")
		defer w.put("]")
	}
	for i := 0; i < len(partitions); {
		if i > 0 {
			w.put(",")
		}
		mark := w.isMoved(topic, partitions[i])
		j := i + 1
		for ; !w.OneTopic && j < len(partitions) && partitions[j] == partitions[j-1]+1 &&
			w.isMoved(topic, partitions[j]) == mark; j++ {
		}
		w.buf = w.buf[:0]
		if mark {
			w.buf = append(w.buf, markOn...)
		}
		w.buf = strconv.AppendInt(w.buf, int64(partitions[i]), 10)
		if j > i+1 {
			w.buf = append(w.buf, '-')
			w.buf = strconv.AppendInt(w.buf, int64(partitions[j-1]), 10)
		}
		if mark {
			w.buf = append(w.buf, markOff...)
		}
		_, _ = w.out.Write(w.buf)
		i = j
	}
}

func (w *textWriter) isMoved(topic string, partition int32) bool {
	return w.moved != nil && w.moved[holdfast.TopicPartition{Topic: topic, Partition: partition}]
}

// summary writes moved = 4 (1 shed, 3 orphaned), kept = 5, load 3..3, and what
// ranks beside that.
func (w *textWriter) summary(a *Answer) {
	plan := a.Plan
	w.put("moved = ", strconv.Itoa(plan.Moved()), Causes(plan.Causes()))
	balance := plan.Balance()
	w.put(fmt.Sprintf(", kept = %d, load %d..%d", plan.Kept(), balance.Min, balance.Max))
	if misses := plan.RackMisses(); misses > 0 {
		w.put(", rack misses = ", strconv.Itoa(misses))
	}
	if a.Spread {
		w.put(", spread = ", strconv.FormatInt(plan.Spread(), 10))
	}
	w.put("\n")
	if plan.Strategy() == "weighted" {
		load := plan.Load()
		w.put(fmt.Sprintf("heaviest = %s, lower bound = %s, gap = %s\n",
			Number(load.Heaviest), Number(load.LowerBound), Share(load.Gap())))
	}
	if rounds := plan.Rounds(); len(rounds) > 1 {
		w.put(fmt.Sprintf("rounds = %d, withheld in round 1 = %d\n",
			len(rounds), len(rounds[0].Withheld())))
	}
}

// Causes writes the causes that occur, such as (1 shed, 3 orphaned), after a
// space; nothing where nothing moved.
func Causes(causes holdfast.Causes) string {
	var parts []string
	for cause, n := range causes.All() {
		if n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+cause.String())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// moves lists every move, and what the first round withholds.
func (w *textWriter) moves(plan *holdfast.Plan) {
	for m := range plan.EachMove() {
		from := "-"
		if m.From != "" {
			from = groupfile.Printable(m.From)
		}
		w.partition(m.Topic, m.Partition)
		w.put(": ", from, " -> ", groupfile.Printable(m.To), " (", m.Cause.String(), ")\n")
	}
	rounds := plan.Rounds()
	if len(rounds) == 0 {
		return
	}
	for _, h := range rounds[0].Withheld() {
		names := make([]string, len(h.From))
		for i, id := range h.From {
			names[i] = groupfile.Printable(id)
		}
		w.put("withheld ")
		w.partition(h.Topic, h.Partition)
		w.put(": ", groupfile.Printable(h.To), " waits for ", strings.Join(names, ", "), "\n")
	}
}

func (w *textWriter) partition(topic string, partition int32) {
	w.put(groupfile.Printable(topic), "[", strconv.Itoa(int(partition)), "]")
}

// Number writes a figure for a person, who need not see its last digits.
func Number(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }

// Share writes a part of a whole in percent.
func Share(f float64) string { return strconv.FormatFloat(100*f, 'g', 3, 64) + " %" }

// Notes are what a person should know of the answer beside what Write shows.
func (a *Answer) Notes() []string {
	var notes []string
	if dropped := a.Plan.DroppedClaims(); len(dropped) > 0 {
		c := dropped[0]
		notes = append(notes, fmt.Sprintf("claims that do not count: %d, the first of %s on %s[%d] (%v)",
			len(dropped), short(c.Member), short(c.Topic), c.Partition, c.Reason))
	}
	if free := a.Plan.Unassigned(); len(free) > 0 {
		notes = append(notes, fmt.Sprintf(
			"partitions of topics that nobody subscribes to: %d, the first %s[%d]",
			len(free), short(free[0].Topic), free[0].Partition))
	}
	return notes
}

// short is a name for a sentence: as it is, or the beginning of a long one.
func short(name string) string {
	const longest = 80
	if len(name) <= longest {
		return groupfile.Printable(name)
	}
	return groupfile.Printable(strings.ToValidUTF8(name[:longest], "")) + ".."
}
