package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// budget is the greatest size of the binary on linux/amd64, in bytes.
const budget = 12_000_000

// binaryInBudget: the binary of `make build` for linux/amd64 is within its budget.
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
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	return inBudget(info.Size())
}

// inBudget is an error for a binary that is too large.
func inBudget(size int64) error {
	if size > budget {
		return fmt.Errorf("bin/mote has %d bytes on linux/amd64, %d more than its budget of %d\nfix: look at the newest imports with `go list -deps .`, and at their sizes with `go tool nm -size -sort size`",
			size, size-budget, budget)
	}
	return nil
}
