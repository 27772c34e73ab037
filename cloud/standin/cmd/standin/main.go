// Command standin runs the stand-in of the Tencent Cloud API on the loopback
// interface. It prints one line, "READY url=http://127.0.0.1:PORT", when it
// answers, and stops at once on SIGINT or SIGTERM. Wrong flags are refused with
// one line and exit status 2; status 1 is a failure at run time.
//
// What may come in: cloud/standin and the standard library.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.com/mote/cloud/standin"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the command until ctx is done; it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opt, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage())
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "standin: %v\n", err)
		return 2
	}
	if err := serve(ctx, opt, stdin, stdout); err != nil {
		fmt.Fprintf(stderr, "standin: %v\n", err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, opt options, stdin io.Reader, stdout io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, err := standin.New(opt.config)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", opt.listen)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() {
		server.Close()
		web.Close()
	})
	if opt.exitWithStdin {
		go func() {
			io.Copy(io.Discard, stdin)
			cancel()
		}()
	}
	if _, err := fmt.Fprintf(stdout, "READY url=http://%s\n", listener.Addr()); err != nil {
		return err
	}
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
