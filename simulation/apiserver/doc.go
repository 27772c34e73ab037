// Package apiserver is a Kubernetes API server in memory: what Mote and its tests
// ask of one, told apart by the same rules as the real thing, in no time and with
// no socket. Package contract has the tests that this one and a real kube-apiserver
// pass alike.
//
// It serves PostgresDBs and MyApps by their CRDs (status apart, defaults, unknown
// fields pruned, selectable fields), Deployments, Services, ConfigMaps, Secrets,
// Events, Leases and Namespaces: lists in pages, watches with bookmarks, creates,
// JSON and merge patches, server-side apply by the code that the real one does it with, deletes with
// preconditions, finalizers. What it leaves out: validation beyond that, versions,
// discovery, permissions. A Deployment's pods, and the garbage collector, are steps
// that whoever owns the server takes ([Server.RunPods], [Server.CollectGarbage]).
//
// What may come in: the standard library, apimachinery, structured-merge-diff, crd.
package apiserver
