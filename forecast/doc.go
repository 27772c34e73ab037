// Package forecast is what Mote would do, as data and in words: the steps of each
// object, what they cost, what a manifest changes, and how all that is printed. It is
// pure; reconcile/postgresdb and reconcile/myapp fill it in.
//
// What may come in: the standard library.
package forecast
