package databasev1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PostgresDBStatus is the database as it was last seen.
type PostgresDBStatus struct {
	// phase sums the state up in a word.
	// +optional
	// +kubebuilder:validation:Enum=Pending;Provisioning;Running;Updating;Deleting;Failed
	Phase string `json:"phase,omitempty"`
	// instanceID is the cloud's id of the instance.
	// +optional
	InstanceID string `json:"instanceID,omitempty"`
	// region is where the instance is.
	// +optional
	Region string `json:"region,omitempty"`
	// endpoint is host:port of the private address.
	// +optional
	Endpoint string `json:"endpoint,omitempty"`
	// engineVersion is the version that runs.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	EngineVersion string `json:"engineVersion,omitempty"`
	// instanceClass is the size that runs.
	// +optional
	InstanceClass string `json:"instanceClass,omitempty"`
	// storageGB is the disk that the instance has.
	// +optional
	StorageGB int32 `json:"storageGB,omitempty"`
	// create is the open purchase: written before the call that buys, cleared
	// when its outcome is known.
	// +optional
	Create *CreateIntent `json:"create,omitempty"`
	// change is what the cloud was last asked to change about the instance, until it
	// is done.
	// +optional
	Change *CloudChange `json:"change,omitempty"`
	// appliedTags are the keys of the tags that spec.tags has put on the instance:
	// those that are taken off again when they leave the spec.
	// +optional
	// +listType=atomic
	AppliedTags []string `json:"appliedTags,omitempty"`
	// instanceFingerprint sums up the instance as it was last seen, so that after a
	// restart of the controller one that is as it was needs no look.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	InstanceFingerprint string `json:"instanceFingerprint,omitempty"`
	// settledSpec sums up the spec that the instance and the connection Secret were
	// last found to be as, so that a change of what concerns neither needs no look.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	SettledSpec string `json:"settledSpec,omitempty"`
	// lastReconciled is when anything else in this status last changed.
	// +optional
	LastReconciled *metav1.Time `json:"lastReconciled,omitempty"`
	// observedGeneration is the generation of the spec that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// conditions tell more than the phase.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// CreateIntent is a purchase that may have been made.
type CreateIntent struct {
	// name is the instance's name in the cloud, which look-ups search for.
	Name string `json:"name"`
	// startedAt is when the intent was written, before the call.
	StartedAt metav1.Time `json:"startedAt"`
	// ambiguousSince is when the outcome became unknown: the call's answer was
	// lost, or the controller restarted between the intent and the answer.
	// +optional
	AmbiguousSince *metav1.Time `json:"ambiguousSince,omitempty"`
	// cleanLookups counts the look-ups since then that found nothing.
	// +optional
	CleanLookups int32 `json:"cleanLookups,omitempty"`
	// orders are the deal names of a prepaid purchase whose instance id is not
	// known yet.
	// +optional
	// +listType=atomic
	Orders []string `json:"orders,omitempty"`
}

// CloudChange is one change that was asked of the cloud.
type CloudChange struct {
	// kind is what is changed.
	// +kubebuilder:validation:Enum=Resize;Upgrade;Rename;Tags;SecurityGroups
	Kind string `json:"kind"`
	// target is what it is to become.
	Target string `json:"target"`
	// taskID is the cloud's task, of which it tells how it ended.
	// +optional
	TaskID int64 `json:"taskID,omitempty"`
	// window is the maintenance window that the change waits for.
	// +optional
	Window string `json:"window,omitempty"`
}

// The kinds of changes.
const (
	ChangeResize         = "Resize"
	ChangeUpgrade        = "Upgrade"
	ChangeRename         = "Rename"
	ChangeTags           = "Tags"
	ChangeSecurityGroups = "SecurityGroups"
)

// The phases of a PostgresDB.
const (
	PhasePending      = "Pending"
	PhaseProvisioning = "Provisioning"
	PhaseRunning      = "Running"
	PhaseUpdating     = "Updating"
	PhaseDeleting     = "Deleting"
	PhaseFailed       = "Failed"
)

// Phases are all of them, as a database goes through them.
var Phases = []string{PhasePending, PhaseProvisioning, PhaseRunning, PhaseUpdating, PhaseDeleting, PhaseFailed}
