package myapp

import (
	"encoding/json"
	"testing"
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

// newApp is an app of 3 replicas as the API server has it, with changes.
func newApp(changes ...func(*examplev1.MyApp)) *examplev1.MyApp {
	app := &examplev1.MyApp{
		TypeMeta:   metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "MyApp"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "uid-of-web", Generation: 1},
		Spec: examplev1.MyAppSpec{
			Replicas: ptr(int32(3)), Image: "nginx:1.27-alpine", Port: 8080,
			ServiceType: "ClusterIP", ImagePullPolicy: "IfNotPresent",
		},
	}
	for _, change := range changes {
		change(app)
	}
	return app
}

func withConfig(app *examplev1.MyApp) {
	app.Spec.Config = map[string]examplev1.ConfigValue{"app.conf": "level=info\r\n", "empty": ""}
}

func withoutService(app *examplev1.MyApp) { app.Spec.ServiceType = examplev1.ServiceNone }

// tricky has values that an API server writes in another way than they were given.
func tricky(app *examplev1.MyApp) {
	withConfig(app)
	app.Spec.Env = []examplev1.EnvVar{{Name: "EMPTY"}, {Name: "LINES", Value: "a\r\nb\t$(EMPTY)"}, {Name: "dot.ted", Value: "0"}}
	app.Spec.Resources = &examplev1.Resources{
		Requests: map[string]resource.Quantity{
			"cpu": resource.MustParse("0.0001"), "memory": resource.MustParse("0.5Gi"), "ephemeral-storage": resource.MustParse("1e3"),
		},
		Limits: map[string]resource.Quantity{"cpu": resource.MustParse("0.50"), "memory": resource.MustParse("1024Mi")},
	}
	app.Spec.NodeSelector = map[string]examplev1.LabelValue{"kubernetes.io/arch": "amd64", "empty": ""}
	app.Spec.ImagePullSecrets = []examplev1.SecretReference{{Name: "b"}, {Name: "a"}}
	rich(app)
}

// rich has one of each field that is not in newApp.
func rich(app *examplev1.MyApp) {
	s := &app.Spec
	s.Command, s.Args = []examplev1.Word{"/bin/app"}, []examplev1.Word{"--level", ""}
	s.Ports = []examplev1.Port{{Name: "dns", Port: 53, TargetPort: 1053, Protocol: "UDP"}, {Name: "dns-tcp", Port: 53, TargetPort: 1053}}
	s.Probe = &examplev1.Probe{Path: "/healthz", Liveness: true, StartupSeconds: 95, FailureThreshold: 5}
	s.Volumes = []examplev1.Volume{
		{Name: "tmp", MountPath: "/tmp", EmptyDir: &examplev1.EmptyDir{Medium: "Memory", SizeLimit: "0.5Gi"}},
		{Name: "data", MountPath: "/data", PersistentVolumeClaim: &examplev1.ClaimReference{ClaimName: "data"}},
		{Name: "tty", MountPath: "/dev/ttyUSB0", ReadOnly: true, HostPath: &examplev1.HostPath{Path: "/dev/ttyUSB0"}},
	}
	s.SecurityContext = &examplev1.SecurityContext{
		RunAsNonRoot: ptr(false), RunAsUser: ptr(int64(0)), FSGroup: ptr(int64(7)), ReadOnlyRootFilesystem: true, SeccompProfile: "Unconfined",
		Capabilities: &examplev1.Capabilities{Add: []examplev1.Capability{"NET_BIND_SERVICE"}, DropAll: ptr(false)},
	}
	s.ServiceAccountName, s.HostNetwork, s.ProgressDeadlineSeconds = "web", true, 60
	s.Tolerations = []examplev1.Toleration{{Key: "node.kubernetes.io/unreachable", Operator: "Exists", TolerationSeconds: ptr(int64(60)), Effect: "NoExecute"}, {Key: "dedicated", Value: "edge"}}
}

// referring takes something from Secrets and ConfigMaps in each way that there is.
func referring(app *examplev1.MyApp) {
	s := &app.Spec
	s.Env = append(s.Env,
		examplev1.EnvVar{Name: "URI", ValueFrom: &examplev1.ValueFrom{SecretKeyRef: &examplev1.KeyReference{Name: "db", Key: "uri"}}},
		examplev1.EnvVar{Name: "MODE", ValueFrom: &examplev1.ValueFrom{ConfigMapKeyRef: &examplev1.KeyReference{Name: "mode", Key: "x", Optional: true}}})
	s.EnvFrom = []examplev1.EnvFrom{{Prefix: "A_", ConfigMapRef: &examplev1.SourceReference{Name: "more", Optional: true}},
		{SecretRef: &examplev1.SourceReference{Name: "db", Optional: true}}}
	s.Volumes = append(s.Volumes,
		examplev1.Volume{Name: "tls", MountPath: "/tls", Secret: &examplev1.SourceReference{Name: "tls"}},
		examplev1.Volume{Name: "more", MountPath: "/more/x", SubPath: "x", ConfigMap: &examplev1.SourceReference{Name: "more"}})
}

// after gives an app the status of an earlier turn.
func after(phase, reason string, generation int64, ago time.Duration) func(*examplev1.MyApp) {
	return func(app *examplev1.MyApp) {
		status := metav1.ConditionFalse
		if phase == examplev1.PhaseRunning {
			status = metav1.ConditionTrue
		}
		app.Status.Phase, app.Status.ObservedGeneration, app.Status.AppliedGeneration = phase, generation, generation
		app.Status.Conditions = []metav1.Condition{{
			Type: reconcile.ConditionReady, Status: status, Reason: reason, Message: "as before",
			ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(noon.Add(-ago)),
		}}
	}
}

// copyOf is a JSON value as a server would have decoded it.
func copyOf(t testing.TB, v map[string]any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return u.Object
}

// wanted is what an app's children should be while its references are as ever.
func wanted(app *examplev1.MyApp) manifests {
	if len(referencesOf(app)) == 0 {
		return desired(app, "")
	}
	return desired(app, "as ever")
}

// liveOf is a child as the API server has it after it was applied.
func liveOf(t testing.TB, manifest map[string]any) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: normalised(copyOf(t, manifest))}
	u.SetUID("uid-of-a-child")
	u.SetResourceVersion("7")
	u.SetGeneration(1)
	return u
}

// allLive are all wanted children, applied.
func allLive(t testing.TB, app *examplev1.MyApp) children {
	t.Helper()
	var kids children
	for r, manifest := range wanted(app) {
		if manifest != nil {
			kids[r].live = liveOf(t, manifest)
		}
	}
	return kids
}

// rolledOut gives a Deployment the status of so many pods.
func rolledOut(u *unstructured.Unstructured, replicas, updated, available int64, conditions ...any) {
	u.Object["status"] = map[string]any{
		"observedGeneration": u.GetGeneration(), "replicas": replicas, "updatedReplicas": updated,
		"readyReplicas": available, "availableReplicas": available, "conditions": conditions,
	}
}

func condition(kind, status, reason, message string) any {
	return map[string]any{"type": kind, "status": status, "reason": reason, "message": message}
}

// The Progressing condition of a Deployment, as its controller writes it.
var (
	rolling = condition("Progressing", "True", "ReplicaSetUpdated", "is progressing")
	settled = condition("Progressing", "True", "NewReplicaSetAvailable", "has successfully progressed")
	stalled = condition("Progressing", "False", "ProgressDeadlineExceeded", "ReplicaSet has timed out progressing")
)
