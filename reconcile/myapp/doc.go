// Package myapp keeps MyApps true: a Deployment, a Service and a ConfigMap that
// belong to each.
//
// desired.go says what an app's children should be, contains.go whether a live
// one is so already, decide.go what is to be done next and what the status is.
// They are pure: no clock, no I/O, no goroutine. act.go carries the data there
// and the answers away. foresee.go plays decisions ahead, for plans and explanations.
//
// What may come in: the engine (reconcile), the kind's types (crd/examplev1),
// forecast, apimachinery, the standard library. No cloud; no k8s.io/api and no typed
// clients: children are maps, read and written through the dynamic client.
package myapp
