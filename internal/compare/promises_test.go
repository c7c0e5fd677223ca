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
		// Which ones is a matter of chance, and of how long its search takes.
		var report strings.Builder
		broken := assigntest.Check(p.subject(20))
		writeBroken(&report, p, broken)
		if len(broken) == 0 || !strings.Contains(report.String(), "**"+broken[0].Name+"**") {
			t.Errorf("sarama's %s is reported to keep everything:\n%s", p.strategy, &report)
		}
	}
}
