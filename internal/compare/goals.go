package main

import (
	"fmt"
	"math"
	"slices"
)

// goal is one figure that holdfast is meant to reach, and whether this run shows
// it.
type goal struct {
	what     string
	measured string
	met      bool
}

// least is the smallest of some ratios, infinite for none.
func least(pairs []pair, ratio func(pair) float64) (float64, string) {
	low, where := math.Inf(1), ""
	for _, p := range pairs {
		if r := ratio(p); r < low {
			low, where = r, p.name+", "+p.event
		}
	}
	return low, where
}

func balanceRatio(p pair) float64 { return p.balance }

// atLeast is the goal that no ratio of the pairs is below a bound.
func atLeast(what string, bound float64, pairs []pair) []goal {
	if len(pairs) == 0 {
		return nil
	}
	low, where := least(pairs, balanceRatio)
	return []goal{{what, fmt.Sprintf("%.2f (%s)", low, where), low >= bound}}
}

// goals judges the results.
func (r *report) goals() []goal {
	all := r.index()
	var every, unequal, long, other []pair
	for _, x := range r.results {
		p, ok := pairOf(all, x)
		if !ok || x.Strategy != sticky {
			continue
		}
		every = append(every, p)
		family := caseOf{name: x.Case}.family()
		if family != "equal" {
			unequal = append(unequal, p)
		}
		if slices.Contains([]string{"teams", "uneven-teams", "zipf", "patterns"}, family) {
			if p.franzBalance >= 1 {
				long = append(long, p)
			} else {
				other = append(other, p)
			}
		}
	}
	const families = "teams, zipf and patterns, franz-go's balance over holdfast's"
	list := atLeast("franz-go's balance over holdfast's on any case: >= 1/1.1", 1/1.1, every)
	if len(unequal) > 0 {
		mean := geometricMean(unequal)
		list = append(list, goal{"the same on unequal cases, geometric mean: >= 2",
			fmt.Sprintf("%.2f", mean), mean >= 2})
	}
	list = append(list, atLeast(families+" where that takes 1 s or more: >= 20", 20, long)...)
	list = append(list, atLeast(families+", elsewhere: >= 5", 5, other)...)
	if f := r.floor; f.maps > 0 {
		list = append(list, goal{f.name + ", nested maps over building them alone: <= 1.3",
			fmt.Sprintf("%.2f", f.nested/f.maps), f.nested <= 1.3*f.maps})
	}
	return append(list, leaderGoals(all)...)
}

// leaderGoals holds a leader's whole turn against franz-go's.
func leaderGoals(all map[key]*result) []goal {
	var list []goal
	for _, c := range leaderCases() {
		ours := all[key{c.name, cooperativeSticky, "1 joins", nameHoldfast}]
		theirs := all[key{c.name, cooperativeSticky, "1 joins", nameFranz}]
		if ours == nil || theirs == nil || ours.State != "" || theirs.State != "" {
			continue
		}
		turn := ours.Best / theirs.Best
		bytes := float64(ours.bytes()) / float64(theirs.bytes())
		list = append(list,
			goal{c.name + ", 1 joins, turn over franz-go's: <= 0.4",
				fmt.Sprintf("%.2f", turn), turn <= 0.4},
			goal{c.name + ", 1 joins, bytes allocated over franz-go's: <= 0.5",
				fmt.Sprintf("%.2f", bytes), bytes <= 0.5})
	}
	return list
}

// geometricMean is that of the balance ratios.
func geometricMean(pairs []pair) float64 {
	sum := 0.0
	for _, p := range pairs {
		sum += math.Log(p.balance)
	}
	return math.Exp(sum / float64(len(pairs)))
}

// writeGoals writes the goals as a table.
func (r *report) writeGoals() {
	list := r.goals()
	if len(list) == 0 {
		return
	}
	r.printf("## Goals\n\n| goal | measured | |\n|---|---|---|\n")
	for _, g := range list {
		verdict := "met"
		if !g.met {
			verdict = "**missed**"
		}
		r.printf("| %s | %s | %s |\n", g.what, g.measured, verdict)
	}
	r.printf("\n")
}
