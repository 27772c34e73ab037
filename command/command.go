package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"example.com/mote/crd"
)

// Program is the binary that the commands are of.
type Program struct {
	Path    string // by which it was called
	Version string
	Run     Work
}

// Work is what `mote run` does until ctx ends, as it was told. Where it is to tell how it
// does, it gets an open listener; else nil.
type Work func(ctx context.Context, o *RunOptions, probes net.Listener, stderr io.Writer) error

// version is Program's; Do sets it, and program.
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
	work           Work
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
		{"run", "[flags]", "run the controller (mote run --help lists the flags)", func() *flag.FlagSet { return runFlags(&RunOptions{}) }, runCommand},
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

// Do runs one subcommand and returns its exit code. It is called once in a process.
func (p Program) Do(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	program, version = programOf(p.Path), p.Version
	return p.do(ctx, args, env, stdout, stderr)
}

func (p Program) do(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
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
		return out.settle(c.run(ctx, args, surroundings{env: env, stdin: os.Stdin, stdout: out, stderr: stderr, screen: screen, work: p.Run}), stderr)
	}
	return refuse(stderr, "", fmt.Errorf("there is no command %q (there are %s)", name, strings.Join(names, ", ")))
}

// brief tells whether a command takes no flags, of which it could tell by itself.
func (c subcommand) brief() bool { return c.flags == nil || c.args == completionArgs }

func asksForHelp(args []string) bool {
	return len(args) == 1 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help")
}

// refuse says in one line what was wrong with the command line.
func refuse(stderr io.Writer, command string, err error) int {
	if command != "" {
		command += ": "
	}
	fmt.Fprintf(stderr, "mote: %s%v\n", command, err)
	return exitUsage
}
