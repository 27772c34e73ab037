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

// Names that others may rely on.
const (
	Group    = "example.com"
	Version  = "v1"
	Resource = "myapps"
	Kind     = "MyApp"
)
