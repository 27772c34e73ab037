package examplev1

// Port is a port of the app, by name.
type Port struct {
	// name is the port's name, like "mqtt".
	// +required
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && self.matches('[a-z]') && !self.contains('--')",message="a port's name is up to 15 lower-case letters, digits and single '-', with a letter"
	Name string `json:"name"`
	// port is the Service's port: 1 to 65535.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",message="port is 1 to 65535"
	Port int32 `json:"port"`
	// targetPort is where the container listens: 1 to 65535. Default: port.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",message="targetPort is 1 to 65535"
	TargetPort int32 `json:"targetPort,omitempty"`
	// protocol is TCP or UDP. Default: TCP.
	// +optional
	// +kubebuilder:validation:Enum=TCP;UDP
	Protocol string `json:"protocol,omitempty"`
}

// Probe asks the container whether it is ready.
//
// +kubebuilder:validation:XValidation:rule="!has(self.path) || !has(self.tcp) || !self.tcp",message="probe has path or tcp, not both"
// +kubebuilder:validation:XValidation:rule="!has(self.startupSeconds) || (has(self.liveness) && self.liveness)",message="startupSeconds is for a probe with 'liveness: true'"
type Probe struct {
	// path is asked for by HTTP GET; an answer from 200 to 399 is good.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="path starts with '/'"
	Path string `json:"path,omitempty"`
	// tcp makes a connection and no more. false without path: no probe at all.
	// +optional
	TCP *bool `json:"tcp,omitempty"`
	// port is the name of the port. Default: the first TCP port.
	// +optional
	// +kubebuilder:validation:MaxLength=15
	Port string `json:"port,omitempty"`
	// periodSeconds is the time between two probes: 1 to 3600. Default: 10.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 3600",message="periodSeconds is 1 to 3600"
	PeriodSeconds int32 `json:"periodSeconds,omitempty"`
	// timeoutSeconds is how long an answer may take: 1 to 300. Default: 5.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 300",message="timeoutSeconds is 1 to 300"
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`
	// failureThreshold is how many failures in a row count: 1 to 100. Default: 3.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 100",message="failureThreshold is 1 to 100"
	FailureThreshold int32 `json:"failureThreshold,omitempty"`
	// liveness also starts a container again that fails the probe.
	// +optional
	Liveness bool `json:"liveness,omitempty"`
	// startupSeconds is how long a start may take before liveness counts: 1 to
	// 3600. Default: 120.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 3600",message="startupSeconds is 1 to 3600"
	StartupSeconds int32 `json:"startupSeconds,omitempty"`
}
