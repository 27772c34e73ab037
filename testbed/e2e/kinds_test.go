package e2e

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/crd/databasev1"
	"example.com/mote/crd/examplev1"
)

// The resources that tests look at.
var (
	databases       = schema.GroupVersionResource{Group: databasev1.Group, Version: databasev1.Version, Resource: databasev1.Resource}
	apps            = schema.GroupVersionResource{Group: examplev1.Group, Version: examplev1.Version, Resource: examplev1.Resource}
	deployments     = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	replicaSets     = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}
	pods            = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	services        = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	configMaps      = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secretsResource = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	namespaces      = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	serviceAccounts = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	eventsResource  = schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
	resourceQuotas  = schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}
	leases          = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
)

// state is what the status of an object of either kind says.
type state struct {
	uid, version         string
	generation           int64
	phase                string
	instance, endpoint   string
	class, engineVersion string
	storage, available   int64
	observed             int64
	ready                metav1.Condition // zero: there is none
	degraded             bool
}

func stateOf(u *unstructured.Unstructured) state {
	text := func(f string) string { s, _, _ := unstructured.NestedString(u.Object, "status", f); return s }
	number := func(f string) int64 { n, _, _ := unstructured.NestedInt64(u.Object, "status", f); return n }
	st := state{
		uid: string(u.GetUID()), version: u.GetResourceVersion(), generation: u.GetGeneration(),
		phase: text("phase"), instance: text("instanceID"), endpoint: text("endpoint"),
		class: text("instanceClass"), engineVersion: text("engineVersion"),
		storage: number("storageGB"), available: number("availableReplicas"), observed: number("observedGeneration"),
	}
	var holder struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &holder); err != nil {
		panic(err) // the schema of both kinds says otherwise
	}
	for _, c := range holder.Status.Conditions {
		switch c.Type {
		case "Ready":
			st.ready = c
		case "Degraded":
			st.degraded = c.Status == metav1.ConditionTrue
		}
	}
	return st
}

// isReady: ready for the generation that the object has now.
func (s state) isReady() bool {
	return s.ready.Status == metav1.ConditionTrue && s.ready.ObservedGeneration == s.generation && s.observed == s.generation
}

func (s state) String() string {
	return fmt.Sprintf("generation %d, observed %d, phase %q, Ready %s for %d (%s: %s)", s.generation, s.observed, s.phase,
		s.ready.Status, s.ready.ObservedGeneration, s.ready.Reason, strings.TrimSpace(s.ready.Message))
}
