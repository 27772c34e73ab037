package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// licences are the texts that the modules in the binary ask to be handed on with it,
// each once, under the names of all modules that have it.
func (s source) licences() ([]byte, error) {
	const each = "{{with .Module}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}"
	out, err := run(s.root, []string{"GOOS=linux", "CGO_ENABLED=0"}, "go", "list", "-deps", "-f", each, ".")
	if err != nil {
		return nil, err
	}
	modules := strings.Split(strings.TrimSpace(out), "\n")
	goroot, err := run(s.root, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules = append(modules, "the Go standard library\t"+strings.TrimSpace(goroot))
	slices.Sort(modules)
	holders := map[string][]string{}
	var texts []string
	for _, m := range slices.Compact(modules) {
		name, dir, ok := strings.Cut(m, "\t")
		if !ok {
			continue // the standard library has no module
		}
		found, err := licenceFiles(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, text := range found {
			if holders[text] == nil {
				texts = append(texts, text)
			}
			holders[text] = append(holders[text], strings.TrimSpace(name))
		}
	}
	var all bytes.Buffer
	for _, text := range texts {
		fmt.Fprintf(&all, "%s\n%s\n\n%s\n\n", strings.Repeat("=", 78), strings.Join(holders[text], "\n"), strings.TrimSpace(text))
	}
	return all.Bytes(), nil
}

// licenceFiles are the texts of a module's licence and notices; none is an error. The
// root certificates' module, whose data is Mozilla's, carries Go's.
func licenceFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range entries {
		name, _, _ := strings.Cut(strings.ToUpper(e.Name()), ".")
		if e.IsDir() || !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	if texts == nil {
		return nil, fmt.Errorf("there is no licence in %s", filepath.Base(dir))
	}
	return texts, nil
}
