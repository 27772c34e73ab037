package postgresdb

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

var secretResource = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// annotationReset marks a Secret whose password the cloud does not have yet.
const annotationReset = "database.example.com/password-reset-pending"

// readSecret reads the connection Secret live.
func readSecret(ctx context.Context, t *reconcile.Turn, o *databasev1.PostgresDB) (*Secret, error) {
	u, err := t.Client(secretResource).Get(ctx, SecretName(o), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &Secret{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", SecretName(o), err)
	}
	s := &Secret{Exists: true, Data: map[string]string{}, ResetPending: u.GetAnnotations()[annotationReset] != ""}
	if ref := metav1.GetControllerOf(u); ref != nil && ref.UID == o.UID {
		s.Ours = true
	}
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	for k, v := range data {
		if b, err := base64.StdEncoding.DecodeString(v); err == nil {
			s.Data[k] = string(b)
		}
	}
	return s, nil
}

// createSecret makes the connection Secret, never over one that is there. With
// reset, its password has yet to be set in the cloud.
func createSecret(ctx context.Context, t *reconcile.Turn, o *databasev1.PostgresDB, data map[string]string, reset bool) error {
	yes := true
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": encode(data),
	}}
	u.SetName(SecretName(o))
	u.SetLabels(map[string]string{reconcile.OwnedLabel: reconcile.OwnedBy})
	u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: databasev1.Group + "/" + databasev1.Version, Kind: databasev1.Kind,
		Name: o.Name, UID: o.UID, Controller: &yes, BlockOwnerDeletion: &yes}})
	if reset {
		u.SetAnnotations(map[string]string{annotationReset: "true"})
	}
	_, err := t.Client(secretResource).Create(ctx, u, metav1.CreateOptions{FieldManager: reconcile.FieldManager})
	if err != nil {
		return fmt.Errorf("create Secret %s: %w", SecretName(o), err)
	}
	return nil
}

// writeSecret puts keys into the connection Secret; others in it stay.
func writeSecret(ctx context.Context, t *reconcile.Turn, o *databasev1.PostgresDB, data map[string]string) error {
	return patchSecret(ctx, t, o, map[string]any{"data": encode(data)})
}

// resetDone takes the mark off that the password has yet to be set.
func resetDone(ctx context.Context, t *reconcile.Turn, o *databasev1.PostgresDB) error {
	return patchSecret(ctx, t, o, map[string]any{"metadata": map[string]any{"annotations": map[string]any{annotationReset: nil}}})
}

func patchSecret(ctx context.Context, t *reconcile.Turn, o *databasev1.PostgresDB, patch map[string]any) error {
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = t.Client(secretResource).Patch(ctx, SecretName(o), types.MergePatchType, data, metav1.PatchOptions{FieldManager: reconcile.FieldManager})
	if err != nil {
		return fmt.Errorf("write Secret %s: %w", SecretName(o), err)
	}
	return nil
}

func encode(data map[string]string) map[string]any {
	out := map[string]any{}
	for k, v := range data {
		out[k] = base64.StdEncoding.EncodeToString([]byte(v))
	}
	return out
}

// withPassword is data with a password made anew where it has none.
func withPassword(data map[string]string, random io.Reader) (map[string]string, error) {
	if data["password"] != "" {
		return data, nil
	}
	p, err := NewPassword(random)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(data)
	out["password"] = p
	return out, nil
}
