package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits of what a reader can take in at once.
const (
	MaxFileLines = 600 // lines of a file
	MaxFuncLines = 70  // lines of a function, from its first to its last
	MaxParams    = 4   // parameters of a function; more belong in a struct
	MaxColumns   = 100 // characters of a line; how wide a tab is, is the reader's choice
)

// badNames are package names that say nothing about what is in the package.
var badNames = map[string]bool{"util": true, "utils": true, "common": true, "helper": true,
	"helpers": true, "misc": true, "shared": true, "types": true, "base": true}

// Sizes reports files, functions, parameter lists and lines above the limits.
// Lines within a raw string may be longer: there the length belongs to the data.
// The error is one of reading a file.
func (t *Tree) Sizes() ([]Finding, error) {
	var found []Finding
	for _, d := range t.dirs {
		for _, f := range d.files {
			long, err := t.longLines(f)
			if err != nil {
				return nil, err
			}
			found = append(found, long...)
			if n := t.fset.File(f.ast.FileStart).LineCount(); n > MaxFileLines {
				found = append(found, Finding{File: f.path, Text: fmt.Sprintf(
					"the file is too long: %d lines, the limit is %d", n, MaxFileLines)})
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				found = append(found, t.longFunc(f, n)...)
				return true
			})
		}
	}
	return sortFindings(found), nil
}

func (t *Tree) longFunc(f *source, n ast.Node) []Finding {
	var found []Finding
	switch n := n.(type) {
	case *ast.FuncDecl:
		first, last := t.fset.Position(n.Pos()).Line, t.fset.Position(n.End()).Line
		if last-first+1 > MaxFuncLines {
			found = append(found, t.finding(f, n.Pos(), "function %s has %d lines, the limit is %d",
				n.Name.Name, last-first+1, MaxFuncLines))
		}
		if count := params(n.Type); count > MaxParams && !imposed.MatchString(n.Doc.Text()) {
			found = append(found, t.finding(f, n.Pos(),
				"function %s has %d parameters, the limit is %d", n.Name.Name, count, MaxParams))
		}
	case *ast.FuncLit:
		if count := params(n.Type); count > MaxParams {
			found = append(found, t.finding(f, n.Pos(),
				"function literal has %d parameters, the limit is %d", count, MaxParams))
		}
	}
	return found
}

// imposed finds the doc comment of a method whose parameters another package has
// laid down: it "implements kgo.HookBrokerWrite".
var imposed = regexp.MustCompile(`\bimplements [a-z]\w*\.[A-Z]`)

// params counts parameters. Not counted are what says who asks, a context or the
// test, and a last one of the form "args ...any", which belongs to the format
// before it.
func params(f *ast.FuncType) int {
	n := f.Params.NumFields()
	if n == 0 {
		return 0
	}
	first, last := f.Params.List[0], f.Params.List[len(f.Params.List)-1]
	if asks(first.Type) {
		n -= max(1, len(first.Names))
	}
	if _, ok := last.Type.(*ast.Ellipsis); ok {
		n--
	}
	return n
}

// asks says whether a type is context.Context, or *testing.T and its kin.
func asks(e ast.Expr) bool {
	if pointer, ok := e.(*ast.StarExpr); ok {
		e = pointer.X
	}
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && (pkg.Name == "context" && sel.Sel.Name == "Context" || pkg.Name == "testing")
}

func (t *Tree) longLines(f *source) ([]Finding, error) {
	text, err := os.ReadFile(filepath.Join(t.Root, filepath.FromSlash(f.path)))
	if err != nil {
		return nil, err
	}
	raw := map[int]bool{}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && lit.Value[0] == '`' {
			last := t.fset.Position(lit.End()).Line
			for l := t.fset.Position(lit.Pos()).Line; l <= last; l++ {
				raw[l] = true
			}
		}
		return true
	})
	var found []Finding
	for i, line := range strings.Split(string(text), "\n") {
		columns := utf8.RuneCountInString(line)
		if columns > MaxColumns && !raw[i+1] && !strings.HasPrefix(line, "//go:") {
			found = append(found, Finding{File: f.path, Line: i + 1, Text: fmt.Sprintf(
				"the line is too long: %d characters, the limit is %d", columns, MaxColumns)})
		}
	}
	return found, nil
}

// PackageNames reports packages whose name says nothing.
func (t *Tree) PackageNames() []Finding {
	var found []Finding
	for _, d := range t.dirs {
		for _, f := range d.files {
			name := strings.TrimSuffix(f.ast.Name.Name, "_test")
			if badNames[name] {
				found = append(found,
					t.finding(f, f.ast.Name.Pos(), "package name %s says nothing", name))
			}
		}
	}
	return sortFindings(found)
}
