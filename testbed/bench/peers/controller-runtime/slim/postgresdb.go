// Package slim has of PostgresDB only what the reconciler reads, so that nothing
// else is decoded or held. The kind is the same.
//
// +kubebuilder:object:generate=true
// +groupName=database.example.com
package slim

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of the kind.
var GroupVersion = schema.GroupVersion{Group: "database.example.com", Version: "v1"}

// Builder registers the kind.
var Builder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &PostgresDB{}, &PostgresDBList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
})

// PostgresDB is one database.
//
// +kubebuilder:object:root=true
type PostgresDB struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status PostgresDBStatus `json:"status,omitempty"`
}

// PostgresDBList is a list of them.
//
// +kubebuilder:object:root=true
type PostgresDBList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PostgresDB `json:"items"`
}

// PostgresDBStatus is how far the database has been brought.
type PostgresDBStatus struct {
	InstanceID         string `json:"instanceID,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
}
