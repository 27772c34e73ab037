//go:build !mutants

package postgresdb

// decider is what decides: Decide, but in a build that tests the tests.
func decider() func(View) Decision { return Decide }
