package killtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// fields are what an object's spec says beside or instead of the usual.
type fields map[string]any

// life is one object, from its creation to its end.
type life struct {
	s    *site
	name string
	spec fields
	uid  string
	id   string // of its instance, once that is known

	create, change, delete *moment // when its process is killed; nil: not then
	// early: the object is deleted while no process runs, after the kill.
	early  bool
	random bool

	killed []string // the moments
	kills  int      // at random
	end    string   // what came of it
}

func (l *life) instanceName() string { return "mote-" + l.uid }

func (l *life) secretName() string { return l.name + "-connection" }

// begin creates the object.
func (l *life) begin() {
	spec := fields{"engineVersion": "14", "instanceClass": "2C4G", "storageGB": int64(20), "subnetID": "subnet-mote0001", "deletionPolicy": "Delete"}
	maps.Copy(spec, l.spec)
	l.spec = spec
	o, err := l.s.objects().Create(l.s.ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": databasev1.Group + "/" + databasev1.Version, "kind": databasev1.Kind,
		"metadata": map[string]any{"name": l.name}, "spec": map[string]any(spec)}}, metav1.CreateOptions{})
	l.s.must(err)
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.uid = string(o.GetUID())
	l.s.lives = append(l.s.lives, l)
}

// write changes the spec.
func (l *life) write(changes fields) {
	maps.Copy(l.spec, changes)
	l.patch(map[string]any{"spec": changes})
}

func (l *life) patch(body map[string]any) {
	data, err := json.Marshal(body)
	l.s.must(err)
	_, err = l.s.objects().Patch(l.s.ctx, l.name, types.MergePatchType, data, metav1.PatchOptions{})
	l.s.must(err)
}

// resize asks for another size.
func resize(l *life) { l.write(fields{"instanceClass": "4C8G", "storageGB": int64(40)}) }

// upgrade asks for another version.
func upgrade(version string) func(*life) {
	return func(l *life) { l.write(fields{"engineVersion": version}) }
}

// loseSecret takes the connection Secret away, and asks for a turn.
func loseSecret(l *life) {
	l.s.must(client.Resource(secrets).Namespace(l.s.ns).Delete(l.s.ctx, l.secretName(), metav1.DeleteOptions{}))
	l.patch(map[string]any{"metadata": map[string]any{"annotations": map[string]any{"mote.example.com/reconcile-requested-at": "now"}}})
}

// remove deletes the object; protection is lifted before.
func (l *life) remove() {
	if l.spec["deletionProtection"] == true {
		l.write(fields{"deletionProtection": false})
	}
	l.s.must(l.s.objects().Delete(l.s.ctx, l.name, metav1.DeleteOptions{}))
}

// object reads it.
func (l *life) object() (*databasev1.PostgresDB, error) {
	u, err := l.s.objects().Get(l.s.ctx, l.name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	var o databasev1.PostgresDB
	return &o, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &o)
}

// runs is nil when the object is as its spec says, with the one instance that was
// ever bought for it, whose password is in the connection Secret.
func (l *life) runs() error {
	o, err := l.object()
	if err != nil {
		return err
	}
	ready := reconcile.GetCondition(o.Status.Conditions, reconcile.ConditionReady)
	if ready == nil || ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != o.Generation || o.Status.Phase != databasev1.PhaseRunning {
		return fmt.Errorf("phase %q, Ready %+v", o.Status.Phase, ready)
	}
	bought, err := l.s.bought(l)
	if err != nil || len(bought) != 1 {
		return fmt.Errorf("bought: %+v, %v", bought, err)
	}
	e := bought[0]
	l.id = e.ID
	class, version := fmt.Sprintf("%dC%dG", e.CPU, e.MemoryGB), fmt.Sprintf("%s.", l.spec["engineVersion"])
	if o.Status.InstanceID != e.ID || !strings.HasPrefix(e.Version+".", version) || class != l.spec["instanceClass"] || int64(e.StorageGB) != l.spec["storageGB"] {
		return fmt.Errorf("the status says %s; bought: %+v", o.Status.InstanceID, e)
	}
	u, err := client.Resource(secrets).Namespace(l.s.ns).Get(l.s.ctx, l.secretName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	value := func(key string) string {
		text, _, _ := unstructured.NestedString(u.Object, "data", key)
		b, _ := base64.StdEncoding.DecodeString(text)
		return string(b)
	}
	sum := sha256.Sum256([]byte(value("password")))
	if hex.EncodeToString(sum[:]) != e.PasswordSHA256 {
		return errors.New("the cloud has another password than the Secret")
	}
	if net.JoinHostPort(value("host"), value("port")) != e.Endpoint {
		return errors.New("the Secret has another address than the instance")
	}
	return nil
}

// isGone is nil when the object is not there any more.
func (l *life) isGone() error {
	o, err := l.object()
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("it is there: finalizers %v, status %+v", o.Finalizers, o.Status)
}

// over checks the ledger after the object has gone.
func (l *life) over() {
	bought, err := l.s.bought(l)
	l.s.must(err)
	if len(bought) == 0 && l.early {
		l.end = "no purchase"
		return
	}
	if len(bought) != 1 {
		l.s.find(boughtTwice, "%d purchases for %s: %+v", len(bought), l.name, bought)
		return
	}
	e := bought[0]
	if e.Billed || l.spec["deletionPolicy"] == "Delete" && e.Ended.IsZero() {
		l.s.find(abandoned, "%s is gone, and its instance is left: %+v", l.name, e)
	}
	l.end = "one purchase, " + e.Status
}
