// Package api has PostgresDB as kubebuilder would scaffold it.
//
// +kubebuilder:object:generate=true
// +groupName=database.example.com
package api

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

	Spec   PostgresDBSpec   `json:"spec"`
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

// PostgresDBSpec is the database as it should be.
type PostgresDBSpec struct {
	EngineVersion        string            `json:"engineVersion"`
	InstanceClass        string            `json:"instanceClass"`
	StorageGB            int32             `json:"storageGB"`
	SubnetID             string            `json:"subnetID"`
	Region               string            `json:"region,omitempty"`
	Zone                 string            `json:"zone,omitempty"`
	VPCID                string            `json:"vpcID,omitempty"`
	Site                 string            `json:"site,omitempty"`
	ChargeType           string            `json:"chargeType,omitempty"`
	DeletionPolicy       string            `json:"deletionPolicy,omitempty"`
	DeletionProtection   *bool             `json:"deletionProtection,omitempty"`
	AdminUser            string            `json:"adminUser,omitempty"`
	ConnectionSecretName string            `json:"connectionSecretName,omitempty"`
	SecurityGroupIDs     []string          `json:"securityGroupIDs,omitempty"`
	Tags                 map[string]string `json:"tags,omitempty"`
	InstanceID           string            `json:"instanceID,omitempty"`
}

// PostgresDBStatus is the database as it was last seen.
type PostgresDBStatus struct {
	Phase              string             `json:"phase,omitempty"`
	InstanceID         string             `json:"instanceID,omitempty"`
	Region             string             `json:"region,omitempty"`
	Endpoint           string             `json:"endpoint,omitempty"`
	EngineVersion      string             `json:"engineVersion,omitempty"`
	InstanceClass      string             `json:"instanceClass,omitempty"`
	StorageGB          int32              `json:"storageGB,omitempty"`
	LastReconciled     *metav1.Time       `json:"lastReconciled,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}
