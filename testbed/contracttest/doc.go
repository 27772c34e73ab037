// Package contracttest holds the in-memory API server of the simulation to the real
// one: the tests of simulation/contract, against a real kube-apiserver.
package contracttest
