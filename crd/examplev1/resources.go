package examplev1

import "k8s.io/apimachinery/pkg/api/resource"

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
