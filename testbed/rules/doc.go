// Package rules holds k3s/ops, the alerts and the dashboard, against Prometheus' own
// parsers. They are in a module of their own because of what those bring along.
//
// What may come in: Prometheus. Whether Mote serves the metrics that are named is
// tested in e2e, on the built binary.
package rules
