package postgresdb

import (
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

func TestDeleteToTheEnd(t *testing.T) {
	for policy, want := range map[string][]string{
		databasev1.DeletionDelete:  {"cloud Isolate", "cloud Destroy", patchObject},
		databasev1.DeletionIsolate: {"cloud Isolate", patchObject},
		databasev1.DeletionRetain:  {patchObject},
	} {
		t.Run(policy, func(t *testing.T) {
			r := newRig(t)
			r.put(func(s *databasev1.PostgresDBSpec) { s.DeletionPolicy = policy })
			r.settle()
			r.j.taken()
			all := r.edit(deletedNow).steps
			for range 10 {
				if r.object() != nil {
					all = append(all, r.next().steps...)
				}
			}
			var ends []string
			for _, s := range all {
				if isChange(s) && s != patchStatus {
					ends = append(ends, s)
				}
			}
			if !slices.Equal(ends, want) || r.object() != nil {
				t.Errorf("did %v, want %v", ends, want)
			}
		})
	}
}

// An object that bought nothing can be deleted whatever has become of the cloud.
func TestDeleteWithoutACloud(t *testing.T) {
	r := newRig(t)
	for _, action := range []string{"Subnet", "Find", "Get"} {
		r.j.fail["cloud "+action] = cloudError(cloud.Denied)
	}
	r.put(nil)
	if _, reason := r.ready(); reason != "CredentialsRefused" {
		t.Error(reason)
	}
	r.api.edit(databasev1.Resource, testName, deletedNow)
	r.restart()
	if o := r.object(); o != nil {
		t.Errorf("still there: %+v", o)
	}
}

func TestForeignSecretIsNotTouched(t *testing.T) {
	r := newRig(t)
	r.api.store("secrets", "orders-connection", map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "orders-connection"}, "data": map[string]any{"password": "eA=="}})
	e := r.put(nil)
	r.wantSteps(e, "GET postgresdbs/orders", getSecret, patchStatus)
	if _, reason := r.ready(); reason != "NameConflict" || r.secret()["password"] != "x" {
		t.Error(reason, r.secret())
	}
}

// A Secret that was made or changed since it was read is not written over.
func TestSecretWritesAreChecked(t *testing.T) {
	r := newRig(t)
	r.put(nil)
	r.j.before[patchSecret] = func() {
		r.putPassword("An0ther-One")
	}
	if e := r.next(); !apierrors.IsConflict(e.err) {
		t.Error(e.err)
	}
	r.settle()
	if s := r.secret(); s["password"] != "An0ther-One" || !strings.Contains(s["uri"], ":An0ther-One@") {
		t.Errorf("%v", s)
	}
}

func TestLostSecretIsMadeAgain(t *testing.T) {
	r := newRig(t)
	r.put(nil)
	r.settle()
	r.api.mu.Lock()
	delete(r.api.objects, "secrets/orders-connection")
	r.api.mu.Unlock()
	r.settle()
	s, last := r.secret(), r.cloud.passwords[len(r.cloud.passwords)-1]
	if s["password"] != last || len(r.cloud.passwords) != 2 || r.cloud.passwords[0] == last {
		t.Errorf("%v: the cloud has %v", s, r.cloud.passwords)
	}
	marks := metaOf(r.api.get("secrets", "orders-connection"))["annotations"].(map[string]any)
	if marks[annotationReset] != nil || marks[annotationSet] != passwordDigest(testUID, last) {
		t.Errorf("marked %v", marks)
	}
	if status, reason := r.ready(); status != "True" {
		t.Error(reason)
	}
}

func TestResize(t *testing.T) {
	r := newRig(t)
	r.put(nil)
	r.settle()
	e := r.edit(func(o map[string]any) { specOf(o)["storageGB"], specOf(o)["instanceClass"] = 200, "4C8G" })
	if !slices.Contains(e.steps, "cloud Resize") {
		t.Errorf("did %v", e.steps)
	}
	r.settle()
	if o := r.object(); o.Status.StorageGB != 200 || o.Status.InstanceClass != "4C8G" || o.Status.Phase != "Running" || o.Status.ObservedGeneration != o.Generation {
		t.Errorf("%+v", o.Status)
	}
}

func TestAPIServerThatRefuses(t *testing.T) {
	r := newRig(t)
	r.j.fail[postSecret] = apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "orders-connection", nil)
	e := r.put(nil)
	r.wantSteps(e, "GET postgresdbs/orders", getSecret, postSecret, patchStatus)
	if _, reason := r.ready(); reason != "APIServerRefused" || e.After != time.Minute {
		t.Error(reason, e.After)
	}
	delete(r.j.fail, postSecret)
	r.settle()
	if status, reason := r.ready(); status != "True" {
		t.Error(reason)
	}
}

// The password is in the Secret and in the purchase, and nowhere else: not in the
// log, with every step logged; not in an Event; not in the status.
func TestPasswordsAreNowhereElse(t *testing.T) {
	r := newRig(t)
	r.cloud.answers["Create"] = cloudError(cloud.Ambiguous)
	r.put(nil)
	r.settle()
	r.api.mu.Lock()
	delete(r.api.objects, "secrets/orders-connection")
	r.api.mu.Unlock()
	r.settle()
	r.edit(deletedNow)
	for range 5 {
		if r.object() != nil {
			r.next()
		}
	}
	if len(r.cloud.passwords) < 3 || len(r.j.writes) < 10 {
		t.Fatalf("%d passwords, %d writes: too little happened", len(r.cloud.passwords), len(r.j.writes))
	}
	for _, p := range r.cloud.passwords {
		if strings.Contains(r.log.String(), p) {
			t.Error("a password is in the log")
		}
		for _, w := range r.j.writes {
			if strings.Contains(w, p) {
				t.Errorf("a password is in %s", w)
			}
		}
	}
}
