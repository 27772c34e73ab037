package command

import (
	"context"
	"fmt"
	"net"
	"strings"

	"example.com/mote/probe"
)

// ParseRun reads the flags; what they leave out comes from the environment.
func ParseRun(args []string, env func(string) string) (RunOptions, error) {
	var o RunOptions
	f := runFlags(&o)
	if err := parseFlags(f, args); err != nil {
		return o, err
	}
	return o, o.complete(f, env)
}

// runUsage lists the flags of `mote run`.
func runUsage() string {
	var b strings.Builder
	b.WriteString("Usage: mote run [flags]\n\n" + fromEnvironment +
		"Without --credentials-dir and --credentials-secret, the cloud's keys are TENCENTCLOUD_SECRET_ID,\n" +
		"TENCENTCLOUD_SECRET_KEY and, for temporary ones, TENCENTCLOUD_TOKEN.\n\n")
	var o RunOptions
	b.WriteString(listed(runFlags(&o), nil, ""))
	return b.String()
}

// listen opens --listen-address; nil when there is none.
func (o *RunOptions) listen() (net.Listener, error) {
	if o.listenAddress == "" {
		return nil, nil
	}
	l, err := probe.Listen(o.listenAddress)
	if err != nil {
		return nil, fmt.Errorf("--listen-address %q: %w", o.listenAddress, err)
	}
	return l, nil
}

// runCommand is mote run.
func runCommand(ctx context.Context, args []string, s surroundings) int {
	o, err := ParseRun(args, s.env)
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
	if err := s.work(ctx, &o, probes, s.stderr); err != nil {
		fmt.Fprintf(s.stderr, "mote: %v\n", err)
		return exitError
	}
	return exitOK
}
