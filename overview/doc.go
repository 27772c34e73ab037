// Package overview is what mote status shows: a line for each object, and how many
// there are in which phase and at which site. It is pure.
//
// What may come in: the standard library, forecast (for ages).
package overview
