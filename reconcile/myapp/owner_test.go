package myapp

import (
	"testing"

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
