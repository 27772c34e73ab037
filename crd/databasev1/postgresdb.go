package databasev1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PostgresDB is one TencentDB for PostgreSQL instance, through its whole life.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=postgresdbs,singular=postgresdb,shortName=pgdb,categories={mote,databases}
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=".spec.site"
// +kubebuilder:selectablefield:JSONPath=".spec.region"
// +kubebuilder:selectablefield:JSONPath=".spec.engineVersion"
// +kubebuilder:selectablefield:JSONPath=".spec.instanceClass"
// +kubebuilder:selectablefield:JSONPath=".spec.deletionPolicy"
// +kubebuilder:selectablefield:JSONPath=".status.phase"
// +kubebuilder:selectablefield:JSONPath=".status.instanceID"
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=".spec.engineVersion"
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=".spec.instanceClass"
// +kubebuilder:printcolumn:name="Storage",type=integer,JSONPath=".spec.storageGB"
// +kubebuilder:printcolumn:name="Endpoint",type=string,JSONPath=".status.endpoint"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Instance",type=string,JSONPath=".status.instanceID",priority=1
// +kubebuilder:printcolumn:name="Region",type=string,JSONPath=".status.region",priority=1
// +kubebuilder:printcolumn:name="Site",type=string,JSONPath=".spec.site",priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=".status.conditions[?(@.type=='Ready')].message",priority=1
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 52",message="metadata.name is at most 52 characters long, so that NAME-connection, its Secret, is at most 63"
// +kubebuilder:validation:XValidation:rule="self.spec.storageGB >= oldSelf.spec.storageGB || !has(oldSelf.status) || !has(oldSelf.status.instanceID) || (has(oldSelf.status.storageGB) && self.spec.storageGB >= oldSelf.status.storageGB)",fieldPath=".spec.storageGB",message="storageGB can grow but never shrink once the instance exists"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.instanceID) || !self.spec.engineVersion.matches('^[1-9][0-9]?([.]|$)') || int(self.spec.engineVersion.split('.')[0]) >= int(oldSelf.spec.engineVersion.split('.')[0]) || (has(oldSelf.status.engineVersion) && oldSelf.status.engineVersion.matches('^[1-9][0-9]?([.]|$)') && int(self.spec.engineVersion.split('.')[0]) >= int(oldSelf.status.engineVersion.split('.')[0]))",fieldPath=".spec.engineVersion",message="engineVersion cannot go back to an older major version once the instance exists"
type PostgresDB struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the database as it should be.
	// +required
	Spec PostgresDBSpec `json:"spec"`
	// status is the database as it was last seen.
	// +optional
	Status PostgresDBStatus `json:"status,omitempty"`
}

// Names that others may rely on.
const (
	Group    = "database.example.com"
	Version  = "v1"
	Resource = "postgresdbs"
	Kind     = "PostgresDB"
	// Finalizer is on an object while something in the cloud may exist for it.
	Finalizer = "database.example.com/instance"
)

// DefaultSecretSuffix follows the object's name in the connection Secret's default name.
const DefaultSecretSuffix = "-connection"
