package flow

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the calling thread has used so far.
func cpuTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
