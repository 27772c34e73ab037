package examplev1

// Volume is files or a folder of the container.
//
// +kubebuilder:validation:XValidation:rule="[has(self.configMap), has(self.secret), has(self.emptyDir), has(self.persistentVolumeClaim), has(self.hostPath)].filter(x, x).size() == 1",message="a volume has one of configMap, secret, emptyDir, persistentVolumeClaim and hostPath"
type Volume struct {
	// name is the volume's name.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && !self.startsWith('mote-')",message="a volume's name is lower-case letters, digits and '-', not starting with 'mote-'"
	Name string `json:"name"`
	// mountPath is where the container finds it, like "/data".
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^/[^:]+$') && !self.matches('(^|/)[.][.](/|$)')",message="mountPath is an absolute path like '/data', without ':' and '..'"
	MountPath string `json:"mountPath"`
	// subPath is what of the volume is mounted; such a mount does not follow changes.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('/') && !self.matches('(^|/)[.][.](/|$)')",message="subPath is a relative path without '..'"
	SubPath string `json:"subPath,omitempty"`
	// readOnly keeps the container from writing. Those of configMap and secret are
	// always so.
	// +optional
	ReadOnly bool `json:"readOnly,omitempty"`

	// configMap is a ConfigMap, each key a file; its change rolls the pods.
	// +optional
	ConfigMap *SourceReference `json:"configMap,omitempty"`
	// secret is a Secret, each key a file; its change rolls the pods.
	// +optional
	Secret *SourceReference `json:"secret,omitempty"`
	// emptyDir is a folder that lives as long as its pod.
	// +optional
	EmptyDir *EmptyDir `json:"emptyDir,omitempty"`
	// persistentVolumeClaim is a claim that exists; what is in it stays.
	// +optional
	PersistentVolumeClaim *ClaimReference `json:"persistentVolumeClaim,omitempty"`
	// hostPath is a path of the node, if the controller allows it
	// (--allow-host-paths).
	// +optional
	HostPath *HostPath `json:"hostPath,omitempty"`
}

// EmptyDir is a folder that lives as long as its pod.
type EmptyDir struct {
	// medium is Memory for a folder in memory. Default: the node's disk.
	// +optional
	// +kubebuilder:validation:Enum=Memory
	Medium string `json:"medium,omitempty"`
	// sizeLimit is how much fits, like "64Mi".
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="isQuantity(self) && !quantity(self).isLessThan(quantity('0'))",message="sizeLimit is an amount like '64Mi', not negative"
	SizeLimit string `json:"sizeLimit,omitempty"`
}

// ClaimReference names a PersistentVolumeClaim in the same namespace.
type ClaimReference struct {
	// claimName is the claim's name.
	// +required
	ClaimName ObjectName `json:"claimName"`
}

// HostPath is a path of the node.
type HostPath struct {
	// path is absolute, like "/dev/ttyUSB0".
	// +required
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/') && !self.matches('(^|/)[.][.]?(/|$)') && !self.contains('//')",message="path is an absolute path of the node, without '.', '..' and '//'"
	Path string `json:"path"`
	// type is what has to be there, or is made. Default: anything.
	// +optional
	// +kubebuilder:validation:Enum=DirectoryOrCreate;Directory;FileOrCreate;File;Socket;CharDevice;BlockDevice
	Type string `json:"type,omitempty"`
}
