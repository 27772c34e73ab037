package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// budget is the greatest size of the binary on linux/amd64, in bytes.
const budget = 12_630_000

// mutantsWord is in every binary that was built with the tag mutants.
const mutantsWord = "MOTE_MUTANT"

// binaryInBudget: the binary of `make build` for linux/amd64 is within its budget,
// and has nothing in it of the bugs that are put in on purpose.
func binaryInBudget(t tree) error {
	dir, err := os.MkdirTemp("", "verify-size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "mote")
	if _, err := t.run(".", []string{"GOOS=linux", "GOARCH=amd64"}, "make", "-s", "build", "MOTE="+binary); err != nil {
		return err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	if bytes.Contains(content, []byte(mutantsWord)) {
		return fmt.Errorf("bin/mote holds %s: what the build tag %s brings is in the product", mutantsWord, mutants)
	}
	return inBudget(int64(len(content)))
}

// inBudget is an error for a binary that is too large.
func inBudget(size int64) error {
	if size > budget {
		return fmt.Errorf("bin/mote has %d bytes on linux/amd64, %d more than its budget of %d\nfix: look at the newest imports with `go list -deps .`, and at their sizes with `go tool nm -size -sort size`",
			size, size-budget, budget)
	}
	return nil
}
