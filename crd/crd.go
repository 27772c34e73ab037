// Package crd holds the kinds that Mote keeps: their Go types (one folder for
// each API group) and the CustomResourceDefinitions made from those types by
// `make generate`, embedded in the binary (compressed, for its size).
//
// What may come in: the standard library; in the folders of types, apimachinery.
package crd

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:embed crds.gz
var packed []byte

// All is every CustomResourceDefinition as one YAML stream, fit for `kubectl apply -f -`.
func All() []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		var all []byte
		if all, err = io.ReadAll(r); err == nil {
			return all
		}
	}
	panic("the embedded CRDs: " + err.Error()) // what is compiled in was tested
}
