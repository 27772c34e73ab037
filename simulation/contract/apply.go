package contract

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// none is a resourceVersion that no object ever has.
const none = "9223372036854775807"

func config(name, version, data string) *unstructured.Unstructured {
	u := object(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q},"data":%s}`, name, data)
	if version != "" {
		u.SetResourceVersion(version)
	}
	return u
}

// An apply that names a version makes the object where there is none, and else
// only hits that version.
func applyMakes(r *rig) {
	made := r.applied(configs, "mote", config("a", none, `{"x":"1"}`))
	if made.GetUID() == "" || made.GetResourceVersion() == none {
		r.Errorf("made: %v", made.Object["metadata"])
	}
	_, err := r.apply(configs, "mote", true, config("a", none, `{"x":"2"}`))
	r.answers(err, 409, metav1.StatusReasonConflict)
	now := r.applied(configs, "mote", config("a", made.GetResourceVersion(), `{"x":"2"}`))
	_, err = r.apply(configs, "mote", true, config("a", made.GetResourceVersion(), `{"x":"3"}`))
	r.answers(err, 409, metav1.StatusReasonConflict)
	r.same(configs, now)
	if again := r.applied(configs, "mote", config("a", now.GetResourceVersion(), `{"x":"2"}`)); again.GetResourceVersion() != now.GetResourceVersion() {
		r.Error("an apply that changes nothing makes a new version")
	}
	_, err = r.client.Resource(configs).Namespace("nowhere").Apply(r.Context(), "a", config("a", none, `{}`), metav1.ApplyOptions{FieldManager: "mote", Force: true})
	r.answers(err, 404, metav1.StatusReasonNotFound)
}

// What a manager applied and does not apply any more goes, if nobody else owns it.
func applyTakesBack(r *rig) {
	r.applied(configs, "mote", config("a", "", `{"x":"1","y":"1"}`))
	r.patch(configs, "a", `{"data":{"z":"1"},"metadata":{"labels":{"theirs":"1"}}}`)
	now := r.applied(configs, "mote", config("a", "", `{"x":"1"}`))
	r.holds(now, `{"x":"1","z":"1"}`, "data")
	r.holds(now, `{"theirs":"1"}`, "metadata", "labels")
	r.patch(configs, "a", `{"data":{"x":"9"}}`) // now it is theirs as well
	r.holds(r.applied(configs, "mote", config("a", "", `{"y":"2"}`)), `{"x":"9","y":"2","z":"1"}`, "data")
	// What one made by a POST is not taken back by an apply.
	r.make(configs, config("b", "", `{"x":"1"}`))
	r.holds(r.applied(configs, manager, config("b", "", `{"y":"1"}`)), `{"x":"1","y":"1"}`, "data")
}

func applyMeetsAnother(r *rig) {
	r.applied(configs, "mote", config("a", "", `{"x":"1","y":"1"}`))
	_, err := r.apply(configs, "other", false, config("a", "", `{"x":"2"}`))
	r.answers(err, 409, metav1.StatusReasonConflict)
	if _, err := r.apply(configs, "other", false, config("a", "", `{"x":"1"}`)); err != nil {
		r.Errorf("two that want the same: %v", err)
	}
	r.holds(r.applied(configs, "other", config("a", "", `{"x":"2"}`)), `{"x":"2","y":"1"}`, "data")
	now := r.applied(configs, "mote", config("a", "", `{"x":"1"}`))
	r.holds(now, `{"x":"1"}`, "data")
}

func service(port int, more string) *unstructured.Unstructured {
	return object(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"type":"ClusterIP","selector":{"app":"a"},
		"ports":[{"name":"http","port":%d,"protocol":"TCP","targetPort":"http"}]%s}}`, port, more)
}

// Ports are told apart by number and protocol.
func applyPorts(r *rig) {
	made := r.applied(services, "mote", service(80, ""))
	r.holds(made, `"ClusterIP"`, "spec", "type")
	address, _, _ := unstructured.NestedString(made.Object, "spec", "clusterIP")
	if address == "" {
		r.Error("a Service without an address")
	}
	r.patch(services, "a", `{"spec":{"selector":{"app":"a","theirs":"1"},"sessionAffinity":"ClientIP"}}`)
	now := r.applied(services, "mote", service(81, ""))
	r.holds(now, `{"app":"a"}`, "spec", "selector") // one value
	r.holds(now, `"ClientIP"`, "spec", "sessionAffinity")
	r.holds(now, fmt.Sprintf("%q", address), "spec", "clusterIP")
	ports, _, _ := unstructured.NestedSlice(now.Object, "spec", "ports")
	if len(ports) != 1 || ports[0].(map[string]any)["port"] != int64(81) {
		r.Errorf("ports %v", ports)
	}
	// Ours got another number from somebody: it stays beside ours, with its name.
	r.patch(services, "a", `{"spec":{"ports":[{"name":"http","port":82,"protocol":"TCP","targetPort":"http"}]}}`)
	_, err := r.apply(services, "mote", true, service(81, ""))
	r.answers(err, 422, metav1.StatusReasonInvalid)
}

func deployment(image, env string) *unstructured.Unstructured {
	return object(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"a"}},
		"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"app","image":%q,"env":%s,"ports":[{"containerPort":80,"protocol":"TCP","name":"http"}],
		"resources":{"limits":{"cpu":"0.5"}}}]}}}}`, image, env)
}

func applyDeployment(r *rig) {
	made := r.applied(deployments, "mote", deployment("nginx:1", `[{"name":"A","value":"1"},{"name":"B","value":""}]`))
	if made.GetGeneration() != 1 {
		r.Errorf("generation %d", made.GetGeneration())
	}
	r.holds(made, "600", "spec", "progressDeadlineSeconds")
	containers := func(u *unstructured.Unstructured) map[string]any {
		list, _, _ := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
		if len(list) != 1 {
			r.Fatalf("%d containers", len(list))
		}
		return list[0].(map[string]any)
	}
	c := containers(made)
	r.holds(&unstructured.Unstructured{Object: c}, `[{"name":"A","value":"1"},{"name":"B"}]`, "env")
	r.holds(&unstructured.Unstructured{Object: c}, `{"limits":{"cpu":"500m"}}`, "resources")
	r.patch(deployments, "a", `{"status":{"observedGeneration":1,"replicas":2,"availableReplicas":1,"readyReplicas":1}}`, "status")
	now := r.applied(deployments, "mote", deployment("nginx:2", `[{"name":"B","value":"2"}]`))
	if now.GetGeneration() != 2 {
		r.Errorf("generation %d", now.GetGeneration())
	}
	r.holds(now, "1", "status", "observedGeneration")
	r.holds(&unstructured.Unstructured{Object: containers(now)}, `[{"name":"B","value":"2"}]`, "env")
	if now = r.patch(deployments, "a", `{"metadata":{"annotations":{"x":"y"}}}`); now.GetGeneration() != 3 {
		r.Errorf("generation %d after an annotation", now.GetGeneration())
	}
	if now = r.patch(deployments, "a", `{"metadata":{"labels":{"x":"y"}}}`); now.GetGeneration() != 3 {
		r.Errorf("generation %d after a label", now.GetGeneration())
	}
	if again := r.applied(deployments, "mote", deployment("nginx:2", `[{"name":"B","value":"2"}]`)); again.GetResourceVersion() != now.GetResourceVersion() {
		r.Error("an apply that changes nothing makes a new version")
	}
}

func jsonPatch(r *rig) {
	made := r.applied(services, "mote", service(80, ""))
	send := func(patch string) (*unstructured.Unstructured, error) {
		return r.in(services).Patch(r.Context(), "a", types.JSONPatchType, []byte(patch), metav1.PatchOptions{FieldManager: "mote"})
	}
	_, err := send(fmt.Sprintf(`[{"op":"replace","path":"/spec/ports","value":[{"name":"http","port":82,"protocol":"TCP","targetPort":"http"}]},{"op":"replace","path":"/metadata/resourceVersion","value":%q}]`, "1"))
	r.answers(err, 409, metav1.StatusReasonConflict)
	r.same(services, made)
	now, err := send(fmt.Sprintf(`[{"op":"replace","path":"/spec/ports","value":[{"name":"http","port":82,"protocol":"TCP","targetPort":"http"}]},{"op":"replace","path":"/metadata/resourceVersion","value":%q}]`, made.GetResourceVersion()))
	if err != nil {
		r.Fatal(err)
	}
	ports, _, _ := unstructured.NestedSlice(now.Object, "spec", "ports")
	if len(ports) != 1 || ports[0].(map[string]any)["port"] != int64(82) {
		r.Errorf("ports %v", ports)
	}
	_, err = send(`[{"op":"replace","path":"/spec/nothing/here","value":1}]`)
	r.answers(err, 422, metav1.StatusReasonInvalid)
}

// owned is a ConfigMap that belongs to an object.
func owned(name string, owner *unstructured.Unstructured) *unstructured.Unstructured {
	u := config(name, "", `{}`)
	yes := true
	u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(),
		Controller: &yes, BlockOwnerDeletion: &yes}})
	return u
}

func garbage(r *rig) {
	owner := r.make(databases, database("a"))
	r.make(configs, owned("child", owner))
	r.make(configs, config("other", "", `{}`))
	r.patch(databases, "a", `{"metadata":{"finalizers":["example.com/x"]}}`)
	if err := r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{}); err != nil {
		r.Fatal(err)
	}
	r.get(configs, "child")
	r.patch(databases, "a", `{"metadata":{"finalizers":[]}}`)
	r.gone(configs, "child")
	r.get(configs, "other")
}

func foreground(r *rig) {
	owner := r.make(databases, database("a"))
	r.patch(databases, "a", `{"metadata":{"finalizers":["example.com/x"]}}`)
	r.make(configs, owned("child", owner))
	policy := metav1.DeletePropagationForeground
	if err := r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		r.Fatal(err)
	}
	r.gone(configs, "child")
	r.until("only ours is left", func() bool { f := r.get(databases, "a").GetFinalizers(); return len(f) == 1 && f[0] == "example.com/x" })
	r.patch(databases, "a", `{"metadata":{"finalizers":[]}}`)
	r.gone(databases, "a")
}
