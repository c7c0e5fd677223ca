package main

import (
	"strings"
	"testing"

	"github.com/holdfast/holdfast/assigntest"
)

// TestPromises: holdfast keeps what it is asked for through the same bytes and the
// same harness in which other strategies are found wanting.
func TestPromises(t *testing.T) {
	for _, p := range allPromised() {
		if p.client != nameHoldfast {
			continue
		}
		for _, b := range assigntest.Check(p.subject(20)) {
			t.Errorf("%s: %v", p.strategy, b)
		}
	}
	for _, p := range allPromised() {
		if p.client != nameSarama || p.strategy != cooperativeSticky {
			continue
		}
		var report strings.Builder
		writeBroken(&report, p, assigntest.Check(p.subject(20)))
		for _, promise := range []string{"repeatable", "cooperative"} {
			if !strings.Contains(report.String(), "**"+promise+"**") {
				t.Errorf("sarama's %s was not found to break %s:\n%s", p.strategy, promise, &report)
			}
		}
	}
}
