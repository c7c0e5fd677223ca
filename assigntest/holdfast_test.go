package assigntest_test

import (
	"os"
	"testing"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/assigntest"
)

// TestStrategies puts holdfast's own strategies through the suite, with all that
// their documentation promises.
func TestStrategies(t *testing.T) {
	sound := assigntest.Sound | assigntest.Refuses | assigntest.Accounted
	for _, c := range []struct {
		strategy holdfast.Assignor
		promises assigntest.Promise
	}{
		{holdfast.Range, sound},
		{holdfast.RoundRobin, sound},
		{holdfast.Sticky, sound | assigntest.Exact},
		{holdfast.CooperativeSticky, sound | assigntest.Exact | assigntest.Cooperative},
		{holdfast.Weighted, sound},
	} {
		t.Run(c.strategy.Name(), func(t *testing.T) {
			t.Parallel()
			s := assigntest.Of(c.strategy, c.promises)
			if c.strategy == holdfast.Weighted {
				// Its search takes long for a small group.
				s.Groups, s.Timeout = 10, 5*time.Minute
				if os.Getenv("HOLDFAST_LONG") != "" {
					s.Groups = 500
				}
			}
			assigntest.Run(t, s)
		})
	}
}
