package look

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kinds "k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/forecast"
	"example.com/mote/reconcile"
)

var leases = kinds.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}

// lease is a Lease of a Mote.
type lease struct {
	where   string // namespace/name
	holder  string // "" is nobody
	renewed time.Time
	lasts   time.Duration
	serves  bool // by its name, it is of a selection that the object is in
}

// alive tells whether its holder is at work, as far as the clocks of two machines tell.
func (l lease) alive(now time.Time) bool {
	return l.holder != "" && now.Sub(l.renewed) <= 2*l.lasts
}

// By says who serves an object, or with nil any object, as the Leases tell; "" when
// they cannot be read. A Mote of selectors that are unknown here may serve it too, and
// one without a Lease is not seen.
func (l *Look) By(ctx context.Context, u *unstructured.Unstructured) string {
	all, err := l.leases(ctx, u)
	switch {
	case apierrors.IsForbidden(err):
		return ""
	case err != nil:
		return "not known: the Leases cannot be read: " + readable(err).Error()
	}
	return servedBy(all, l.Now())
}

// leases are those that may be a Mote's: the running controller's own, or all that have
// a name of one or were written by one.
func (l *Look) leases(ctx context.Context, u *unstructured.Unstructured) (all []lease, err error) {
	take := func(x *unstructured.Unstructured, serves bool) {
		text := func(field string) string { s, _, _ := unstructured.NestedString(x.Object, "spec", field); return s }
		seconds, _, _ := unstructured.NestedInt64(x.Object, "spec", "leaseDurationSeconds")
		renewed, _ := time.Parse(time.RFC3339Nano, text("renewTime")) // what cannot be read is long ago
		all = append(all, lease{x.GetNamespace() + "/" + x.GetName(), text("holderIdentity"), renewed, time.Duration(seconds) * time.Second, serves})
	}
	if namespace, name, ok := strings.Cut(l.Lease, "/"); ok {
		x, err := l.Cluster.Resource(leases).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			take(x, true)
		}
		return all, err
	}
	names := leaseNames(u)
	for next := ""; ; {
		page, err := l.Cluster.Resource(leases).List(ctx, metav1.ListOptions{Limit: pageSize, Continue: next})
		if err != nil {
			return nil, err
		}
		for n := range page.Items {
			x := &page.Items[n]
			serves := slices.Contains(names, x.GetName())
			if serves || slices.ContainsFunc(x.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool { return m.Manager == reconcile.FieldManager }) {
				take(x, serves || u == nil)
			}
		}
		if next = page.GetContinue(); next == "" {
			return all, nil
		}
	}
}

// leaseNames are those of the selections by namespace and site that an object is in.
func leaseNames(u *unstructured.Unstructured) (names []string) {
	namespaces, fields := []string{""}, []string{""}
	if u != nil {
		namespaces = append(namespaces, u.GetNamespace())
		if site, _, _ := unstructured.NestedString(u.Object, "spec", "site"); site != "" {
			fields = append(fields, "spec.site="+site)
		}
	}
	for _, n := range namespaces {
		for _, f := range fields {
			names = append(names, reconcile.LeaseName(n, "", f))
		}
	}
	return names
}

// servedBy is what Leases say in words.
func servedBy(all []lease, now time.Time) string {
	var working, other, idle []string
	for _, l := range all {
		switch {
		case l.alive(now):
			said := fmt.Sprintf("%s, which holds the Lease %s, renewed %s ago", l.holder, l.where, forecast.Age(now.Sub(l.renewed)))
			if l.serves {
				working = append(working, said)
			} else {
				other = append(other, said)
			}
		case !l.serves:
		case l.holder == "":
			idle = append(idle, "the Lease "+l.where+" was given back, and nobody has taken it")
		case l.renewed.IsZero():
			idle = append(idle, l.holder+" holds the Lease "+l.where+" and has never renewed it")
		default:
			idle = append(idle, fmt.Sprintf("%s has not renewed the Lease %s since %s: it is dead or cut off", l.holder, l.where, l.renewed.UTC().Format(time.RFC3339)))
		}
	}
	switch {
	case len(working) > 0:
		return strings.Join(working, "; ")
	case len(other) > 0:
		return "not known: there is " + strings.Join(other, "; ") + ", and by the Lease's name it serves a selection of its own"
	case len(idle) > 0:
		return "nobody: " + strings.Join(idle, "; ") + "; nothing happens until a Mote in charge runs"
	}
	return "nobody: no Mote in charge has a Lease in the cluster; nothing happens until one runs"
}
