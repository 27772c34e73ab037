// Package expr evaluates the part of CEL that the rules of crd/ are written in, so
// that a manifest can be judged without an API server. cel-go itself would add
// several megabytes to the binary; a test compiles every rule of crd/, so one that
// needs more than this package knows is found when it is written.
//
// What may come in: the standard library, apimachinery's quantities.
package expr
