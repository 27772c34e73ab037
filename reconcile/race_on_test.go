//go:build race

package reconcile

// underRace: the race detector makes everything ten times slower, and has
// nothing to find in tests that count bytes or states in one goroutine; those are
// small then.
const underRace = true
