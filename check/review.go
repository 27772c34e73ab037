package check

import (
	"context"
	"net/http"
	"strings"

	"example.com/mote/k3s"
)

// may asks the API server about ourselves.
func (s *server) may(ctx context.Context, r k3s.Rule, verb, name string) (bool, error) {
	resource, subresource, _ := strings.Cut(r.Resource, "/")
	var answer struct{ Status struct{ Allowed bool } }
	err := s.ask(ctx, http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", nil, map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": map[string]any{
			"namespace": r.Namespace, "verb": verb, "group": r.Group, "resource": resource, "subresource": subresource, "name": name,
		}},
	}, &answer)
	return answer.Status.Allowed, err
}
