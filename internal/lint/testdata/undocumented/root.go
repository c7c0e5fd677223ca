package holdfast // want-dir no package comment

type Bare struct{} // want exported Bare has no doc comment

// Something else is described here.
type Other struct{} // want does not begin with its name

// A Fine type has an article before its name.
type Fine struct{}

func (Fine) Method() {} // want exported Method has no doc comment

// Documented is.
func (*Fine) Documented() {}

type hidden struct{}

func (hidden) Method() {}

// Face has methods.
type Face interface {
	One()

	// want-above exported method Face.One has no doc comment

	// Two is documented.
	Two()
	three()
}

const Loose = 1

// want-above exported Loose has no doc comment

// The block's comment serves all.
const (
	A = 1
	B = 2
)

var (
	C = 1 // C has a comment of its own.

	// D has one, too.
	D = 2
)

// doc: a comment that is not the variable's.

var E = 3 /* a trailing comment counts */

func Bare2() {} // want exported Bare2 has no doc comment
