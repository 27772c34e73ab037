//go:build mutants

package main

import (
	"os"
	"strings"
	"sync"
	"testing"

	"example.com/mote/reconcile/postgresdb"
)

// TestMutants: the simulation finds the bugs that are put in on purpose, and says
// what they are.
func TestMutants(t *testing.T) {
	for mutant, rule := range map[string]string{
		"skip-look-up":           "bought twice",
		"retry-ambiguous-create": "bought twice",
		"drop-finalizer-early":   "is left running",
	} {
		t.Run(mutant, func(t *testing.T) {
			t.Setenv(postgresdb.MutantEnv, mutant)
			const batch, most = 8, 80
			caught := false
			for first := uint64(1); first < most && !caught; first += batch {
				caught = someSeed(t, first, batch, rule)
			}
			if !caught {
				t.Errorf("%d seeds find nothing", most)
			}
		})
	}
	if len(postgresdb.Mutants) != 3 {
		t.Errorf("there are %d bugs to put in", len(postgresdb.Mutants))
	}
	if v := os.Getenv(postgresdb.MutantEnv); v != "" {
		t.Errorf("%s=%s is left set", postgresdb.MutantEnv, v)
	}
}

// someSeed tells whether one of the seeds breaks the rule.
func someSeed(t *testing.T, first, seeds uint64, rule string) bool {
	var mu sync.Mutex
	caught := false
	simulate(t, first, seeds, func(t *testing.T, w *world) {
		if w.broken == nil {
			return
		}
		t.Logf("seed %d: %v", w.seed, w.broken)
		mu.Lock()
		defer mu.Unlock()
		caught = caught || strings.Contains(w.broken.Error(), rule)
	})
	return caught
}
