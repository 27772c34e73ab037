package examplev1

// EnvVar is one environment variable.
//
// +kubebuilder:validation:XValidation:rule="!has(self.valueFrom) || !has(self.value) || self.value.size() == 0",message="a variable has value or valueFrom, not both"
type EnvVar struct {
	// name is the variable's name.
	// +required
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._a-zA-Z][-._a-zA-Z0-9]*$')",message="an environment variable's name is letters, digits, '_', '-' and '.', not starting with a digit"
	Name string `json:"name"`
	// value is the variable's value.
	// +optional
	// +kubebuilder:validation:MaxLength=32768
	Value string `json:"value,omitempty"`
	// valueFrom takes the value from a Secret or a ConfigMap.
	// +optional
	ValueFrom *ValueFrom `json:"valueFrom,omitempty"`
}

// ValueFrom is where a variable's value is.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretKeyRef) != has(self.configMapKeyRef)",message="valueFrom has one of secretKeyRef and configMapKeyRef"
type ValueFrom struct {
	// secretKeyRef is a key of a Secret.
	// +optional
	SecretKeyRef *KeyReference `json:"secretKeyRef,omitempty"`
	// configMapKeyRef is a key of a ConfigMap.
	// +optional
	ConfigMapKeyRef *KeyReference `json:"configMapKeyRef,omitempty"`
}

// KeyReference is a key of a Secret or a ConfigMap.
type KeyReference struct {
	// name is the object's name.
	// +required
	Name ObjectName `json:"name"`
	// key is the key in it.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._a-zA-Z0-9]+$')",message="a key is letters, digits, '-', '_' and '.'"
	Key string `json:"key"`
	// optional lets the pods start without it.
	// +optional
	Optional bool `json:"optional,omitempty"`
}

// EnvFrom makes variables of all keys of a ConfigMap or a Secret.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretRef) != has(self.configMapRef)",message="each of envFrom has one of secretRef and configMapRef"
type EnvFrom struct {
	// prefix is put before each key.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^([-._a-zA-Z][-._a-zA-Z0-9]*)?$')",message="prefix is letters, digits, '_', '-' and '.', not starting with a digit"
	Prefix string `json:"prefix,omitempty"`
	// secretRef is a Secret.
	// +optional
	SecretRef *SourceReference `json:"secretRef,omitempty"`
	// configMapRef is a ConfigMap.
	// +optional
	ConfigMapRef *SourceReference `json:"configMapRef,omitempty"`
}

// SourceReference is a Secret or a ConfigMap.
type SourceReference struct {
	// name is the object's name.
	// +required
	Name ObjectName `json:"name"`
	// optional lets the pods start without it.
	// +optional
	Optional bool `json:"optional,omitempty"`
}
