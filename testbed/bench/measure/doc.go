// Package measure takes the benchmark's measures of one contender at a time: its
// start, its idle life, how soon it answers changes, and creations against a slow
// cloud.
//
// What may come in: the standard library, and the benchmark's own contender,
// dataset, proc and proxy.
package measure
