// Package wire joins an http.Client to an http.Handler of the same process without
// a socket, so that time may be virtual (testing/synctest) and anything may happen
// on the way: a request or its answer is lost, late, or cut short, a stream breaks
// off or falls silent, and a process that dies loses all that it had under way.
//
// What may come in: the standard library.
package wire
