// Package probe is the listener that tells the kubelet whether the process is
// alive and ready, and Prometheus how it does: /healthz, /readyz and /metrics.
//
// What may come in: package metric and the standard library. What is told comes
// from Parts, who know nothing of HTTP.
package probe
