package main

import (
	"errors"
	"fmt"
)

// modulesTidy: `go mod tidy` would change no go.mod or go.sum.
func modulesTidy(t tree) error {
	dirs, err := t.modules()
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		if _, err := t.run(dir, nil, "go", "mod", "tidy", "-diff"); err != nil {
			errs = append(errs, fmt.Errorf("%w\nfix: go -C %s mod tidy", err, dir))
		}
	}
	return errors.Join(errs...)
}
