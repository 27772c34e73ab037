package dataset

import (
	"context"
	"fmt"
	"net/http"
)

// NewSpace is the namespace of objects that have yet to be bought.
const NewSpace = "new-orders"

// Create makes n objects without an instance, as fast as the API server takes them.
func Create(ctx context.Context, a *API, n int) error {
	return each(ctx, n, func(ctx context.Context, i int) error {
		o := manifest(i)
		meta := o["metadata"].(map[string]any)
		meta["namespace"] = NewSpace
		delete(meta, "annotations")
		return a.Do(ctx, http.MethodPost, collection(NewSpace)+"?fieldManager=kubectl-client-side-apply", o, nil)
	})
}

// Discard deletes what Create made, with nobody there to serve it and no garbage
// collector: so the finalizers are taken off first, and the connection Secrets
// that Mote made go too, or they would stand in the way of the next objects.
func Discard(ctx context.Context, a *API, n int) error {
	if err := a.Do(ctx, http.MethodDelete, "/api/v1/namespaces/"+NewSpace+"/secrets", nil, nil); err != nil {
		return err
	}
	return each(ctx, n, func(ctx context.Context, i int) error {
		path := collection(NewSpace) + "/" + Name(i)
		none := map[string]any{"metadata": map[string]any{"finalizers": nil}}
		if err := a.Do(ctx, http.MethodPatch, path, none, nil); err != nil {
			return fmt.Errorf("object %d: %w", i, err)
		}
		return a.Do(ctx, http.MethodDelete, path, nil, nil)
	})
}
