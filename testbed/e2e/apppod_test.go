package e2e

import (
	"testing"
)

// all is a spec with one of each field that makes something of a pod.
func all() fields {
	return fields{
		"command": []any{"/bin/app"}, "args": []any{"--level", "info"},
		"ports": []any{map[string]any{"name": "dns", "port": 53, "targetPort": 1053, "protocol": "UDP"}, map[string]any{"name": "dns-tcp", "port": 53, "targetPort": 1053}},
		"probe": map[string]any{"path": "/healthz", "liveness": true},
		"env": []any{
			map[string]any{"name": "A", "value": "1"},
			map[string]any{"name": "B", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": "creds", "key": "uri"}}},
			map[string]any{"name": "C", "valueFrom": map[string]any{"configMapKeyRef": map[string]any{"name": "settings", "key": "mode"}}},
		},
		"envFrom": []any{map[string]any{"prefix": "X_", "configMapRef": map[string]any{"name": "settings"}}, map[string]any{"secretRef": map[string]any{"name": "creds"}}},
		"volumes": []any{
			map[string]any{"name": "tmp", "mountPath": "/tmp", "emptyDir": map[string]any{"medium": "Memory", "sizeLimit": "0.5Gi"}},
			map[string]any{"name": "creds", "mountPath": "/creds", "secret": map[string]any{"name": "creds"}},
			map[string]any{"name": "one", "mountPath": "/one", "subPath": "mode", "configMap": map[string]any{"name": "settings"}},
		},
		"config":          map[string]any{"a.conf": "one"},
		"securityContext": map[string]any{"runAsUser": 65532, "readOnlyRootFilesystem": true, "capabilities": map[string]any{"add": []any{"NET_BIND_SERVICE"}}},
		"tolerations":     []any{map[string]any{"key": "example.com/dedicated", "value": "edge"}},
		"strategy":        map[string]any{"maxSurge": 0},
		"nodeSelector":    map[string]any{"kubernetes.io/os": "linux"},
		"resources":       map[string]any{"limits": map[string]any{"memory": "64Mi"}},
	}
}

// others makes the Secret and the ConfigMap that all refers to.
func (s *site) others() {
	s.t.Helper()
	s.kubectl("create", "secret", "generic", "creds", "--from-literal=uri=postgresql://nobody-knows-this")
	s.kubectl("create", "configmap", "settings", "--from-literal=mode=one")
}

// TestAppRestricted: pods come up in a namespace that enforces the restricted Pod
// Security level, unless their app opts out of it.
func TestAppRestricted(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.kubectl("label", "namespace", s.ns, "pod-security.kubernetes.io/enforce=restricted", "pod-security.kubernetes.io/enforce-version=latest")
	s.others()
	s.start()
	s.apply(app("small", nil), app("large", all()))
	s.runs(apps, "small", "large")
	s.apply(app("root", fields{"securityContext": map[string]any{"runAsNonRoot": false}}))
	s.stuck(apps, "root", "Failed", "ReplicaFailure", "violates PodSecurity", "runAsNonRoot")
	s.patch("mapp/root", `{"spec":{"securityContext":null}}`)
	s.runs(apps, "root")
}

// TestAppNode: what is of the node itself needs the controller's word.
func TestAppNode(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	first := s.start()
	tty := []any{map[string]any{"name": "tty", "mountPath": "/dev/ttyUSB0", "hostPath": map[string]any{"path": "/dev/ttyUSB0", "type": "CharDevice"}}}
	s.apply(app("path", fields{"volumes": tty}), app("network", fields{"hostNetwork": true, "replicas": 1}), app("running", nil))
	path := s.stuck(apps, "path", "Failed", "NotAllowed", "/dev/ttyUSB0", "--allow-host-paths")
	s.told(path.uid, "NotAllowed", "--allow-host-paths")
	s.stuck(apps, "network", "Failed", "NotAllowed", "--allow-host-network")
	s.runs(apps, "running")
	s.patch("mapp/running", `{"spec":{"hostNetwork":true}}`)
	s.stuck(apps, "running", "Failed", "NotAllowed", "--allow-host-network")
	s.patch("mapp/running", `{"spec":{"hostNetwork":false}}`)
	s.runs(apps, "running")
	s.stop(first)
	s.start("--allow-host-paths", "/srv,/dev", "--allow-host-network")
	s.runs(apps, "path", "network")
	if out := s.kubectl("get", "deployment", "network", "-o", "jsonpath={.spec.template.spec.hostNetwork} {.spec.template.spec.containers[0].ports[0].hostPort}"); out != "true 8080" {
		t.Errorf("the pods of hostNetwork have %q", out)
	}
	s.patch("mapp/network", `{"spec":{"hostNetwork":false}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/network", "--timeout=120s")
	if out := s.kubectl("get", "deployment", "network", "-o", "jsonpath={.spec.template.spec.hostNetwork}{.spec.template.spec.containers[0].ports[0].hostPort}"); out != "" {
		t.Errorf("the pods keep %q of hostNetwork", out)
	}
}

// TestAppFieldsOfAnotherSort: a field can become one of another sort, and go, and
// nothing of what it was stays behind.
func TestAppFieldsOfAnotherSort(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.others()
	s.start()
	s.apply(app("web", all()))
	s.runs(apps, "web")
	for _, change := range []string{
		`{"spec":{"probe":{"path":null,"tcp":true}}}`,
		`{"spec":{"probe":{"path":"/","tcp":null,"liveness":false}}}`,
		`{"spec":{"strategy":{"type":"Recreate","maxSurge":null}}}`,
		`{"spec":{"strategy":{"type":"RollingUpdate"}}}`,
		`{"spec":{"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"creds","key":"uri"}}},{"name":"B","value":"2"},{"name":"C","valueFrom":{"secretKeyRef":{"name":"creds","key":"uri"}}}]}}`,
		`{"spec":{"volumes":[{"name":"tmp","mountPath":"/tmp","secret":{"name":"creds"}},{"name":"creds","mountPath":"/creds","configMap":{"name":"settings"}},{"name":"one","mountPath":"/one","emptyDir":{}}]}}`,
		`{"spec":{"volumes":[{"name":"tmp","mountPath":"/creds","emptyDir":{}},{"name":"creds","mountPath":"/tmp","emptyDir":{}}]}}`,
		`{"spec":{"resources":{"limits":{"memory":"16Mi"}}}}`,
		`{"spec":{"resources":null}}`,
		`{"spec":{"securityContext":{"runAsNonRoot":false,"runAsUser":0,"capabilities":{"dropAll":false}}}}`,
		`{"spec":{"ports":[{"name":"dns","port":5353,"targetPort":1053}]}}`,
		`{"spec":{"port":null,"ports":[{"name":"web","port":8080}]}}`,
		`{"spec":{"command":null,"args":null,"ports":null,"port":80,"probe":null,"env":null,"envFrom":null,"volumes":null,"config":null,"securityContext":null,"tolerations":null,"strategy":null,"nodeSelector":null}}`,
	} {
		s.patch("mapp/web", change)
		st := s.shows(apps, "web", "has "+change, func(st state) bool { return st.isReady() || st.phase == "Failed" })
		if !st.isReady() {
			t.Fatalf("after %s: %s", change, st)
		}
	}
	s.apply(app("plain", fields{"port": 80}))
	s.runs(apps, "plain")
	if n := len(s.ports(services, "spec")); n != 1 {
		t.Errorf("the Service has %d ports, of which only one is wanted", n)
	}
	const pod = "jsonpath={.spec.strategy}{.spec.template.spec.containers[0]['ports','resources','readinessProbe','securityContext','volumeMounts','env','command']}{.spec.template.spec['volumes','tolerations','securityContext']}"
	web, plain := s.kubectl("get", "deployment", "web", "-o", pod), s.kubectl("get", "deployment", "plain", "-o", pod)
	if web != plain {
		t.Errorf("after all changes the pods are\n%s\nand not, as those of a new app,\n%s", web, plain)
	}
}
