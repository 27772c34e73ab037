// Package standin is a stand-in of the Tencent Cloud API: the actions of
// TencentDB for PostgreSQL, and those of VPC and of tags, that Mote speaks, on the real
// wire (POST /, JSON, TC3-HMAC-SHA256), so that the real SDK can be pointed at
// it. It sells nothing, but it behaves: instances take their time through the
// documented states, rates are limited, bad requests get the real codes, and
// any answer can be lost, late or mangled on demand.
//
// A [Server] is an http.Handler. It starts no goroutine: an instance carries
// the plan of what happens to it and when, and the plan is caught up with
// whenever the instance is looked at. With a clock of its own ([Config].Now
// and Sleep), or inside testing/synctest, it needs no real time at all.
// [Server.Transport] connects an http.Client to it without a socket.
//
// The control side (what was bought, who called, faults, keys, changes "in the
// console") is there twice: as methods of Server and, for another process,
// as JSON under /_standin/ on the same listener; package control is a client.
//
// What may come in: the standard library, and facts about the API. What may
// not: the SDK, Kubernetes, anything of Mote's own logic; the stand-in must be
// able to contradict the client.
package standin
