package main

import (
	"errors"
	"fmt"
)

// controlPlane is the module that compiles all of Kubernetes.
const controlPlane = "testbed/controlplane"

// mutants is the build tag of the product's module under which bugs are put in on
// purpose, to test the tests.
const mutants = "mutants"

// vetted: go vet finds nothing in any module.
//
// Of the control plane only the packages without Kubernetes are vetted: vet looks
// into every dependency, which took eight minutes on two cores for the 850 lines
// that remain, and those are compiled and run by the tests.
func vetted(t tree) error {
	dirs, err := t.modules()
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		args, env := []string{"vet", "./..."}, []string(nil)
		if dir == controlPlane {
			args, env = []string{"vet", "-trimpath", "./settings", "./podstandin"}, []string{"CGO_ENABLED=0", "GOFLAGS="}
		}
		if _, err := t.run(dir, env, "go", args...); err != nil {
			errs = append(errs, err)
		}
	}
	if _, err := t.run(".", nil, "go", "vet", "-tags", mutants, "./..."); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// staticallyChecked: staticcheck finds nothing in any module but the control
// plane's. It analyses every dependency from source: for all of Kubernetes
// that is many minutes and gigabytes on each machine, for a few hundred lines.
func staticallyChecked(t tree) error {
	staticcheck, err := t.tool("staticcheck")
	if err != nil {
		return err
	}
	dirs, err := t.modules()
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		if dir == controlPlane {
			continue
		}
		// staticcheck is content with no package at all; we are not.
		if _, err := t.packages(dir, nil, "./..."); err != nil {
			errs = append(errs, err)
			continue
		}
		args := [][]string{{"./..."}}
		if dir == "." {
			args = append(args, []string{"-tags", mutants, "./..."})
		}
		for _, a := range args {
			if _, err := t.run(dir, nil, staticcheck, a...); err != nil {
				errs = append(errs, fmt.Errorf("%w\nfix: `go -C tools tool staticcheck -explain CHECK` says why", err))
			}
		}
	}
	return errors.Join(errs...)
}
