// Package crd holds the kinds that Mote keeps: their Go types (one folder for
// each API group) and the CustomResourceDefinitions made from those types by
// `make generate`, embedded in the binary.
//
// What may come in: the standard library; in the folders of types, apimachinery.
package crd

import (
	"bytes"
	_ "embed"
)

// File is one generated CustomResourceDefinition.
type File struct {
	Name string // the CRD's own name, e.g. "myapps.example.com"
	YAML []byte // one YAML document, starting with "---"
}

//go:embed database.example.com_postgresdbs.yaml
var postgresdbs []byte

//go:embed example.com_myapps.yaml
var myapps []byte

// Files are the CustomResourceDefinitions in the order in which All has them.
func Files() []File {
	return []File{
		{Name: "postgresdbs.database.example.com", YAML: postgresdbs},
		{Name: "myapps.example.com", YAML: myapps},
	}
}

// All is every CustomResourceDefinition as one YAML stream, fit for `kubectl apply -f -`.
func All() []byte {
	var b bytes.Buffer
	for _, f := range Files() {
		b.Write(f.YAML)
	}
	return b.Bytes()
}
