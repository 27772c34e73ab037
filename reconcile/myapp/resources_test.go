package myapp

import (
	"encoding/json"
	"testing"

	"example.com/mote/crd/examplev1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// What nobody asked for is requested in small, but never more than the limit.
func TestRequests(t *testing.T) {
	of := func(pairs ...string) map[string]resource.Quantity {
		out := map[string]resource.Quantity{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i]] = resource.MustParse(pairs[i+1])
		}
		return out
	}
	for name, c := range map[string]struct {
		in   *examplev1.Resources
		want string
	}{
		"nothing":                  {nil, `{"requests":{"cpu":"10m","memory":"32Mi"}}`},
		"cpu alone":                {&examplev1.Resources{Requests: of("cpu", "1")}, `{"requests":{"cpu":"1","memory":"32Mi"}}`},
		"a limit":                  {&examplev1.Resources{Limits: of("memory", "64Mi")}, `{"limits":{"memory":"64Mi"},"requests":{"cpu":"10m","memory":"32Mi"}}`},
		"a limit below":            {&examplev1.Resources{Limits: of("memory", "16Mi")}, `{"limits":{"memory":"16Mi"},"requests":{"cpu":"10m","memory":"16Mi"}}`},
		"both":                     {&examplev1.Resources{Requests: of("memory", "8Mi"), Limits: of("memory", "9Mi")}, `{"limits":{"memory":"9Mi"},"requests":{"cpu":"10m","memory":"8Mi"}}`},
		"none at all is asked for": {&examplev1.Resources{Requests: of("cpu", "0", "memory", "0")}, `{"requests":{"cpu":"0","memory":"0"}}`},
		"a device":                 {&examplev1.Resources{Limits: of("example.com/gpu", "1")}, `{"limits":{"example.com/gpu":"1"},"requests":{"cpu":"10m","example.com/gpu":"1","memory":"32Mi"}}`},
	} {
		got, err := json.Marshal(resourcesFor(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}
