package myapp

import (
	"maps"

	"example.com/mote/crd/examplev1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// What a container requests of what an app says nothing about: little, so that
// an edge node is not full of promises, yet something for the scheduler to count.
var smallRequests = map[string]resource.Quantity{
	"cpu":    resource.MustParse("10m"),
	"memory": resource.MustParse("32Mi"),
}

// resourcesFor are a container's requests and limits. A request is stated for
// every limit: one that the API server derived from a limit would stay when the
// limit changes, and a request above its limit is refused.
func resourcesFor(r *examplev1.Resources) map[string]any {
	if r == nil {
		r = &examplev1.Resources{}
	}
	requests := maps.Clone(r.Requests)
	if requests == nil {
		requests = map[string]resource.Quantity{}
	}
	for name, limit := range r.Limits {
		if _, given := requests[name]; !given {
			requests[name] = limit
		}
	}
	for name, small := range smallRequests {
		_, given := r.Requests[name]
		limit, limited := r.Limits[name]
		if !given && (!limited || limit.Cmp(small) > 0) {
			requests[name] = small
		}
	}
	out := map[string]any{"requests": amounts(requests)}
	if len(r.Limits) > 0 {
		out["limits"] = amounts(r.Limits)
	}
	return out
}

// amounts are quantities as the API server writes them: in their canonical form,
// rounded up to thousandths.
func amounts(in map[string]resource.Quantity) map[string]any {
	out := make(map[string]any, len(in))
	for k, q := range in {
		q = q.DeepCopy()
		q.RoundUp(resource.Milli)
		out[k] = q.String()
	}
	return out
}
