// Package nested is documented.
package nested

func Bare() {} // want exported Bare has no doc comment

// Generic is documented.
type Generic[T any] struct{}

func (g *Generic[T]) Do() {} // want exported Do has no doc comment
