package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bed"
)

type options struct {
	once    bool
	cluster string
}

// namespace is where the samples go on a cluster that somebody else uses too.
const namespace = "mote-demo"

// stageLimit is how long the samples may take to run, or to go.
const stageLimit = 3 * time.Minute

func run(ctx context.Context, o options, out io.Writer) (err error) {
	began := time.Now()
	root, err := artifact.Root()
	if err != nil {
		return err
	}
	say := stages(out)
	paths, err := prepare(ctx, root, out, say)
	if err != nil {
		return err
	}
	b, err := bed.New(paths)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()

	d := &demo{bed: b, root: root, namespace: "default", out: out, screen: newScreen(out)}
	if o.cluster == "" {
		say("starting the control plane")
		if _, err := b.StartControlPlane(ctx); err != nil {
			return err
		}
	} else {
		if b.Kubeconfig, err = filepath.Abs(o.cluster); err != nil {
			return err
		}
		if _, err := os.Stat(b.Kubeconfig); err != nil {
			return fmt.Errorf("CLUSTER=%s: %w", o.cluster, err)
		}
		d.namespace, d.shared = namespace, true
	}
	say("starting the cloud's stand-in and mote")
	if _, err := b.StartCloud(ctx); err != nil {
		return err
	}
	if err := d.install(ctx); err != nil {
		return err
	}
	mote, err := b.StartMote(ctx, "mote", nil, "--poll-interval=1s", "--lease-duration=15s")
	if err != nil {
		return err
	}
	d.mote = mote
	say("applying k3s/samples")
	if err := d.apply(ctx); err != nil {
		return err
	}
	say("")
	if err := d.until(ctx, "both to be Running", running); err != nil {
		return d.cleanAfter(err)
	}
	fmt.Fprintf(out, "\nBoth run, %s after the start.\n", time.Since(began).Round(time.Second))
	if o.once {
		return d.clean(ctx)
	}
	d.hints()
	err = d.until(ctx, "Ctrl-C", func([]row) bool { return false })
	fmt.Fprintln(out)
	return d.cleanAfter(err)
}

// prepare builds the programs.
func prepare(ctx context.Context, root string, out io.Writer, say func(string)) (artifact.Paths, error) {
	say("looking for the control plane")
	paths, err := artifact.ControlPlane(ctx, root, out)
	if err != nil {
		return paths, err
	}
	say("building mote")
	built, err := artifact.Mote(ctx, root)
	paths.Mote, paths.Standin = built.Mote, built.Standin
	return paths, err
}

// stages returns a function that tells what is going on: one line that changes
// on a terminal, lines elsewhere.
func stages(out io.Writer) func(string) {
	live := artifact.IsTerminal(out)
	return func(what string) {
		switch {
		case live && what == "":
			fmt.Fprint(out, "\r\033[K")
		case live:
			fmt.Fprintf(out, "\r\033[K%s ...", what)
		case what != "":
			fmt.Fprintf(out, "%s\n", what)
		}
	}
}
