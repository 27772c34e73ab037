package watchtest

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const group = "watch.example.com"

var (
	crds            = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	namespaces      = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	serviceAccounts = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
)

func resource(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: "v1", Resource: plural}
}

func kindOf(plural string) string {
	return strings.ToUpper(plural[:1]) + strings.TrimSuffix(plural[1:], "s")
}

// made creates an object that may be there.
func made(ctx context.Context, r schema.GroupVersionResource, namespace string, o map[string]any) error {
	_, err := admin.Resource(r).Namespace(namespace).Create(ctx, &unstructured.Unstructured{Object: o}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// install makes a kind and waits until it is served.
func install(ctx context.Context, plural string) error {
	err := made(ctx, crds, "", map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + "." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{"plural": plural, "singular": strings.TrimSuffix(plural, "s"), "kind": kindOf(plural)},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}},
		},
	})
	if err != nil {
		return err
	}
	for {
		_, err := admin.Resource(resource(plural)).List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			return nil
		}
		if !apierrors.IsNotFound(err) || !pause(ctx) {
			return fmt.Errorf("%s is not served: %w", plural, err)
		}
	}
}

// serviceAccount makes one, and returns a token of it.
func serviceAccount(ctx context.Context, namespace, name string) (string, error) {
	if err := made(ctx, serviceAccounts, namespace, map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": name}}); err != nil {
		return "", err
	}
	request := map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": map[string]any{"name": name}, "spec": map[string]any{}}
	answer, err := admin.Resource(serviceAccounts).Namespace(namespace).Create(ctx, &unstructured.Unstructured{Object: request}, metav1.CreateOptions{}, "token")
	if err != nil {
		return "", err
	}
	token, _, err := unstructured.NestedString(answer.Object, "status", "token")
	return token, err
}

func rbac(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: plural}
}

// bind gives a ServiceAccount a ClusterRole, in a namespace or everywhere.
func bind(ctx context.Context, kind, namespace, name, role, saNamespace, sa string) error {
	return made(ctx, rbac(strings.ToLower(kind)+"s"), namespace, map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": name},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "namespace": saNamespace, "name": sa}},
	})
}

// pause is between two looks at something that is waited for.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(50 * time.Millisecond):
		return true
	}
}
