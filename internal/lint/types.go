package lint

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/importer"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// checked is one directory's package without its tests, with types.
type checked struct {
	pkg   *types.Package
	files []*source
	info  *types.Info
}

// checker type-checks directories of a tree, and the standard library from its
// source. It resolves imports within the tree itself, so that no module
// download and no build cache is needed.
type checker struct {
	tree *Tree
	tag  string // the build tag that is set, or ""
	std  types.Importer
	done map[string]*checked
}

func newChecker(t *Tree, tag string) *checker {
	return &checker{tree: t, tag: tag, done: map[string]*checked{},
		std: importer.ForCompiler(t.fset, "source", nil)}
}

// Import implements types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	local := c.tree.local(path)
	if local == path {
		return c.std.Import(path)
	}
	got, err := c.check(local)
	if err != nil {
		return nil, err
	}
	return got.pkg, nil
}

// check type-checks one directory. An error is a type error of that directory
// or of one that it imports.
func (c *checker) check(at string) (*checked, error) {
	if got := c.done[at]; got != nil {
		return got, nil
	}
	d := c.tree.find(at)
	if d == nil {
		return nil, fmt.Errorf("no Go files in %s", at)
	}
	got := &checked{info: &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	var files []*ast.File
	for _, f := range d.files {
		match, err := c.matches(f)
		if err != nil {
			return nil, err
		}
		if match && !f.test {
			got.files = append(got.files, f)
			files = append(files, f.ast)
		}
	}
	config := types.Config{Importer: c}
	pkg, err := config.Check(c.tree.importPath(at), c.tree.fset, files, got.info)
	if err != nil {
		return nil, err
	}
	got.pkg = pkg
	c.done[at] = got
	return got, nil
}

// matches applies the build constraints of a file.
func (c *checker) matches(f *source) (bool, error) {
	context := build.Default
	if c.tag != "" {
		context.BuildTags = []string{c.tag}
	}
	name := filepath.Join(c.tree.Root, filepath.FromSlash(f.path))
	return context.MatchFile(filepath.Dir(name), filepath.Base(name))
}

// eachPackage calls look for every given directory and those below it, once
// without build tags and once for each tag that a file of theirs mentions.
func (t *Tree) eachPackage(dirs []string, look func(*checked) []Finding) ([]Finding, error) {
	tags := map[string]bool{"": true}
	dirs = t.below(dirs)
	for _, at := range dirs {
		for _, f := range t.find(at).files {
			mentionedTags(f, tags)
		}
	}
	var found []Finding
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		c := newChecker(t, tag)
		for _, at := range dirs {
			got, err := c.check(at)
			if err != nil {
				return nil, fmt.Errorf("package %s, build tag %q: %w", at, tag, err)
			}
			found = append(found, look(got)...)
		}
	}
	return sortFindings(found), nil
}

// mentionedTags adds the build tags in a file's //go:build line to tags.
func mentionedTags(f *source, tags map[string]bool) {
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			if c.Pos() > f.ast.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil {
				expr.Eval(func(tag string) bool {
					tags[tag] = true
					return false
				})
			}
		}
	}
}

// lineComment returns the comment that ends the line of pos, or "".
func (t *Tree) lineComment(f *source, pos token.Pos) string {
	line := t.fset.Position(pos).Line
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			if c.Pos() > pos && t.fset.Position(c.Pos()).Line == line {
				return strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			}
		}
	}
	return ""
}
