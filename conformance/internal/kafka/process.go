package kafka

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Process is a child process whose error output, and output where nobody else
// wants it, goes to a file.
type Process struct {
	Name string
	Log  string // the file

	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended; cmd then knows how
}

// Start starts cmd. Its log is NAME.log in the directory logs; a second process
// of that name appends to it. Output, if not nil, is called in a goroutine of its
// own with the process's standard output, and reads it to the end.
func Start(name, logs string, cmd *exec.Cmd, output func(io.Reader)) (*Process, error) {
	p := &Process{Name: name, Log: filepath.Join(logs, name+".log"), cmd: cmd,
		done: make(chan struct{})}
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	cmd.Stderr = log
	var stdout io.Reader
	if output == nil {
		cmd.Stdout = log
	} else if stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	endWithParent(cmd)
	if err := cmd.Start(); err != nil {
		_ = log.Close() // nothing was written
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		if output != nil {
			output(stdout) // before Wait, which closes the pipe
		}
		_ = cmd.Wait()  // how it ended stands in cmd.ProcessState
		_ = log.Close() // the child wrote to it, not this process
		close(p.done)
	}()
	return p, nil
}

// Ended reports whether the process is over.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Stop asks the process to end and waits until it has. One that takes longer than
// patience is killed, and that is an error; how a process ends that was asked to
// is not.
func (p *Process) Stop(patience time.Duration) error {
	if p.Ended() {
		return fmt.Errorf("%s ended before it was asked to (%s), see %s", p.Name,
			p.cmd.ProcessState, p.Log)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop %s: %w", p.Name, err)
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		p.Kill()
		return fmt.Errorf("%s did not end within %v, see %s", p.Name, patience, p.Log)
	}
}

// Kill ends the process at once and waits until it is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // an error says that it has ended, which is what is wanted
	<-p.done
}
