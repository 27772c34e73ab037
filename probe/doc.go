// Package probe is the listener that tells the kubelet whether the process is
// alive and ready, and Prometheus how it does: /healthz, /readyz and /metrics.
// With net/http's server under it, and without HTTP/2 of its own, it makes the
// binary 0.25 MB larger; what counts adds another 0.1.
//
// What may come in: package metric and the standard library. What is told comes
// from Parts, who know nothing of HTTP.
package probe
