// Package postgresdb keeps PostgresDB objects true: a database instance in the
// cloud through its whole life, bought once, never leaked. docs/create-once.md
// tells how and why.
//
// The core is pure: decide.go and its neighbours (create, intent, plan, adopt,
// life, running, ask, upgrade, tags, groups, sync, delete, failure, show) get the
// object and what was observed, and answer with one action. The shell carries it
// out: turn.go is the loop of a turn, buy.go and change.go make the calls that cost,
// cluster.go is all that a turn does in the cluster; outcome.go, awaiting.go,
// follows.go and paces.go are what the process remembers. A turn is a loop of observations until Decide asks for an
// effect or for rest; at most one effect that reaches the cloud happens in a turn.
//
// foresee.go and its neighbours play turns ahead in a world of their own, for plans and
// explanations; they change nothing.
//
// What may come in: reconcile, crd, cloud, forecast, apimachinery. No SDK, no clock in the
// pure files: time comes in with the view.
package postgresdb
