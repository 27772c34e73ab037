// Package postgresdb keeps PostgresDB objects true: a database instance in the
// cloud through its whole life, bought once, never leaked.
//
// decide.go and its neighbours (create.go, life.go, delete.go, failure.go,
// show.go) are pure: they get the object and what was observed, and answer with
// one action. act.go carries the action out. A turn is a loop of observations
// until Decide asks for an effect or for rest; at most one effect that reaches
// the cloud happens in a turn.
//
// What may come in: reconcile, crd, cloud, apimachinery. No SDK, no clock in the
// pure files: time comes in with the view.
package postgresdb
