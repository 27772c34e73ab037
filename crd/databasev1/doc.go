// Package databasev1 holds the kinds of the API group database.example.com/v1.
//
// What may come in: apimachinery's metav1. Types, their validation markers,
// and the words (phases, conditions, reasons) that appear in their status; no
// behaviour. The CRD files are made from here by `make generate`.
//
// +groupName=database.example.com
// +versionName=v1
package databasev1
