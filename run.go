package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
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
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"example.com/mote/cloud"
	"example.com/mote/cloud/tencent"
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
func run(ctx context.Context, o options, probes net.Listener, stderr io.Writer) error {
	log := newLog(o, stderr)
	klog.SetSlogLogger(log) // client-go's own lines, which would go to stderr in a form of their own
	fitMachine(log)
	go keepFew(ctx, os.Getenv, log)
	if unknown := unknownVariables(os.Environ()); len(unknown) > 0 {
		log.Warn("these variables are of no flag, and have no effect (mote check looks for more)", "variables", strings.Join(unknown, " "))
	}
	if o.credentialsSecret == "" && o.credentialsDir == "" {
		if _, err := tencent.EnvCredentials()(ctx); err != nil {
			log.Warn("every PostgresDB will wait, for want of the cloud's keys; apps do not need them", "error", err.Error())
		}
	}
	config, err := clusterConfig(o.kubeconfig)
	if err != nil {
		return err
	}
	return o.serve(ctx, outside{cluster: config, probes: probes}, log)
}

// mostRequests is how many requests all turns together have under way at the API
// server; the Lease's, the lists and the watches are beside them.
const mostRequests = 32

// serve wires the parts together and works until ctx ends.
func (o options) serve(ctx context.Context, out outside, log *slog.Logger) error {
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
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("the cluster's configuration is unusable: %w", err)
	}
	glance, err := lean.NewClient(config)
	if err != nil {
		return fmt.Errorf("the cluster's configuration is unusable: %w", err)
	}
	bare, err := lean.NewBareClient(config)
	if err != nil {
		return fmt.Errorf("the cluster's configuration is unusable: %w", err)
	}
	bounded := rest.CopyConfig(config)
	bounded.Wrap(reconcile.Narrow(mostRequests))
	turns, err := dynamic.NewForConfig(bounded)
	if err != nil {
		return fmt.Errorf("the cluster's configuration is unusable: %w", err)
	}
	brief, err := lean.NewClient(bounded)
	if err != nil {
		return fmt.Errorf("the cluster's configuration is unusable: %w", err)
	}
	clients := reconcile.Clients{Whole: turns, Glance: glance, Bare: bare, Brief: brief}

	credentials, keys := o.credentials(client, log)
	calls := cloud.NewMeter()
	board.Count(calls)
	api, err := tencent.New(tencent.Options{Credentials: credentials, Endpoint: o.cloudEndpoint, Timeout: o.cloudTimeout, Transport: out.cloud, Called: calls.Called})
	if err != nil {
		return err
	}

	var explains *explainer
	if o.explain {
		if explains, err = o.explainer(config, api); err != nil {
			return err
		}
		board.Handle(explainPath, explains)
	}

	identity, err := newIdentity()
	if err != nil {
		return err
	}
	label, field := o.selectors()
	sel := reconcile.Selection{Namespace: o.namespace, LabelSelector: label, FieldSelector: field}
	log.Info("starting", "version", version, "cluster", config.Host, "region", o.region, "namespace", o.namespace,
		"labelSelector", label, "fieldSelector", field, "identity", identity)
	work := func(ctx context.Context) {
		if keys != nil {
			defer board.Put(keys)()
			var watching sync.WaitGroup
			defer watching.Wait()
			watching.Go(func() { keys.Run(ctx) })
		}
		o.work(ctx, clients, api, sel, identity, board, explains, log)
	}
	if !o.leaderElect {
		work(ctx)
		return nil
	}
	term := &reconcile.Term{Lease: o.leaseNameFor(label, field)}
	defer board.Put(term)()
	return (&reconcile.Leadership{
		Client: client, Namespace: o.leaseNamespaceOrOwn(), Name: term.Lease, Identity: identity,
		Duration: o.leaseDuration, Renew: o.leaseDuration / 3, Retry: o.leaseDuration / 6, Log: log, Told: term.Told,
	}).Run(ctx, term.Of(work))
}

// work runs the controllers of all kinds, and the cloud's watch, until ctx ends.
// A further kind is a further line here.
func (o options) work(ctx context.Context, clients reconcile.Clients, api cloud.Postgres, sel reconcile.Selection, identity string, board *probe.Board, explains *explainer, log *slog.Logger) {
	events := reconcile.NewRecorder(clients.Whole, identity, log)
	paces := cloud.WatchOptions{Interval: o.pollInterval, Sweep: o.sweepInterval, CallTimeout: o.cloudTimeout, Log: log}
	postgres := postgresdb.New(cloud.NewCatalog(api, cloud.CatalogOptions{}), paces, o.settings(), rand.Reader)
	defer explains.sees(postgres)()
	databases := reconcile.NewController(clients, postgres.Kind(sel, o.workers), events, log)
	// A turn of an app waits for the API server alone: more of them than requests would
	// only hold memory (53 MiB at the peak with 256, 25 with 32).
	apps := reconcile.NewController(clients, myapp.New(myapp.Options{HostPaths: o.hostPaths(), HostNetwork: o.allowHostNetwork, Version: version}).Kind(sel, min(o.workers, mostRequests)), events, log)

	defer board.Put(databases, apps)()

	// A stop has to be over before another process may hold the Lease: the
	// leader's context ends a third of the Lease's duration before that.
	grace := min(o.gracePeriod, o.leaseDuration/4)
	var all sync.WaitGroup
	all.Go(func() { databases.Run(ctx, grace) })
	all.Go(func() { apps.Run(ctx, grace) })
	all.Go(func() { postgres.Watch(ctx, databases.Wake) })
	all.Wait()
	log.Info("stopped")
}

// settings are the paces of a database's decisions.
func (o *options) settings() postgresdb.Settings {
	s := postgresdb.DefaultSettings
	s.Region, s.Grace, s.SlowRetry, s.RefusedRetry, s.Resync = o.region, o.createGrace, o.slowRetry, o.refusedRetry, o.resyncInterval
	return s
}

// clusterConfig finds the cluster: the given file, or else the pod's own
// ServiceAccount, or else what kubectl would use.
func clusterConfig(file string) (*rest.Config, error) {
	if file == "" && os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		c, err := rest.InClusterConfig()
		if err != nil {
			return nil, fmt.Errorf("this looks like a pod, but its ServiceAccount is unusable: %w", err)
		}
		return c, nil
	}
	c, err := kubeconfig(file, "").ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster to work for: %w (give --kubeconfig, or run in a pod)", placed(file, err))
	}
	return c, nil
}

// placed is an error of a kubeconfig; of one that is empty it names the places that
// were looked at, which client-go does not.
func placed(file string, err error) error {
	if !clientcmd.IsEmptyConfig(err) || file != "" {
		return err
	}
	var places []string
	for _, place := range clientcmd.NewDefaultClientConfigLoadingRules().Precedence {
		if _, err := os.Stat(place); err != nil {
			place += " is not there"
		} else {
			place += " names none"
		}
		places = append(places, place)
	}
	return errors.New(strings.Join(places, ", "))
}

// kubeconfig is what kubectl would read, or the given file, with a context other than
// its current one if that is named.
func kubeconfig(file, context string) clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context})
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

const ownNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

func (o options) leaseNamespaceOrOwn() string {
	if o.leaseNamespace != "" {
		return o.leaseNamespace
	}
	if b, err := os.ReadFile(ownNamespaceFile); err == nil {
		return strings.TrimSpace(string(b))
	}
	return "kube-system"
}

// leaseNameFor follows the selection, so that each shard elects its own leader.
func (o options) leaseNameFor(label, field string) string {
	if o.leaseName != "" {
		return o.leaseName
	}
	return reconcile.LeaseName(o.namespace, label, field)
}

// credentials is where the cloud's keys come from; keys is to be run when that is a
// Secret, and nil when it is not.
func (o options) credentials(client dynamic.Interface, log *slog.Logger) (from tencent.Credentials, keys *reconcile.SecretWatch) {
	switch {
	case o.credentialsSecret != "":
		namespace, name, _ := strings.Cut(o.credentialsSecret, "/")
		keys = reconcile.NewSecretWatch(client, namespace, name, log)
		return secretCredentials(keys.Read), keys
	case o.credentialsDir != "":
		return tencent.DirCredentials(o.credentialsDir), nil
	}
	return tencent.EnvCredentials(), nil
}

// secretCredentials takes the keys from the data of a Secret.
func secretCredentials(read func(context.Context) (map[string]string, error)) tencent.Credentials {
	return func(ctx context.Context) (tencent.Credential, error) {
		data, err := read(ctx)
		if err != nil {
			return tencent.Credential{}, err
		}
		c := tencent.Credential{SecretID: data["secret-id"], SecretKey: data["secret-key"], Token: data["token"]}
		if c.SecretID == "" || c.SecretKey == "" {
			return c, fmt.Errorf("the credentials Secret lacks secret-id or secret-key")
		}
		return c, nil
	}
}

// warnings puts the API server's warnings into the log.
type warnings struct{ log *slog.Logger }

// HandleWarningHeaderWithContext logs one warning of the API server.
func (w warnings) HandleWarningHeaderWithContext(_ context.Context, code int, agent, text string) {
	w.log.Warn("the API server warns", "code", code, "agent", agent, "text", text)
}
