package postgresdb

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

var secretResource = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

const (
	// annotationReset marks a Secret whose password the cloud does not have yet.
	annotationReset = "database.example.com/password-reset-pending"
	// annotationSet is a digest of the password that the cloud was given last. It is on
	// the Secret and nowhere else: whoever can read it can read the password.
	annotationSet = "database.example.com/password-set"
)

// passwordDigest tells passwords of one object apart.
func passwordDigest(uid types.UID, password string) string {
	sum := sha256.Sum256([]byte(string(uid) + "/" + password))
	return hex.EncodeToString(sum[:16])
}

// ReadSecret reads the connection Secret live.
func (t live) ReadSecret(ctx context.Context, o *databasev1.PostgresDB) (*Secret, error) {
	u, err := t.Client(secretResource).Get(ctx, SecretName(o), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &Secret{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", SecretName(o), err)
	}
	s := &Secret{Exists: true, Data: map[string]string{}, ResetPending: u.GetAnnotations()[annotationReset] != "", version: u.GetResourceVersion()}
	if ref := metav1.GetControllerOf(u); ref != nil && ref.UID == o.UID {
		s.Ours = true
	}
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	for k, v := range data {
		if b, err := base64.StdEncoding.DecodeString(v); err == nil {
			s.Data[k] = string(b)
		}
	}
	if set := u.GetAnnotations()[annotationSet]; set != "" {
		s.Noted = true
		s.ResetPending = s.ResetPending || s.Data["password"] != "" && set != passwordDigest(o.UID, s.Data["password"])
	}
	return s, nil
}

// CreateSecret makes the connection Secret.
func (t live) CreateSecret(ctx context.Context, o *databasev1.PostgresDB, w SecretWrite) error {
	yes := true
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": encode(w.Data),
	}}
	u.SetName(SecretName(o))
	u.SetLabels(map[string]string{reconcile.OwnedLabel: reconcile.OwnedBy})
	u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: databasev1.Group + "/" + databasev1.Version, Kind: databasev1.Kind,
		Name: o.Name, UID: o.UID, Controller: &yes, BlockOwnerDeletion: &yes}})
	switch {
	case w.Mark:
		u.SetAnnotations(map[string]string{annotationReset: "true"})
	case w.Note:
		u.SetAnnotations(map[string]string{annotationSet: passwordDigest(o.UID, w.Data["password"])})
	}
	if _, err := t.Client(secretResource).Create(ctx, u, metav1.CreateOptions{FieldManager: reconcile.FieldManager}); err != nil {
		return fmt.Errorf("create Secret %s: %w", SecretName(o), err)
	}
	return nil
}

// WriteSecret patches the connection Secret. A Secret of the same name that was
// made or changed meanwhile is not hit.
func (t live) WriteSecret(ctx context.Context, o *databasev1.PostgresDB, seen *Secret, w SecretWrite) error {
	meta := map[string]any{"resourceVersion": seen.version}
	switch {
	case w.Mark:
		meta["annotations"] = map[string]any{annotationReset: "true"}
	case w.Note:
		password := w.Data["password"]
		if password == "" {
			password = seen.Data["password"]
		}
		meta["annotations"] = map[string]any{annotationReset: nil, annotationSet: passwordDigest(o.UID, password)}
	}
	patch, err := json.Marshal(map[string]any{"metadata": meta, "data": encode(w.Data)})
	if err != nil {
		return err
	}
	_, err = t.Client(secretResource).Patch(ctx, SecretName(o), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: reconcile.FieldManager})
	if err != nil {
		return fmt.Errorf("write Secret %s: %w", SecretName(o), err)
	}
	return nil
}

// encode is Secret data on the wire; a key without a value is one to take away.
func encode(data map[string]string) map[string]any {
	out := map[string]any{}
	for k, v := range data {
		if v == "" {
			out[k] = nil
			continue
		}
		out[k] = base64.StdEncoding.EncodeToString([]byte(v))
	}
	return out
}
