// Package dataset makes the objects that the benchmark's operators serve: N
// PostgresDB in their steady state, as a cluster has them after a while. Each was
// applied as kubectl apply does, its instance was bought in the cloud's stand-in
// over the API's own wire, and its status was written by field manager mote; so
// Mote finds nothing to do, neither in the cluster nor in the cloud.
//
// What may come in: the standard library, client-go's rest, Mote's own client of
// the cloud and its kinds' types.
package dataset
