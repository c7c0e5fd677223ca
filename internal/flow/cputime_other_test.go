//go:build !linux

package flow

import "time"

// cpuTime is not known here: benchmarks show no cpu-ms.
func cpuTime() time.Duration { return 0 }
