//go:build broken

package holdfast

func tagged(m map[int]int) {
	for range m { // want range over a map
	}
}
