// Package lint holds the rules of this repository that a compiler and a general
// linter do not know: who may import whom, what the pure packages may not do,
// what must be documented, and how large things may grow. Each rule is a
// function from source files to findings; the package's tests run every rule
// over the repository, and over a small tree in testdata that breaks it, so that
// a rule that has stopped working is noticed.
//
// The package uses the standard library alone, because it is part of the module
// that requires nothing.
package lint
