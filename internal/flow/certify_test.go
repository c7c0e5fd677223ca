package flow

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCertifyAgainstEnumeration asks for a verdict on optimal and on other
// assignments, and compares it with the list of all.
func TestCertifyAgainstEnumeration(t *testing.T) {
	verdicts := map[Verdict]int{}
	for seed := range uint64(share(4000, 60_000)) {
		r := rand.New(rand.NewPCG(seed, 4))
		p := randomProblem(r, shape{members: 4, topics: 4, partitions: 3, racks: r.IntN(3)})
		all := assignments(p, 2000)
		if all == nil {
			continue
		}
		best, ranks := optima(p, all)
		owner := best[r.IntN(len(best))]
		if r.IntN(2) == 0 {
			owner = all[r.IntN(len(all))]
		}
		mine := figures(p, owner)
		want := Optimal
		for rank, v := range []Verdict{Unevenly, OffRack, Unsettled} {
			if mine[rank] != ranks[rank] {
				want = v
				break
			}
		}
		got, better := Certify(p, owner)
		if got != want {
			t.Fatalf("seed %d\n%s%v %v: got %v, want %v (%v)", seed, describe(p), owner, mine,
				got, want, ranks)
		}
		verdicts[got]++
		if got != Optimal && slices.Compare(figures(p, better), mine) >= 0 {
			t.Fatalf("seed %d\n%s%v %v: %v is not better", seed, describe(p), owner, mine,
				better)
		}
	}
	for _, v := range []Verdict{Optimal, Unevenly, OffRack, Unsettled} {
		if verdicts[v] < 30 {
			t.Errorf("verdict %v came up %d times: the test says little about it", v, verdicts[v])
		}
	}
}

// TestCertifyInvalid checks that partitions with no owner, with an unknown one or
// with one that does not read the topic are seen.
func TestCertifyInvalid(t *testing.T) {
	p := &Problem{Start: []int32{0, 2, 3}, Class: []int32{0, 1}, Topics: [][]int32{{0, 1}, {0}},
		Owner: []int32{0, 1, 0}}
	for _, owner := range [][]int32{{0, 1, None}, {0, 1, 1}, {0, 1, 2}, {0, -2, 0}} {
		if v, better := Certify(p, owner); v != Invalid || better != nil {
			t.Errorf("%v: verdict %v, better %v", owner, v, better)
		}
	}
	if v, _ := Certify(p, []int32{1, 1, 0}); v != Unsettled && v != Optimal {
		t.Errorf("a valid assignment has the verdict %v", v)
	}
}

// TestCertifySolve has every result of the benchmarks' smaller groups certified,
// and so improved until nothing is left to improve from a wild start.
func TestCertifySolve(t *testing.T) {
	groups := []workload{uniform(60, 60, 5, 0.3), patterns(8, 300, 50, 20), ring(300, 5),
		few(300, 300, 5), zipf(80, 40), hub(100), teams(10, 100, 60, 8), nested(60, 6),
		equally(50, 10, 30)}
	for _, w := range groups {
		for _, racks := range []int{0, 3} {
			w.racks = racks
			for _, event := range events {
				p := w.after(event)
				r := Solve(p)
				if v, _ := Certify(p, r.Owner); v != Optimal {
					t.Errorf("%s racks=%d event=%s: verdict %v", w.name, racks, event, v)
				}
			}
		}
	}
}
