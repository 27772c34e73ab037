package main

import (
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
)

// parseComponentFlags sets a component's options from a command line, ours first, so that what the user asks wins.
func parseComponentFlags(sets cliflag.NamedFlagSets, ours, users []string) error {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	for _, set := range sets.FlagSets {
		fs.AddFlagSet(set)
	}
	return fs.Parse(append(ours, users...))
}
