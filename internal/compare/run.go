package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// runner measures cases in processes of their own, so that an assignor that does
// not end or takes all memory can be stopped.
type runner struct {
	program  string        // this program
	capTime  time.Duration // for one turn
	capBytes int64         // of resident memory of a measuring process
	limits   limits
	tryAll   bool // even what is larger than something that did not finish
	report   func(result)

	overrun []overrun
}

// overrun remembers a case that an assignor did not finish.
type overrun struct {
	assignor, strategy, family, name string
	members, partitions              int
}

// hopeless returns the case because of which this one is not tried: one of the
// same family that is no larger and that the assignor did not finish.
func (r *runner) hopeless(a string, j job, s *shape) (string, bool) {
	if r.tryAll {
		return "", false
	}
	for _, o := range r.overrun {
		if o.assignor == a && o.strategy == j.strategy && o.family == j.family() &&
			o.members <= s.members && o.partitions <= s.partitionCount() {
			return o.name, true
		}
	}
	return "", false
}

// run measures one assignor on events of one case. After an event that it does
// not finish, the others of the case are not tried.
func (r *runner) run(a assignor, j job) error {
	s := j.build()
	blank := result{Case: j.name, Assignor: a.name, Strategy: j.strategy}
	if name, yes := r.hopeless(a.name, j, s); yes {
		for _, event := range j.events {
			blank.Event, blank.State = event, "not tried: did not finish "+name
			r.report(blank)
		}
		return nil
	}
	done, state, err := r.child(a, j)
	if err != nil || state == "" {
		return err
	}
	r.overrun = append(r.overrun, overrun{a.name, j.strategy, j.family(), j.name,
		s.members, s.partitionCount()})
	for i, event := range j.events[done:] {
		blank.Event, blank.State = event, state
		if i > 0 {
			blank.State = "not tried: did not finish " + j.events[done]
		}
		r.report(blank)
	}
	return nil
}

// child starts a measuring process and reads what it says. It returns how many
// events were finished and, if one was not, why.
func (r *runner) child(a assignor, j job) (done int, state string, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, r.program, "measure", "-case", j.name,
		"-assignor", a.name, "-strategy", j.strategy, "-events", strings.Join(j.events, ","),
		"-runs", strconv.Itoa(r.limits.runs), "-spend", r.limits.spend.String(),
		"-budget", r.limits.budget.String(), "-cpu="+strconv.FormatBool(r.limits.cpu))
	if r.limits.cpu {
		// Or the collector would use another core while it is free, at no cost to
		// the time on the wall.
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, "", err
	}
	if err := cmd.Start(); err != nil {
		return 0, "", err
	}
	lines := make(chan line)
	go readLines(out, lines)
	done, state = r.watch(lines, cmd.Process.Pid)
	if state != "" {
		cancel()
	}
	for range lines {
		// What the process had still to say; it ends now.
	}
	err = cmd.Wait()
	switch {
	case state != "":
		return done, state, nil
	case err != nil:
		return done, "", fmt.Errorf("%s on %s: %w", a.name, j.name, err)
	case done != len(j.events):
		return done, "", fmt.Errorf("%s on %s: %d of %d events", a.name, j.name, done, len(j.events))
	}
	return done, "", nil
}

// watch reads lines until they end, a turn takes too long, or the process has
// grown too large.
func (r *runner) watch(lines <-chan line, pid int) (done int, state string) {
	const look = 100 * time.Millisecond
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	var deadline time.Duration // of the turn that runs; 0 while none does
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				return done, ""
			}
			deadline = 0
			if l.Begin != "" {
				deadline = r.now(pid) + r.capTime
			}
			if l.Result != nil {
				r.report(*l.Result)
				done++
			}
		case <-ticker.C:
			if deadline != 0 && r.now(pid) > deadline {
				return done, fmt.Sprintf("> %v", r.capTime)
			}
			if residentBytes(pid) > r.capBytes {
				return done, fmt.Sprintf("> %d GiB", r.capBytes>>30)
			}
		}
	}
}

// readLines decodes what a measuring process writes, until it ends.
func readLines(from io.Reader, to chan<- line) {
	defer close(to)
	scanner := bufio.NewScanner(from)
	for scanner.Scan() {
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			fmt.Fprintf(os.Stderr, "compare: %v: %s\n", err, scanner.Bytes())
			return
		}
		to <- l
	}
}

// now is the time on the wall, or what a process has used.
func (r *runner) now(pid int) time.Duration {
	if r.limits.cpu {
		return usedBy(pid)
	}
	return time.Since(begun)
}

// usedBy is the processor time of a process, 0 where it cannot be told.
func usedBy(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name, which stands in brackets, may hold anything.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	const user, system, tick = 11, 12, 10 * time.Millisecond
	if len(fields) <= system {
		return 0
	}
	total := 0
	for _, field := range []string{fields[user], fields[system]} {
		ticks, err := strconv.Atoi(field)
		if err != nil {
			return 0
		}
		total += ticks
	}
	return time.Duration(total) * tick
}

// residentBytes is the memory that a process holds, 0 where it cannot be told.
func residentBytes(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
