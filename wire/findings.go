package wire

import "fmt"

// WarningID names one kind of oddity that a decoder tolerates.
type WarningID string

// What a decoder tolerates. The ids that end in "missing" say that the bytes end
// before that field, which with all that follows it reads as absent; the ids
// that end in "damaged" say that the field is there and cannot be read.
const (
	// FutureVersion: newer than the newest known version, and read as that one;
	// what a newer version has added follows as trailing bytes.
	FutureVersion WarningID = "future-version"

	// TrailingBytes: something follows the last known field. It is ignored.
	TrailingBytes WarningID = "trailing-bytes"

	// ForeignUserData: the user data is not what the strategy writes there. It is
	// read as no claim at all.
	ForeignUserData WarningID = "foreign-user-data"

	// ForeignRecord: a record of __consumer_offsets of a type unknown here.
	ForeignRecord WarningID = "foreign-record"

	// OwnedMissing: a subscription that calls itself version 1 or newer ends before
	// its owned partitions. Old Go clients write version 0 and call it version 1.
	OwnedMissing WarningID = "owned-missing"

	UserDataMissing   WarningID = "user-data-missing"
	GenerationMissing WarningID = "generation-missing"
	RackMissing       WarningID = "rack-missing"

	UserDataDamaged   WarningID = "user-data-damaged"
	OwnedDamaged      WarningID = "owned-damaged"
	GenerationDamaged WarningID = "generation-damaged"
	RackDamaged       WarningID = "rack-damaged"
	MembersDamaged    WarningID = "members-damaged"
	TagsDamaged       WarningID = "tags-damaged"
	WeightsDamaged    WarningID = "weights-damaged"
)

// Warning is one oddity that a decoder tolerated.
type Warning struct {
	ID     WarningID
	Offset int    // where, in bytes from the start
	Detail string // what, and what was made of it
}

// String returns the id, a colon and the detail.
func (w Warning) String() string { return string(w.ID) + ": " + w.Detail }

// Findings is what a decoder noticed about bytes that it accepted. The zero
// value says that nothing was odd.
type Findings struct {
	// Warnings are in the order of their offsets, except that FutureVersion comes
	// first.
	Warnings []Warning

	// Trailing counts the bytes after the last known field.
	Trailing int

	// Malformed says that the bytes are damaged somewhere after what was needed
	// most: the value holds what came before the damage, and no claim.
	Malformed bool
}

// Has reports whether the findings hold a warning of that kind.
func (f *Findings) Has(id WarningID) bool {
	for i := range f.Warnings {
		if f.Warnings[i].ID == id {
			return true
		}
	}
	return false
}

func (f *Findings) warn(id WarningID, offset int, format string, args ...any) {
	f.Warnings = append(f.Warnings,
		Warning{ID: id, Offset: offset, Detail: fmt.Sprintf(format, args...)})
}

// newerThan warns of a version that is newer than the newest known one.
func (f *Findings) newerThan(newest, version int16) {
	if version > newest {
		f.warn(FutureVersion, 0, "version %d is read as version %d", version, newest)
	}
}

// damaged records where reading had to stop.
func (f *Findings) damaged(id WarningID, err *DecodeError) {
	f.Malformed = true
	f.warn(id, err.Offset, "%s, at byte %d", err.reason(), err.Offset)
}

// rest counts what follows the last known field.
func (f *Findings) rest(r *reader) {
	f.Trailing = r.left()
	if f.Trailing > 0 {
		f.warn(TrailingBytes, r.at, "ignored from byte %d on, where the last field ends: %d",
			r.at, f.Trailing)
	}
}
