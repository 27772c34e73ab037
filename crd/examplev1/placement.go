package examplev1

// Strategy is how pods are replaced.
//
// +kubebuilder:validation:XValidation:rule="self.type != 'Recreate' || !(has(self.maxSurge) || has(self.maxUnavailable))",message="maxSurge and maxUnavailable are for RollingUpdate: Recreate stops all pods before it starts new ones"
// +kubebuilder:validation:XValidation:rule="!(has(self.maxSurge) && has(self.maxUnavailable)) || self.maxSurge > 0 || self.maxUnavailable > 0",message="maxSurge and maxUnavailable are not both 0: nothing could be replaced"
type Strategy struct {
	// type is RollingUpdate or Recreate. Default: RollingUpdate.
	// +optional
	// +kubebuilder:validation:Enum=RollingUpdate;Recreate
	// +kubebuilder:default=RollingUpdate
	Type string `json:"type,omitempty"`
	// maxSurge is how many pods there may be beyond replicas: 0 to 1000. 0 needs
	// no room for a second copy. Default: 1.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 1000",message="maxSurge is 0 to 1000"
	MaxSurge *int32 `json:"maxSurge,omitempty"`
	// maxUnavailable is how many pods may be missing: 0 to 1000. Default: 0, or 1
	// where maxSurge is 0.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 1000",message="maxUnavailable is 0 to 1000"
	MaxUnavailable *int32 `json:"maxUnavailable,omitempty"`
}

// Toleration lets pods run on nodes with a taint.
//
// +kubebuilder:validation:XValidation:rule="(has(self.key) && self.key.size() > 0) || (has(self.operator) && self.operator == 'Exists')",message="a toleration without a key has 'operator: Exists', and is of every taint"
// +kubebuilder:validation:XValidation:rule="!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value.size() == 0",message="a toleration with 'operator: Exists' has no value"
// +kubebuilder:validation:XValidation:rule="!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')",message="tolerationSeconds is for 'effect: NoExecute'"
type Toleration struct {
	// key is the taint's key. Default: every taint.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^(([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')",message="a taint's key is like a label's, 'example.com/dedicated'"
	Key string `json:"key,omitempty"`
	// operator is Equal or Exists. Default: Equal.
	// +optional
	// +kubebuilder:validation:Enum=Equal;Exists
	Operator string `json:"operator,omitempty"`
	// value is the taint's value.
	// +optional
	Value LabelValue `json:"value,omitempty"`
	// effect is the taint's effect. Default: every effect.
	// +optional
	// +kubebuilder:validation:Enum=NoSchedule;PreferNoSchedule;NoExecute
	Effect string `json:"effect,omitempty"`
	// tolerationSeconds is how long a NoExecute taint is tolerated. Default: for ever.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0",message="tolerationSeconds is not negative"
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$')",message="a label's value is letters, digits, '-', '_' and '.', starting and ending with a letter or digit"
type LabelValue string
