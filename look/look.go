package look

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kinds "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/cloud"
	"example.com/mote/reconcile"
	"example.com/mote/reconcile/myapp"
	"example.com/mote/reconcile/postgresdb"
	"example.com/mote/schema"
)

// Look sees objects, what belongs to them, and the cloud.
type Look struct {
	// Cluster may be nil: then there is none to look at. It is made by Cluster.
	Cluster dynamic.Interface
	// Cloud and Prices may be nil: then the status and the spec are believed, and
	// nothing has a price.
	Cloud  cloud.Reader
	Prices cloud.Pricer
	// Settings and Apps are as the controller has them.
	Settings postgresdb.Settings
	Apps     myapp.Options
	Now      func() time.Time
	// Lease is a running controller's own, namespace/name; "": any may be looked at.
	Lease string
	// Coming names what manifests bring beside what is planned, like "Namespace shop".
	Coming map[string]bool
	// Watch is what a running controller last saw of an instance by itself; it may be nil.
	Watch func(region, id string) (i cloud.Instance, found bool, at time.Time, ok bool)
}

// Cluster is a client over which nothing can be changed.
func Cluster(config *rest.Config) (dynamic.Interface, error) {
	config = rest.CopyConfig(config)
	config.Wrap(reconcile.ReadOnly)
	config.QPS = -1
	return dynamic.NewForConfig(config)
}

// resource is a kind's place in the API.
func resource(k *schema.Kind) kinds.GroupVersionResource {
	return kinds.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Resource}
}

// Which names objects.
type Which struct {
	Kind      *schema.Kind // nil: all kinds
	Namespace string       // "": all
	Name      string       // "": all
	Selector  string       // by labels
}

// pageSize is how many objects are held at once.
const pageSize = 500

// ErrNone says that there is no such object.
var ErrNone = errors.New("there is no such object")

// Each calls f with each object that is meant, kind by kind and page by page. One that
// is named and is not there is ErrNone.
func (l *Look) Each(ctx context.Context, w Which, f func(*schema.Kind, *unstructured.Unstructured) error) error {
	found := false
	for _, k := range schema.Kinds() {
		if w.Kind != nil && w.Kind != k {
			continue
		}
		r := l.Cluster.Resource(resource(k)).Namespace(w.Namespace)
		if w.Name != "" {
			u, err := r.Get(ctx, w.Name, metav1.GetOptions{})
			switch {
			case apierrors.IsNotFound(err):
				if missing := noKind(err); missing {
					return fmt.Errorf("the cluster does not know the kind %s: apply the output of mote crds", k.Name)
				}
				continue
			case err != nil:
				return readable(err)
			}
			found = true
			if err := f(k, u); err != nil {
				return err
			}
			continue
		}
		next := ""
		for {
			page, err := r.List(ctx, metav1.ListOptions{Limit: pageSize, Continue: next, LabelSelector: w.Selector})
			if apierrors.IsResourceExpired(err) && next != "" {
				return fmt.Errorf("the list of %s took so long that the API server does not go on with it; narrow it down", k.Resource)
			}
			if apierrors.IsNotFound(err) {
				return fmt.Errorf("the cluster does not know the kind %s: apply the output of mote crds", k.Name)
			}
			if err != nil {
				return readable(err)
			}
			for n := range page.Items {
				if err := f(k, &page.Items[n]); err != nil {
					return err
				}
			}
			if next = page.GetContinue(); next == "" {
				break
			}
		}
	}
	if w.Name != "" && !found {
		return ErrNone
	}
	return nil
}

// noKind tells a kind that is not there from an object.
func noKind(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Name == ""
}

// Get reads one object; nil: there is none.
func (l *Look) Get(ctx context.Context, k *schema.Kind, namespace, name string) (*unstructured.Unstructured, error) {
	u, err := l.Cluster.Resource(resource(k)).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return u, readable(err)
	}
	if noKind(err) && !l.Coming["CustomResourceDefinition "+k.Resource+"."+k.Group] {
		return nil, fmt.Errorf("the cluster does not know the kind %s: apply the output of mote crds", k.Name)
	}
	return nil, nil
}

// home fails for a namespace that is not there and does not come either: nothing can be
// made in it. Where it may not be looked at, it is taken to be there.
func (l *Look) home(ctx context.Context, namespace string) error {
	if namespace == "" || l.Coming["Namespace "+namespace] {
		return nil
	}
	_, err := l.Cluster.Resource(kinds.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Get(ctx, namespace, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("there is no namespace %s: an apply would fail", namespace)
	}
	return nil
}

// readable is an API server's error in a line that says what to do.
func readable(err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server does not let you look: %w", err)
	case apierrors.ReasonForError(err) == metav1.StatusReasonUnknown:
		return fmt.Errorf("the cluster cannot be reached: %w", err)
	}
	return err
}

// turn is a turn that can only look.
func (l *Look) turn(k *schema.Kind, u *unstructured.Unstructured) *reconcile.Turn {
	if l.Cluster == nil {
		return nil
	}
	return reconcile.NewLook(l.Cluster, resource(k), u)
}
