// Package artifact builds the programs that the test bed runs: the control plane
// and kubectl, which take minutes and are kept in the user's cache folder by the
// hash of all that goes into them, and mote and the cloud's stand-in, which take
// seconds and are built from the tree each time.
//
// What may come in: the standard library. Nothing of Kubernetes: it is compiled
// here, not imported.
package artifact
