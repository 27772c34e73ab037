package examplev1

import "k8s.io/apimachinery/pkg/api/resource"

// MyAppSpec is the app as it should be.
//
// +kubebuilder:validation:XValidation:rule="has(self.site) == has(oldSelf.site) && (!has(self.site) || self.site == oldSelf.site)",fieldPath=".site",message="site is immutable: it decides which controller serves the app"
type MyAppSpec struct {
	// replicas is how many pods run: 0 to 1000. Default: 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 1000",message="replicas is 0 to 1000"
	Replicas *int32 `json:"replicas,omitempty"`

	// image is the container image, like "nginx:1.27-alpine".
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:space:]]+$') && !self.contains('://') && !self.endsWith(':')",message="image is an image reference like 'nginx:1.27-alpine': no spaces, no 'https://', no ':' at its end"
	Image string `json:"image"`

	// port is where the app listens, and the Service's port: 1 to 65535.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",message="port is 1 to 65535"
	Port int32 `json:"port"`

	// env are environment variables of the container; at most 200.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	Env []EnvVar `json:"env,omitempty"`

	// config becomes a ConfigMap, mounted at /etc/config; a change of it
	// rolls the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=100
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.size() <= 253 && k.matches('^[-._a-zA-Z0-9]+$') && k != '.' && !k.startsWith('..'))",message="a key of config is a file name: up to 253 letters, digits, '-', '_' and '.', not '.' and not starting with '..'"
	// +kubebuilder:validation:XValidation:rule="self.map(k, self[k].size()).sum() <= 1000000",message="config is at most 1000000 characters in all, because a ConfigMap holds 1 MiB"
	Config map[string]ConfigValue `json:"config,omitempty"`

	// resources are the container's requests and limits.
	// +optional
	Resources *Resources `json:"resources,omitempty"`

	// serviceType is the kind of Service, or None for no Service.
	// Default: ClusterIP.
	// +optional
	// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer;None
	// +kubebuilder:default=ClusterIP
	ServiceType string `json:"serviceType,omitempty"`

	// imagePullPolicy says when the image is pulled. An edge node has
	// its images already. Default: IfNotPresent.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	// +kubebuilder:default=IfNotPresent
	ImagePullPolicy string `json:"imagePullPolicy,omitempty"`

	// imagePullSecrets name Secrets with registry credentials; at most 10.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=10
	ImagePullSecrets []SecretReference `json:"imagePullSecrets,omitempty"`

	// nodeSelector narrows the nodes that the pods may run on, like
	// kubernetes.io/arch: arm64.
	// +optional
	// +kubebuilder:validation:MaxProperties=20
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.size() <= 317 && k.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))",message="a key of nodeSelector is a label like 'kubernetes.io/arch'"
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`

	// site names the edge site whose controller serves this app, like "edge-01".
	// Immutable.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="site is lower-case letters, digits and '-', like 'edge-01'"
	Site string `json:"site,omitempty"`
}

// EnvVar is one environment variable.
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
}

// ConfigValue is the content of one file of config.
//
// +kubebuilder:validation:MaxLength=262144
type ConfigValue string

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$')",message="a label's value is letters, digits, '-', '_' and '.', starting and ending with a letter or digit"
type LabelValue string

// SecretReference names a Secret in the same namespace.
type SecretReference struct {
	// name is the Secret's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Resources are a container's requests and limits.
type Resources struct {
	// requests is what the scheduler sets aside: amounts like 1, "100m" or
	// "64Mi".
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, k in ['cpu', 'memory', 'ephemeral-storage'] || k.startsWith('hugepages-') || k.contains('/'))",message="requests are of cpu, memory, ephemeral-storage, hugepages-SIZE or a device like 'example.com/gpu'"
	// +kubebuilder:validation:XValidation:rule="self.all(k, type(self[k]) == int ? self[k] >= 0 : isQuantity(self[k]) && !quantity(self[k]).isLessThan(quantity('0')))",message="requests are amounts like 1, '100m' or '64Mi', not negative"
	Requests map[string]resource.Quantity `json:"requests,omitempty"`
	// limits is what the container may use at most: amounts like 1, "100m" or
	// "64Mi".
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, k in ['cpu', 'memory', 'ephemeral-storage'] || k.startsWith('hugepages-') || k.contains('/'))",message="limits are of cpu, memory, ephemeral-storage, hugepages-SIZE or a device like 'example.com/gpu'"
	// +kubebuilder:validation:XValidation:rule="self.all(k, type(self[k]) == int ? self[k] >= 0 : isQuantity(self[k]) && !quantity(self[k]).isLessThan(quantity('0')))",message="limits are amounts like 1, '100m' or '64Mi', not negative"
	Limits map[string]resource.Quantity `json:"limits,omitempty"`
}

// ServiceNone is the service type that means no Service.
const ServiceNone = "None"
