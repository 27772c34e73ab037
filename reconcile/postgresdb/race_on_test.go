//go:build race

package postgresdb

const raceDetector = true
