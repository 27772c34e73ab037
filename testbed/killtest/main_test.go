package killtest

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bed"
)

// What all sites share.
var (
	cluster   *bed.Bed // with the control plane, and the CRDs in it
	mutants   string   // the program with bugs in it
	client    dynamic.Interface
	host      string
	transport http.RoundTripper // to the API server, as its administrator
)

// seed is where all that is random comes from.
var seed = flag.Uint64("seed", 0, "`number` that random moments come from; 0 takes the clock")

// sideBySide is how many sites run at once: they wait more than they work.
const sideBySide = "3"

func TestMain(m *testing.M) {
	code, err := prepareAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "killtest:", err)
		code = 1
	}
	os.Exit(code)
}

func prepareAndRun(m *testing.M) (code int, err error) {
	if err := bed.SideBySide(sideBySide); err != nil {
		return 0, err
	}
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	ctx := context.Background()
	if cluster, err = bed.Prepare(ctx, progress); err != nil {
		return 0, err
	}
	defer func() {
		if closed := cluster.Close(); err == nil {
			err = closed
		}
	}()
	root, err := artifact.Root()
	if err != nil {
		return 0, err
	}
	progress("building mote with bugs in it")
	if mutants, err = artifact.Mutants(ctx, root); err != nil {
		return 0, err
	}
	progress("starting the control plane")
	if _, err := cluster.StartControlPlane(ctx, "--pods=none"); err != nil {
		return 0, err
	}
	config, err := cluster.Config()
	if err != nil {
		return 0, err
	}
	host = config.Host
	if transport, err = rest.TransportFor(config); err != nil {
		return 0, err
	}
	if client, err = cluster.Client(); err != nil {
		return 0, err
	}
	if err := cluster.InstallCRDs(ctx); err != nil {
		return 0, err
	}
	return m.Run(), nil
}
