package examplev1

// SecurityContext is what the container may do. What it leaves out is as the
// restricted Pod Security level asks.
//
// +kubebuilder:validation:XValidation:rule="!has(self.runAsUser) || self.runAsUser != 0 || (has(self.runAsNonRoot) && !self.runAsNonRoot)",message="runAsUser 0 is root: it needs 'runAsNonRoot: false'"
type SecurityContext struct {
	// runAsNonRoot refuses to start a container as root. Default: true.
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`
	// runAsUser is the user's number. Default: the image's.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 2147483647",message="runAsUser is 0 to 2147483647"
	RunAsUser *int64 `json:"runAsUser,omitempty"`
	// runAsGroup is the group's number. Default: the image's.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 2147483647",message="runAsGroup is 0 to 2147483647"
	RunAsGroup *int64 `json:"runAsGroup,omitempty"`
	// fsGroup is the group that owns the volumes.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 2147483647",message="fsGroup is 0 to 2147483647"
	FSGroup *int64 `json:"fsGroup,omitempty"`
	// allowPrivilegeEscalation lets a process gain more than its parent has.
	// Default: false.
	// +optional
	AllowPrivilegeEscalation bool `json:"allowPrivilegeEscalation,omitempty"`
	// readOnlyRootFilesystem lets the container write to its volumes only.
	// Default: false.
	// +optional
	ReadOnlyRootFilesystem bool `json:"readOnlyRootFilesystem,omitempty"`
	// seccompProfile is RuntimeDefault or Unconfined. Default: RuntimeDefault.
	// +optional
	// +kubebuilder:validation:Enum=RuntimeDefault;Unconfined
	SeccompProfile string `json:"seccompProfile,omitempty"`
	// capabilities are those of a root process. Default: none.
	// +optional
	Capabilities *Capabilities `json:"capabilities,omitempty"`
}

// Capabilities are those of a root process that the container has.
type Capabilities struct {
	// add are those that it has in spite of dropAll; at most what a container
	// runtime gives by itself.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Add []Capability `json:"add,omitempty"`
	// dropAll takes away those that a container runtime gives by itself. Default:
	// true.
	// +optional
	DropAll *bool `json:"dropAll,omitempty"`
}

// Capability is one that the baseline Pod Security level allows to add.
//
// +kubebuilder:validation:Enum=AUDIT_WRITE;CHOWN;DAC_OVERRIDE;FOWNER;FSETID;KILL;MKNOD;NET_BIND_SERVICE;SETFCAP;SETGID;SETPCAP;SETUID;SYS_CHROOT
type Capability string
