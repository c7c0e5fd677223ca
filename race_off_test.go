//go:build !race

package holdfast

const raceDetector = false
