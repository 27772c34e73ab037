package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/cloud/standin"
	"example.com/mote/crd/databasev1"
	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile/postgresdb"
)

const (
	// patience is how long it may take, without any more trouble, until everything is
	// as it should be: refusals are tried again every ten minutes, and some things wait
	// for the last one that waits.
	patience = 2 * time.Hour
	// last is how long it may take until the last turn that was put off is over, and
	// quiet for how long nobody may ask anything then.
	last, quiet = 11 * time.Minute, 30 * time.Minute
)

// judge waits until everything is as it should be, and then sees that nothing
// happens any more. It returns the rule that is broken.
func (w *world) judge() error {
	for {
		v := w.look()
		if err := w.doubled(v); err != nil {
			return err
		}
		why := w.unsettled(v)
		if why == nil {
			break
		}
		if time.Since(w.began) > w.plan.span+patience {
			return fmt.Errorf("%s after the last trouble: %w", patience, why)
		}
		time.Sleep(time.Minute)
	}
	time.Sleep(last)
	w.mu.Lock()
	w.note("--- at rest")
	before := w.asked
	w.mu.Unlock()
	time.Sleep(quiet)
	w.mu.Lock()
	after := w.asked
	w.mu.Unlock()
	if after != before {
		return fmt.Errorf("at rest, there are %d requests in %s", after-before, quiet)
	}
	v := w.look()
	if err := w.unsettled(v); err != nil {
		return fmt.Errorf("it was at rest, and is not any more: %w", err)
	}
	return w.told(v)
}

// view is the world at one moment.
type view struct {
	objects map[schema.GroupVersionResource][]unstructured.Unstructured
	living  map[string]bool // uids
	ledger  []standin.Entry
}

func (w *world) look() view {
	v := view{objects: map[schema.GroupVersionResource][]unstructured.Unstructured{}, living: map[string]bool{}, ledger: w.cloud.Ledger()}
	for _, r := range []schema.GroupVersionResource{databaseResource, appResource, secretResource, configResource, serviceResource, deploymentResource, eventResource} {
		l, err := w.people.client.Resource(r).List(w.t.Context(), metav1.ListOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		v.objects[r] = l.Items
		for _, o := range l.Items {
			v.living[string(o.GetUID())] = true
		}
	}
	return v
}

func (v view) find(r schema.GroupVersionResource, namespace, name string) *unstructured.Unstructured {
	for i, o := range v.objects[r] {
		if o.GetNamespace() == namespace && o.GetName() == name {
			return &v.objects[r][i]
		}
	}
	return nil
}

// doubled: for an object at most one instance is ever bought. Nothing of what
// happens here ends one from outside, so there is never a reason for another.
func (w *world) doubled(v view) error {
	bought := map[string]string{}
	for _, e := range v.ledger {
		uid := e.Tags[postgresdb.TagUID]
		if other, twice := bought[uid]; twice {
			return fmt.Errorf("bought twice: %s and %s, both for object %s", other, e.ID, uid)
		}
		bought[uid] = e.ID
	}
	return nil
}

// unsettled is what is not as it should be.
func (w *world) unsettled(v view) error {
	if w.people.busy() {
		return fmt.Errorf("people are still busy")
	}
	for _, o := range v.objects[databaseResource] {
		if err := w.database(v, o); err != nil {
			return fmt.Errorf("%s/%s: %w", o.GetNamespace(), o.GetName(), err)
		}
	}
	for _, o := range v.objects[appResource] {
		if err := app(v, o); err != nil {
			return fmt.Errorf("%s/%s: %w", o.GetNamespace(), o.GetName(), err)
		}
	}
	for _, r := range []schema.GroupVersionResource{secretResource, configResource, serviceResource, deploymentResource} {
		for _, o := range v.objects[r] {
			for _, owner := range o.GetOwnerReferences() {
				if !v.living[string(owner.UID)] {
					return fmt.Errorf("%s %s/%s is left over from %s", r.Resource, o.GetNamespace(), o.GetName(), owner.Name)
				}
			}
		}
	}
	return w.leaked(v)
}

// leaked: no instance without an object, unless the object was deleted in a way that
// leaves it; and what was deleted is gone from the cloud as the policy says.
func (w *world) leaked(v view) error {
	for _, e := range v.ledger {
		uid := e.Tags[postgresdb.TagUID]
		l := w.people.lives[uid]
		switch {
		case l == nil:
			return fmt.Errorf("instance %s belongs to nobody: %s", e.ID, uid)
		case v.living[uid] || !l.deleted:
		case l.policy == databasev1.DeletionRetain:
			if !e.Billed {
				return fmt.Errorf("instance %s of %s was to be left running, and is %s", e.ID, l.name, e.Status)
			}
		case e.Billed:
			return fmt.Errorf("instance %s of %s, which is gone, is left running", e.ID, l.name)
		case l.policy == databasev1.DeletionDelete && e.Ended.IsZero():
			return fmt.Errorf("instance %s of %s was to be destroyed, and is %s", e.ID, l.name, e.Status)
		case l.policy == databasev1.DeletionIsolate && !e.Ended.IsZero():
			return fmt.Errorf("instance %s of %s was to be isolated only, and is destroyed", e.ID, l.name)
		}
	}
	return nil
}

func (w *world) database(v view, u unstructured.Unstructured) error {
	var o databasev1.PostgresDB
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &o); err != nil {
		return err
	}
	ready := ""
	for _, c := range o.Status.Conditions {
		if c.Type == "Ready" {
			ready = fmt.Sprintf("%s, %s: %s", c.Status, c.Reason, c.Message)
		}
	}
	if o.DeletionTimestamp != nil {
		return fmt.Errorf("does not go (%s: %s)", o.Status.Phase, ready)
	}
	if o.Status.Phase != databasev1.PhaseRunning || o.Status.ObservedGeneration != o.Generation || !strings.HasPrefix(ready, "True") || o.Status.Create != nil {
		return fmt.Errorf("is %s of generation %d, has %d (%s)", o.Status.Phase, o.Status.ObservedGeneration, o.Generation, ready)
	}
	at := slices.IndexFunc(v.ledger, func(e standin.Entry) bool { return e.ID == o.Status.InstanceID })
	if at < 0 {
		return fmt.Errorf("its instance %q was never bought", o.Status.InstanceID)
	}
	e := v.ledger[at]
	switch {
	case e.Tags[postgresdb.TagUID] != string(o.UID):
		return fmt.Errorf("has the instance of another, %s", e.ID)
	case e.Status != "running" || e.Endpoint != o.Status.Endpoint:
		return fmt.Errorf("instance %s is %s at %q, the status says %q", e.ID, e.Status, e.Endpoint, o.Status.Endpoint)
	case fmt.Sprintf("%dC%dG", e.CPU, e.MemoryGB) != o.Spec.InstanceClass || e.StorageGB < int(o.Spec.StorageGB): // storage never shrinks
		return fmt.Errorf("instance %s has %dC%dG and %d GB, the spec says %s and %d", e.ID, e.CPU, e.MemoryGB, e.StorageGB, o.Spec.InstanceClass, o.Spec.StorageGB)
	case o.Spec.DeletionProtection != nil && *o.Spec.DeletionProtection != e.DeletionProtection:
		return fmt.Errorf("instance %s is protected: %v", e.ID, e.DeletionProtection)
	case e.Major != o.Spec.EngineVersion:
		return fmt.Errorf("instance %s has version %s", e.ID, e.Version)
	}
	for k, value := range o.Spec.Tags {
		if e.Tags[k] != string(value) {
			return fmt.Errorf("instance %s has the tags %v", e.ID, e.Tags)
		}
	}
	return w.connection(v, o, e)
}

// connection: the Secret tells how to reach the instance, with its password.
func (w *world) connection(v view, o databasev1.PostgresDB, e standin.Entry) error {
	u := v.find(secretResource, o.Namespace, postgresdb.SecretName(&o))
	if u == nil {
		return fmt.Errorf("has no connection Secret")
	}
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	text := func(k string) string {
		b, err := base64.StdEncoding.DecodeString(data[k])
		if err != nil {
			w.t.Error(err)
		}
		return string(b)
	}
	sum := sha256.Sum256([]byte(text("password")))
	if hex.EncodeToString(sum[:]) != e.PasswordSHA256 {
		return fmt.Errorf("the Secret's password is not the one of instance %s", e.ID)
	}
	if text("host")+":"+text("port") != e.Endpoint || text("user") != e.AdminUser || !strings.Contains(text("uri"), e.Endpoint) {
		return fmt.Errorf("the Secret leads to %s, instance %s is at %s", text("uri"), e.ID, e.Endpoint)
	}
	return nil
}

func app(v view, u unstructured.Unstructured) error {
	var o examplev1.MyApp
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &o); err != nil {
		return err
	}
	if o.DeletionTimestamp != nil {
		return fmt.Errorf("does not go: finalizers %v", o.Finalizers)
	}
	phase := examplev1.PhaseRunning
	if *o.Spec.Replicas == 0 {
		phase = examplev1.PhaseStopped
	}
	if o.Status.Phase != phase || o.Status.ObservedGeneration != o.Generation {
		return fmt.Errorf("is %s of generation %d, has %d: %v", o.Status.Phase, o.Status.ObservedGeneration, o.Generation, o.Status.Conditions)
	}
	d := v.find(deploymentResource, o.Namespace, o.Name)
	if d == nil {
		return fmt.Errorf("has no Deployment")
	}
	replicas, _, _ := unstructured.NestedInt64(d.Object, "spec", "replicas")
	containers, _, _ := unstructured.NestedSlice(d.Object, "spec", "template", "spec", "containers")
	if len(containers) != 1 || containers[0].(map[string]any)["image"] != o.Spec.Image || replicas != int64(*o.Spec.Replicas) {
		return fmt.Errorf("the Deployment has %d replicas of %v", replicas, containers)
	}
	if s := v.find(serviceResource, o.Namespace, o.Name); (s != nil) != (o.Spec.ServiceType != examplev1.ServiceNone) {
		return fmt.Errorf("has a Service: %v", s != nil)
	} else if s != nil {
		ports, _, _ := unstructured.NestedSlice(s.Object, "spec", "ports")
		if len(ports) != 1 || ports[0].(map[string]any)["port"] != int64(o.Spec.Port) {
			return fmt.Errorf("the Service has ports %v", ports)
		}
	}
	configs := 0
	for _, c := range v.objects[configResource] {
		if c.GetNamespace() == o.Namespace && metav1.IsControlledBy(&c, &o) {
			configs++
		}
	}
	if (configs == 1) != (len(o.Spec.Config) > 0) {
		return fmt.Errorf("has %d ConfigMaps", configs)
	}
	return nil
}

// told: nothing that people read holds a secret.
func (w *world) told(v view) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range []schema.GroupVersionResource{databaseResource, appResource, eventResource} {
		for _, o := range v.objects[r] {
			text, err := json.Marshal(o.Object)
			if err != nil {
				return err
			}
			for secret := range w.secrets {
				if strings.Contains(string(text), secret) {
					return fmt.Errorf("%s %s/%s holds a secret", r.Resource, o.GetNamespace(), o.GetName())
				}
			}
		}
	}
	return nil
}
