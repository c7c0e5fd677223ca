//go:build !linux

package holdfast

import "time"

var started = time.Now()

// cpuTime falls back on the clock.
func cpuTime() time.Duration { return time.Since(started) }
