// Package dataset makes the objects that the benchmark's operators serve: N
// PostgresDB in their steady state, as a cluster has them after a while. The first
// was applied as kubectl apply does, and its status was written by field manager
// mote; the others are like it, and go past the API server into its store. Their
// instances were bought in the cloud's stand-in over the API's own wire; so Mote
// finds nothing to do, neither in the cluster nor in the cloud.
//
// What may come in: the standard library, client-go's rest, etcd's client, Mote's
// own client of the cloud and its kinds' types.
package dataset
