package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/holdfast/holdfast/group"
	"github.com/holdfast/holdfast/sim"
)

// Simulation is what a scenario came to, as the commands show it.
type Simulation struct {
	Strategies []string // the list that the members have at the beginning
	Report     *sim.Report
	Lanes      bool // write the lanes
}

// seconds writes a time in seconds, to the microsecond.
func seconds(t sim.Time) float64 { return float64(t.Microseconds()) / 1e6 }

// JSON writes the keys and values of the simulation into an object.
func (s *Simulation) JSON(w *jsonwriter.Writer) {
	w.Key("strategies")
	w.Strings(s.Strategies)
	w.Key("rebalances")
	w.Array(func() {
		for i := range s.Report.Rebalances {
			rebalanceJSON(w, &s.Report.Rebalances[i])
		}
	})
	w.Key("totals")
	totalsJSON(w, &s.Report.Totals)
	if s.Lanes {
		w.Key("lanes")
		w.Array(func() {
			for i := range s.Report.Lanes {
				laneJSON(w, &s.Report.Lanes[i])
			}
		})
	}
	w.Key("refused")
	w.Array(func() {
		for _, r := range s.Report.Refused {
			w.Object(func() {
				w.Key("id")
				w.String(r.Member)
				w.Key("error")
				w.String(r.Error)
				w.Key("at_s")
				w.Float(seconds(r.At))
			})
		}
	})
	violationsJSON(w, "violations", s.Report.Violations)
	violationsJSON(w, "gaps", s.Report.Gaps)
	w.Key("final")
	w.Object(func() {
		w.Key("assignment")
		membersJSON(w, s.Report.Final)
	})
}

func rebalanceJSON(w *jsonwriter.Writer, r *sim.Rebalance) {
	w.Object(func() {
		w.Key("generation")
		w.Int(int64(r.Generation))
		w.Key("start_s")
		w.Float(seconds(r.Start))
		w.Key("end_s")
		w.Float(seconds(r.End))
		for _, field := range []struct{ key, value string }{{"cause", r.Cause},
			{"strategy", r.Strategy}, {"protocol", r.Protocol}, {"leader", r.Leader}} {
			w.Key(field.key)
			w.StringOrNull(field.value)
		}
		w.Key("members")
		w.Object(func() {
			for _, m := range r.Members {
				w.Key(m.Member)
				w.Int(int64(m.Partitions))
			}
		})
		w.Key("moved")
		w.Int(int64(r.Moved))
		w.Key("causes")
		causesJSON(w, r.Causes)
		w.Key("revoked")
		membersJSON(w, r.Revoked)
		w.Key("withheld")
		partitionsJSON(w, r.Withheld)
		w.Key("lost_partition_seconds")
		w.Float(r.LostPartitionSeconds)
	})
}

func totalsJSON(w *jsonwriter.Writer, t *sim.Totals) {
	w.Object(func() {
		w.Key("rebalances")
		w.Int(int64(t.Rebalances))
		w.Key("moved")
		w.Int(int64(t.Moved))
		w.Key("lost_partition_seconds")
		w.Object(func() {
			w.Key("unowned")
			w.Float(t.Lost.Unowned)
			w.Key("stopped")
			w.Float(t.Lost.Stopped)
			w.Key("restoring")
			w.Float(t.Lost.Restoring)
		})
		w.Key("stop_the_world_s")
		w.Float(seconds(t.StopTheWorld))
		w.Key("records_delayed")
		w.Float(t.RecordsDelayed)
	})
}

func laneJSON(w *jsonwriter.Writer, l *sim.Lane) {
	w.Object(func() {
		w.Key("member")
		w.String(l.Member)
		partitionJSON(w, l.Topic, l.Partition)
		w.Key("intervals")
		w.Array(func() {
			for _, i := range l.Intervals {
				w.Object(func() {
					w.Key("from_s")
					w.Float(seconds(i.From))
					w.Key("to_s")
					w.Float(seconds(i.To))
					w.Key("state")
					w.String(string(i.State))
				})
			}
		})
	})
}

func violationsJSON(w *jsonwriter.Writer, key string, list []sim.Violation) {
	w.Key(key)
	w.Array(func() {
		for _, v := range list {
			w.Object(func() {
				w.Key("at_s")
				w.Float(seconds(v.At))
				w.Key("check")
				w.String(v.Check)
				w.Key("detail")
				w.String(v.Detail)
			})
		}
	})
}

func membersJSON(w *jsonwriter.Writer, list []sim.MemberPartitions) {
	w.Object(func() {
		for _, m := range list {
			w.Key(m.Member)
			partitionsJSON(w, m.Partitions)
		}
	})
}

func partitionsJSON(w *jsonwriter.Writer, list group.Partitions) {
	w.Flat(func() {
		w.Object(func() {
			for _, tp := range list {
				w.Key(tp.Topic)
				w.Ints(tp.Partitions)
			}
		})
	})
}

// Text writes the simulation for a person: a row for each rebalance, then what it
// all cost.
func (s *Simulation) Text(out io.Writer) error {
	buffered := bufio.NewWriter(out)
	w := tabwriter.NewWriter(buffered, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "GENERATION\tSTART\tEND\tSTRATEGY\tPROTOCOL\tMOVED\tWITHHELD\tLOST\t"+
		"MEMBERS\tCAUSE")
	for i := range s.Report.Rebalances {
		r := &s.Report.Rebalances[i]
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n", r.Generation, Clock(r.Start),
			Clock(r.End), dash(r.Strategy), dash(r.Protocol), r.Moved, r.Withheld.Len(),
			Number(r.LostPartitionSeconds), memberCounts(r.Members), groupfile.Printable(r.Cause))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(buffered, TotalsText(&s.Report.Totals))
	for _, r := range s.Report.Refused {
		fmt.Fprintf(buffered, "refused: %s with %s at %s\n", groupfile.Printable(r.Member), r.Error,
			Clock(r.At))
	}
	return buffered.Flush()
}

// TotalsText sums up what the rebalances cost.
func TotalsText(t *sim.Totals) string {
	text := fmt.Sprintf("rebalances = %d, moved = %d, lost partition-seconds = %s "+
		"(unowned %s, stopped %s, restoring %s), stop the world = %s s", t.Rebalances, t.Moved,
		Number(t.Lost.Sum()), Number(t.Lost.Unowned), Number(t.Lost.Stopped),
		Number(t.Lost.Restoring), Number(seconds(t.StopTheWorld)))
	if t.RecordsDelayed > 0 {
		text += ", records delayed = " + Number(t.RecordsDelayed)
	}
	return text
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return groupfile.Printable(s)
}

// memberCounts writes A 6, B 6, and of many members only how even they are.
func memberCounts(list []sim.MemberCount) string {
	const most = 8
	if len(list) == 0 {
		return "-"
	}
	if len(list) > most {
		count := func(a, b sim.MemberCount) int { return a.Partitions - b.Partitions }
		return fmt.Sprintf("%d of %d..%d", len(list), slices.MinFunc(list, count).Partitions,
			slices.MaxFunc(list, count).Partitions)
	}
	parts := make([]string, len(list))
	for i, m := range list {
		parts[i] = short(m.Member) + " " + strconv.Itoa(m.Partitions)
	}
	return strings.Join(parts, ", ")
}

// Clock writes a time of a scenario, to the millisecond.
func Clock(t sim.Time) string { return t.Round(time.Millisecond).String() }
