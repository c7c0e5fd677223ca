package lint

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/holdfast/holdfast"

// pure are the packages that compute and do nothing else.
var pure = []string{"internal/flow", "internal/makespan", ".", "wire", "group", "sim"}

// rules are all rules that look at Go source, by name.
var rules = map[string]func(*Tree) ([]Finding, error){
	"imports": func(t *Tree) ([]Finding, error) {
		p, err := policyOf(t)
		if err != nil {
			return nil, err
		}
		return t.Imports(p), nil
	},
	"maprange":     func(t *Tree) ([]Finding, error) { return t.MapRanges(pure) },
	"impure":       func(t *Tree) ([]Finding, error) { return t.Impure(pure) },
	"undocumented": func(t *Tree) ([]Finding, error) { return t.Undocumented(), nil },
	"unmapped":     func(t *Tree) ([]Finding, error) { return t.Unmapped("ARCHITECTURE.md") },
	"sizes":        func(t *Tree) ([]Finding, error) { return t.Sizes() },
	"names":        func(t *Tree) ([]Finding, error) { return t.PackageNames(), nil },
}

// policyOf reads a tree's own imports.txt: the repository's is in this package,
// those in testdata have one at their root.
func policyOf(t *Tree) (*Policy, error) {
	text, err := os.ReadFile(filepath.Join(t.Root, "imports.txt"))
	if os.IsNotExist(err) {
		text, err = os.ReadFile("imports.txt")
	}
	if err != nil {
		return nil, err
	}
	return ParsePolicy(string(text))
}

// TestRepository holds the repository to every rule.
func TestRepository(t *testing.T) {
	tree := load(t, filepath.Join("..", ".."))
	if d := tree.find("."); d == nil || d.files[0].ast.Name.Name != "holdfast" {
		t.Fatalf("%s is not the root of the repository", tree.Root)
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			found, err := rule(tree)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Error(f)
			}
		})
	}
	t.Run("privatepaths", func(t *testing.T) {
		names, err := Committed(tree.Root)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(names, "go.mod") {
			t.Fatalf("go.mod is not among the %d committed files", len(names))
		}
		found, err := PrivatePaths(tree.Root, names)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			t.Error(f)
		}
	})
	t.Run("requires", func(t *testing.T) {
		needGo(t)
		modules, err := Requires(tree.Root)
		if err != nil {
			t.Fatal(err)
		}
		if len(modules) != 1 || modules[0] != module {
			t.Errorf("the core requires %q, want nothing but itself", modules)
		}
	})
}

// TestRulesFail runs each rule over testdata/<rule>, a small tree that breaks
// it. A line there that must be reported says so with "// want" and a regular
// expression. Where a comment on the line would itself change the finding,
// "// want-above" stands two lines below; "// want-file" and "// want-dir" ask
// for a finding about the file or its directory. Whatever else is reported is an
// error too.
func TestRulesFail(t *testing.T) {
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			tree := load(t, filepath.Join("testdata", name))
			found, err := rule(tree)
			if err != nil {
				t.Fatal(err)
			}
			wanted := readWanted(t, tree.Root)
			if len(wanted) == 0 {
				t.Fatal("testdata wants no finding, so it does not show that the rule can fail")
			}
			for _, f := range found {
				i := slices.IndexFunc(wanted, func(w want) bool { return w.is(f) })
				if i < 0 {
					t.Errorf("not wanted: %s", f)
					continue
				}
				wanted = slices.Delete(wanted, i, i+1)
			}
			for _, w := range wanted {
				t.Errorf("%s:%d: no finding matches %q", w.file, w.line, w.text)
			}
		})
	}
}

func TestPrivatePathsFail(t *testing.T) {
	root := t.TempDir()
	text := strings.Join([]string{"a line", "see " + privatePaths[0] + "notes.txt",
		"related work/life", privatePaths[1]}, "\n")
	if err := os.WriteFile(filepath.Join(root, "notes.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	names, err := Committed(root)
	if err != nil {
		t.Fatal(err)
	}
	found, err := PrivatePaths(root, names)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || found[0].Line != 2 || found[1].Line != 4 {
		t.Errorf("found %v, want one finding in line 2 and one in line 4", found)
	}
}

func TestRequiresFail(t *testing.T) {
	needGo(t)
	modules, err := Requires(filepath.Join("testdata", "requires"))
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) != 2 {
		t.Errorf("a module that requires another one lists %q, want two", modules)
	}
}

func TestPolicyErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a b c", `policy line 1: neither = nor <: "a b c"`},
		{"# fine\na < b\nb < c\nc < a", "policy has a circle: a < c < b < a"},
	} {
		if _, err := ParsePolicy(c.text); err == nil || err.Error() != c.want {
			t.Errorf("policy %q: error %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := ParsePolicy("a < b c\ntests: c < b\ntests: b < c"); err != nil {
		t.Errorf("a circle through tests alone is refused: %v", err)
	}
}

// want is one finding that a file of testdata asks for.
type want struct {
	file string
	line int
	text *regexp.Regexp
}

func (w want) is(f Finding) bool {
	return w.file == f.File && w.line == f.Line && w.text.MatchString(f.Text)
}

// newWant reads one comment at a line of a file.
func newWant(file string, line int, where, text string) want {
	w := want{file: file, line: line, text: regexp.MustCompile(text)}
	switch where {
	case "-above":
		w.line = line - 2
	case "-file":
		w.line = 0
	case "-dir":
		w.file, w.line = filepath.ToSlash(filepath.Dir(file)), 0
	}
	return w
}

var wantComment = regexp.MustCompile(`// want(-file|-dir|-above)? (.*)$`)

// readWanted collects the wants of all Go files below root.
func readWanted(t *testing.T, root string) []want {
	t.Helper()
	var wanted []want
	names, err := Committed(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := os.Open(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		for line := 1; lines.Scan(); line++ {
			if m := wantComment.FindStringSubmatch(lines.Text()); m != nil {
				wanted = append(wanted, newWant(name, line, m[1], m[2]))
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return wanted
}

func load(t *testing.T, root string) *Tree {
	t.Helper()
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Load(root, module)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// needGo fails where the go command is missing: it is what runs this test.
func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal(err)
	}
}
