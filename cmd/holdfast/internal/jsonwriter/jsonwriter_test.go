package jsonwriter

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestRandomValues writes random values and reads them back with encoding/json, on
// one line and on many.
func TestRandomValues(t *testing.T) {
	for seed := range uint64(500) {
		want := random(rand.New(rand.NewPCG(seed, 1)), 4)
		for lines := range 4 {
			var out bytes.Buffer
			w := New(&out, lines)
			write(w, want)
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			var got any
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, out.String())
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: got %#v, want %#v", seed, got, want)
			}
			if n := strings.Count(out.String(), "\n"); lines == 0 && n > 0 {
				t.Fatalf("seed %d: %d line breaks", seed, n)
			}
		}
	}
}

func random(rng *rand.Rand, depth int) any {
	texts := []string{"", "a", `"\/`, "\u2028\u0000\x7f", "é\U0001f600", "</x>", "\t\r\n"}
	switch n := rng.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return rng.IntN(2) == 0
	case n == 2:
		return float64(rng.IntN(1000) - 500)
	case n == 3:
		return math.Float64frombits(rng.Uint64()&^(0x7ff<<52) | uint64(rng.IntN(2046))<<52)
	case n == 4 || depth == 0:
		return texts[rng.IntN(len(texts))]
	case n < 7:
		list := []any{}
		for range rng.IntN(4) {
			list = append(list, random(rng, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range rng.IntN(4) {
		object[texts[rng.IntN(len(texts))]] = random(rng, depth-1)
	}
	return object
}

func write(w *Writer, v any) {
	switch v := v.(type) {
	case nil:
		w.Null()
	case bool:
		w.Bool(v)
	case string:
		w.String(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e9 {
			w.Int(int64(v))
		} else {
			w.Float(v)
		}
	case []any:
		w.Array(func() {
			for _, item := range v {
				write(w, item)
			}
		})
	case map[string]any:
		w.Object(func() {
			for key, item := range v {
				w.Key(key)
				write(w, item)
			}
		})
	}
}

func TestLayout(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, 2)
	w.Object(func() {
		w.Key("a")
		w.Ints([]int32{1, -2, 3})
		w.Key("b")
		w.Array(func() {
			w.Object(func() {
				w.Key("x")
				w.Strings([]string{"p", "q"})
				w.Key("y")
				w.Object(func() {})
			})
			w.Null()
		})
		w.Key("c")
		w.Flat(func() {
			w.Object(func() {
				w.Key("d")
				w.Bool(true)
				w.Key("e")
				w.Float(0.5)
			})
		})
		w.Key("f")
		w.Array(func() {})
	})
	w.Newline()
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "a": [1,-2,3],
  "b": [
    {"x": ["p", "q"], "y": {}},
    null
  ],
  "c": {"d": true, "e": 0.5},
  "f": []
}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// TestOddValues: what JSON cannot hold is written as what it can.
func TestOddValues(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, 0)
	w.Array(func() {
		w.String("a\xffb\xc3")
		w.String("\ufffd")
		for _, f := range []float64{math.Inf(1), math.NaN(), 1e300, 1e-9, -0.1, 1e20} {
			w.Float(f)
		}
	})
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = "[\"a\\\\xffb\\\\xc3\", \"\ufffd\", " +
		"null, null, 1e+300, 1e-09, -0.1, 100000000000000000000]"
	if out.String() != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestWriteError: an error of the output comes from Flush, however early it was.
func TestWriteError(t *testing.T) {
	w := New(full{}, 0)
	w.Array(func() {
		for range 100_000 {
			w.String("text")
		}
	})
	if err := w.Flush(); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}
