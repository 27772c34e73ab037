// Package tencent is cloud.Postgres over the API of TencentDB for PostgreSQL
// (service postgres, one action of vpc, both version 2017-03-12, and one of tag,
// version 2018-08-13).
//
// The SDK's common client makes and signs (TC3-HMAC-SHA256) small typed requests
// of our own, and reads errors: its postgres module is not needed, and the linker
// drops what is not called. It sends nothing; see signer. Nothing is ever repeated
// here, neither by the SDK nor by net/http nor by us: every retry is the
// caller's decision, made on the class of the error.
//
// An error carries the cloud's own code, or one of ours that begins with
// "mote.": mote.NotSent and mote.NoAnswer for what the network did,
// mote.UnreadableAnswer and mote.UnclearPurchase for an answer that cannot be
// used, mote.ListMoved for a list that did not hold still, mote.NoCredentials,
// mote.LocalRate for a call that waits for its turn, mote.GaveUp for a caller
// that left, and mote.No... for a call that lacks what the name says and was
// not made. None holds a secret.
//
// What may come in: package cloud, the SDK's common packages, the standard
// library. Not Kubernetes, and no policy: what a failure means for an object
// is not decided here.
package tencent
