package main

import (
	"fmt"
	"strings"
)

// formatted: gofmt would change no file.
func formatted(t tree) error {
	files, err := t.files("*.go")
	if err != nil {
		return err
	}
	out, err := t.run(".", nil, "gofmt", append([]string{"-l"}, files...)...)
	if err != nil {
		return fmt.Errorf("%w\nfix: correct the syntax", err)
	}
	if names := strings.Fields(out); len(names) > 0 {
		return fmt.Errorf("%s\nfix: gofmt -w %s", strings.Join(names, "\n"), strings.Join(names, " "))
	}
	return nil
}
