package reconcile

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// secretReadLimit bounds one read of the Secret.
const secretReadLimit = 10 * time.Second

// NewSecretReader returns a function that reads one Secret's data, live at most
// once in every span of time; so a change of it is seen within that span. While
// one caller asks the API server the others have the last answer, and when it
// does not answer, or not well, that one stands for everybody; a Secret that is
// gone, or that may not be read, is an error at once.
func NewSecretReader(client dynamic.Interface, namespace, name string, every time.Duration) func(context.Context) (map[string]string, error) {
	resource := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Namespace(namespace)
	asking := make(chan struct{}, 1)
	var mu sync.Mutex // of data and asked
	var data map[string]string
	var asked time.Time
	last := func() (map[string]string, bool) {
		mu.Lock()
		defer mu.Unlock()
		return data, data != nil && time.Since(asked) < every
	}
	return func(ctx context.Context) (map[string]string, error) {
		old, fresh := last()
		if fresh {
			return old, nil
		}
		if old == nil { // nothing to go on with: wait for whoever asks
			select {
			case asking <- struct{}{}:
			case <-ctx.Done():
				return nil, fmt.Errorf("read the credentials Secret %s/%s: %w", namespace, name, ctx.Err())
			}
		} else {
			select {
			case asking <- struct{}{}:
			default:
				return old, nil
			}
		}
		defer func() { <-asking }()
		if old, fresh = last(); fresh {
			return old, nil
		}
		ctx, cancel := context.WithTimeout(ctx, secretReadLimit)
		defer cancel()
		u, err := resource.Get(ctx, name, metav1.GetOptions{})
		mu.Lock()
		defer mu.Unlock()
		gone := apierrors.IsNotFound(err) || apierrors.IsForbidden(err)
		if err != nil && data != nil && !gone {
			asked = time.Now()
			return data, nil
		}
		if err != nil {
			data = nil
			return nil, fmt.Errorf("read the credentials Secret %s/%s: %w", namespace, name, err)
		}
		data, asked = map[string]string{}, time.Now()
		raw, _, _ := unstructured.NestedStringMap(u.Object, "data")
		for k, v := range raw {
			if b, err := base64.StdEncoding.DecodeString(v); err == nil {
				data[k] = strings.TrimSpace(string(b))
			}
		}
		return data, nil
	}
}
