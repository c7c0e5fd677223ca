package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// machine says where and with what the figures were taken.
type machine struct {
	processor string
	cores     int
	memory    string
	system    string
	commit    string
	load      string // when the run began
	modules   []string
}

// compared are the modules whose versions matter.
var compared = []string{"github.com/twmb/franz-go", "github.com/IBM/sarama"}

// thisMachine asks the system; what cannot be told is left out.
func thisMachine() machine {
	m := machine{
		processor: field("/proc/cpuinfo", "model name"),
		memory:    memory(),
		load:      loadAverage(),
		cores:     runtime.NumCPU(),
		system: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS,
			runtime.GOARCH),
	}
	if out, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output(); err == nil {
		m.commit = strings.TrimSpace(string(out))
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			for _, path := range compared {
				if d.Path == path {
					m.modules = append(m.modules, d.Path+" "+d.Version)
				}
			}
		}
	}
	return m
}

// memory is the size of the machine's memory.
func memory() string {
	kib, err := strconv.Atoi(strings.TrimSuffix(field("/proc/meminfo", "MemTotal"), " kB"))
	if err != nil {
		return "unknown memory"
	}
	return fmt.Sprintf("%.0f GiB", float64(kib)/(1<<20))
}

// loadAverage is how many processes wanted to run in the last 1, 5 and 15
// minutes.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	fields := strings.Fields(string(data))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

// field returns the value of the first line of a file that begins with a name.
func field(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func (m machine) rows() [][2]string {
	rows := [][2]string{
		{"machine", fmt.Sprintf("%s, %d cores, %s", m.processor, m.cores, m.memory)},
		{"Go", m.system},
		{"holdfast", "commit " + cmp.Or(m.commit, "unknown")},
	}
	for _, module := range m.modules {
		path, version, _ := strings.Cut(module, " ")
		rows = append(rows, [2]string{path, version})
	}
	return rows
}
