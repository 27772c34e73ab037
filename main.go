// Command mote is an operator for edge clusters: it keeps PostgresDB and MyApp
// objects true. This package is wiring: what can be said to mote is in command/, and
// what it does in reconcile/ and cloud/.
package main

import (
	"context"
	"os"

	"example.com/mote/command"
)

// version is stamped by the linker (-X main.version=...).
var version = "dev"

func main() {
	ctx, stop := command.UntilSignal(context.Background())
	defer stop()
	mote := command.Program{Path: os.Args[0], Version: version, Run: run}
	os.Exit(mote.Do(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}
