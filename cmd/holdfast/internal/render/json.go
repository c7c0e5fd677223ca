// Package render writes plans for people and for programs. It holds nothing of an
// answer in memory but the plan itself.
package render

import (
	"iter"
	"maps"
	"slices"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
)

// FormatVersion is the version of the JSON that the commands write. Additions
// raise its minor, all else its major.
const FormatVersion = "1.0"

// Answer is a plan and what is told beside it.
type Answer struct {
	Plan     *holdfast.Plan
	Warnings []string // those that do not follow from the plan, each "id: what"
	Spread   bool     // show how evenly each topic is spread
}

// AllWarnings are the warnings of the answer and those that the plan gives cause
// for.
func (a *Answer) AllWarnings() []string {
	all := slices.Clone(a.Warnings)
	for _, topic := range a.Plan.MissingTopics() {
		all = append(all, "missing-topic: "+short(topic)+
			" is subscribed to and is not among the topics")
	}
	return all
}

// JSON writes the answer's keys and values into an object.
func (a *Answer) JSON(w *jsonwriter.Writer) {
	plan := a.Plan
	w.Key("format_version")
	w.String(FormatVersion)
	w.Key("strategy")
	w.String(plan.Strategy())
	w.Key("assignment")
	assignmentJSON(w, &plan.Division)
	Figures(w, plan)
	w.Key("moves")
	w.Array(func() {
		for move := range plan.EachMove() {
			moveJSON(w, move)
		}
	})
	BalanceJSON(w, plan.Balance())
	w.Key("rack_misses")
	w.Int(int64(plan.RackMisses()))
	if a.Spread {
		w.Key("spread")
		w.Int(plan.Spread())
	}
	RanksJSON(w, plan)
	if plan.Strategy() == "weighted" {
		LoadJSON(w, plan.Load(), plan.Members())
	}
	if rounds := plan.Rounds(); len(rounds) > 0 {
		w.Key("rounds")
		w.Array(func() {
			for i := range rounds {
				roundJSON(w, &rounds[i])
			}
		})
	}
	a.oddities(w)
}

// oddities writes what could not be used.
func (a *Answer) oddities(w *jsonwriter.Writer) {
	w.Key("dropped_claims")
	w.Array(func() {
		for _, c := range a.Plan.DroppedClaims() {
			w.Object(func() {
				w.Key("member")
				w.String(c.Member)
				partitionJSON(w, c.Topic, c.Partition)
				w.Key("reason")
				w.String(c.Reason.String())
			})
		}
	})
	w.Key("unassigned")
	w.Array(func() {
		for _, tp := range a.Plan.Unassigned() {
			w.Object(func() { partitionJSON(w, tp.Topic, tp.Partition) })
		}
	})
	w.Key("warnings")
	WarningsJSON(w, a.AllWarnings())
}

// WarningsJSON writes sentences, one a line where lines are wanted.
func WarningsJSON(w *jsonwriter.Writer, warnings []string) {
	w.Array(func() {
		for _, warning := range warnings {
			w.String(warning)
		}
	})
}

// Figures writes moved, kept, causes and least_moves.
func Figures(w *jsonwriter.Writer, plan *holdfast.Plan) {
	w.Key("moved")
	w.Int(int64(plan.Moved()))
	w.Key("kept")
	w.Int(int64(plan.Kept()))
	w.Key("causes")
	causesJSON(w, plan.Causes())
	w.Key("least_moves")
	if least := plan.LeastMoves(); least >= 0 {
		w.Int(int64(least))
	} else {
		w.Null()
	}
}

// RanksJSON writes what the plan has in each rank beside the best there is, and
// whether that is proven to be reached.
func RanksJSON(w *jsonwriter.Writer, plan *holdfast.Plan) {
	w.Key("ranks")
	w.Flat(func() {
		w.Array(func() {
			for _, r := range plan.Ranks() {
				w.Object(func() {
					w.Key("rank")
					w.String(r.Name)
					w.Key("value")
					w.Int(r.Value)
					w.Key("bound")
					w.Int(r.Bound)
					w.Key("proven")
					w.Bool(r.Reached)
				})
			}
		})
	})
}

func causesJSON(w *jsonwriter.Writer, causes holdfast.Causes) {
	w.Flat(func() {
		w.Object(func() {
			for cause, n := range causes.All() {
				w.Key(cause.String())
				w.Int(int64(n))
			}
		})
	})
}

// BalanceJSON writes how even a plan is.
func BalanceJSON(w *jsonwriter.Writer, b holdfast.Balance) {
	w.Key("balance")
	w.Flat(func() {
		w.Object(func() {
			w.Key("min")
			w.Int(int64(b.Min))
			w.Key("max")
			w.Int(int64(b.Max))
			w.Key("sum_of_squares")
			w.Int(b.SumOfSquares)
			w.Key("least_sum_of_squares")
			w.Int(b.LeastSumOfSquares)
		})
	})
}

// LoadJSON writes the heaviest load beside what is proven of it, and the loads of
// the members that are named.
func LoadJSON(w *jsonwriter.Writer, load holdfast.Load, members []string) {
	w.Key("load")
	w.Object(func() {
		w.Key("heaviest")
		w.Float(load.Heaviest)
		w.Key("lower_bound")
		w.Float(load.LowerBound)
		w.Key("gap")
		w.Float(load.Gap())
		if members == nil {
			return
		}
		w.Key("members")
		w.Object(func() {
			for _, id := range members {
				w.Key(id)
				w.Float(load.Members[id])
			}
		})
	})
}

func assignmentJSON(w *jsonwriter.Writer, d *holdfast.Division) {
	w.Object(func() {
		for id, topics := range d.All() {
			w.Key(id)
			topicsJSON(w, topics)
		}
	})
}

func topicsJSON(w *jsonwriter.Writer, topics iter.Seq2[string, []int32]) {
	w.Object(func() {
		for topic, partitions := range topics {
			w.Key(topic)
			w.Ints(partitions)
		}
	})
}

func moveJSON(w *jsonwriter.Writer, move holdfast.Move) {
	w.Object(func() {
		partitionJSON(w, move.Topic, move.Partition)
		w.Key("from")
		if move.From == "" {
			w.Null()
		} else {
			w.String(move.From)
		}
		w.Key("to")
		w.String(move.To)
		w.Key("cause")
		w.String(move.Cause.String())
	})
}

func partitionJSON(w *jsonwriter.Writer, topic string, partition int32) {
	w.Key("topic")
	w.String(topic)
	w.Key("partition")
	w.Int(int64(partition))
}

func roundJSON(w *jsonwriter.Writer, r *holdfast.Round) {
	w.Object(func() {
		w.Key("assignment")
		assignmentJSON(w, &r.Division)
		w.Key("revoked")
		revoked := r.Revoked()
		w.Object(func() {
			for _, id := range slices.Sorted(maps.Keys(revoked)) {
				w.Key(id)
				topicsJSON(w, sorted(revoked[id]))
			}
		})
		w.Key("withheld")
		w.Array(func() {
			for _, h := range r.Withheld() {
				w.Object(func() {
					partitionJSON(w, h.Topic, h.Partition)
					w.Key("from")
					w.Strings(h.From)
					w.Key("to")
					w.String(h.To)
				})
			}
		})
	})
}

// sorted goes through a map in the order of its keys.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
