// Command mote is an operator for edge clusters: it keeps PostgresDB and MyApp
// objects true. This package is flags, wiring and exit codes; behaviour lives in
// reconcile/ and cloud/.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"example.com/mote/crd"
)

// version is stamped by the linker (-X main.version=...).
var version = "dev"

// Exit codes.
const (
	exitOK    = 0
	exitError = 1 // it could not do what was asked
	exitUsage = 2 // it was asked wrongly
)

const usage = `Mote keeps PostgresDB and MyApp objects true on an edge cluster.

Usage:
  mote run [flags]   run the controller (mote run --help lists the flags)
  mote crds          print the CustomResourceDefinitions, for kubectl apply -f -
  mote version       print the version
  mote help          print this
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(command(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// command runs one subcommand and returns its exit code.
func command(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	name, args := args[0], args[1:]
	switch name {
	case "run":
		o, err := parseRun(args, env)
		if err == errHelp {
			fmt.Fprint(stdout, runUsage())
			return exitOK
		}
		if err != nil {
			return refuse(stderr, "run", err)
		}
		probes, err := o.listen()
		if err != nil {
			return refuse(stderr, "run", err)
		}
		go keepSmall(ctx, env)
		if err := run(ctx, o, probes, stderr); err != nil {
			fmt.Fprintf(stderr, "mote: %v\n", err)
			return exitError
		}
		return exitOK
	case "crds", "version", "help", "-h", "--help":
		if len(args) > 0 {
			return refuse(stderr, name, fmt.Errorf("takes no arguments, but was given %q", strings.Join(args, " ")))
		}
	}
	switch name {
	case "crds":
		stdout.Write(crd.All())
	case "version":
		fmt.Fprintf(stdout, "mote %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	case "help", "-h", "--help":
		fmt.Fprint(stdout, usage)
	default:
		return refuse(stderr, "", fmt.Errorf("there is no command %q (there are run, crds, version and help)", name))
	}
	return exitOK
}

// refuse says in one line what was wrong with the command line.
func refuse(stderr io.Writer, command string, err error) int {
	if command != "" {
		command += ": "
	}
	fmt.Fprintf(stderr, "mote: %s%v\n", command, err)
	return exitUsage
}
