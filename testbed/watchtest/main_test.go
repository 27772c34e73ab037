package watchtest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/testbed/bed"
)

// What all tests share.
var (
	admin     dynamic.Interface // straight to the API server
	host      string
	transport http.RoundTripper // to the API server, with nobody's credentials
	token     string            // of one who may do everything
)

func TestMain(m *testing.M) {
	code, err := prepareAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "watchtest:", err)
		code = 1
	}
	os.Exit(code)
}

func prepareAndRun(m *testing.M) (code int, err error) {
	ctx := context.Background()
	b, err := bed.PrepareServer(ctx)
	if err != nil {
		return 0, err
	}
	defer func() {
		if closed := b.Close(); err == nil {
			err = closed
		}
	}()
	if err := bed.SideBySide("12"); err != nil { // they wait more than they work
		return 0, err
	}
	if _, err := b.StartControlPlane(ctx); err != nil {
		return 0, err
	}
	config, err := b.Config()
	if err != nil {
		return 0, err
	}
	if admin, err = dynamic.NewForConfig(config); err != nil {
		return 0, err
	}
	host = config.Host
	if transport, err = rest.TransportFor(rest.AnonymousClientConfig(config)); err != nil {
		return 0, err
	}
	if err := install(ctx, "probes"); err != nil {
		return 0, err
	}
	if token, err = serviceAccount(ctx, "default", "watchtest"); err != nil {
		return 0, err
	}
	if err := bind(ctx, "ClusterRoleBinding", "", "watchtest", "cluster-admin", "default", "watchtest"); err != nil {
		return 0, err
	}
	return m.Run(), nil
}
