package kafka

import (
	"os/exec"
	"syscall"
)

// endWithParent makes the kernel kill the child when this process dies, so that
// a test run that is killed leaves no broker behind.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
