// Package contract says what Mote and the simulation rely on in an API server, as
// tests that a real kube-apiserver and the one in memory (package apiserver) pass
// alike. What the real one does decides; the tests only hold what matters.
//
// What may come in: the standard library, apimachinery, client-go.
package contract
