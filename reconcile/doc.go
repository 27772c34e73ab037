// Package reconcile is the engine: it lists and watches the kinds through the
// dynamic client, keeps a small record (never the object) of each, decides from
// an event alone whether an object needs a turn, queues keys, and gives each
// turn a live read of its object and the means to write.
//
// What may come in: client-go's dynamic client and rest, apimachinery, the
// standard library. No kind's own rules (those live in reconcile/postgresdb and
// reconcile/myapp), no cloud, no typed clients or informers: their size is what
// this package exists to avoid.
package reconcile
