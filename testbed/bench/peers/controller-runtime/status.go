package main

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// status is what both forms write.
type status struct {
	ObservedGeneration int64  `json:"observedGeneration"`
	Phase              string `json:"phase"`
	InstanceID         string `json:"instanceID,omitempty"`
}

// bringUp brings an object's status up to its generation; it buys an instance for
// one that has none. into is what the server's answer is read into.
func bringUp(ctx context.Context, c client.Client, sells cloud, into client.Object, instance string) error {
	s := status{ObservedGeneration: into.GetGeneration(), Phase: "Running"}
	if instance == "" {
		var err error
		if s.InstanceID, err = sells.buy(ctx); err != nil {
			return err
		}
	}
	patch, err := json.Marshal(map[string]status{"status": s})
	if err != nil {
		return err
	}
	return c.Status().Patch(ctx, into, client.RawPatch(types.MergePatchType, patch))
}
