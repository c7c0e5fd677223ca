// Package kafka starts Apache Kafka's own broker from its released jars, on
// loopback and without a container, and reads what it recorded of its groups.
package kafka

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// oldestJava is the oldest version that Kafka's broker runs on.
const oldestJava = 17

// Missing lists the programs that this package needs and the machine lacks, each
// in a few words. An empty list means that Prepare can do its work.
func Missing() []string {
	var missing []string
	if out, err := exec.Command("java", "-version").CombinedOutput(); err != nil {
		missing = append(missing, fmt.Sprintf("java %d or newer", oldestJava))
	} else if v := javaVersion(string(out)); v < oldestJava {
		missing = append(missing, fmt.Sprintf("java %d or newer (found %d)", oldestJava, v))
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		missing = append(missing, "mvn (Maven)")
	}
	if exec.Command("python3", "-c", "import venv, ensurepip").Run() != nil {
		missing = append(missing, "python3 with venv")
	}
	return missing
}

var versionLine = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// javaVersion reads the major version out of what java -version prints, 0 where
// there is none.
func javaVersion(text string) int {
	m := versionLine.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	v, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return v
}

// Tools is what a test needs besides Go.
type Tools struct {
	Jars   string // directory of Kafka's jars
	Python string // interpreter of an environment with librdkafka's client
}

// ClassPath is the class path of Kafka's broker, commands and clients.
func (t *Tools) ClassPath() string { return filepath.Join(t.Jars, "*") }

// Prepare fetches the jars that pom.xml asks for and the Python packages that
// requirements.txt asks for, both in the directory source, into the directory
// cache, unless an earlier call has done so for the same files. The first time
// takes about 30 seconds.
func Prepare(ctx context.Context, source, cache string) (*Tools, error) {
	pom, err := filepath.Abs(filepath.Join(source, "pom.xml"))
	if err != nil {
		return nil, err
	}
	requirements, err := filepath.Abs(filepath.Join(source, "requirements.txt"))
	if err != nil {
		return nil, err
	}
	jars := fetch{list: pom, commands: func(into string) [][]string {
		return [][]string{{"mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies",
			"-DoutputDirectory=" + into}}
	}}
	if err := jars.into(ctx, filepath.Join(cache, "jars")); err != nil {
		return nil, err
	}
	venv := fetch{list: requirements, commands: func(into string) [][]string {
		return [][]string{
			{"python3", "-m", "venv", into},
			{filepath.Join(into, "bin", "python"), "-m", "pip", "install", "-q",
				"--disable-pip-version-check", "-r", requirements},
		}
	}}
	if err := venv.into(ctx, filepath.Join(cache, "venv")); err != nil {
		return nil, err
	}
	return &Tools{Jars: jars.dir, Python: filepath.Join(venv.dir, "bin", "python")}, nil
}

// fetch fills a directory with what a file lists.
type fetch struct {
	list     string                       // the file
	commands func(into string) [][]string // what fills the directory
	dir      string                       // the directory, when it is full
}

// into runs the commands once for each content of the list, into a directory of
// its own whose name begins with prefix. A marker written last tells a full
// directory from one that was left half done.
func (f *fetch) into(ctx context.Context, prefix string) error {
	content, err := os.ReadFile(f.list)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	f.dir, err = filepath.Abs(fmt.Sprintf("%s-%x", prefix, sum[:4]))
	if err != nil {
		return err
	}
	marker := filepath.Join(f.dir, "complete")
	if _, err := os.Stat(marker); err == nil {
		return nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.RemoveAll(f.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return err
	}
	for _, args := range f.commands(f.dir) {
		out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return os.WriteFile(marker, nil, 0o644)
}
