package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// MapRanges reports every loop over a map in the given directories whose line
// does not end with "// order: <why the order cannot show>". The order of a map
// differs from run to run, and a plan must not. The error is a type error.
func (t *Tree) MapRanges(dirs []string) ([]Finding, error) {
	return t.eachPackage(dirs, func(p *checked) []Finding {
		var found []Finding
		for _, f := range p.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				loop, ok := n.(*ast.RangeStmt)
				if !ok || !isMap(p.info.TypeOf(loop.X)) {
					return true
				}
				why, ok := strings.CutPrefix(t.lineComment(f, loop.For), "order:")
				if !ok || strings.TrimSpace(why) == "" {
					found = append(found, t.finding(f, loop.For,
						"range over a map without // order: and the reason why it cannot show"))
				}
				return true
			})
			found = append(found, t.mapIterators(p, f)...)
		}
		return found
	})
}

// isMap sees through named types and type parameters: a parameter that can only
// be a map is one.
func isMap(typ types.Type) bool {
	if typ == nil {
		return false
	}
	if param, ok := types.Unalias(typ).(*types.TypeParam); ok {
		bound, ok := param.Constraint().Underlying().(*types.Interface)
		if !ok {
			return false
		}
		for embedded := range bound.EmbeddedTypes() {
			if union, ok := embedded.(*types.Union); ok {
				embedded = union.Term(0).Type()
			}
			if isMap(embedded) {
				return true
			}
		}
		return false
	}
	_, ok := typ.Underlying().(*types.Map)
	return ok
}

// mapIterators reports maps.Keys, maps.Values and maps.All that are not at once
// sorted: they hand the map's order on. Within slices.Sorted and its kin the
// order is gone, so those need no reason.
func (t *Tree) mapIterators(p *checked, f *source) []Finding {
	sorted := map[ast.Expr]bool{}
	var found []Finding
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		pkg, name := calledFunc(p.info, call)
		switch {
		case pkg == "slices" && strings.HasPrefix(name, "Sorted") && len(call.Args) > 0:
			sorted[call.Args[0]] = true
		case pkg == "maps" && (name == "Keys" || name == "Values" || name == "All"):
			why, ok := strings.CutPrefix(t.lineComment(f, call.Pos()), "order:")
			if !sorted[call] && (!ok || strings.TrimSpace(why) == "") {
				found = append(found, t.finding(f, call.Pos(),
					"maps.%s outside slices.Sorted without // order: and the reason", name))
			}
		}
		return true
	})
	return found
}

// calledFunc returns package path and name of a called package-level function,
// or empty strings.
func calledFunc(info *types.Info, call *ast.CallExpr) (pkg, name string) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return "", ""
	}
	return fn.Pkg().Path(), fn.Name()
}

// impureNames are what a pure package may not use of packages that it may
// import: the clock, standard output, and the generator that nobody seeded.
var impureNames = map[string][]string{
	"fmt": {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick",
		"NewTimer", "NewTicker", "Local", "LoadLocation"},
	"math/rand/v2": {"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "N", "Uint", "UintN",
		"Uint32", "Uint32N", "Uint64", "Uint64N", "Float32", "Float64", "ExpFloat64",
		"NormFloat64", "Perm", "Shuffle"},
}

// Impure reports, in the given directories, goroutines, channels, select, init
// functions, uses of the clock, of standard output and of an unseeded generator,
// and package variables that something changes. Imports are left to the policy.
// The error is a type error.
func (t *Tree) Impure(dirs []string) ([]Finding, error) {
	return t.eachPackage(dirs, func(p *checked) []Finding {
		var found []Finding
		for _, f := range p.files {
			report := func(at ast.Node, format string, args ...any) {
				found = append(found, t.finding(f, at.Pos(), format, args...))
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				impureNode(p, n, report)
				return true
			})
		}
		return found
	})
}

type reporter func(at ast.Node, format string, args ...any)

// impureNode looks at one node, not at what is below it.
func impureNode(p *checked, n ast.Node, report reporter) {
	switch n := n.(type) {
	case *ast.GoStmt:
		report(n, "a pure package starts no goroutine")
	case *ast.ChanType:
		report(n, "a pure package has no channels")
	case *ast.SelectStmt:
		report(n, "a pure package does not select")
	case *ast.FuncDecl:
		if n.Recv == nil && n.Name.Name == "init" {
			report(n, "a pure package has no init function")
		}
	case *ast.SelectorExpr:
		used := p.info.Uses[n.Sel]
		if used != nil && used.Pkg() != nil && p.info.Selections[n] == nil &&
			slices.Contains(impureNames[used.Pkg().Path()], used.Name()) {
			report(n, "a pure package may not use %s.%s", used.Pkg().Name(), used.Name())
		}
		if v := changedByMethod(p, n); v != nil {
			report(n, "method %s may change package variable %s", n.Sel.Name, v.Name())
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			reportChanged(p, n.Lhs, report)
		}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			reportChanged(p, []ast.Expr{n.Key, n.Value}, report)
		}
	case *ast.IncDecStmt:
		reportChanged(p, []ast.Expr{n.X}, report)
	case *ast.UnaryExpr:
		if v := packageVar(p, n.X); n.Op == token.AND && v != nil {
			report(n, "the address of package variable %s is taken, so it may change", v.Name())
		}
	case *ast.CallExpr:
		name, ok := ast.Unparen(n.Fun).(*ast.Ident)
		if ok && (name.Name == "delete" || name.Name == "clear") && len(n.Args) > 0 {
			reportChanged(p, n.Args[:1], report)
		}
	}
}

// reportChanged reports the package variables among the targets of a change.
func reportChanged(p *checked, targets []ast.Expr, report reporter) {
	for _, target := range targets {
		if v := packageVar(p, target); v != nil {
			report(target, "package variable %s changes", v.Name())
		}
	}
}

// packageVar returns the package-level variable at the root of an expression
// such as v, v.f, v[i].f or *v, or nil.
func packageVar(p *checked, e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			v, ok := p.info.Uses[x].(*types.Var)
			if !ok || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
				return nil
			}
			return v
		case *ast.SelectorExpr:
			if v, ok := p.info.Uses[x.Sel].(*types.Var); ok && p.info.Selections[x] == nil {
				return v // a variable of another package
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// changedByMethod returns the package variable whose address a method call
// takes silently: one that is not a pointer, with a method on the pointer.
func changedByMethod(p *checked, sel *ast.SelectorExpr) *types.Var {
	selection := p.info.Selections[sel]
	if selection == nil || selection.Kind() != types.MethodVal {
		return nil
	}
	v := packageVar(p, sel.X)
	if v == nil {
		return nil
	}
	recv := selection.Obj().(*types.Func).Signature().Recv()
	_, wants := recv.Type().Underlying().(*types.Pointer)
	_, has := selection.Recv().Underlying().(*types.Pointer)
	if wants && !has {
		return v
	}
	return nil
}
