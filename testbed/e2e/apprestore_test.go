package e2e

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/testbed/bed"
)

// TestAppRestored: an app and its children that are put back from a backup are whole
// again, whatever the backup made of the owners, and what was somebody else's stays so.
func TestAppRestored(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	names := []string{"as-it-was", "without-owner", "without-notes"}
	for _, name := range names {
		s.apply(app(name, fields{"config": map[string]any{"a.conf": "one"}}))
	}
	s.runs(apps, names...)
	backup := map[string][]*unstructured.Unstructured{}
	notes := func(u *unstructured.Unstructured) string {
		b, err := json.Marshal(map[string]any{"metadata": map[string]any{"managedFields": u.GetManagedFields()}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, name := range names {
		for _, child := range childrenOf(name) {
			u := s.get(child.r, child.name)
			u.SetResourceVersion("")
			u.SetUID("")
			unstructured.RemoveNestedField(u.Object, "status")
			unstructured.RemoveNestedField(u.Object, "spec", "clusterIP")
			unstructured.RemoveNestedField(u.Object, "spec", "clusterIPs")
			switch name {
			case "without-owner":
				u.SetOwnerReferences(nil)
			case "without-notes":
				u.SetOwnerReferences(nil)
			}
			backup[name] = append(backup[name], u)
		}
		s.kubectl("delete", "mapp", name, "--timeout=60s")
	}
	s.childless()
	restored := map[string]map[string]string{}
	for _, name := range names {
		restored[name] = map[string]string{}
		for i, child := range childrenOf(name) {
			u, err := s.client.Resource(child.r).Namespace(s.ns).Create(t.Context(), backup[name][i], metav1.CreateOptions{FieldManager: "restore"})
			if err != nil {
				t.Fatal(err)
			}
			restored[name][child.r.Resource] = string(u.GetUID())
			// The API server takes no notes on who wrote what from one who makes an
			// object; a backup tool that keeps them patches them in. What still names its
			// owner may be gone by then.
			if name == "without-owner" {
				s.patch(child.r.Resource+"/"+child.name, notes(backup[name][i]))
			}
		}
		s.apply(app(name, fields{"config": map[string]any{"a.conf": "one"}}))
	}
	// The owner of one's children is gone: the garbage collector takes them, and they are made anew.
	s.runs(apps, "as-it-was", "without-owner")
	s.eventually("the children belong to the app of now", func() error {
		owner := s.get(apps, "as-it-was").GetUID()
		for _, child := range childrenOf("as-it-was") {
			u, err := s.fetch(child.r, child.name)
			if err != nil {
				return err
			}
			if ref := metav1.GetControllerOf(u); ref == nil || ref.UID != owner {
				return errNone
			}
		}
		return nil
	})
	s.runs(apps, "as-it-was")
	s.areOf("without-owner", restored["without-owner"])
	s.stuck(apps, "without-notes", "Failed", "NameConflict", "looks like Mote's, but", "managedFields")
}

// TestAppNotCollected: what an earlier app of the name left, and no garbage collector
// comes for, is taken over after a while.
func TestAppNotCollected(t *testing.T) {
	t.Parallel()
	own, err := bed.New(cluster.Paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := own.StartControlPlane(t.Context(), "--controllers=deployment-controller,replicaset-controller,endpointslice-controller,namespace-controller,serviceaccount-controller"); err != nil {
		t.Fatal(err)
	}
	if err := own.InstallCRDs(t.Context()); err != nil {
		t.Fatal(err)
	}
	client, err := own.Client()
	if err != nil {
		t.Fatal(err)
	}
	s := siteOn(t, own, client)
	s.bed.CloudURL = "http://127.0.0.1:1"
	s.start()
	config := fields{"config": map[string]any{"a.conf": "one"}}
	s.apply(app("web", config))
	s.runs(apps, "web")
	before := map[string]string{}
	for _, child := range childrenOf("web") {
		before[child.r.Resource] = string(s.get(child.r, child.name).GetUID())
	}
	s.kubectl("delete", "mapp", "web", "--timeout=60s")
	s.apply(app("web", config))
	s.stuck(apps, "web", "Pending", "WaitingForDeletion", `Deployment "web" of an earlier MyApp of this name has not been cleaned up yet`)
	s.runs(apps, "web")
	s.areOf("web", before)
}
