package demo

import (
	"math"
	"time"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
)

// JSON writes what a demo measured.
func (r *Result) JSON(w *jsonwriter.Writer, c Config) {
	w.Object(func() {
		w.Key("strategy")
		w.String(r.Strategy)
		w.Key("protocol")
		w.String(r.Protocol)
		w.Key("broker")
		if c.Embedded() {
			w.String("embedded")
		} else {
			w.String("cluster")
		}
		c.timingJSON(w)
		w.Key("rebalances")
		w.Array(func() {
			for i := range r.Rebalances {
				r.Rebalances[i].json(w)
			}
		})
		w.Key("records")
		r.Records.json(w)
		w.Key("owned_twice")
		w.Int(int64(r.OwnedTwice))
		w.Key("dropped")
		w.Int(int64(r.Dropped))
	})
	w.Newline()
}

// timingJSON writes what one needs to know to compare the figures with others.
func (c *Config) timingJSON(w *jsonwriter.Writer) {
	w.Key("timing")
	w.Object(func() {
		w.Key("session_timeout_s")
		w.Float(seconds(c.SessionTimeout))
		w.Key("heartbeat_interval_s")
		w.Float(seconds(c.Heartbeat))
		w.Key("restore_s")
		w.Float(seconds(c.Restore))
		w.Key("revoke_s")
		w.Float(seconds(c.Revoke))
		w.Key("records_per_second")
		w.Int(int64(c.Rate))
	})
}

func (r *Rebalance) json(w *jsonwriter.Writer) {
	w.Object(func() {
		w.Key("generation")
		w.Int(int64(r.Generation))
		w.Key("event")
		w.String(r.Event)
		w.Key("member")
		w.StringOrNull(r.Member)
		w.Key("leader")
		w.String(r.Leader)
		w.Key("moved")
		w.Int(int64(r.Moved))
		w.Key("causes")
		w.Object(func() {
			for cause, n := range r.Causes.All() {
				w.Key(cause.String())
				w.Int(int64(n))
			}
		})
		w.Key("duration_s")
		w.Float(seconds(r.Duration))
		w.Key("unconsumed_partition_s")
		w.Float(seconds(r.Unconsumed))
		w.Key("members")
		w.Object(func() {
			for _, s := range r.Members {
				w.Key(s.Member)
				w.Int(int64(s.Partitions))
			}
		})
	})
}

func (n *Records) json(w *jsonwriter.Writer) {
	w.Object(func() {
		for _, count := range []struct {
			name string
			n    int
		}{
			{"produced", n.Produced},
			{"processed", n.Processed},
			{"processed_twice", n.ProcessedTwice},
			{"processed_twice_by_crash", n.TwiceByCrash},
			{"lost", n.Lost},
		} {
			w.Key(count.name)
			w.Int(int64(count.n))
		}
	})
}

// seconds rounds to what the measurement is good for.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }
