package main

import (
	"slices"
	"strings"
	"testing"
)

// BenchmarkBalance runs the middle part of a turn, for a profiler to look at:
//
//	go test -run xxx -bench Balance/case=nested -cpuprofile cpu.out
func BenchmarkBalance(b *testing.B) {
	profiled := []string{"random-10/100x100x10", "random-10/1000x1000x20", "nested/1000",
		"teams/100x50x10", "patterns/10000x100k"}
	for _, j := range allJobs() {
		if !slices.Contains(profiled, j.name) {
			continue
		}
		b.Run("case="+strings.ReplaceAll(j.name, "/", ","), func(b *testing.B) {
			h, err := begin(j.build())
			if err != nil {
				b.Fatal(err)
			}
			for _, event := range []string{"fresh", "1 joins", "10% join"} {
				b.Run("event="+strings.ReplaceAll(event, " ", "_"), func(b *testing.B) {
					benchEvent(b, h, event)
				})
			}
		})
	}
}

func benchEvent(b *testing.B, h *history, event string) {
	steps, err := h.steps(event)
	if err != nil {
		b.Fatal(err)
	}
	q := ask(steps[0], sticky)
	for _, name := range []string{nameMaps, nameFranz} {
		b.Run("assignor="+name, func(b *testing.B) {
			a, err := findAssignor(name)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				turn := a.turn(sticky)
				if err := turn.decode(q); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := turn.balance(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
