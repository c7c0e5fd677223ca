package lint

import (
	"go/ast"
	"go/token"
	"strings"
)

// Undocumented reports every exported name without a doc comment, every doc
// comment of a function or type that does not name it in its first words, and
// every package without a package comment. Package main and tests have no
// exported names that anybody could use, so only their package comment counts.
//
// A constant or variable may share the comment of its block. Fields may share
// the comment of their struct; methods of an exported interface may not.
func (t *Tree) Undocumented() []Finding {
	var found []Finding
	for _, d := range t.dirs {
		hasCode, hasDoc := false, false
		for _, f := range d.files {
			if f.test {
				continue
			}
			hasCode = true
			hasDoc = hasDoc || f.ast.Doc != nil
			if f.ast.Name.Name == "main" {
				continue
			}
			for _, decl := range f.ast.Decls {
				found = append(found, t.undocumented(f, decl)...)
			}
		}
		if hasCode && !hasDoc {
			found = append(found, Finding{File: d.path, Text: "the package has no package comment"})
		}
	}
	return sortFindings(found)
}

func (t *Tree) undocumented(f *source, decl ast.Decl) []Finding {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if !decl.Name.IsExported() || (decl.Recv != nil && !exportedReceiver(decl.Recv)) {
			return nil
		}
		return t.needsDoc(f, decl.Name, decl.Doc)
	case *ast.GenDecl:
		var found []Finding
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				found = append(found, t.undocumentedType(f, decl, spec)...)
			case *ast.ValueSpec:
				found = append(found, t.undocumentedValue(f, decl, spec)...)
			}
		}
		return found
	}
	return nil
}

func (t *Tree) undocumentedType(f *source, decl *ast.GenDecl, spec *ast.TypeSpec) []Finding {
	if !spec.Name.IsExported() {
		return nil
	}
	doc := spec.Doc
	if doc == nil && !decl.Lparen.IsValid() {
		doc = decl.Doc
	}
	found := t.needsDoc(f, spec.Name, doc)
	if face, ok := spec.Type.(*ast.InterfaceType); ok {
		for _, method := range face.Methods.List {
			for _, name := range method.Names {
				if name.IsExported() && method.Doc == nil && method.Comment == nil {
					found = append(found, t.finding(f, name.Pos(),
						"exported method %s.%s has no doc comment", spec.Name.Name, name.Name))
				}
			}
		}
	}
	return found
}

func (t *Tree) undocumentedValue(f *source, decl *ast.GenDecl, spec *ast.ValueSpec) []Finding {
	if decl.Tok == token.IMPORT || decl.Doc != nil || spec.Doc != nil || spec.Comment != nil {
		return nil
	}
	var found []Finding
	for _, name := range spec.Names {
		if name.IsExported() {
			found = append(found,
				t.finding(f, name.Pos(), "exported %s has no doc comment", name.Name))
		}
	}
	return found
}

// needsDoc checks that the comment is there and begins with the name, if need be
// after an article, so that it reads well in a list of names.
func (t *Tree) needsDoc(f *source, name *ast.Ident, doc *ast.CommentGroup) []Finding {
	words := strings.Fields(doc.Text())
	if len(words) == 0 {
		return []Finding{t.finding(f, name.Pos(), "exported %s has no doc comment", name.Name)}
	}
	for _, word := range words[:min(2, len(words))] {
		if strings.Trim(word, ".,:;'") == name.Name || strings.HasPrefix(word, name.Name+"'") {
			return nil
		}
	}
	return []Finding{t.finding(f, name.Pos(),
		"the doc comment of %s does not begin with its name", name.Name)}
}

// exportedReceiver says whether the methods of the type can be seen from
// outside.
func exportedReceiver(recv *ast.FieldList) bool {
	e := recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}
