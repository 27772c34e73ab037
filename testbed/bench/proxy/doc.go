// Package proxy stands between a client and the API server and counts what the
// client takes: requests by what they ask for, and the bytes that go to it, all of
// the HTTP and TLS included. It ends the client's TLS with a certificate of its
// own authority and speaks to the API server with the bed's own credentials.
//
// What may come in: the standard library, client-go's rest and clientcmd.
package proxy
