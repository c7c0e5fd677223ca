package holdfast

import (
	"syscall"
	"time"
	"unsafe"
)

// cpuTime is the time for which the kernel has run this thread. Whatever else the
// machine does is not in it.
func cpuTime() time.Duration {
	const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID
	var ts syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadCPU,
		uintptr(unsafe.Pointer(&ts)), 0)
	if errno != 0 {
		panic(errno)
	}
	return time.Duration(ts.Nano())
}
