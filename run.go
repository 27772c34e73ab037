package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"example.com/mote/cloud"
	"example.com/mote/cloud/tencent"
	"example.com/mote/command"
	"example.com/mote/probe"
	"example.com/mote/reconcile"
	"example.com/mote/reconcile/lean"
	"example.com/mote/reconcile/myapp"
	"example.com/mote/reconcile/postgresdb"
)

// outside is the world that a process works in.
type outside struct {
	cluster *rest.Config
	cloud   http.RoundTripper // nil: the network
	probes  net.Listener      // where it tells how it does; nil: nowhere
}

// run fits the process to its machine, finds its cluster, and works until ctx ends.
func run(ctx context.Context, o *command.RunOptions, probes net.Listener, stderr io.Writer) error {
	go keepSmall(ctx, os.Getenv)
	log := o.Log(stderr)
	klog.SetSlogLogger(log) // client-go's own lines, which would go to stderr in a form of their own
	fitMachine(log)
	go keepFew(ctx, os.Getenv, log)
	if unknown := command.UnknownVariables(os.Environ()); len(unknown) > 0 {
		log.Warn("these variables are of no flag, and have no effect (mote check looks for more)", "variables", strings.Join(unknown, " "))
	}
	if err := o.MissingKeys(ctx); err != nil {
		log.Warn("every PostgresDB will wait, for want of the cloud's keys; apps do not need them", "error", err.Error())
	}
	config, err := o.Cluster()
	if err != nil {
		return err
	}
	return serve(ctx, o, outside{cluster: config, probes: probes}, log)
}

// mostRequests is how many requests all turns together have under way at the API
// server; the Lease's, the lists and the watches are beside them.
const mostRequests = 32

// clientsOf are the ways to one cluster: a plain one, and those of the controllers.
func clientsOf(config *rest.Config) (plain dynamic.Interface, of reconcile.Clients, err error) {
	bounded := rest.CopyConfig(config)
	bounded.Wrap(reconcile.Narrow(mostRequests))
	whole := func(c *rest.Config) (dynamic.Interface, error) { return dynamic.NewForConfig(c) }
	for _, way := range []struct {
		client *dynamic.Interface
		make   func(*rest.Config) (dynamic.Interface, error)
		config *rest.Config
	}{
		{&plain, whole, config},
		{&of.Whole, whole, bounded},
		{&of.Glance, lean.NewClient, config},
		{&of.Bare, lean.NewBareClient, config},
		{&of.Brief, lean.NewClient, bounded},
	} {
		if *way.client, err = way.make(way.config); err != nil {
			return nil, of, err
		}
	}
	return plain, of, nil
}

// serve wires the parts together and works until ctx ends.
func serve(ctx context.Context, o *command.RunOptions, out outside, log *slog.Logger) error {
	board := newBoard()
	if out.probes != nil {
		defer probe.Serve(ctx, out.probes, board, log)()
	}
	config := rest.CopyConfig(out.cluster)
	config.UserAgent = "mote/" + version
	config.QPS = -1 // the API server's own priority and fairness says when it is too much
	config.WarningHandlerWithContext = warnings{log}
	requests := reconcile.NewRequests()
	config.Wrap(requests.Wrap)
	board.Count(requests)
	client, clients, err := clientsOf(config)
	if err != nil {
		return fmt.Errorf("the cluster's configuration is unusable: %w", err)
	}

	credentials, keys := o.Credentials(client, log)
	calls := cloud.NewMeter()
	board.Count(calls)
	api, err := tencent.New(tencent.Options{Credentials: credentials, Endpoint: o.CloudEndpoint, Timeout: o.CloudTimeout, Transport: out.cloud, Called: calls.Called})
	if err != nil {
		return err
	}

	var explains *explainer
	if o.Explain {
		if explains, err = newExplainer(o, config, api); err != nil {
			return err
		}
		board.Handle(explainPath, explains)
	}

	identity, err := newIdentity()
	if err != nil {
		return err
	}
	sel := o.Selection()
	log.Info("starting", "version", version, "cluster", config.Host, "region", o.Region, "namespace", sel.Namespace,
		"labelSelector", sel.LabelSelector, "fieldSelector", sel.FieldSelector, "identity", identity)
	working := func(ctx context.Context) {
		if keys != nil {
			defer board.Put(keys)()
			var watching sync.WaitGroup
			defer watching.Wait()
			watching.Go(func() { keys.Run(ctx) })
		}
		work(ctx, o, clients, api, sel, identity, board, explains, log)
	}
	if !o.LeaderElect {
		working(ctx)
		return nil
	}
	namespace, name := o.Lease()
	term := &reconcile.Term{Lease: name}
	defer board.Put(term)()
	return (&reconcile.Leadership{
		Client: client, Namespace: namespace, Name: name, Identity: identity,
		Duration: o.LeaseDuration, Renew: o.LeaseDuration / 3, Retry: o.LeaseDuration / 6, Log: log, Told: term.Told,
	}).Run(ctx, term.Of(working))
}

// work runs the controllers of all kinds, and the cloud's watch, until ctx ends.
// A further kind is a further line here.
func work(ctx context.Context, o *command.RunOptions, clients reconcile.Clients, api cloud.Postgres, sel reconcile.Selection, identity string, board *probe.Board, explains *explainer, log *slog.Logger) {
	events := reconcile.NewRecorder(clients.Whole, identity, log)
	paces := cloud.WatchOptions{Interval: o.PollInterval, Sweep: o.SweepInterval, CallTimeout: o.CloudTimeout, Log: log}
	postgres := postgresdb.New(cloud.NewCatalog(api, cloud.CatalogOptions{}), paces, o.Settings(), rand.Reader)
	defer explains.sees(postgres)()
	databases := reconcile.NewController(clients, postgres.Kind(sel, o.Workers), events, log)
	settings := o.Apps()
	settings.Version = version
	// A turn of an app waits for the API server alone: more of them than requests would
	// only hold memory (53 MiB at the peak with 256, 25 with 32).
	apps := reconcile.NewController(clients, myapp.New(settings).Kind(sel, min(o.Workers, mostRequests)), events, log)

	defer board.Put(databases, apps)()

	// A stop has to be over before another process may hold the Lease: the
	// leader's context ends a third of the Lease's duration before that.
	grace := min(o.GracePeriod, o.LeaseDuration/4)
	var all sync.WaitGroup
	all.Go(func() { databases.Run(ctx, grace) })
	all.Go(func() { apps.Run(ctx, grace) })
	all.Go(func() { postgres.Watch(ctx, databases.Wake) })
	all.Wait()
	log.Info("stopped")
}

// newIdentity names this process: its host and a random part, so that a restart
// is somebody else.
func newIdentity() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return host + "_" + hex.EncodeToString(b[:]), nil
}

// warnings puts the API server's warnings into the log.
type warnings struct{ log *slog.Logger }

// HandleWarningHeaderWithContext logs one warning of the API server.
func (w warnings) HandleWarningHeaderWithContext(_ context.Context, code int, agent, text string) {
	w.log.Warn("the API server warns", "code", code, "agent", agent, "text", text)
}
