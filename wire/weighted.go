package wire

import (
	"fmt"
	"math"
)

// Weighted is what members of the strategy holdfast-weighted put into their user
// data: the claims of [Sticky] in version 1, so that a reader of those can read
// it, then how much the member can take and what each claimed partition weighs.
// No Kafka client has such a strategy; the format is holdfast's own:
//
//	sticky user data, version 1
//	version   int16    0
//	capacity  float64
//	weights   float64  one for each partition above, in that order; -1: not known
type Weighted struct {
	Sticky

	// Capacity is what the member can take beside the others, above 0; 0 where the
	// bytes do not say.
	Capacity float64

	// Weights has one entry for each partition of Owned, in that order: finite and
	// not negative, or -1 where the member does not know. It is nil where the bytes
	// say nothing of weights.
	Weights []float64
}

// UnknownWeight stands for the weight of a partition that nobody knows.
const UnknownWeight = -1.0

// weightedVersion is the only version of what follows the claims.
const weightedVersion int16 = 0

const leastWeight = 8 // bytes of a float64

// DecodeWeighted reads the user data of a member of holdfast-weighted. What is no
// sticky user data claims nothing, as in [DecodeSticky]; weights that are cut off,
// or in a version unknown here, are left out and the findings say so, and the
// claims before them stand. It costs O(len(userData)) in time and memory.
func DecodeWeighted(userData []byte) (Weighted, Findings) {
	return decodeWeighted(userData, nil)
}

// Weighted does what [DecodeWeighted] does, and shares topic names with all else
// that d has read.
func (d *Decoder) Weighted(userData []byte) (Weighted, Findings) {
	return decodeWeighted(userData, d)
}

func decodeWeighted(userData []byte, d *Decoder) (Weighted, Findings) {
	r := reader{what: "weighted user data", data: userData}
	list := r.partitionList("partitions")
	if r.err != nil || r.left() <= 4 {
		claims, f := decodeSticky(userData, d)
		return Weighted{Sticky: claims}, f
	}
	var f Findings
	w := Weighted{Sticky: Sticky{Version: 1, Generation: r.int32("generation")}}
	w.Owned = list.read(naming{decoder: d})
	w.weights(&r, list.partitions, &f)
	return w, f
}

// weights reads what follows the claims.
func (w *Weighted) weights(r *reader, partitions int, f *Findings) {
	start := r.at
	version := r.int16("version")
	if r.err == nil && version != weightedVersion {
		f.warn(FutureVersion, start, "version %d of the weights is not known; read as no weights",
			version)
		return
	}
	capacity := math.Float64frombits(uint64(r.int64("capacity")))
	if r.err == nil && (r.left() != partitions*leastWeight || !(capacity > 0) ||
		math.IsInf(capacity, 1)) {
		r.fail(ErrLength, "weights", r.at, "%d bytes for %d partitions, capacity %v",
			r.left(), partitions, capacity)
	}
	if r.err != nil {
		f.Malformed = true
		f.warn(WeightsDamaged, start, "read as no weights; %s, at byte %d", r.err.reason(),
			r.err.Offset)
		return
	}
	w.Capacity, w.Weights = capacity, make([]float64, partitions)
	for i := range w.Weights {
		weight := math.Float64frombits(uint64(r.int64("weights")))
		if !(weight >= 0) || math.IsInf(weight, 1) {
			weight = UnknownWeight
		}
		w.Weights[i] = weight
	}
}

// AppendWeighted appends w. It needs one entry in w.Weights for each partition of
// w.Owned, else the error is an *EncodeError and dst is returned as it was. A
// capacity of 0 is written as 1.
func AppendWeighted(dst []byte, w *Weighted) ([]byte, error) {
	out := writer{what: "weighted user data", buf: dst}
	out.partitionList("partitions", w.Owned)
	out.int32(w.Generation)
	out.int16(weightedVersion)
	capacity := w.Capacity
	if capacity == 0 {
		capacity = 1
	}
	out.int64(int64(math.Float64bits(capacity)))
	partitions := 0
	for _, tp := range w.Owned {
		partitions += len(tp.Partitions)
	}
	if partitions != len(w.Weights) {
		out.fail(ErrLength, "weights", fmt.Sprintf("%d for %d partitions", len(w.Weights), partitions))
	}
	for _, weight := range w.Weights {
		out.int64(int64(math.Float64bits(weight)))
	}
	return out.done(dst)
}
