package watchtest

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A CRD that is deleted takes its objects with it; made again, it is watched again,
// and only what is there then is known.
func TestCRDDeletedAndMadeAgain(t *testing.T) {
	t.Parallel()
	r := &rig{t: t}
	r.must(install(t.Context(), "comets"))
	r = newRig(t, "comets", token, usual, nil)
	r.knows("at first")
	r.mu.Lock()
	for i := range r.made {
		r.deleted[r.name(i)] = true
	}
	r.mu.Unlock()
	r.must(admin.Resource(crds).Delete(t.Context(), "comets."+group, metav1.DeleteOptions{}))
	r.troubled("does not serve this kind")
	r.must(install(t.Context(), "comets"))
	for range 3 {
		r.create()
	}
	r.change()
	r.knows("once it is back")
	r.troubled("")
}

var errStands = errors.New("the watch still stands")

// Rights that are taken away from one kind leave the other as it is, and given back
// they heal it.
func TestRightsTakenAndGivenBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	r := &rig{t: t}
	r.must(install(ctx, "moons"))
	token, err := serviceAccount(ctx, "default", "limited")
	r.must(err)
	for _, plural := range []string{"probes", "moons"} {
		r.must(made(ctx, rbac("clusterroles"), "", map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
			"metadata": map[string]any{"name": plural},
			"rules":    []any{map[string]any{"apiGroups": []any{group}, "resources": []any{plural}, "verbs": []any{"get", "list", "watch"}}}}))
		r.must(bind(ctx, "ClusterRoleBinding", "", plural, plural, "default", "limited"))
	}
	a, b := newRig(t, "probes", token, usual, nil), newRig(t, "moons", token, usual, nil)
	a.knows("at first")
	b.knows("at first")
	a.must(admin.Resource(rbac("clusterrolebindings")).Delete(ctx, "probes", metav1.DeleteOptions{}))
	a.until("the right is gone", func() error {
		a.proxy.Cut() // a stream that stands is not asked for its rights
		if a.engine.Trouble() == "" {
			return errStands
		}
		return nil
	})
	a.troubled("probes: not allowed to list or watch")
	a.change()
	b.change()
	b.knows("while the other is not allowed")
	b.troubled("")
	a.must(bind(ctx, "ClusterRoleBinding", "", "probes", "probes", "default", "limited"))
	a.knows("when it is allowed again")
	a.troubled("")
}
