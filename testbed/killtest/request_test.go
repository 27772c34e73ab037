package killtest

import (
	"encoding/json"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/crd/databasev1"
)

// request tells whether a request to the API server is a certain write of a life.
type request func(*life) func(*http.Request, []byte) bool

// write is a request of a method to a path with a body.
func write(method string, path func(*life) string, has func(*life, map[string]any) bool) request {
	return func(l *life) func(*http.Request, []byte) bool {
		end := "/namespaces/" + l.s.ns + "/" + path(l)
		return func(r *http.Request, raw []byte) bool {
			if r.Method != method || !strings.HasSuffix(r.URL.Path, end) {
				return false
			}
			var body map[string]any
			return json.Unmarshal(raw, &body) == nil && has(l, body)
		}
	}
}

// field is a value in a body; ok tells whether it is there, perhaps as null.
func field(body map[string]any, path ...string) (value any, ok bool) {
	value, ok, _ = unstructured.NestedFieldNoCopy(body, path...)
	return value, ok
}

// statusWrite is one with a field in it; nothing: with null, which takes it away.
func statusWrite(nothing bool, path ...string) request {
	return write(http.MethodPatch, func(l *life) string { return "postgresdbs/" + l.name + "/status" }, func(_ *life, body map[string]any) bool {
		v, ok := field(body, append([]string{"status"}, path...)...)
		return ok && (v == nil) == nothing
	})
}

// phaseWrite shows a phase.
func phaseWrite(phase string) request {
	return write(http.MethodPatch, func(l *life) string { return "postgresdbs/" + l.name + "/status" }, func(_ *life, body map[string]any) bool {
		v, _ := field(body, "status", "phase")
		return v == phase
	})
}

// finalizersWrite leaves so many finalizers.
func finalizersWrite(n int) request {
	return write(http.MethodPatch, func(l *life) string { return "postgresdbs/" + l.name }, func(_ *life, body map[string]any) bool {
		v, _ := field(body, "metadata", "finalizers")
		list, ok := v.([]any)
		return ok && len(list) == n
	})
}

// The writes of a life.
var (
	secretMade = write(http.MethodPost, func(*life) string { return "secrets" }, func(l *life, body map[string]any) bool {
		name, _ := field(body, "metadata", "name")
		return name == l.secretName()
	})
	secretChanged  = write(http.MethodPatch, func(l *life) string { return "secrets/" + l.secretName() }, func(*life, map[string]any) bool { return true })
	finalizerOn    = finalizersWrite(1)
	finalizerOff   = finalizersWrite(0)
	intent         = statusWrite(false, "create", "startedAt")
	intentEnds     = statusWrite(true, "create")
	unknownOutcome = statusWrite(false, "create", "ambiguousSince")
	lookUpCounted  = statusWrite(false, "create", "cleanLookups")
	orders         = statusWrite(false, "create", "orders")
	instanceID     = statusWrite(false, "instanceID")
	showsRunning   = phaseWrite(databasev1.PhaseRunning)
	showsUpdating  = phaseWrite(databasev1.PhaseUpdating)
	showsDeleting  = phaseWrite(databasev1.PhaseDeleting)
)
