package myapp

import (
	"testing"
	"time"

	"example.com/mote/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func TestBelongs(t *testing.T) {
	app := newApp()
	ref := func(apiVersion, kind, name, uid string, controller bool) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(uid), Controller: &controller}}
	}
	for name, c := range map[string]struct {
		refs    []metav1.OwnerReference
		deleted bool
		want    belonging
	}{
		"ours":                            {ref("example.com/v1", "MyApp", "web", "uid-of-web", true), false, ours},
		"ours, being deleted":             {ref("example.com/v1", "MyApp", "web", "uid-of-web", true), true, leaving},
		"nobody's":                        {nil, false, foreign},
		"ours, but not as its controller": {ref("example.com/v1", "MyApp", "web", "uid-of-web", false), false, foreign},
		"of the app's predecessor":        {ref("example.com/v1", "MyApp", "web", "earlier", true), false, predecessor},
		"of another app":                  {ref("example.com/v1", "MyApp", "shop", "earlier", true), false, foreign},
		"of another kind":                 {ref("example.com/v1", "Shop", "web", "earlier", true), false, foreign},
		"of another group":                {ref("example.org/v1", "MyApp", "web", "earlier", true), false, foreign},
		"of a strange group":              {ref("a/b/c", "MyApp", "web", "earlier", true), false, foreign},
	} {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetOwnerReferences(c.refs)
		u.SetLabels(map[string]string{labelApp: "web"}) // anyone may copy a label
		if c.deleted {
			u.SetDeletionTimestamp(&metav1.Time{Time: noon})
		}
		if got := belongs(app, u); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
	if got := belongs(app, nil); got != nobody {
		t.Errorf("what is not there: got %d", got)
	}
}

// note is the first of an object's notes on who wrote its fields.
func note(u *unstructured.Unstructured) map[string]any {
	return u.Object["metadata"].(map[string]any)["managedFields"].([]any)[0].(map[string]any)
}

// Orphans that Mote made may be taken over, and what the garbage collector does not
// come for.
func TestAdoptable(t *testing.T) {
	controller := true
	earlier := []metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "MyApp", Name: "web", UID: "earlier", Controller: &controller}}
	others := []metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "MyApp", Name: "shop", UID: "earlier", Controller: &controller}}
	no := false
	weak := []metav1.OwnerReference{{APIVersion: "v1", Kind: "Shop", Name: "web", UID: "shop", Controller: &no}}
	for name, c := range map[string]struct {
		change             func(*unstructured.Unstructured)
		refs               []metav1.OwnerReference
		appIsOld, childToo time.Duration
		want               bool
	}{
		"an orphan":                   {nil, nil, 0, 0, true},
		"an orphan with a weak owner": {nil, weak, 0, 0, true},
		"an orphan of another app": {func(u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{labelApp: "shop", reconcile.OwnedLabel: "mote"})
		}, nil, 0, 0, false},
		"an orphan that was taken away":  {func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{labelApp: "web"}) }, nil, 0, 0, false},
		"an orphan that goes":            {deleted, nil, 0, 0, false},
		"labels alone":                   {func(u *unstructured.Unstructured) { u.SetManagedFields(nil) }, nil, 0, 0, false},
		"updated, not applied by a mote": {func(u *unstructured.Unstructured) { note(u)["operation"] = "Update" }, nil, 0, 0, false},
		"applied by another":             {func(u *unstructured.Unstructured) { note(u)["manager"] = "kubectl" }, nil, 0, 0, false},
		"a predecessor's, just now":      {nil, earlier, 0, 0, false},
		"a predecessor's, put back now":  {nil, earlier, time.Hour, 0, false},
		"a predecessor's, of long ago":   {nil, earlier, 0, time.Hour, false},
		"a predecessor's, not collected": {nil, earlier, time.Hour, time.Hour, true},
		"a predecessor's, that goes":     {deleted, earlier, time.Hour, time.Hour, false},
		"another app's":                  {nil, others, time.Hour, time.Hour, false},
	} {
		app := newApp()
		app.CreationTimestamp = metav1.NewTime(noon.Add(-c.appIsOld))
		u := allLive(t, app)[deployment].live
		orphaned(u)
		u.SetOwnerReferences(c.refs)
		u.SetCreationTimestamp(metav1.NewTime(noon.Add(-c.childToo)))
		if c.change != nil {
			c.change(u)
		}
		if got := adoptable(app, u, noon); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if adoptable(newApp(), nil, noon) {
		t.Error("what is not there can be taken over")
	}
}
