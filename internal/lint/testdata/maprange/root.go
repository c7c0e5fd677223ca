package holdfast

import (
	"maps"
	"slices"
)

type Named map[string]int

type holder struct{ m Named }

func loops(h holder, list []int, f func() map[int]bool) int {
	n := 0
	for range h.m { // want range over a map
		n++
	}
	for k := range f() { // want range over a map
		n += k
	}
	for k := range f() { // order: the sum does not depend on it
		n += k
	}
	for k := range f() { // order:
		n += k
		// want-above range over a map
	}
	for _, v := range list {
		n += v
	}
	for range maps.Keys(h.m) { // want maps\.Keys outside slices\.Sorted
		n++
	}
	for _, k := range slices.Sorted(maps.Keys(h.m)) {
		n += len(k)
	}
	return n
}

func generic[M ~map[K]V, K comparable, V any](m M) {
	for range m { // want range over a map
	}
}
