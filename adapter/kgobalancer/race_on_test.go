//go:build race

package kgobalancer

// raceDetector says that code runs several times slower, and not all code alike.
const raceDetector = true
