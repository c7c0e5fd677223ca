package lint

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// privatePaths are beginnings of paths that exist on somebody's machine and
// nowhere else. They are put together here so that this file has none of them.
var privatePaths = []string{"/" + "work/", ".." + "/shared", "/" + "home/", "/" + "Users/",
	"/" + "root/"}

// PrivatePaths reports the lines of the given files that name a path of the
// machine they were written on: such a line is of no use to anybody else. Names
// are relative to root. Files with a NUL byte are not text and are passed by.
func PrivatePaths(root string, names []string) ([]Finding, error) {
	var found []Finding
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, private := range privatePaths {
				if strings.Contains(line, private) {
					found = append(found, Finding{File: name, Line: i + 1,
						Text: fmt.Sprintf("names %s, a path of one machine", private)})
				}
			}
		}
	}
	return sortFindings(found), nil
}

// Unmapped reports the directories with Go source that a page, the map of the
// repository, does not name in backquotes.
func (t *Tree) Unmapped(page string) ([]Finding, error) {
	text, err := os.ReadFile(filepath.Join(t.Root, page))
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, d := range t.dirs {
		if !bytes.Contains(text, []byte("`"+d.path+"`")) {
			found = append(found, Finding{File: d.path, Text: page + " does not name this directory"})
		}
	}
	return sortFindings(found), nil
}

// Committed lists the files that git keeps below root and that are there now.
// Without git, as in an unpacked archive, it lists all files.
func Committed(root string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		out, err := run(root, nil, "git", "ls-files", "-z")
		if err != nil {
			return nil, err
		}
		var names []string
		for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
			info, err := os.Lstat(filepath.Join(root, name))
			if err == nil && info.Mode().IsRegular() {
				names = append(names, name)
			}
		}
		return names, nil
	}
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, relErr := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(rel))
			return relErr
		}
		return err
	})
	return names, err
}

// Requires lists the modules that the module in dir needs, itself first, as the
// go command sees it outside a workspace.
func Requires(dir string) ([]string, error) {
	out, err := run(dir, []string{"GOWORK=off"}, "go", "list", "-m", "all")
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(out), "\n"), nil
}

// run runs a command in dir and returns what it wrote to standard output.
func run(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err,
			bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}
