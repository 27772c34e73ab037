//go:build mutants

package postgresdb

import (
	"fmt"
	"os"

	"example.com/mote/cloud"
)

// MutantEnv is the environment variable that names the bug of a build with the
// tag mutants; without it such a build does what Mote does.
const MutantEnv = "MOTE_MUTANT"

// Mutants are bugs put in on purpose. The exploration, the simulation and the
// killing each have to find every one of them; were one not found, they would
// prove little.
var Mutants = map[string]func(View) Decision{
	"skip-look-up": func(v View) Decision {
		d := Decide(v)
		if d.Do == LookUp {
			v.Found = &[]cloud.Instance{}
			return Decide(v)
		}
		return d
	},
	"drop-finalizer-early": func(v View) Decision {
		d := Decide(v)
		if d.Do == Isolate {
			return Decision{Do: DropFinalizer}
		}
		return d
	},
	"retry-ambiguous-create": func(v View) Decision {
		d := Decide(v)
		if d.Do == MarkAmbiguous || d.Do == CountLookup || d.Do == Rest && v.Object.Status.Create != nil {
			return Decision{Do: ClearIntent}
		}
		return d
	},
}

// decider is what decides: Decide, with the bug that the environment names.
func decider() func(View) Decision {
	name := os.Getenv(MutantEnv)
	if name == "" {
		return Decide
	}
	mutant, ok := Mutants[name]
	if !ok {
		panic(fmt.Sprintf("%s=%q: there is no such bug", MutantEnv, name))
	}
	return mutant
}
