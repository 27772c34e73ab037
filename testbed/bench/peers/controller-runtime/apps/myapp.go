// Package apps is MyApp in the peer: the kind with the fields that the benchmark's
// apps have, and a reconciler that makes a ConfigMap, a Service and a Deployment
// of each, as the docs of controllerutil advise, and writes the status.
//
// What may come in: controller-runtime and what it brings. Nothing of Mote.
//
// +kubebuilder:object:generate=true
// +groupName=example.com
package apps

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of the kind.
var GroupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

// Builder registers the kind.
var Builder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &MyApp{}, &MyAppList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
})

// MyApp is one app.
//
// +kubebuilder:object:root=true
type MyApp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MyAppSpec   `json:"spec"`
	Status MyAppStatus `json:"status,omitempty"`
}

// MyAppList is a list of them.
//
// +kubebuilder:object:root=true
type MyAppList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MyApp `json:"items"`
}

// MyAppSpec is the app as it should be.
type MyAppSpec struct {
	Replicas    *int32            `json:"replicas,omitempty"`
	Image       string            `json:"image"`
	Port        int32             `json:"port,omitempty"`
	Env         []EnvVar          `json:"env,omitempty"`
	Config      map[string]string `json:"config,omitempty"`
	ServiceType string            `json:"serviceType,omitempty"`
}

// EnvVar is one environment variable.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// MyAppStatus is the app as it was last seen.
type MyAppStatus struct {
	Phase              string             `json:"phase,omitempty"`
	Replicas           int32              `json:"replicas"`
	ReadyReplicas      int32              `json:"readyReplicas"`
	AvailableReplicas  int32              `json:"availableReplicas"`
	Selector           string             `json:"selector,omitempty"`
	LastReconciled     *metav1.Time       `json:"lastReconciled,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}
