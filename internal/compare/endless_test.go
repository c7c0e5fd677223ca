package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// checkXML reads a document to its end.
func checkXML(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
}

// TestSaramaDoesNotEnd shows, in a process that can be stopped, that sarama's
// sticky has no answer for the groups of its name within the time allowed. One
// group in the short suite, all of them for longer in the long one.
func TestSaramaDoesNotEnd(t *testing.T) {
	if path := os.Getenv(stuckGroup); path != "" {
		g, err := readGroup(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := planOf(nameSarama, sticky, &g); err != nil {
			t.Fatal(err)
		}
		return
	}
	paths, err := filepath.Glob("testdata/sarama-" + endless + "-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no groups", err)
	}
	wait := 2 * time.Second
	if long() {
		wait = 20 * time.Second
	} else {
		paths = paths[:1]
	}
	for _, path := range paths {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestSaramaDoesNotEnd$")
		cmd.Env = append(os.Environ(), stuckGroup+"="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			t.Errorf("%s: sarama had an answer (%v)", path, err)
		case <-time.After(wait):
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil {
				t.Errorf("%s: a process that was killed ended well", path)
			}
		}
	}
}

// stuckGroup names the group that a process of TestSaramaDoesNotEnd is for.
const stuckGroup = "HOLDFAST_COMPARE_STUCK_GROUP"
