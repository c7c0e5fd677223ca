package main

import (
	"fmt"
	"strconv"
	"strings"
)

// job is a case with what is asked of it.
type job struct {
	caseOf
	strategy string
	events   []string
}

// allJobs lists everything that is compared: the cases, small ones of a family
// first, with all events; leaders' turns; and the cases that only grow.
func allJobs() []job {
	var list []job
	for _, c := range append(largeCases(), teamCases()...) {
		list = append(list, job{c, sticky, events})
	}
	for _, c := range leaderCases() {
		list = append(list, job{c, cooperativeSticky, []string{"same", "1 joins", "10% join"}})
	}
	for _, c := range growthCases() {
		list = append(list, job{c, sticky, []string{"10% join"}})
	}
	return list
}

func largeCases() []caseOf {
	list := []caseOf{
		{"equal/100x1k", func() *shape { return equalShape(100, 10, 100) }},
		{"equal/1000x10k", func() *shape { return equalShape(1000, 100, 100) }},
		{"equal/10000x1M", func() *shape { return equalShape(10_000, 1000, 1000) }},
	}
	for _, percent := range []int{10, 50} {
		for _, n := range []int{100, 500, 1000} {
			size := 10
			if n == 1000 {
				size = 20
			}
			name := fmt.Sprintf("random-%d/%dx%dx%d", percent, n, n, size)
			list = append(list,
				caseOf{name, func() *shape { return randomShape(n, n, size, percent) }})
		}
	}
	return append(list,
		caseOf{"patterns/10000x100k", func() *shape { return patternShape(10_000, 1000, 100, 20) }},
		caseOf{"zipf/1000", func() *shape { return zipfShape(1000, 1000) }},
		caseOf{"ring/2000", func() *shape { return ringShape(2000) }},
		caseOf{"hub/2000", func() *shape { return hubShape(2000) }},
		caseOf{"nested/1000", func() *shape { return nestedShape(1000, 10) }},
		caseOf{"uneven-teams/5000", func() *shape { return unevenTeamsShape(5000) }},
	)
}

// teamCases are those of Kafka's JMH benchmarks: members x ratio x topics.
func teamCases() []caseOf {
	var list []caseOf
	for _, members := range []int{100, 1000, 10_000} {
		for _, ratio := range []int{5, 10, 50} {
			for _, topics := range []int{10, 100, 1000} {
				name := fmt.Sprintf("teams/%dx%dx%d", members, ratio, topics)
				list = append(list,
					caseOf{name, func() *shape { return bucketShape(members, ratio, topics) }})
			}
		}
	}
	return list
}

func leaderCases() []caseOf {
	return []caseOf{
		{"leader/1000x100k", func() *shape { return equalShape(1000, 100, 1000) }},
		{"leader/10000x1M", func() *shape { return equalShape(10_000, 1000, 1000) }},
	}
}

// The families that are drawn as lines.
const (
	growthPartitions = "growth-partitions"
	growthEdges      = "growth-subscriptions"
)

// growthCases grow over three decades: partitions read by 100 members alike, and
// subscriptions of members that read half of as many topics.
func growthCases() []caseOf {
	var list []caseOf
	for _, n := range []int{1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000} {
		list = append(list, caseOf{fmt.Sprintf("%s/%d", growthPartitions, n),
			func() *shape { return equalShape(100, 10, n/10) }})
	}
	for _, n := range []int{45, 80, 141, 250, 447, 800, 1414} {
		list = append(list, caseOf{fmt.Sprintf("%s/%d", growthEdges, n*n/2),
			func() *shape { return randomShape(n, n, 10, 50) }})
	}
	return list
}

// growthSize returns which panel a case belongs to, and its size.
func growthSize(name string) (at int, size float64, ok bool) {
	family, number, _ := strings.Cut(name, "/")
	size, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, 0, false
	}
	switch family {
	case growthPartitions:
		return 0, size, true
	case growthEdges:
		return 1, size, true
	}
	return 0, 0, false
}

// isGrowth reports whether a case is for the picture alone.
func isGrowth(name string) bool {
	_, _, ok := growthSize(name)
	return ok
}
