//go:build race

package holdfast

// raceDetector says that code runs several times slower, and not all code alike.
const raceDetector = true
