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
	"slices"
	"strings"
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

// SelectableFields are the fields by which objects of every kind can be selected, like
// "spec.site".
func SelectableFields() []string {
	common := []string{"metadata.name", "metadata.namespace"}
	seen := map[string]int{}
	documents := 0
	for document := range strings.SplitSeq(string(All()), "\n---\n") {
		documents++
		// The files are made: a list follows its name, and each item has a line.
		_, list, _ := strings.Cut(document, "\n    selectableFields:\n")
		for line := range strings.Lines(list) {
			field, ok := strings.CutPrefix(strings.TrimSpace(line), "- jsonPath: .")
			if !ok {
				break
			}
			if seen[field]++; seen[field] == 1 {
				common = append(common, field)
			}
		}
	}
	return slices.DeleteFunc(common, func(f string) bool { return seen[f] > 0 && seen[f] < documents })
}
