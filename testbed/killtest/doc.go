// Package killtest kills the built binary with SIGKILL, at every named step of a
// PostgresDB's life and at random moments, on a real control plane and with the
// cloud's stand-in. A round is the life of one object, from its creation to its
// end; objects whose rounds go side by side share a process, and die with it each
// at a moment of its own. After each round the cloud's ledger has one purchase for
// the object, and nothing lives without its object at any time.
//
// The same rounds with bugs put in on purpose must fail.
package killtest
