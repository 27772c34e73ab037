// Package faulty is an HTTP proxy in front of an API server that does, on demand,
// what networks, other proxies and API servers in trouble do: it cuts answers in
// the middle of an object, falls silent without closing anything, refuses, delays,
// and loses what it should pass on. It can also hold one request, before or after the
// server has done it, so that a client can be killed just then.
//
// What may come in: the standard library, and client-go for the way to the server.
package faulty
