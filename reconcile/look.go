package reconcile

import (
	"fmt"
	"log/slog"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// ReadOnly is a transport over which nothing in a cluster can be changed: it
// refuses every request but GET, which get, list and watch are. It is for
// rest.Config.Wrap.
func ReadOnly(next http.RoundTripper) http.RoundTripper { return readOnly{next} }

type readOnly struct{ next http.RoundTripper }

// RoundTrip is http.RoundTripper's.
func (r readOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		if request.Body != nil {
			request.Body.Close() // as a RoundTripper must
		}
		return nil, fmt.Errorf("%s %s may change something, and only reading is allowed here; this is a bug in Mote", request.Method, request.URL.Path)
	}
	return r.next.RoundTrip(request)
}

// NewLook is a turn that only looks: its client is to be one that cannot write, and
// it has no Events.
func NewLook(client dynamic.Interface, resource schema.GroupVersionResource, u *unstructured.Unstructured) *Turn {
	k := Key{Namespace: u.GetNamespace(), Name: u.GetName()}
	return &Turn{Key: k, Object: u, Log: slog.New(slog.DiscardHandler), client: client, resource: client.Resource(resource).Namespace(k.Namespace)}
}

// Paused tells whether an object is left alone because of AnnotationPaused.
func Paused(u *unstructured.Unstructured) bool {
	value, there := u.GetAnnotations()[AnnotationPaused]
	return there && pauses(value)
}
