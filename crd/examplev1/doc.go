// Package examplev1 holds the kinds of the API group example.com/v1.
//
// What may come in: apimachinery's metav1 and resource quantities. Types, their
// validation markers, and the words that appear in their status; no behaviour.
// The CRD files are made from here by `make generate`.
//
// +groupName=example.com
// +versionName=v1
package examplev1
