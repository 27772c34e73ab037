// Command bench measures Mote beside its peers on a real control plane: memory,
// start, CPU, what they take from the API server, how soon they answer, and what a
// slow cloud does to them. Each contender runs alone, on the same objects, as a
// process of its own, with a proxy that counts between it and the API server.
//
//	go -C testbed run ./bench -n 10000
//
// It prints a table of ratios, and keeps what it measured in testbed/bench/results,
// from which it writes docs/benchmarks.md and docs/benchmarks-memory.svg.
//
// What may come in: the test bed and the benchmark's own packages. The peers are
// modules of their own under peers/, so that their dependencies meet nobody else's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
