package holdfast

import (
	"fmt"
	"testing"
)

// TestCausesAll: every cause once, in order, with its own count; their sum is the
// total.
func TestCausesAll(t *testing.T) {
	causes := Causes{Shed: 1, Orphaned: 2, Unsubscribed: 4, Contested: 8, Unowned: 16}
	text, total := "", 0
	for cause, n := range causes.All() {
		text += fmt.Sprintf("%v %d, ", cause, n)
		total += n
	}
	want := "shed 1, orphaned 2, unsubscribed 4, contested 8, unowned 16, "
	if text != want || total != causes.Total() {
		t.Errorf("%s sum %d, total %d; want %s", text, total, causes.Total(), want)
	}
}
