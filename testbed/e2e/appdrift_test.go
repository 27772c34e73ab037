package e2e

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestAppDrift: what others do to an app's children is put right.
func TestAppDrift(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"config": map[string]any{"a.conf": "one"}}))
	s.runs(apps, "web")

	s.kubectl("scale", "deployment", "web", "--replicas=7")
	s.holds(deployments, "web", "2", "spec", "replicas")
	s.patch("service/web", `{"spec":{"selector":{"mote.example.com/app":"other"}}}`)
	s.holds(services, "web", "web", "spec", "selector", "mote.example.com/app")
	s.patch("configmap/web-config", `{"data":{"a.conf":"two","b.conf":"three"}}`)
	s.holds(configMaps, "web-config", "one", "data", "a.conf")
	s.kubectl("label", "deployment", "web", "app.kubernetes.io/managed-by-")
	s.holds(deployments, "web", "mote", "metadata", "labels", "app.kubernetes.io/managed-by")
	s.kubectl("set", "image", "deployment/web", "app=example.com/other:1")
	s.eventually("the image is as the spec says again", func() error {
		if image := s.kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[0].image}"); image != "example.com/web:1" {
			return fmt.Errorf("image %s", image)
		}
		return nil
	})
	for _, child := range []struct {
		r    schema.GroupVersionResource
		name string
	}{{deployments, "web"}, {services, "web"}, {configMaps, "web-config"}} {
		old := s.get(child.r, child.name).GetUID()
		s.kubectl("delete", child.r.Resource, child.name)
		s.eventually(child.r.Resource+" "+child.name+" is made again", func() error {
			u, err := s.fetch(child.r, child.name)
			if err == nil && u.GetUID() == old {
				return fmt.Errorf("the old one is there yet")
			}
			return err
		})
	}
	s.runs(apps, "web")
}

// TestAppUndone: an earlier state that kubectl rollout undo brought back goes at once,
// and with it what the app does not state any more; what others set on purpose stays.
func TestAppUndone(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"replicas": 1, "args": []any{"--debug"}, "env": []any{map[string]any{"name": "DEBUG", "value": "1"}},
		"nodeSelector": map[string]any{"kubernetes.io/os": "linux"}}))
	s.runs(apps, "web")
	s.patch("mapp/web", `{"spec":{"image":"example.com/web:2","args":null,"env":null,"nodeSelector":null}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	s.holds(apps, "web", "2", "status", "appliedGeneration")
	s.runs(apps, "web")
	s.kubectl("patch", "deployment", "web", "-p", `{"spec":{"minReadySeconds":1}}`)
	s.kubectl("rollout", "undo", "deployment", "web", "--to-revision=1")
	const template = "jsonpath={.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].args} {.spec.template.spec.containers[0].env} {.spec.template.spec.nodeSelector} {.spec.minReadySeconds}"
	s.eventually("the Deployment is as the spec says again", func() error {
		if is := s.kubectl("get", "deployment", "web", "-o", template); is != "example.com/web:2    1" {
			return fmt.Errorf("it is %q", is)
		}
		return nil
	})
	s.holds(apps, "web", "1", "status", "corrections")
	s.eventually("an Event tells of it", func() error {
		const want = `Deployment "web" was put back to an earlier state by "kubectl"; put right`
		if is := s.kubectl("get", "events.events.k8s.io", "-o", "jsonpath={.items[*].note}"); !strings.Contains(is, want) {
			return fmt.Errorf("they tell %q", is)
		}
		return nil
	})
	s.runs(apps, "web")

	// What an undo left once, when nobody noticed it.
	s.kubectl("patch", "deployment", "web", "--field-manager=kubectl", "-p", `{"spec":{"template":{"spec":{"containers":[{"name":"app","args":["--debug"]}]}}}}`)
	s.patch("mapp/web", `{"spec":{"image":"example.com/web:3"}}`)
	s.eventually("it goes with the next change", func() error {
		if is := s.kubectl("get", "deployment", "web", "-o", template); is != "example.com/web:3    1" {
			return fmt.Errorf("it is %q", is)
		}
		return nil
	})
}

// TestAppUndoneAgainAndAgain is not fought over without end.
func TestAppUndoneAgainAndAgain(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", nil))
	s.runs(apps, "web")
	s.patch("mapp/web", `{"spec":{"image":"example.com/web:2"}}`)
	s.holds(apps, "web", "2", "status", "appliedGeneration")
	const freely = 5
	for n := range freely {
		s.kubectl("rollout", "undo", "deployment", "web")
		s.holds(apps, "web", fmt.Sprint(n+1), "status", "corrections")
		s.runs(apps, "web") // the next undo goes back to what is older than that
	}
	s.kubectl("rollout", "undo", "deployment", "web")
	s.kubectl("wait", "--for=jsonpath={.status.conditions[?(@.type=='Ready')].reason}=Contested", "mapp/web", "--timeout=60s")
	s.holds(apps, "web", fmt.Sprint(freely), "status", "corrections")
}

// TestAppReplaced: a saved state that somebody puts back whole goes as well, all of it.
func TestAppReplaced(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"config": map[string]any{"a.conf": "one", "b.conf": "two"},
		"ports": []any{map[string]any{"name": "http", "port": 80}, map[string]any{"name": "old", "port": 81}}, "port": nil}))
	s.runs(apps, "web")
	children := []struct {
		r    schema.GroupVersionResource
		name string
		part []string
	}{{configMaps, "web-config", []string{"data"}}, {services, "web", []string{"spec", "ports"}}, {deployments, "web", []string{"spec"}}}
	specs := func() (all []string) {
		for _, c := range children {
			part, _, _ := unstructured.NestedFieldNoCopy(s.get(c.r, c.name).Object, c.part...)
			all = append(all, fmt.Sprint(part))
		}
		return all
	}
	var saved []*unstructured.Unstructured
	for _, c := range children {
		u := s.get(c.r, c.name)
		u.SetResourceVersion("")
		saved = append(saved, u)
	}
	s.patch("mapp/web", `{"spec":{"config":{"b.conf":null},"ports":[{"name":"http","port":80}],"strategy":{"type":"Recreate"}}}`)
	s.holds(apps, "web", "2", "status", "appliedGeneration")
	s.runs(apps, "web")
	want := specs()
	for n, u := range saved {
		text, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		s.kubectlWith(string(text), "replace", "-f", "-")
		s.holds(apps, "web", fmt.Sprint(n+1), "status", "corrections")
		if is := specs()[n]; is != want[n] {
			t.Errorf("%s %s is  %s\nwant %s", children[n].r.Resource, children[n].name, is, want[n])
		}
	}
	s.runs(apps, "web")
}

// TestAppPortsEdited: a port whose number somebody changed is put right, and not
// kept beside the right one.
func TestAppPortsEdited(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"serviceType": "NodePort"}))
	s.runs(apps, "web")
	port := func(r schema.GroupVersionResource, field string, path ...string) func() error {
		was := s.ports(r, path...)
		return func() error {
			if is := s.ports(r, path...); fmt.Sprint(is) != fmt.Sprint(was) {
				return fmt.Errorf("%s: ports are %v, they were %v", field, is, was)
			}
			return nil
		}
	}
	service, container := port(services, "Service", "spec"), port(deployments, "container", "spec", "template", "spec", "containers")
	s.patch("service/web", `{"spec":{"ports":[{"name":"http","port":99,"nodePort":`+nodePortOf(s.ports(services, "spec"))+`}]}}`)
	s.eventually("the Service's port is as it was, with its node port", service)
	s.kubectl("patch", "deployment", "web", "--type=json", "-p", `[{"op":"replace","path":"/spec/template/spec/containers/0/ports/0/containerPort","value":99}]`)
	s.eventually("the container's port is as it was", container)
	s.runs(apps, "web")
	s.patch("mapp/web", `{"spec":{"port":9090}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	if n := len(s.ports(services, "spec")); n != 1 {
		t.Errorf("the Service has %d ports", n)
	}
}

// ports are those of a Service, or of the first container of a Deployment.
func (s *site) ports(r schema.GroupVersionResource, path ...string) []any {
	s.t.Helper()
	at := s.get(r, "web").Object
	for _, p := range path {
		switch next := at[p].(type) {
		case map[string]any:
			at = next
		case []any:
			at = next[0].(map[string]any)
		}
	}
	list, _ := at["ports"].([]any)
	return list
}

func nodePortOf(ports []any) string {
	return fmt.Sprint(ports[0].(map[string]any)["nodePort"])
}

// holds waits until a field of an object has a value.
func (s *site) holds(r schema.GroupVersionResource, name, value string, field ...string) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("%s %s has %s in %v", r.Resource, name, value, field), func() error {
		return s.hasNow(r, name, value, field...)
	})
}

// TestAppDriftWhileNobodyWatched is put right by the next mote.
func TestAppDriftWhileNobodyWatched(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	first := s.start()
	s.apply(app("web", nil), app("gone", nil))
	s.runs(apps, "web", "gone")
	s.stop(first)
	s.kubectl("delete", "deployment", "web")
	s.kubectl("scale", "deployment", "gone", "--replicas=5")
	s.start()
	s.eventually("the Deployment is made again", func() error { _, err := s.fetch(deployments, "web"); return err })
	s.holds(deployments, "gone", "2", "spec", "replicas")
	s.runs(apps, "web", "gone")
}
