package lint

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Policy says who may import whom. It is read from text by [ParsePolicy].
type Policy struct {
	allowed map[string]map[string]bool // importer -> what its files may import
	inTests map[string]map[string]bool // importer -> what its tests may import besides
}

// ParsePolicy reads a policy. A line has one of these forms; # begins a comment
// and names are separated by blanks:
//
//	NAME = a b c        NAME stands for a, b and c in the lines that follow
//	a b < c d           c and d may import a and b
//	tests: a b < c d    so may the _test.go files of c and d, and nobody else
//
// A name is "std", a package of the standard library, a package of another
// module, or a directory of this tree ("." is the root). A directory or a
// package of another module stands for everything below it as well, unless a
// longer name is in the policy. What one directory may import is not inherited
// by those that import it. The error names the line.
func ParsePolicy(text string) (*Policy, error) {
	p := &Policy{allowed: map[string]map[string]bool{}, inTests: map[string]map[string]bool{}}
	alias := map[string][]string{}
	expand := func(list string) []string {
		var names []string
		for _, name := range strings.Fields(list) {
			if stands, ok := alias[name]; ok {
				names = append(names, stands...)
			} else {
				names = append(names, name)
			}
		}
		return names
	}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if name, list, ok := strings.Cut(line, "="); ok {
			alias[strings.TrimSpace(name)] = expand(list)
			continue
		}
		rest, tests := strings.CutPrefix(line, "tests:")
		left, right, ok := strings.Cut(rest, "<")
		if !ok {
			return nil, fmt.Errorf("policy line %d: neither = nor <: %q", i+1, line)
		}
		into := p.allowed
		if tests {
			into = p.inTests
		}
		for _, importer := range expand(right) {
			if into[importer] == nil {
				into[importer] = map[string]bool{}
			}
			for _, imported := range expand(left) {
				into[importer][imported] = true
			}
		}
	}
	return p, p.acyclic()
}

// acyclic returns an error that names a circle of directories that may import
// each other. Tests are left out: a test may import what imports its package.
func (p *Policy) acyclic() error {
	done := map[string]bool{}
	var walk func(name string, path []string) error
	walk = func(name string, path []string) error {
		if slices.Contains(path, name) {
			return fmt.Errorf("policy has a circle: %s", strings.Join(append(path, name), " < "))
		}
		if done[name] {
			return nil
		}
		path = append(path, name)
		for _, imported := range slices.Sorted(maps.Keys(p.allowed[name])) {
			if err := walk(imported, path); err != nil {
				return err
			}
		}
		done[name] = true
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.allowed)) {
		if err := walk(name, nil); err != nil {
			return err
		}
	}
	return nil
}

// Imports reports every import that the policy does not allow, and every
// directory that the policy does not speak of.
func (t *Tree) Imports(p *Policy) []Finding {
	var found []Finding
	for _, d := range t.dirs {
		importer := p.node(d.path)
		if importer == "" {
			found = append(found,
				Finding{File: d.path, Text: "the import policy does not name this directory"})
			continue
		}
		for _, f := range d.files {
			for _, spec := range f.ast.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil || t.mayImport(p, importer, imported, f.test) {
					continue
				}
				found = append(found,
					t.finding(f, spec.Pos(), "%s may not import %q", importer, imported))
			}
		}
	}
	return sortFindings(found)
}

// mayImport looks one import up.
func (t *Tree) mayImport(p *Policy, importer, imported string, test bool) bool {
	if test && (isStd(imported) || p.covers(p.inTests[importer], t.local(imported))) {
		return true
	}
	local := t.local(imported)
	if local != imported && p.node(local) == importer {
		return true
	}
	if isStd(imported) && p.allowed[importer]["std"] {
		return true
	}
	return p.covers(p.allowed[importer], local)
}

// local turns the import path of a package of this tree into its directory and
// leaves other paths alone.
func (t *Tree) local(imported string) string {
	if imported == t.Module {
		return "."
	}
	if rest, ok := strings.CutPrefix(imported, t.Module+"/"); ok {
		return rest
	}
	return imported
}

// node returns the longest name among the importers that stands for the
// directory, or "".
func (p *Policy) node(dir string) string {
	best := ""
	for name := range p.allowed {
		if below(dir, name) && len(name) > len(best) {
			best = name
		}
	}
	return best
}

// covers says whether one of the names stands for the imported path. A name of
// the standard library stands for itself alone: "time" does not allow "time/x".
func (p *Policy) covers(names map[string]bool, imported string) bool {
	if names[imported] {
		return true
	}
	if node := p.node(imported); node != "" {
		return names[node]
	}
	if isStd(imported) {
		return false
	}
	for name := range names {
		if below(imported, name) {
			return true
		}
	}
	return false
}

// below says whether path is name or lies in it. The root "." holds only itself,
// or every directory would count as a part of it.
func below(path, name string) bool {
	return path == name || strings.HasPrefix(path, name+"/")
}

// isStd says whether an import path belongs to the standard library: its first
// element has no dot. Directories of the tree are told apart before.
func isStd(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}
