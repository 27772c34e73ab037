//go:build !race

package reconcile

const underRace = false
