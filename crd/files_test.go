package crd

import "bytes"

// File is one generated CustomResourceDefinition.
type File struct {
	Name string // the CRD's own name, e.g. "myapps.example.com"
	YAML []byte // one YAML document, starting with "---"
}

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
