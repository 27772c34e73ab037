package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// homes matches a path into somebody's home directory.
var homes = regexp.MustCompile(`/(home|root|Users)/[A-Za-z0-9._-]+`)

// noMachinePaths: no text file names a place of one person's machine.
func noMachinePaths(t tree) error {
	files, err := t.files()
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir()
	var found []string
	for _, name := range files {
		b, err := os.ReadFile(filepath.Join(t.root, name))
		if err != nil {
			continue // a symlink to nowhere, or a submodule
		}
		found = append(found, machinePaths(name, b, t.root, home)...)
	}
	if len(found) > 0 {
		return fmt.Errorf("%s\nfix: name places relative to the repository, or as the reader's own ($HOME, PATH/TO)", strings.Join(found, "\n"))
	}
	return nil
}

// machinePaths lists the lines of a text file that name a home directory or one
// of the given places. A place of one element ("/", "/src") is too common to count.
func machinePaths(name string, content []byte, places ...string) []string {
	if bytes.IndexByte(content, 0) >= 0 {
		return nil // not text
	}
	var found []string
	for i, line := range strings.Split(string(content), "\n") {
		hit := homes.FindString(line)
		for _, p := range places {
			if strings.Count(p, "/") > 1 && strings.Contains(line, p) {
				hit = p
			}
		}
		if hit != "" {
			found = append(found, fmt.Sprintf("%s:%d names %s", name, i+1, hit))
		}
	}
	return found
}
