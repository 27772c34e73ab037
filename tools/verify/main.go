// Command verify proves what a reader of the tree may take for granted:
// generated files are current, the code is formatted, vetted, free of dead
// parts and of imports that would make the binary large, go.mod files are
// tidy, the binary keeps its budget, and nothing speaks of one person's
// machine. It changes no file of the tree.
//
// Every check runs, whatever the others find; each prints one line, a failed
// one also what it found and how to put it right. It exits 1 when any failed.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// check is one property of the tree.
type check struct {
	name string
	run  func(tree) error // the error says what is wrong and how to fix it
}

// checks are all of them, the quick ones first.
var checks = []check{
	{"gofmt", formatted},
	{"machine paths", noMachinePaths},
	{"generated files", generatedFilesCurrent},
	{"forbidden imports", noForbiddenImports},
	{"go.mod tidy", modulesTidy},
	{"binary budget", binaryInBudget},
	{"dead code", noDeadCode},
	{"go vet", vetted},
	{"staticcheck", staticallyChecked},
}

func main() {
	root := flag.String("root", "..", "top of the tree to verify")
	flag.Parse()
	abs, err := filepath.Abs(*root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
	if failed := runAll(os.Stdout, tree{root: abs, progress: os.Stdout}, checks); failed > 0 {
		os.Exit(1)
	}
}

// runAll runs every check, reports each on w, and counts the failed ones.
func runAll(w io.Writer, t tree, checks []check) (failed int) {
	for _, c := range checks {
		start := time.Now()
		err := c.run(t)
		took := time.Since(start).Round(100 * time.Millisecond)
		if err == nil {
			fmt.Fprintf(w, "ok    %-18s %6s\n", c.name, took)
			continue
		}
		failed++
		fmt.Fprintf(w, "FAIL  %-18s %6s\n", c.name, took)
		for _, line := range shortened(err.Error()) {
			fmt.Fprintln(w, "     ", line)
		}
	}
	if failed > 0 {
		fmt.Fprintf(w, "%d of %d checks failed\n", failed, len(checks))
	}
	return failed
}
