// Command mote is an operator for edge clusters: it keeps PostgresDB and MyApp
// objects true. This package is flags, wiring and exit codes; behaviour lives in
// reconcile/ and cloud/.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

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

// surroundings are what a command gets beside its arguments.
type surroundings struct {
	env            func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
	screen         *os.File // stdout where it is a file; nil: it is none
}

// subcommand is one of mote's commands. A further command is a further line in
// subcommands, and a file of its own.
type subcommand struct {
	name, args, what string
	// flags are those that it takes, for whoever has to know them beforehand; nil: it
	// takes no arguments at all.
	flags func() *flag.FlagSet
	run   func(ctx context.Context, args []string, s surroundings) int
}

func subcommands() []subcommand {
	return []subcommand{
		{"run", "[flags]", "run the controller (mote run --help lists the flags)", func() *flag.FlagSet { return runFlags(&options{}) }, runCommand},
		{"plan", planArgs, "say what Mote would do, and what it costs; do nothing", func() *flag.FlagSet { return lookFlags("plan", &looking{}) }, planCommand},
		{"explain", explainArgs, "say why an object is as it is", func() *flag.FlagSet { return lookFlags("explain", &looking{}) }, explainCommand},
		{"status", statusArgs, "show all objects, their phases, and what they wait for", func() *flag.FlagSet { return lookFlags("status", &looking{}) }, statusCommand},
		{"check", "[flags]", "look for what stands in its way: rights, credentials, clocks, versions", func() *flag.FlagSet { return checkFlags(&checkOptions{}) }, checkCommand},
		{"manifests", "[flags]", "print what installs Mote, for kubectl apply -f - or as files for k3s", func() *flag.FlagSet { return manifestFlags(&manifestOptions{}) }, manifestsCommand},
		{"crds", "", "print the CustomResourceDefinitions, for kubectl apply -f -", nil, func(_ context.Context, _ []string, s surroundings) int {
			s.stdout.Write(crd.All())
			return exitOK
		}},
		{"completion", completionArgs, "print what completes command lines in a shell", func() *flag.FlagSet { return flag.NewFlagSet("completion", flag.ContinueOnError) }, completionCommand},
		{"version", "", "print the version", nil, func(_ context.Context, _ []string, s surroundings) int {
			fmt.Fprintf(s.stdout, "mote %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return exitOK
		}},
		{"help", "", "print this", nil, func(_ context.Context, _ []string, s surroundings) int {
			fmt.Fprint(s.stdout, usage())
			return exitOK
		}},
	}
}

// usage lists the commands.
func usage() string {
	var b strings.Builder
	b.WriteString("Mote keeps PostgresDB and MyApp objects true on an edge cluster.\n\nUsage:\n")
	width := 0
	for _, c := range subcommands() {
		width = max(width, len(c.name)+1+len(c.args))
	}
	for _, c := range subcommands() {
		fmt.Fprintf(&b, "  %s %-*s  %s\n", program, width, strings.TrimSpace(c.name+" "+c.args), c.what)
	}
	fmt.Fprintf(&b, "\n%s help COMMAND, or %s COMMAND --help, says more of one.\n", program, program)
	return b.String()
}

// program is what people call the binary by.
var program = "mote"

// programOf is mote, or kubectl mote when the binary has the name by which kubectl
// finds it.
func programOf(path string) string {
	if strings.TrimSuffix(filepath.Base(path), ".exe") == "kubectl-mote" {
		return "kubectl mote"
	}
	return "mote"
}

func main() {
	program = programOf(os.Args[0])
	ctx, stop := untilSignal(context.Background())
	defer stop()
	os.Exit(command(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// command runs one subcommand and returns its exit code.
func command(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage())
		return exitUsage
	}
	name, args := args[0], args[1:]
	switch {
	case name == "-h" || name == "--help":
		name = "help"
	case name == "--version":
		name = "version"
	}
	if name == "help" && len(args) == 1 && !asksForHelp(args) {
		name, args = args[0], []string{"--help"}
	}
	var names []string
	for _, c := range subcommands() {
		names = append(names, c.name)
		if c.name != name {
			continue
		}
		if c.brief() && asksForHelp(args) {
			args = nil
			c.run = func(_ context.Context, _ []string, s surroundings) int {
				fmt.Fprintf(s.stdout, "Usage: %s\n\n%s%s.\n", strings.TrimSpace(program+" "+c.name+" "+c.args), strings.ToUpper(c.what[:1]), c.what[1:])
				return exitOK
			}
		}
		if c.flags == nil && len(args) > 0 {
			return refuse(stderr, name, fmt.Errorf("takes no arguments, but was given %q", strings.Join(args, " ")))
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out := &output{Writer: stdout, stop: cancel}
		screen, _ := stdout.(*os.File)
		return out.settle(c.run(ctx, args, surroundings{env: env, stdin: os.Stdin, stdout: out, stderr: stderr, screen: screen}), stderr)
	}
	return refuse(stderr, "", fmt.Errorf("there is no command %q (there are %s)", name, strings.Join(names, ", ")))
}

// brief tells whether a command takes no flags, of which it could tell by itself.
func (c subcommand) brief() bool { return c.flags == nil || c.args == completionArgs }

func asksForHelp(args []string) bool {
	return len(args) == 1 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help")
}

// runCommand is mote run.
func runCommand(ctx context.Context, args []string, s surroundings) int {
	o, err := parseRun(args, s.env)
	if err == errHelp {
		fmt.Fprint(s.stdout, runUsage())
		return exitOK
	}
	if err != nil {
		return refuse(s.stderr, "run", err)
	}
	probes, err := o.listen()
	if err != nil {
		return refuse(s.stderr, "run", err)
	}
	go keepSmall(ctx, s.env)
	if err := run(ctx, o, probes, s.stderr); err != nil {
		fmt.Fprintf(s.stderr, "mote: %v\n", err)
		return exitError
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
