package crdtest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"example.com/mote/crd"
	"example.com/mote/testbed/bed"
)

// server is the API server that all tests of this package ask. No controller
// runs beside it: what is asked is only what it takes, refuses and shows.
var server *bed.Bed

func TestMain(m *testing.M) {
	code, err := serve(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "crdtest:", err)
		code = 1
	}
	os.Exit(code)
}

// serve runs the tests against a server that knows both kinds.
func serve(m *testing.M) (code int, err error) {
	ctx := context.Background()
	if server, err = bed.PrepareServer(ctx); err != nil {
		return 0, err
	}
	defer server.Close()
	if _, err := server.StartControlPlane(ctx, "--controllers=none", "--pods=none"); err != nil {
		return 0, err
	}
	if _, err := server.Kubectl(ctx, string(crd.All()), "apply", "-f", "-"); err != nil {
		return 0, err
	}
	if _, err := server.Kubectl(ctx, "", "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"); err != nil {
		return 0, err
	}
	return m.Run(), nil
}
