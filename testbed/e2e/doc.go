// Package e2e proves from outside that Mote does what the README says: bin/mote as
// a process, a real control plane, the cloud's stand-in on the wire, real kubectl.
//
// All tests share one control plane (TestMain), unless they need a cluster of
// their own. Each has a site: a namespace, a stand-in of the cloud and a mote that
// serves that namespace alone; so they run side by side, and most of their time is
// waiting. A test that fails shows what its site looked like.
//
// Nothing is ever taken to have happened after some time: a test polls until it
// has, with a limit that is generous, and no test asserts how long something took.
//
// What may come in: the bed, the stand-in's control client, package crd,
// client-go, the standard library. Nothing of reconcile or cloud/tencent: what
// they do is seen from outside only.
package e2e
