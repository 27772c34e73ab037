package main

import (
	"fmt"
	"slices"
	"strings"
)

// noDeadCode: every package of the product's module is part of a command, and
// every function of those packages is reachable from one. Tests do not count:
// what only a test calls is dead.
func noDeadCode(t tree) error {
	all, err := t.packages(".", nil, "./...")
	if err != nil {
		return err
	}
	commands, err := t.packages(".", nil, "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./...")
	if err != nil {
		return err
	}
	used, err := t.packages(".", nil, append([]string{"-deps"}, commands...)...)
	if err != nil {
		return err
	}
	var found []string
	for _, p := range unreached(all, used) {
		found = append(found, p+": no command imports this package")
	}
	deadcode, err := t.tool("deadcode")
	if err != nil {
		return err
	}
	out, err := t.run(".", nil, deadcode, commands...)
	if err != nil {
		return err
	}
	if out = strings.TrimSpace(out); out != "" {
		found = append(found, out)
	}
	if len(found) > 0 {
		return fmt.Errorf("%s\nfix: delete it, or move what only tests need into a _test.go file", strings.Join(found, "\n"))
	}
	return nil
}

// unreached are the packages of all that are not in used.
func unreached(all, used []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(p string) bool { return slices.Contains(used, p) })
}
