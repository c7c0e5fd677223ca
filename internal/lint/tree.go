package lint

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Finding is one place where a rule is broken.
type Finding struct {
	File string // relative to the root of the tree, with slashes
	Line int    // 1-based; 0 when the finding is about the whole file or tree
	Text string // what is wrong, as one sentence without a stop
}

// String returns the finding as "file:line: text".
func (f Finding) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// sortFindings orders findings by place and removes repetitions, which arise
// where a file is looked at under several build tags.
func sortFindings(all []Finding) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(all)
}

// Tree is the parsed Go source under one directory: every module in it, without
// testdata and hidden directories.
type Tree struct {
	Root   string // directory on disk
	Module string // import path of the module at Root
	fset   *token.FileSet
	dirs   []*dir // sorted by path
}

// dir is one directory with Go files.
type dir struct {
	path  string // relative to the root; "." for the root itself
	files []*source
}

// source is one Go file.
type source struct {
	path string // relative to the root
	test bool   // a _test.go file
	ast  *ast.File
}

// Load parses all Go files under root. The error is a parse error or one of the
// file system. It costs time linear in the size of the source.
func Load(root, module string) (*Tree, error) {
	t := &Tree{Root: root, Module: module, fset: token.NewFileSet()}
	byPath := map[string]*dir{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && ignoredDir(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		file, err := parser.ParseFile(t.fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		at := path.Dir(rel)
		if byPath[at] == nil {
			byPath[at] = &dir{path: at}
			t.dirs = append(t.dirs, byPath[at])
		}
		byPath[at].files = append(byPath[at].files,
			&source{path: rel, test: strings.HasSuffix(rel, "_test.go"), ast: file})
		return nil
	})
	slices.SortFunc(t.dirs, func(a, b *dir) int { return strings.Compare(a.path, b.path) })
	return t, err
}

// ignoredDir says whether the go command, too, would pass the directory by.
func ignoredDir(name string) bool {
	return name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// importPath returns the path under which a directory of the tree is imported.
// Nested modules carry the path of the directory that they are in, so that one
// rule serves them all.
func (t *Tree) importPath(dir string) string {
	if dir == "." {
		return t.Module
	}
	return t.Module + "/" + dir
}

// finding builds a Finding at a position of file f.
func (t *Tree) finding(f *source, pos token.Pos, format string, args ...any) Finding {
	line := t.fset.Position(pos).Line
	return Finding{File: f.path, Line: line, Text: fmt.Sprintf(format, args...)}
}

// below returns the directories with Go files that are one of the given ones or
// lie in one; the root "." stands for itself alone.
func (t *Tree) below(names []string) []string {
	var found []string
	for _, d := range t.dirs {
		if slices.ContainsFunc(names, func(name string) bool { return below(d.path, name) }) {
			found = append(found, d.path)
		}
	}
	return found
}

// find returns the directory of that path, or nil.
func (t *Tree) find(path string) *dir {
	for _, d := range t.dirs {
		if d.path == path {
			return d
		}
	}
	return nil
}
