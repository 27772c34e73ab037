package crdtest

import (
	"fmt"
	"strings"
	"testing"
)

func TestGoodSpecsAreTaken(t *testing.T) {
	for _, k := range []kind{postgresDB, myApp} {
		created(t, k, "minimal", k.minimal)
		created(t, k, "full", k.full)
	}
	for _, c := range []struct{ object, path, want string }{
		{"pgdb/minimal", "{.spec.chargeType} {.spec.deletionPolicy} {.spec.adminUser}", "PostpaidByHour Isolate dbadmin"},
		{"pgdb/minimal", "{.spec.region}{.spec.zone}{.spec.vpcID}{.spec.connectionSecretName}{.spec.deletionProtection}", ""},
		{"pgdb/full", "{.spec.chargeType} {.spec.deletionPolicy} {.spec.adminUser}", "Prepaid Delete _Owner9"},
		{"mapp/minimal", "{.spec.replicas} {.spec.serviceType} {.spec.imagePullPolicy}", " ClusterIP IfNotPresent"},
		{"mapp/full", "{.spec.replicas} {.spec.serviceType} {.spec.imagePullPolicy}", "0 None Always"},
	} {
		if got := accepted(t, "", "get", c.object, "-o", "jsonpath="+c.path); got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.object, c.path, got, c.want)
		}
	}
	longest := strings.Repeat("x", 52)
	created(t, postgresDB, longest, postgresDB.minimal)
}

// Whatever a kubelet takes as an image is taken.
func TestGoodImagesAreTaken(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	for i, image := range []string{
		"nginx", "nginx:1.27-alpine", "library/nginx", "docker.io/library/nginx:1", "localhost/app", "localhost:5000/app", "localhost:5000/app:1",
		"registry.example.com:443/a/b-c/d__e.f:V1.0_x", "[::1]:5000/app:1", "[2001:db8::1]/app", "10.0.0.1:5000/app@sha256:" + digest,
		"app:1@sha256:" + digest, "app@sha512:" + digest + digest, "app@sha384:" + digest + digest[:32], "app@blake3:" + digest,
		"MyRegistry/app:1", "EXAMPLE.com/app:TAG", "a--b/c---d:e", "app:" + strings.Repeat("x", 128), "app:_x", "1/2:3", "app:5000",
	} {
		created(t, myApp, fmt.Sprintf("image-%d", i), myApp.minimal.with(fields{"image": `"` + image + `"`}))
	}
}

// What Mote writes into a status is never refused for the sake of the spec, not
// even after a change that only the absence of an instance allowed.
func TestStatusUpdatesAreTaken(t *testing.T) {
	const conditions = `"conditions":[{"type":"Ready","status":"False","reason":"Creating","message":"","lastTransitionTime":"2024-09-01T16:00:45Z","observedGeneration":1}]`
	created(t, postgresDB, "lived", postgresDB.minimal)
	for _, status := range []string{
		`{"phase":"Pending","observedGeneration":1,` + conditions + `}`,
		`{"phase":"Provisioning","create":{"name":"mote-1","startedAt":"2024-09-01T16:00:45Z"}}`,
		`{"create":{"ambiguousSince":"2024-09-01T16:00:46Z","cleanLookups":2,"orders":["2024"]}}`,
		`{"phase":"Running","create":null,"instanceID":"postgres-1","region":"ap-guangzhou","endpoint":"10.0.0.1:5432",
		  "engineVersion":"15.3","instanceClass":"8C16G","storageGB":500,"lastReconciled":"2024-09-01T16:00:45Z"}`,
		`{"phase":"Updating"}`, `{"phase":"Failed"}`, `{"phase":"Deleting","instanceID":null}`,
	} {
		withStatus(t, postgresDB, "lived", status)
	}
	created(t, myApp, "lived", myApp.minimal)
	for _, status := range []string{
		`{"phase":"Progressing","replicas":0,"readyReplicas":0,"availableReplicas":0,"selector":"app=x","observedGeneration":1,` + conditions + `}`,
		`{"phase":"Degraded","replicas":3,"readyReplicas":1,"availableReplicas":1,"lastReconciled":"2024-09-01T16:00:45Z"}`,
		`{"phase":"Running"}`, `{"phase":"Stopped","corrections":3,"appliedGeneration":2,"childrenHash":"1f2e3d"}`, `{"phase":"Failed"}`, `{"phase":"Pending"}`,
	} {
		withStatus(t, myApp, "lived", status)
	}
	// Nor are changes of the metadata, which take finalizers on and off.
	for _, k := range []kind{postgresDB, myApp} {
		accepted(t, "", "patch", k.resource, "lived", "--type=merge", "-p", `{"metadata":{"finalizers":["example.com/test"]}}`)
		accepted(t, "", "patch", k.resource, "lived", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	}
}

func TestScale(t *testing.T) {
	created(t, myApp, "scaled", myApp.minimal)
	accepted(t, "", "scale", "mapp", "scaled", "--replicas=3")
	if got := accepted(t, "", "get", "mapp", "scaled", "-o", "jsonpath={.spec.replicas}"); got != "3" {
		t.Errorf("%s replicas after kubectl scale, want 3", got)
	}
	refused(t, []string{"replicas is 0 to 1000"}, "", "scale", "mapp", "scaled", "--replicas=1001")
}
