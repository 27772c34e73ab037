package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// generatedFilesCurrent: `make generate` would change nothing in crd/.
func generatedFilesCurrent(t tree) error {
	dir, err := os.MkdirTemp("", "verify-generated-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := t.run(".", nil, "make", "-s", "generate", "CRDS="+dir); err != nil {
		return err
	}
	want, err := madeFiles(dir)
	if err != nil {
		return err
	}
	got, err := madeFiles(filepath.Join(t.root, "crd"))
	if err != nil {
		return err
	}
	if len(want) == 0 {
		return fmt.Errorf("make generate made no file, so nothing would be compared")
	}
	if stale := staleFiles(want, got); len(stale) > 0 {
		return fmt.Errorf("%s\nfix: make generate, then commit crd/*.yaml and crd/crds.gz", strings.Join(stale, "\n"))
	}
	return nil
}

// madeFiles reads what is made of Go types in a directory, by name.
func madeFiles(dir string) (map[string][]byte, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	packed, err := filepath.Glob(filepath.Join(dir, "*.gz"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, p := range append(paths, packed...) {
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		files[filepath.Base(p)] = b
	}
	return files, nil
}

// staleFiles says how the files that are there differ from those that should be.
func staleFiles(want, got map[string][]byte) []string {
	var stale []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch have, ok := got[name]; {
		case !ok:
			stale = append(stale, name+" is missing")
		case !bytes.Equal(have, want[name]):
			stale = append(stale, fmt.Sprintf("%s is stale from line %d on", name, firstDifference(have, want[name])))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			stale = append(stale, name+" is made by no Go type any more: delete it")
		}
	}
	return stale
}

// firstDifference is the number of the first line in which a and b differ.
func firstDifference(a, b []byte) int {
	as, bs := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	line := 0
	for line < len(as) && line < len(bs) && bytes.Equal(as[line], bs[line]) {
		line++
	}
	return line + 1
}
