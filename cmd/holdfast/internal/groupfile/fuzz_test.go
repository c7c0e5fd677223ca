package groupfile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// addSeeds adds every file of testdata/bad and a good one.
func addSeeds(f *testing.F) {
	paths, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(txtar.Parse(text).Files[0].Data)
	}
	f.Add([]byte(everything))
}

// FuzzParse: whatever the bytes, the answer is a group that every strategy takes,
// or an *Error. What is read once is read again.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{"g.yaml", "g.json"} {
			file, err := Parse(Source{Name: name, Text: text})
			var bad *Error
			switch {
			case err == nil:
				if err := file.Group.Check(); err != nil {
					t.Errorf("%s: the group is refused: %v", name, err)
				}
				if len(file.Protocols) != len(file.Group.Members) {
					t.Errorf("%d lists for %d members", len(file.Protocols), len(file.Group.Members))
				}
			case !errors.As(err, &bad):
				t.Errorf("%s: %v is not an *Error", name, err)
			default:
				checkWords(t, bad)
			}
			if _, err := ParseNegotiation(Source{Name: name, Text: text}); err != nil &&
				!errors.As(err, &bad) {
				t.Errorf("%s: %v is not an *Error", name, err)
			}
		}
	})
}

// FuzzJSON: the views of a text show what encoding/json shows.
func FuzzJSON(f *testing.F) {
	addSeeds(f)
	f.Add([]byte(`{"a": [1, -2.5e3, "x\n\u00e9\ud83d\ude00", true, null, {}, []],
		"": {"b": {"c": "]}"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := open(Source{Name: "x.json", Text: text})
		if err != nil {
			return
		}
		var want any
		if err := json.Unmarshal(v.doc.src, &want); err != nil {
			t.Skip() // a number that does not fit a float64
		}
		if got := plain(v); !reflect.DeepEqual(got, want) {
			t.Errorf("got %#v, want %#v", got, want)
		}
	})
}

// plain turns a view into what encoding/json makes of the same text.
func plain(v value) any {
	switch v.kind() {
	case null:
		return nil
	case list:
		all := []any{}
		for _, item := range v.items() {
			all = append(all, plain(item))
		}
		return all
	case mapping:
		all := map[string]any{}
		for key, val := range v.entries() {
			all[key.text()] = plain(val)
		}
		return all
	}
	if v.isString() {
		return v.text()
	}
	var scalar any
	if err := json.Unmarshal([]byte(v.text()), &scalar); err != nil {
		return err
	}
	return scalar
}
