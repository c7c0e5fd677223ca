package wire_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/wire"
)

func weighted() wire.Weighted {
	return wire.Weighted{
		Sticky: wire.Sticky{Version: 1, Generation: 7, Owned: []holdfast.TopicPartitions{
			{Topic: "a", Partitions: []int32{0, 2}}, {Topic: "bb", Partitions: []int32{1}}}},
		Capacity: 2, Weights: []float64{900, wire.UnknownWeight, 0.5},
	}
}

func TestWeightedRoundTrip(t *testing.T) {
	want := weighted()
	data, err := wire.AppendWeighted([]byte("before"), &want)
	if err != nil {
		t.Fatal(err)
	}
	data = data[len("before"):]
	var d wire.Decoder
	type decoder func([]byte) (wire.Weighted, wire.Findings)
	for _, decode := range []decoder{wire.DecodeWeighted, d.Weighted} {
		got, found := decode(data)
		if !reflect.DeepEqual(got, want) || len(found.Warnings) > 0 {
			t.Errorf("read %+v, warnings %v; want %+v", got, found.Warnings, want)
		}
	}
	// A leader that knows sticky alone reads the claims.
	claims, _ := wire.DecodeSticky(data)
	if !reflect.DeepEqual(claims, want.Sticky) {
		t.Errorf("read as sticky: %+v", claims)
	}
}

// TestWeightedReadsSticky: bytes of sticky members claim and weigh nothing.
func TestWeightedReadsSticky(t *testing.T) {
	claims := weighted().Sticky
	for version := range int16(2) {
		data, err := wire.AppendSticky(nil, version, &claims)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := wire.DecodeSticky(data)
		got, found := wire.DecodeWeighted(data)
		if !reflect.DeepEqual(got, wire.Weighted{Sticky: want}) || len(found.Warnings) > 0 {
			t.Errorf("version %d: read %+v, warnings %v", version, got, found.Warnings)
		}
	}
}

// TestWeightedDamage cuts the bytes off everywhere and spoils what follows the
// claims: the claims stand as long as they are whole.
func TestWeightedDamage(t *testing.T) {
	whole := weighted()
	data, err := wire.AppendWeighted(nil, &whole)
	if err != nil {
		t.Fatal(err)
	}
	claims, _ := wire.AppendSticky(nil, 1, &whole.Sticky)
	for n := len(claims) + 1; n < len(data); n++ {
		got, found := wire.DecodeWeighted(data[:n])
		if !reflect.DeepEqual(got.Sticky, whole.Sticky) || got.Weights != nil ||
			!found.Malformed || !found.Has(wire.WeightsDamaged) {
			t.Errorf("%d of %d bytes: read %+v, %v", n, len(data), got, found)
		}
	}
	future := slices.Clone(data)
	future[len(claims)+1] = 9
	got, found := wire.DecodeWeighted(future)
	if got.Weights != nil || !found.Has(wire.FutureVersion) {
		t.Errorf("version 9: read %+v, %v", got, found)
	}
	for _, capacity := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		odd := whole
		odd.Capacity = capacity
		data, err := wire.AppendWeighted(nil, &odd)
		if err != nil {
			t.Fatal(err)
		}
		got, found := wire.DecodeWeighted(data)
		if capacity != 0 && (!found.Has(wire.WeightsDamaged) || got.Capacity != 0) ||
			capacity == 0 && got.Capacity != 1 {
			t.Errorf("capacity %v: read %+v, %v", capacity, got, found)
		}
	}
	odd := whole
	odd.Weights = []float64{math.NaN(), math.Inf(1), -7}
	data, _ = wire.AppendWeighted(nil, &odd)
	if got, _ := wire.DecodeWeighted(data); !slices.Equal(got.Weights, []float64{-1, -1, -1}) {
		t.Errorf("odd weights are read as %v", got.Weights)
	}
	odd.Weights = odd.Weights[:2]
	var failed *wire.EncodeError
	data, err = wire.AppendWeighted([]byte("x"), &odd)
	if !errors.As(err, &failed) || string(data) != "x" {
		t.Errorf("two weights for three partitions: %q, %v", data, err)
	}
}

func FuzzWeighted(f *testing.F) {
	seed(f, "sticky")
	whole := weighted()
	data, err := wire.AppendWeighted(nil, &whole)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		w, found := wire.DecodeWeighted(data)
		bounded(t, sizeOfList(w.Owned)+cap(w.Weights)*int(unsafe.Sizeof(0.0)), data)
		if w.Weights == nil {
			return
		}
		again, err := wire.AppendWeighted(nil, &w)
		if err != nil || len(found.Warnings) > 0 {
			t.Fatalf("%+v: %v, %v", w, err, found)
		}
		back, _ := wire.DecodeWeighted(again)
		if !reflect.DeepEqual(back, w) {
			t.Fatalf("written again: %+v, was %+v", back, w)
		}
		known := !slices.Contains(w.Weights, wire.UnknownWeight)
		if w.Generation >= 0 && known && !bytes.Equal(again, data) {
			t.Fatalf("other bytes: %x, was %x", again, data)
		}
	})
}
