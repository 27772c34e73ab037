// Package tencent is cloud.Postgres over the API of TencentDB for PostgreSQL
// (service postgres, and one action of vpc, both version 2017-03-12).
//
// It speaks through the SDK's common client, which signs (TC3-HMAC-SHA256) and
// parses, with small typed requests of its own: the SDK's postgres module is
// not needed, and the linker drops what is not called. Nothing is ever repeated
// here, neither by the SDK nor by net/http nor by us: every retry is the
// caller's decision, made on the class of the error.
//
// What may come in: package cloud, the SDK's common packages, the standard
// library. Not Kubernetes, and no policy: what a failure means for an object
// is not decided here.
package tencent
