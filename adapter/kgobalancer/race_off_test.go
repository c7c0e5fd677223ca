//go:build !race

package kgobalancer

const raceDetector = false
