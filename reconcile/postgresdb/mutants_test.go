//go:build mutants

package postgresdb

import "testing"

// TestMutants: the exploration finds the bugs that the simulation and the killing
// have to find as well.
func TestMutants(t *testing.T) {
	for name, decide := range Mutants {
		t.Run(name, func(t *testing.T) { mustBeCaught(t, machine{decide: decide}, newWorld(nil)) })
	}
}
