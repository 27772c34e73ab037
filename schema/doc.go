// Package schema judges a manifest as the API server would, without one: by the
// structural schema of the embedded CRDs, their defaults and their CEL rules. What it
// says is in the API server's own words; testbed/crdtest compares them.
//
// What may come in: crd, apimachinery, and expr below it.
package schema
