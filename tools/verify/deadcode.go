package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// testbed is the module of the end-to-end tests, and standin the part of the
// product's module that only they and the demo use. What is in simulation, only
// tests use.
const (
	testbed    = "testbed"
	standin    = "example.com/mote/cloud/standin"
	simulation = "example.com/mote/simulation"
)

// noDeadCode: every package of the product's module is part of a command, and
// every function of those packages is reachable from one. Tests do not count:
// what only a test calls is dead. In the test bed, in the packages that it alone
// uses, and in the simulation, they do.
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
	dead := []error{t.deadFunctions(".", commands...)}

	modules, err := t.modules()
	if err != nil {
		return err
	}
	rest := unreached(all, used)
	simulated := slices.DeleteFunc(slices.Clone(rest), func(p string) bool { return !within(p, simulation) })
	if len(simulated) > 0 {
		tested, err := t.packages(".", nil, "-deps", "-test", "./...")
		if err != nil {
			return err
		}
		simulated = slices.DeleteFunc(simulated, func(p string) bool { return !slices.Contains(tested, p) })
		rest = unreached(rest, simulated)
		dead = append(dead, t.deadFunctions(".", "-test", "-filter", onlyThese(simulated), "./..."))
	}
	if slices.Contains(modules, testbed) {
		needed, err := t.packages(testbed, nil, "-deps", "./...")
		if err != nil {
			return err
		}
		helpers := slices.DeleteFunc(slices.Clone(rest), func(p string) bool {
			return !within(p, standin) || !slices.Contains(needed, p)
		})
		rest = unreached(rest, helpers)
		own, err := t.packages(testbed, nil, "./...")
		if err != nil {
			return err
		}
		dead = append(dead, t.deadFunctions(testbed, "-test", "-filter", onlyThese(append(own, helpers...)), "./..."))
	}
	for _, p := range rest {
		dead = append(dead, fmt.Errorf("%s: no command imports this package", p))
	}
	if err := errors.Join(dead...); err != nil {
		return fmt.Errorf("%w\nfix: delete it, or move what only tests need into a _test.go file", err)
	}
	return nil
}

// deadFunctions runs deadcode, which says nothing when all is reachable.
func (t tree) deadFunctions(dir string, args ...string) error {
	deadcode, err := t.tool("deadcode")
	if err != nil {
		return err
	}
	out, err := t.run(dir, nil, deadcode, args...)
	if err != nil {
		return err
	}
	if out = strings.TrimSpace(strings.ReplaceAll(out, t.root+"/", "")); out != "" {
		return errors.New(out)
	}
	return nil
}

// unreached are the packages of all that are not in used.
func unreached(all, used []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(p string) bool { return slices.Contains(used, p) })
}

// onlyThese is a regular expression that matches these packages and no other.
func onlyThese(packages []string) string {
	quoted := make([]string, len(packages))
	for i, p := range packages {
		quoted[i] = regexp.QuoteMeta(p)
	}
	return "^(" + strings.Join(quoted, "|") + ")$"
}
