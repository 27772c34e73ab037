package examplev1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MyAppStatus is the app as it was last seen.
type MyAppStatus struct {
	// phase sums the state up in a word.
	// +optional
	// +kubebuilder:validation:Enum=Pending;Progressing;Running;Stopped;Degraded;Deleting;Failed
	Phase string `json:"phase,omitempty"`
	// replicas is how many pods there are.
	// +optional
	Replicas int32 `json:"replicas"`
	// readyReplicas is how many pods are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// availableReplicas is how many pods have been ready for long enough.
	// +optional
	AvailableReplicas int32 `json:"availableReplicas"`
	// corrections is how often Mote put right what others had changed of the
	// Deployment, the Service or the ConfigMap.
	// +optional
	Corrections int64 `json:"corrections,omitempty"`
	// childrenHash sums up the Deployment, the Service and the ConfigMap for which this
	// status was written: a start looks at the apps of which they are others.
	// +optional
	ChildrenHash string `json:"childrenHash,omitempty"`
	// selector finds the pods; autoscalers read it.
	// +optional
	Selector string `json:"selector,omitempty"`
	// lastReconciled is when anything else in this status last changed.
	// +optional
	LastReconciled *metav1.Time `json:"lastReconciled,omitempty"`
	// observedGeneration is the generation of the spec that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// appliedGeneration is the last generation of the spec as which the Deployment, the
	// Service and the ConfigMap all were.
	// +optional
	AppliedGeneration int64 `json:"appliedGeneration,omitempty"`
	// conditions tell more than the phase.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// The phases of a MyApp.
const (
	PhasePending     = "Pending"
	PhaseProgressing = "Progressing"
	PhaseRunning     = "Running"
	PhaseStopped     = "Stopped" // no replicas are wanted, and none is left
	PhaseDegraded    = "Degraded"
	PhaseDeleting    = "Deleting" // and still there after a few seconds
	PhaseFailed      = "Failed"
)

// Phases are all of them.
var Phases = []string{PhasePending, PhaseProgressing, PhaseRunning, PhaseStopped, PhaseDegraded, PhaseDeleting, PhaseFailed}
