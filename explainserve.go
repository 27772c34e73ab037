package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"example.com/mote/cloud"
	"example.com/mote/command"
	"example.com/mote/forecast"
	"example.com/mote/look"
	"example.com/mote/reconcile/postgresdb"
	"example.com/mote/schema"
)

// explainPath is before KIND/NAMESPACE/NAME.
const explainPath = "/explain/"

// explainLimit bounds one answer; it is below what the listener allows.
const explainLimit = 10 * time.Second

// explainer answers /explain/KIND/NAMESPACE/NAME. What it tells is more than metrics
// are, and the listener knows nobody; so it answers only who calls from the same
// machine. In a pod that is `kubectl port-forward`, and the right to it is
// Kubernetes' own: pods/portforward.
type explainer struct {
	eyes look.Look

	mu    sync.Mutex
	watch func(region, id string) (cloud.Instance, bool, time.Time, bool)
}

func newExplainer(o *command.RunOptions, config *rest.Config, api cloud.Reader) (*explainer, error) {
	cluster, err := look.Cluster(config)
	if err != nil {
		return nil, fmt.Errorf("the cluster's configuration is unusable: %w", err)
	}
	e := &explainer{}
	e.eyes = look.Look{Cluster: cluster, Cloud: api, Settings: o.Settings(), Apps: o.Apps(), Now: time.Now,
		Watch: func(region, id string) (i cloud.Instance, found bool, at time.Time, ok bool) {
			e.mu.Lock()
			defer e.mu.Unlock()
			if e.watch == nil {
				return i, false, at, false
			}
			return e.watch(region, id)
		}}
	if o.LeaderElect {
		namespace, name := o.Lease()
		e.eyes.Lease = namespace + "/" + name
	}
	return e, nil
}

// sees gives the explainer what the cloud's watch sees while this process works.
func (e *explainer) sees(r *postgresdb.Reconciler) (over func()) {
	if e == nil {
		return func() {}
	}
	set := func(f func(string, string) (cloud.Instance, bool, time.Time, bool)) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.watch = f
	}
	set(r.Latest)
	return func() { set(nil) }
}

// ServeHTTP is http.Handler's.
func (e *explainer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !local(r.RemoteAddr) || !local(r.Host) {
		http.Error(w, "explanations are for callers on the same machine: kubectl port-forward, then http://localhost:PORT"+r.URL.Path, http.StatusForbidden)
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, explainPath), "/")
	var k *schema.Kind
	if len(parts) == 3 {
		k = schema.Named(strings.ToLower(parts[0]))
	}
	if k == nil || parts[1] == "" || parts[2] == "" {
		http.Error(w, "it is /explain/KIND/NAMESPACE/NAME, and the kinds are pgdb and mapp", http.StatusNotFound)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), explainLimit)
	defer cancel()
	var x forecast.Explanation
	err := e.eyes.Each(ctx, look.Which{Kind: k, Namespace: parts[1], Name: parts[2]}, func(k *schema.Kind, u *unstructured.Unstructured) error {
		x = e.eyes.Explain(ctx, k, u)
		return nil
	})
	switch {
	case err == look.ErrNone:
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	case r.URL.Query().Get("o") == "json":
		w.Header().Set("Content-Type", "application/json")
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		_ = out.Encode(x) // whoever asked may have left
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		x.WriteText(w)
	}
}

// local tells whether an address or a Host is this machine's own. A web page in
// somebody's browser has another Host, whatever address its name leads to.
func local(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
