// Package cloud says what a kind needs of a cloud that sells PostgreSQL
// instances: the interface, the error classes, the rates, a catalogue of what
// rarely changes, and the batched watch that turns one poll of the cloud into
// keys.
//
// What may come in: the standard library. No SDK, no Kubernetes, nothing that
// knows one vendor's words; those live in sub-packages (cloud/tencent speaks
// the real API, cloud/standin imitates it for tests and the demo).
package cloud
