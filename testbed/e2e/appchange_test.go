package e2e

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestAppConfigRollsPods: pods never run with an earlier config.
func TestAppConfigRollsPods(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"config": map[string]any{"a.conf": "one"}}))
	s.runs(apps, "web")
	old := s.podsOf("web")
	s.patch("mapp/web", `{"spec":{"config":{"a.conf":"two"}}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	s.holds(configMaps, "web-config", "two", "data", "a.conf")
	s.eventually("all pods are new ones", func() error {
		now := s.podsOf("web")
		for name := range now {
			if old[name] {
				return fmt.Errorf("pod %s is left", name)
			}
		}
		if len(now) != 2 {
			return fmt.Errorf("%d pods", len(now))
		}
		return nil
	})

	// The same config once more rolls nothing.
	pods := s.podsOf("web")
	s.patch("mapp/web", `{"spec":{"port":9090}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	s.patch("mapp/web", `{"spec":{"serviceType":"NodePort"}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	after := s.podsOf("web")
	s.patch("mapp/web", `{"spec":{"serviceType":"ClusterIP"}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	if fmt.Sprint(after) != fmt.Sprint(s.podsOf("web")) {
		t.Error("a change of the Service rolled the pods")
	}
	if fmt.Sprint(after) == fmt.Sprint(pods) {
		t.Error("a change of the port did not roll the pods")
	}
}

// TestAppPortRollsOnce: a change of the port rolls the pods once, to all that the spec
// says by then, and is one write; also where somebody else has a hand in the port.
func TestAppPortRollsOnce(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", nil))
	s.runs(apps, "web")
	at := func() (generation int64, revision, template string) {
		d := s.get(deployments, "web")
		c := d.Object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
		return d.GetGeneration(), d.GetAnnotations()["deployment.kubernetes.io/revision"], fmt.Sprint(c["image"], " ", c["ports"].([]any)[0].(map[string]any)["containerPort"], " ", len(c["ports"].([]any)))
	}
	rolled := func(what, revision, template string, generation int64) {
		t.Helper()
		s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
		s.runs(apps, "web")
		s.kubectl("rollout", "status", "deployment/web", "--timeout=60s")
		if g, r, is := at(); g != generation || r != revision || is != template {
			t.Errorf("%s: generation %d, revision %s, %s; want %d, %s, %s", what, g, r, is, generation, revision, template)
		}
	}
	rolled("at first", "1", "example.com/web:1 8080 1", 1)
	s.apply(app("web", nil))
	rolled("the same again", "1", "example.com/web:1 8080 1", 1)
	s.apply(app("web", fields{"port": 9090, "image": "example.com/web:2"}))
	rolled("port and image", "2", "example.com/web:2 9090 1", 2)
	s.patch("mapp/web", `{"spec":{"port":9091}}`)
	rolled("the port alone", "3", "example.com/web:2 9091 1", 3)

	// Somebody else numbers the port, while Mote does not look: with what comes then it is
	// put right at once.
	s.kubectl("annotate", "mapp/web", "mote.example.com/paused=true")
	s.kubectl("wait", "--for=condition=Paused", "mapp/web", "--timeout=120s")
	s.kubectl("patch", "deployment", "web", "--type=json", "-p", `[{"op":"replace","path":"/spec/template/spec/containers/0/ports/0/containerPort","value":99}]`)
	s.kubectl("rollout", "status", "deployment/web", "--timeout=60s")
	s.patch("mapp/web", `{"spec":{"port":9092,"image":"example.com/web:3"}}`)
	s.kubectl("annotate", "mapp/web", "mote.example.com/paused-")
	s.eventually("it is put right", func() error {
		if _, _, is := at(); is != "example.com/web:3 9092 1" {
			return fmt.Errorf("%s", is)
		}
		return nil
	})
	rolled("a port that somebody numbered", "5", "example.com/web:3 9092 1", 5)
	s.patch("mapp/web", `{"spec":{"port":9093,"image":"example.com/web:4"}}`)
	rolled("and then", "6", "example.com/web:4 9093 1", 6)
}

// podsOf are the names of an app's pods.
func (s *site) podsOf(name string) map[string]bool {
	s.t.Helper()
	out := map[string]bool{}
	for _, p := range s.list(pods, "mote.example.com/app="+name) {
		out[p.GetName()] = true
	}
	return out
}

// TestAppChildrenThatAreNotWanted go away, and come back.
func TestAppChildrenThatAreNotWanted(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"config": map[string]any{"a.conf": "one"}, "env": []any{map[string]any{"name": "A", "value": "1"}}}))
	s.runs(apps, "web")
	s.holds(services, "web", "ClusterIP", "spec", "type")

	s.patch("mapp/web", `{"spec":{"serviceType":"NodePort"}}`)
	s.holds(services, "web", "NodePort", "spec", "type")
	nodePort := func() any {
		ports, _, _ := unstructured.NestedSlice(s.get(services, "web").Object, "spec", "ports")
		return ports[0].(map[string]any)["nodePort"]
	}
	given := nodePort()
	if n, _ := given.(int64); n == 0 {
		t.Errorf("no node port was given: %v", given)
	}
	s.patch("mapp/web", `{"spec":{"port":9090}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	if now := nodePort(); now != given {
		t.Errorf("the node port became %v, it was %v", now, given)
	}

	s.patch("mapp/web", `{"spec":{"serviceType":"None","config":null,"env":null}}`)
	s.gone(services, "web")
	s.gone(configMaps, "web-config")
	s.runs(apps, "web")
	if env := s.kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[0].env}{.spec.template.spec.volumes}"); env != "" {
		t.Errorf("the Deployment keeps what was removed: %s", env)
	}

	s.patch("mapp/web", `{"spec":{"serviceType":"LoadBalancer","config":{"b.conf":"x"}}}`)
	s.holds(services, "web", "LoadBalancer", "spec", "type")
	s.holds(configMaps, "web-config", "x", "data", "b.conf")
	s.runs(apps, "web")
	s.kubectl("delete", "mapp", "web", "--cascade=foreground", "--timeout=120s")
	s.childless()
}

// TestAppKeepsWhatItStates: all that a spec says is in the Deployment.
func TestAppKeepsWhatItStates(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{
		"env":              []any{map[string]any{"name": "GREETING", "value": "hello"}},
		"resources":        map[string]any{"requests": map[string]any{"cpu": "10m", "memory": "16Mi"}, "limits": map[string]any{"memory": "64Mi"}},
		"imagePullPolicy":  "Never",
		"imagePullSecrets": []any{map[string]any{"name": "registry"}},
		"nodeSelector":     map[string]any{"kubernetes.io/os": "linux"},
	}))
	s.runs(apps, "web")
	for path, want := range map[string]string{
		"{.spec.template.spec.containers[0].env[0].name}={.spec.template.spec.containers[0].env[0].value}": "GREETING=hello",
		"{.spec.template.spec.containers[0].resources.requests.cpu}":                                       "10m",
		"{.spec.template.spec.containers[0].resources.limits.memory}":                                      "64Mi",
		"{.spec.template.spec.containers[0].imagePullPolicy}":                                              "Never",
		"{.spec.template.spec.containers[0].ports[0].containerPort}":                                       "8080",
		"{.spec.template.spec.imagePullSecrets[0].name}":                                                   "registry",
		"{.spec.template.spec.nodeSelector}":                                                               `{"kubernetes.io/os":"linux"}`,
	} {
		if is := s.kubectl("get", "deployment", "web", "-o", "jsonpath="+path); is != want {
			t.Errorf("%s is %q, want %q", path, is, want)
		}
	}
}
