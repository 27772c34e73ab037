package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/mote/testbed/bench/result"
)

// The markers in docs/benchmarks.md between which the report is written.
const (
	begin = "<!-- written by testbed/bench: begin -->"
	end   = "<!-- written by testbed/bench: end -->"
)

const picture = "benchmarks-memory.svg"

// Write writes the report of all kept results into docs.
func Write(results, docs string) error {
	runs, err := result.All(results)
	if err != nil {
		return err
	}
	creations, err := result.LoadCreations(results)
	if err != nil {
		return err
	}
	apps, err := result.LoadApps(results)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return fmt.Errorf("nothing was measured yet: no results in %s", results)
	}
	if err := os.MkdirAll(docs, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, picture), svg(runs), 0o644); err != nil {
		return err
	}
	file := filepath.Join(docs, "benchmarks.md")
	old, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	page, err := between(string(old), markdown(runs, creations, apps))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(page), 0o644)
}

// between puts text between the markers of a page; a page without any gets them.
func between(page, text string) (string, error) {
	if page == "" {
		page = "# Benchmarks\n\n" + begin + "\n" + end + "\n"
	}
	head, rest, found := strings.Cut(page, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("the markers %s and %s are not there", begin, end)
	}
	return head + begin + "\n" + text + end + tail, nil
}
