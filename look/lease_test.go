package look

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"example.com/mote/reconcile"
)

// leaseServer answers lists and reads of Leases.
func leaseServer(t *testing.T, code int, items ...m) *Look {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := any(m{"apiVersion": "coordination.k8s.io/v1", "kind": "LeaseList", "metadata": m{}, "items": items})
		switch {
		case code != http.StatusOK:
			w.WriteHeader(code)
			answer = m{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": map[int]string{403: "Forbidden", 500: "InternalError"}[code], "message": "no"}
		case strings.HasSuffix(r.URL.Path, "/namespaces/a/leases/own"):
			answer = items[0]
		case r.URL.Path != "/apis/coordination.k8s.io/v1/leases":
			t.Errorf("asked for %s", r.URL.Path)
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	cluster, err := Cluster(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return &Look{Cluster: cluster, Now: func() time.Time { return time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC) }}
}

func leaseOf(name, manager, holder, renewed string) m {
	return m{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
		"metadata": m{"namespace": "mote-system", "name": name, "managedFields": []any{m{"manager": manager}}},
		"spec":     m{"holderIdentity": holder, "leaseDurationSeconds": 60, "renewTime": renewed}}
}

// An object's explanation names who serves it, or says that nobody does.
func TestBy(t *testing.T) {
	const fresh, old = "2030-01-01T11:59:50.000000Z", "2030-01-01T11:00:00.000000Z"
	site := reconcile.LeaseName("", "", "spec.site=edge-01")
	object := database(m{"site": "edge-01"}, nil)
	for name, c := range map[string]struct {
		items []m
		want  string
	}{
		"none":            {nil, "nobody: no Mote in charge has a Lease"},
		"of others":       {[]m{leaseOf("kube-scheduler", "kube-scheduler", "x", fresh)}, "nobody: no Mote"},
		"at work":         {[]m{leaseOf("mote", "mote", "pod-1", fresh)}, "pod-1, which holds the Lease mote-system/mote, renewed 10s ago"},
		"of its site":     {[]m{leaseOf(site, "mote", "pod-2", fresh)}, "pod-2, which holds the Lease mote-system/" + site},
		"stale":           {[]m{leaseOf("mote", "kubectl", "pod-1", old)}, "nobody: pod-1 has not renewed the Lease mote-system/mote since 2030-01-01T11:00:00Z: it is dead or cut off"},
		"never renewed":   {[]m{leaseOf("mote", "kubectl", "pod-1", "")}, "nobody: pod-1 holds the Lease mote-system/mote and has never renewed it"},
		"given back":      {[]m{leaseOf("mote", "mote", "", fresh)}, "nobody: the Lease mote-system/mote was given back"},
		"a shard":         {[]m{leaseOf("mote-0000", "mote", "pod-3", fresh)}, "not known: there is pod-3, which holds the Lease mote-system/mote-0000"},
		"a shard that is": {[]m{leaseOf("mote-0000", "mote", "pod-3", old)}, "nobody: no Mote"},
	} {
		if got := leaseServer(t, http.StatusOK, c.items...).By(t.Context(), object); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := leaseServer(t, http.StatusOK, leaseOf("mote-0000", "mote", "pod-3", fresh)).By(t.Context(), nil); !strings.HasPrefix(got, "pod-3, which") {
		t.Errorf("of any object: %q", got)
	}
	own := leaseServer(t, http.StatusOK, leaseOf("own", "mote", "pod-4", fresh))
	own.Lease = "a/own"
	if got := own.By(t.Context(), object); !strings.HasPrefix(got, "pod-4, which") {
		t.Errorf("of the controller's own: %q", got)
	}
	if got := leaseServer(t, http.StatusForbidden).By(t.Context(), object); got != "" {
		t.Errorf("who may not read Leases is told %q", got)
	}
	if got := leaseServer(t, http.StatusInternalServerError).By(t.Context(), object); !strings.HasPrefix(got, "not known: the Leases cannot be read") {
		t.Errorf("of an API server in trouble is told %q", got)
	}
}

func TestLeaseNames(t *testing.T) {
	u := &unstructured.Unstructured{Object: m{"metadata": m{"namespace": "shop"}, "spec": m{"site": "s"}}}
	want := []string{"mote", reconcile.LeaseName("", "", "spec.site=s"), reconcile.LeaseName("shop", "", ""), reconcile.LeaseName("shop", "", "spec.site=s")}
	if got := leaseNames(u); !slices.Equal(got, want) || slices.Contains(got[1:], "mote") {
		t.Errorf("%v, want %v", got, want)
	}
}
