//go:build !race

package postgresdb

const raceDetector = false
