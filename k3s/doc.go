// Package k3s makes the manifests with which Mote is installed, for k3s's folder
// server/manifests and for kubectl: the namespace, the ServiceAccount, exactly the
// rights that Mote uses, and the Deployment. They are embedded in the binary as one
// template of plain text; samples are beside it.
//
// What may come in: package crd, the standard library, and apimachinery for names. Nothing here
// talks to a cluster.
package k3s
