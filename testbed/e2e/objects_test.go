package e2e

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fetch reads an object of the site.
func (s *site) fetch(r schema.GroupVersionResource, name string) (*unstructured.Unstructured, error) {
	return s.client.Resource(r).Namespace(s.ns).Get(s.t.Context(), name, metav1.GetOptions{})
}

// get reads an object that has to be there.
func (s *site) get(r schema.GroupVersionResource, name string) *unstructured.Unstructured {
	s.t.Helper()
	u, err := s.fetch(r, name)
	if err != nil {
		s.t.Fatal(err)
	}
	return u
}

// state is what the status of an object says now.
func (s *site) state(r schema.GroupVersionResource, name string) state {
	s.t.Helper()
	return stateOf(s.get(r, name))
}

// list reads objects of the site, by a label selector or all.
func (s *site) list(r schema.GroupVersionResource, labels string) []unstructured.Unstructured {
	s.t.Helper()
	l, err := s.client.Resource(r).Namespace(s.ns).List(s.t.Context(), metav1.ListOptions{LabelSelector: labels})
	if err != nil {
		s.t.Fatal(err)
	}
	return l.Items
}

// shows waits until an object's status is as wanted; what says so in words.
func (s *site) shows(r schema.GroupVersionResource, name, what string, wanted func(state) bool) state {
	s.t.Helper()
	var st state
	s.eventually(name+" "+what, func() error {
		u, err := s.fetch(r, name)
		if err != nil {
			return err
		}
		if st = stateOf(u); !wanted(st) {
			return errors.New(st.String())
		}
		return nil
	})
	return st
}

// runs waits until objects are Running, and Ready for their present generation.
func (s *site) runs(r schema.GroupVersionResource, names ...string) {
	s.t.Helper()
	for _, name := range names {
		s.shows(r, name, "runs", func(st state) bool { return st.phase == "Running" && st.isReady() })
	}
}

// stuck waits until an object is not Ready for a reason, in a phase, and says the words.
func (s *site) stuck(r schema.GroupVersionResource, name, phase, reason string, words ...string) state {
	s.t.Helper()
	return s.shows(r, name, "is "+phase+" because of "+reason, func(st state) bool {
		return st.phase == phase && st.ready.Status == metav1.ConditionFalse && st.ready.Reason == reason &&
			st.ready.ObservedGeneration == st.generation && st.observed == st.generation && says(st.ready.Message, words...) == nil
	})
}

// gone waits until objects are not there any more.
func (s *site) gone(r schema.GroupVersionResource, names ...string) {
	s.t.Helper()
	for _, name := range names {
		s.eventually(r.Resource+" "+name+" is gone", func() error {
			switch u, err := s.fetch(r, name); {
			case apierrors.IsNotFound(err):
				return nil
			case err != nil:
				return err
			default:
				return fmt.Errorf("it is there, finalizers %v, %s", u.GetFinalizers(), stateOf(u))
			}
		})
	}
}

// childless waits until nothing that Mote made is left in the namespace, nor
// anything made by what it made.
func (s *site) childless() {
	s.t.Helper()
	s.eventually("no children are left", func() error {
		var left []string
		for _, r := range []schema.GroupVersionResource{deployments, replicaSets, pods, services, configMaps, secretsResource} {
			for _, u := range s.list(r, "app.kubernetes.io/managed-by=mote") {
				left = append(left, u.GetKind()+" "+u.GetName())
			}
		}
		if len(left) > 0 {
			return errors.New(strings.Join(left, ", "))
		}
		return nil
	})
}
