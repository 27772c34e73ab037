package examplev1

// MyAppSpec is the app as it should be.
//
// +kubebuilder:validation:XValidation:rule="has(self.site) == has(oldSelf.site) && (!has(self.site) || self.site == oldSelf.site)",fieldPath=".site",message="site is immutable: it decides which controller serves the app"
// +kubebuilder:validation:XValidation:rule="has(self.port) || (has(self.ports) && self.ports.size() > 0) || (has(self.serviceType) && self.serviceType == 'None')",fieldPath=".port",message="port is missing: give port, or ports, or 'serviceType: None' for an app that listens nowhere"
// +kubebuilder:validation:XValidation:rule="!has(self.port) || !has(self.ports) || self.ports.all(p, p.name != 'http' && ((has(p.protocol) && p.protocol == 'UDP') || (p.port != self.port && (has(p.targetPort) ? p.targetPort : p.port) != self.port)))",fieldPath=".ports",message="port is itself a port named 'http': ports have other names and numbers"
// +kubebuilder:validation:XValidation:rule="!has(self.probe) || !has(self.probe.port) || (has(self.port) && self.probe.port == 'http') || (has(self.ports) && self.ports.exists(p, p.name == self.probe.port && (!has(p.protocol) || p.protocol == 'TCP')))",fieldPath=".probe.port",message="probe.port is the name of one of ports that is TCP, or 'http' for port"
// +kubebuilder:validation:XValidation:rule="!has(self.probe) || !(has(self.probe.path) || (has(self.probe.tcp) && self.probe.tcp)) || has(self.port) || (has(self.ports) && self.ports.exists(p, !has(p.protocol) || p.protocol == 'TCP'))",fieldPath=".probe",message="probe needs a TCP port: give port or ports"
// +kubebuilder:validation:XValidation:rule="!has(self.config) || !has(self.volumes) || self.volumes.all(v, v.mountPath != '/etc/config')",fieldPath=".volumes",message="config is mounted at /etc/config: volumes are mounted elsewhere"
type MyAppSpec struct {
	// replicas is how many pods run: 0 to 1000; 0 stops the app. Left out, it is
	// nobody's: 1 at first, then what an autoscaler or kubectl scale sets on the
	// Deployment, and Mote leaves it alone.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 1000",message="replicas is 0 to 1000"
	Replicas *int32 `json:"replicas,omitempty"`

	// image is the container image, like "nginxinc/nginx-unprivileged:1.27-alpine".
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^(([a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?([.][a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*|[[][a-fA-F0-9:]+[]])(:[0-9]+)?/)?[a-zA-Z0-9]+(([._]|__|-+)[a-zA-Z0-9]+)*(/[a-zA-Z0-9]+(([._]|__|-+)[a-zA-Z0-9]+)*)*(:[^/@:[:space:]]+)?(@[^@/[:space:]]+)?$')",message="image is an image reference like 'nginx:1.27-alpine': no spaces, no 'https://', no ':' at its end"
	// +kubebuilder:validation:XValidation:rule="self.matches('^([^/@]+/)?[^A-Z@:]+(:[^/@]*)?(@.*)?$')",message="image: a repository is lower-case, like 'ghcr.io/team/app'; only its tag may have capitals"
	// +kubebuilder:validation:XValidation:rule="self.matches('^([^/@]+/)?[^@:]+(:[a-zA-Z0-9_][-.a-zA-Z0-9_]{0,127})?(@.*)?$')",message="image: a tag is 1 to 128 letters, digits, '_', '.' and '-', not starting with '.' or '-'"
	// +kubebuilder:validation:XValidation:rule="!self.contains('@') || self.matches('@(sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$') || (!self.matches('@sha(256|384|512):') && self.matches('@[a-z0-9]+([+._-][a-z0-9]+)*:[-_=a-zA-Z0-9]{32,}$'))",message="image: a digest is 'sha256:' and 64 digits of 0-9 and a-f, like docker pull prints it"
	Image string `json:"image"`

	// command is run instead of the image's entrypoint; at most 100 words.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	Command []Word `json:"command,omitempty"`
	// args are given to the command or the image's entrypoint; at most 100.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	Args []Word `json:"args,omitempty"`

	// port is where the app listens (TCP), and the Service's port: 1 to 65535. Its
	// name is "http".
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",message="port is 1 to 65535"
	Port int32 `json:"port,omitempty"`
	// ports are further ports, or all of them, by name; at most 20.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:XValidation:rule="self.all(p, self.exists_one(q, q.port == p.port && (has(q.protocol) && q.protocol == 'UDP') == (has(p.protocol) && p.protocol == 'UDP')))",message="each port number is there once for each protocol"
	// +kubebuilder:validation:XValidation:rule="self.all(p, self.exists_one(q, (has(q.protocol) && q.protocol == 'UDP') == (has(p.protocol) && p.protocol == 'UDP') && (has(q.targetPort) ? q.targetPort : q.port) == (has(p.targetPort) ? p.targetPort : p.port)))",message="each targetPort is there once for each protocol"
	Ports []Port `json:"ports,omitempty"`

	// probe asks the container whether it is ready. Default: a TCP connection to
	// the first TCP port.
	// +optional
	Probe *Probe `json:"probe,omitempty"`

	// env are environment variables of the container; at most 200.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	Env []EnvVar `json:"env,omitempty"`
	// envFrom makes variables of all keys of ConfigMaps and Secrets; at most 20.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	EnvFrom []EnvFrom `json:"envFrom,omitempty"`

	// config becomes a ConfigMap, mounted at /etc/config; a change of it
	// rolls the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=100
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.size() <= 253 && k.matches('^[-._a-zA-Z0-9]+$') && k != '.' && !k.startsWith('..'))",message="a key of config is a file name: up to 253 letters, digits, '-', '_' and '.', not '.' and not starting with '..'"
	// +kubebuilder:validation:XValidation:rule="self.map(k, self[k].size()).sum() <= 1000000",message="config is at most 1000000 characters in all, because a ConfigMap holds 1 MiB"
	Config map[string]ConfigValue `json:"config,omitempty"`
	// volumes are files and folders of the container; at most 20.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:XValidation:rule="self.all(v, self.exists_one(w, w.mountPath == v.mountPath))",message="each mountPath is there once"
	Volumes []Volume `json:"volumes,omitempty"`

	// resources are the container's requests and limits. Where neither is given,
	// 10m of cpu and 32Mi of memory are requested.
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

	// strategy is how pods are replaced. Default: a new one is ready before an
	// old one goes.
	// +optional
	Strategy *Strategy `json:"strategy,omitempty"`
	// progressDeadlineSeconds is how long a rollout may take without progress
	// before the app has Failed: 10 to 86400. Default: 600.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 10 && self <= 86400",message="progressDeadlineSeconds is 10 to 86400"
	ProgressDeadlineSeconds int32 `json:"progressDeadlineSeconds,omitempty"`

	// securityContext is what the container may do. Default: what the restricted
	// Pod Security level allows; each field here opts out of one thing.
	// +optional
	SecurityContext *SecurityContext `json:"securityContext,omitempty"`
	// serviceAccountName is the ServiceAccount of the pods, whose token they get.
	// Default: no token.
	// +optional
	ServiceAccountName ObjectName `json:"serviceAccountName,omitempty"`
	// hostNetwork gives the pods the node's own network, if the controller allows
	// it (--allow-host-network).
	// +optional
	HostNetwork bool `json:"hostNetwork,omitempty"`

	// nodeSelector narrows the nodes that the pods may run on, like
	// kubernetes.io/arch: arm64.
	// +optional
	// +kubebuilder:validation:MaxProperties=20
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.size() <= 317 && k.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))",message="a key of nodeSelector is a label like 'kubernetes.io/arch'"
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`
	// tolerations let pods run on nodes with taints; at most 20. Unless they say
	// otherwise, a node that cannot be reached keeps its pods for 30 minutes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Tolerations []Toleration `json:"tolerations,omitempty"`

	// site names the edge site whose controller serves this app, like "edge-01".
	// Immutable.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="site is lower-case letters, digits and '-', like 'edge-01'"
	Site string `json:"site,omitempty"`
}

// Word is one word of a command line.
//
// +kubebuilder:validation:MaxLength=32768
type Word string

// ObjectName is the name of another object in the same namespace.
//
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="an object's name is lower-case letters, digits, '-' and '.'"
type ObjectName string

// ConfigValue is the content of one file of config.
//
// +kubebuilder:validation:MaxLength=262144
type ConfigValue string

// SecretReference names a Secret in the same namespace.
type SecretReference struct {
	// name is the Secret's name.
	// +required
	Name ObjectName `json:"name"`
}

// ServiceNone is the service type that means no Service.
const ServiceNone = "None"
