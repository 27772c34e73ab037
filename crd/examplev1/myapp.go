package examplev1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MyApp is an app: a Deployment, a Service and a ConfigMap that belong to it.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=myapps,singular=myapp,shortName=mapp,categories={mote}
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:selectablefield:JSONPath=".spec.site"
// +kubebuilder:selectablefield:JSONPath=".spec.image"
// +kubebuilder:selectablefield:JSONPath=".spec.serviceType"
// +kubebuilder:selectablefield:JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=".spec.replicas"
// +kubebuilder:printcolumn:name="Available",type=integer,JSONPath=".status.availableReplicas"
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=".spec.image"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Port",type=integer,JSONPath=".spec.port",priority=1
// +kubebuilder:printcolumn:name="Service",type=string,JSONPath=".spec.serviceType",priority=1
// +kubebuilder:printcolumn:name="Site",type=string,JSONPath=".spec.site",priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=".status.conditions[?(@.type=='Ready')].message",priority=1
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name is also the Service's name: at most 63 lower-case letters, digits and '-', starting with a letter"
type MyApp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the app as it should be.
	// +required
	Spec MyAppSpec `json:"spec"`
	// status is the app as it was last seen.
	// +optional
	Status MyAppStatus `json:"status,omitempty"`
}

// MyAppSpec is the app as it should be.
//
// +kubebuilder:validation:XValidation:rule="(has(self.site) ? self.site : ”) == (has(oldSelf.site) ? oldSelf.site : ”)",message="site is immutable: it decides which controller serves the app"
type MyAppSpec struct {
	// replicas is how many pods run.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 1000",message="replicas is 0 to 1000"
	Replicas *int32 `json:"replicas,omitempty"`

	// image is the container image.
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^\\\\s]+$')",message="image is an image reference without spaces, like 'nginx:1.27-alpine'"
	Image string `json:"image"`

	// port is where the app listens, and the Service's port.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",message="port is 1 to 65535"
	Port int32 `json:"port"`

	// env are environment variables of the container.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	Env []EnvVar `json:"env,omitempty"`

	// config becomes a ConfigMap, mounted at /etc/config; a change of it rolls the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=100
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.size() <= 253 && k.matches('^[-._a-zA-Z0-9]+$') && k != '.' && k != '..')",message="a key of config is a file name: letters, digits, '-', '_' and '.'"
	Config map[string]ConfigValue `json:"config,omitempty"`

	// resources are the container's requests and limits.
	// +optional
	Resources *Resources `json:"resources,omitempty"`

	// serviceType is the kind of Service, or None for no Service.
	// +optional
	// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer;None
	// +kubebuilder:default=ClusterIP
	ServiceType string `json:"serviceType,omitempty"`

	// imagePullPolicy says when the image is pulled. An edge node has its images already.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	// +kubebuilder:default=IfNotPresent
	ImagePullPolicy string `json:"imagePullPolicy,omitempty"`

	// imagePullSecrets name Secrets with registry credentials.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=10
	ImagePullSecrets []SecretReference `json:"imagePullSecrets,omitempty"`

	// nodeSelector narrows the nodes that the pods may run on.
	// +optional
	// +kubebuilder:validation:MaxProperties=20
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`

	// site names the edge site whose controller serves this app.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="site is lower-case letters, digits and '-', like 'edge-01'"
	Site string `json:"site,omitempty"`
}

// EnvVar is one environment variable.
type EnvVar struct {
	// name of the variable.
	// +required
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._a-zA-Z][-._a-zA-Z0-9]*$')",message="an environment variable's name is letters, digits, '_', '-' and '.', not starting with a digit"
	Name string `json:"name"`
	// value of the variable.
	// +optional
	// +kubebuilder:validation:MaxLength=32768
	Value string `json:"value,omitempty"`
}

// ConfigValue is the content of one file of config.
//
// +kubebuilder:validation:MaxLength=262144
type ConfigValue string

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
type LabelValue string

// SecretReference names a Secret in the same namespace.
type SecretReference struct {
	// name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Resources are a container's requests and limits.
type Resources struct {
	// requests is what the scheduler sets aside.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Requests map[string]Quantity `json:"requests,omitempty"`
	// limits is what the container may use at most.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Limits map[string]Quantity `json:"limits,omitempty"`
}

// Quantity is an amount like "100m", "0.5" or "64Mi".
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$')",message="a quantity looks like '100m', '0.5' or '64Mi', in quotes"
type Quantity string

// MyAppStatus is the app as it was last seen.
type MyAppStatus struct {
	// phase sums the state up in a word.
	// +optional
	// +kubebuilder:validation:Enum=Pending;Progressing;Running;Degraded;Failed
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
	// selector finds the pods; autoscalers read it.
	// +optional
	Selector string `json:"selector,omitempty"`
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

// The phases of a MyApp.
const (
	PhasePending     = "Pending"
	PhaseProgressing = "Progressing"
	PhaseRunning     = "Running"
	PhaseDegraded    = "Degraded"
	PhaseFailed      = "Failed"
)

// ServiceNone is the service type that means no Service.
const ServiceNone = "None"

// Names that others may rely on.
const (
	Group    = "example.com"
	Version  = "v1"
	Resource = "myapps"
	Kind     = "MyApp"
)
