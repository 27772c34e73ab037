// Package look is how plan, explain and status see a cluster and a cloud: over
// clients that refuse whatever is not a read, and with the kinds' own code for what
// is seen.
//
// What may come in: reconcile and its kinds, cloud, crd, schema, forecast,
// client-go's dynamic client. No command lines, and nothing that writes.
package look
