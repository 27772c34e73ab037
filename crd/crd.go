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

// File is one generated CustomResourceDefinition.
type File struct {
	Name string // the CRD's own name, e.g. "myapps.example.com"
	YAML []byte // one YAML document, starting with "---"
}

//go:embed crds.gz
var packed []byte

// Files are the CustomResourceDefinitions in the order in which All has them.
func Files() []File {
	var files []File
	for _, document := range bytes.Split(All(), []byte("---\n"))[1:] {
		_, rest, _ := bytes.Cut(document, []byte("\n  name: ")) // the first name is that of its metadata
		name, _, _ := bytes.Cut(rest, []byte("\n"))
		files = append(files, File{Name: string(name), YAML: append([]byte("---\n"), document...)})
	}
	return files
}

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
