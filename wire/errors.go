package wire

import (
	"errors"
	"fmt"
)

// Reasons why bytes cannot be read. A *DecodeError wraps one of them.
var (
	ErrTruncated = errors.New("the bytes end too early")
	ErrLength    = errors.New("length out of range")
	ErrVersion   = errors.New("version out of range")
)

// Reasons why a value cannot be written, beside ErrVersion. An *EncodeError
// wraps one of them.
var (
	ErrTooLong = errors.New("too long for its length field")
	ErrOwner   = errors.New("owner out of range")
)

// DecodeError says where bytes could not be read, and why.
type DecodeError struct {
	Reason error  // ErrTruncated, ErrLength or ErrVersion
	What   string // the kind of bytes: "subscription", "assignment", ..
	Field  string // the field that could not be read: "topic count", ..
	Offset int    // where the field begins, in bytes from the start
	Value  string // what was found there and what is left, in words
}

// Error returns kind, offset, field, reason and value on one line.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("%s: byte %d: %s", e.What, e.Offset, e.reason())
}

// reason is the error without its place.
func (e *DecodeError) reason() string {
	return fmt.Sprintf("%s: %v: %s", e.Field, e.Reason, e.Value)
}

// Unwrap returns the Reason, for errors.Is.
func (e *DecodeError) Unwrap() error { return e.Reason }

// EncodeError says what could not be written, and why.
type EncodeError struct {
	Reason error  // ErrVersion, ErrTooLong or ErrOwner
	What   string // the kind of bytes: "subscription", "assignment", ..
	Field  string // the field that could not be written
	Value  string // the offending value in words
}

// Error returns kind, field, reason and value on one line.
func (e *EncodeError) Error() string {
	return fmt.Sprintf("%s: %s: %v: %s", e.What, e.Field, e.Reason, e.Value)
}

// Unwrap returns the Reason, for errors.Is.
func (e *EncodeError) Unwrap() error { return e.Reason }
