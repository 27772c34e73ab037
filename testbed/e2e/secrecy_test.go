package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// connection is what a connection Secret holds. Its password is watched from now on.
func (s *site) connection(secret string) map[string]string {
	s.t.Helper()
	data, err := decoded(s.get(secretsResource, secret))
	if err != nil {
		s.t.Fatal(err)
	}
	s.secrets = append(s.secrets, data["password"])
	return data
}

// checkSecrecy finds any secret in a log, in an object of ours, its children or
// an Event.
func (s *site) checkSecrecy(ctx context.Context) {
	texts := map[string]string{}
	for _, p := range s.motes {
		texts[p.Name+"'s log"] = p.Output()
	}
	for _, r := range []schema.GroupVersionResource{databases, apps, deployments, services, configMaps, eventsResource, leases} {
		for _, u := range s.all(ctx, r) {
			b, err := json.Marshal(u.Object)
			if err != nil {
				s.t.Error(err)
			}
			texts[fmt.Sprintf("%s %s", u.GetKind(), u.GetName())] = string(b)
		}
	}
	hidden := s.secrets
	for _, u := range s.all(ctx, secretsResource) {
		data, err := decoded(&u)
		if err != nil {
			s.t.Error(err)
		}
		hidden = append(hidden, data["password"], data["uri"])
	}
	for where, text := range texts {
		for _, secret := range hidden {
			coded := base64.StdEncoding.EncodeToString([]byte(secret))
			if secret != "" && (strings.Contains(text, secret) || strings.Contains(text, coded)) {
				s.t.Errorf("%s holds a secret", where)
			}
		}
	}
}

// all lists the site's objects of a resource; it is for the end of a test, when
// its context is over.
func (s *site) all(ctx context.Context, r schema.GroupVersionResource) []unstructured.Unstructured {
	l, err := s.client.Resource(r).Namespace(s.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Error(err)
		return nil
	}
	return l.Items
}

func decoded(secret *unstructured.Unstructured) (map[string]string, error) {
	data, _, err := unstructured.NestedStringMap(secret.Object, "data")
	if err != nil {
		return nil, err
	}
	for k, v := range data {
		b, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			return nil, err
		}
		data[k] = string(b)
	}
	return data, nil
}
