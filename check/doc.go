// Package check finds out, before Mote runs or while it does not do what it should,
// what stands in its way: the CustomResourceDefinitions, its rights, credentials,
// clocks, selectors. Judge is pure: from what was observed it makes lines, each with
// what helps. Observe looks, and changes nothing anywhere.
//
// What may come in: packages crd, k3s and cloud, client-go's rest, and the standard
// library.
package check
