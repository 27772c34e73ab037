package e2e

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var endpointSlices = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}

// endpoints watches whether a Service ever leads nowhere.
type endpoints struct {
	mu    sync.Mutex
	ready map[string]int // by EndpointSlice, of those with a port
	gaps  []string
	err   error
}

// watchEndpoints begins when the Service leads somewhere.
func (s *site) watchEndpoints(service string) *endpoints {
	s.t.Helper()
	e := &endpoints{ready: map[string]int{}}
	client := s.client.Resource(endpointSlices).Namespace(s.ns)
	of := metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=" + service}
	s.eventually("the Service "+service+" leads somewhere", func() error {
		l, err := client.List(s.t.Context(), of)
		if err != nil {
			return err
		}
		clear(e.ready)
		for i := range l.Items {
			e.ready[l.Items[i].GetName()] = readyIn(&l.Items[i])
		}
		of.ResourceVersion = l.GetResourceVersion()
		if e.total() == 0 {
			return errNone
		}
		return nil
	})
	ctx, cancel := context.WithCancel(context.Background())
	w, err := client.Watch(ctx, of)
	if err != nil {
		cancel()
		s.t.Fatal(err)
	}
	over := make(chan struct{})
	s.t.Cleanup(func() { cancel(); <-over })
	go func() {
		defer close(over)
		for event := range w.ResultChan() {
			u, ok := event.Object.(*unstructured.Unstructured)
			e.mu.Lock()
			switch {
			case !ok || event.Type == "ERROR":
				e.err = fmt.Errorf("the watch says %s %v", event.Type, event.Object)
			case event.Type == "DELETED":
				delete(e.ready, u.GetName())
			default:
				e.ready[u.GetName()] = readyIn(u)
			}
			if ok && e.total() == 0 {
				e.gaps = append(e.gaps, fmt.Sprintf("%s %s", event.Type, u.GetResourceVersion()))
			}
			e.mu.Unlock()
		}
	}()
	return e
}

func (e *endpoints) total() (n int) {
	for _, ready := range e.ready {
		n += ready
	}
	return n
}

// unbroken complains of moments at which the Service led nowhere.
func (e *endpoints) unbroken(t *testing.T, what string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil || len(e.gaps) > 0 {
		t.Errorf("%s: the Service led nowhere at %v, %v", what, e.gaps, e.err)
	}
}

// readyIn counts the endpoints of a slice that can be reached: pods without the
// wanted port are in slices without ports.
func readyIn(u *unstructured.Unstructured) (n int) {
	ports, _, _ := unstructured.NestedSlice(u.Object, "ports")
	if !slices.ContainsFunc(ports, func(p any) bool { return p.(map[string]any)["port"] != nil }) {
		return 0
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "endpoints")
	for _, e := range list {
		if ready, _, _ := unstructured.NestedBool(e.(map[string]any), "conditions", "ready"); ready {
			n++
		}
	}
	return n
}

// TestAppEndpoints: changes of ports, of the Service and of the pods never leave an
// app without endpoints in between.
func TestAppEndpoints(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", nil))
	s.runs(apps, "web")
	e := s.watchEndpoints("web")
	for _, change := range []string{
		`{"spec":{"port":null,"ports":[{"name":"web","port":8080}]}}`,
		`{"spec":{"ports":[{"name":"front","port":8080}]}}`,
		`{"spec":{"ports":[{"name":"front","port":8080,"targetPort":9090}]}}`,
		`{"spec":{"ports":[{"name":"front","port":80,"targetPort":9090}]}}`,
		`{"spec":{"ports":[{"name":"front","port":80,"targetPort":9090},{"name":"more","port":81}]}}`,
		`{"spec":{"image":"example.com/web:slow"}}`,
		`{"spec":{"image":"example.com/web:2","ports":[{"name":"a","port":80,"targetPort":9090},{"name":"b","port":81}]}}`,
		`{"spec":{"serviceType":"NodePort"}}`,
		`{"spec":{"port":9090,"ports":[{"name":"old","port":80,"targetPort":8080}]}}`,
	} {
		s.patch("mapp/web", change)
		s.runs(apps, "web")
		e.unbroken(t, change)
	}
	s.eventually("the Service leads by name again", func() error {
		for _, p := range s.ports(services, "spec") {
			if p := p.(map[string]any); p["targetPort"] != p["name"] {
				return fmt.Errorf("port %v leads to %v", p["name"], p["targetPort"])
			}
		}
		return nil
	})
	if st := s.get(apps, "web"); stateOf(st).phase != "Running" {
		t.Errorf("%s", stateOf(st))
	} else if n, _, _ := unstructured.NestedInt64(st.Object, "status", "corrections"); n != 0 {
		t.Errorf("%d changes of Mote's own were taken for somebody else's", n)
	}
}

// TestAppSelectorReplaced: a Deployment whose immutable selector is another one is
// made anew, and its pods serve until new ones do.
func TestAppSelectorReplaced(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", nil))
	s.runs(apps, "web")
	s.kubectl("annotate", "mapp/web", "mote.example.com/paused=true")
	s.kubectl("wait", "--for=condition=Paused", "mapp/web", "--timeout=120s")
	s.kubectl("delete", "deployment", "web", "--cascade=foreground", "--timeout=60s")
	owner := s.get(apps, "web")
	s.kubectlWith(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app.kubernetes.io/managed-by":"mote"},
		"ownerReferences":[{"apiVersion":"example.com/v1","kind":"MyApp","name":"web","uid":"`+string(owner.GetUID())+`","controller":true}]},
		"spec":{"replicas":2,"selector":{"matchLabels":{"old":"selector"}},"template":{"metadata":{"labels":{"old":"selector","mote.example.com/app":"web"}},
		"spec":{"containers":[{"name":"app","image":"example.com/web:0","ports":[{"name":"http","containerPort":8080}]}]}}}}`, "create", "-f", "-")
	s.kubectl("rollout", "status", "deployment/web", "--timeout=60s")
	e := s.watchEndpoints("web")
	s.kubectl("annotate", "mapp/web", "mote.example.com/paused-")
	s.runs(apps, "web")
	s.eventually("the pods of before are gone", func() error {
		for _, p := range s.list(pods, "old=selector") {
			return fmt.Errorf("pod %s", p.GetName())
		}
		return nil
	})
	e.unbroken(t, "another selector")
	if out := s.kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.selector.matchLabels}"); out != `{"mote.example.com/app":"web"}` {
		t.Errorf("the selector is %s", out)
	}

	s.patch("mapp/web", `{"spec":{"config":{"a.conf":"one"}}}`)
	s.holds(configMaps, "web-config", "one", "data", "a.conf")
	s.patch("configmap/web-config", `{"immutable":true}`)
	s.patch("mapp/web", `{"spec":{"config":{"a.conf":"two"}}}`)
	s.holds(configMaps, "web-config", "two", "data", "a.conf")
	s.runs(apps, "web")
}

// TestAppServiceTypes: the Service keeps its address, and its node port as long as
// its type has one.
func TestAppServiceTypes(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", nil))
	s.runs(apps, "web")
	address := s.kubectl("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}")
	node := ""
	for _, kind := range []string{"NodePort", "LoadBalancer", "NodePort", "ClusterIP"} {
		s.patch("mapp/web", `{"spec":{"serviceType":"`+kind+`"}}`)
		s.holds(services, "web", kind, "spec", "type")
		now := s.kubectl("get", "service", "web", "-o", "jsonpath={.spec.ports[0].nodePort}")
		switch {
		case kind == "ClusterIP" && now != "", kind != "ClusterIP" && now == "", kind != "ClusterIP" && node != "" && now != node:
			t.Errorf("%s: the node port is %q, it was %q", kind, now, node)
		}
		node = now
		if now := s.kubectl("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}"); now != address {
			t.Errorf("%s: the address is %s, it was %s", kind, now, address)
		}
		s.runs(apps, "web")
	}
}
