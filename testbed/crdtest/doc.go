// Package crdtest asks a real API server what it makes of the two kinds: which
// specs it refuses and in what words, which it takes, and what kubectl shows of
// them. Mote itself does not run here.
//
// What may come in: the bed, package crd, the standard library.
package crdtest
