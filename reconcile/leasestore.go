package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// leaseStore is where the one Lease of an election is kept.
type leaseStore interface {
	// read returns the Lease; that there is none is no error but a lease without version.
	read(ctx context.Context) (lease, error)
	// write replaces exactly the given version, or makes the Lease when that is
	// "", and returns what stands then. It fails with a Conflict or AlreadyExists
	// when something else stands there, and with NotFound when the Lease, or for
	// a new one its namespace, is not there.
	write(ctx context.Context, version string, l lease) (lease, error)
}

var leaseResource = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}

// LeaseName is the Lease's where it is given none: of all objects it is "mote", and of
// a selection of namespace, labels and fields it has their hash.
func LeaseName(namespace, label, field string) string {
	if label == "" && field == "" && namespace == "" {
		return "mote"
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%s|%s|%s", namespace, label, field)
	return fmt.Sprintf("mote-%08x", h.Sum32())
}

// clusterLease is a Lease in the cluster.
type clusterLease struct {
	leases dynamic.ResourceInterface
	name   string
}

func (c clusterLease) read(ctx context.Context) (lease, error) {
	u, err := c.leases.Get(ctx, c.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return lease{}, nil
	}
	if err != nil {
		return lease{}, err
	}
	return leaseOf(u), nil
}

func (c clusterLease) write(ctx context.Context, version string, l lease) (lease, error) {
	spec := map[string]any{
		"holderIdentity": l.holder,
		// Whole seconds, at least one; rounded up, so that others wait long enough.
		"leaseDurationSeconds": int64(math.Ceil(l.duration.Seconds())),
		"acquireTime":          l.acquired.UTC().Format(metav1.RFC3339Micro),
		"renewTime":            l.renewed.UTC().Format(metav1.RFC3339Micro),
		"leaseTransitions":     l.transitions,
	}
	var u *unstructured.Unstructured
	var err error
	if version == "" {
		u, err = c.leases.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
			"metadata": map[string]any{"name": c.name}, "spec": spec,
		}}, metav1.CreateOptions{FieldManager: FieldManager})
	} else {
		var patch []byte
		patch, err = json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": version}, "spec": spec})
		if err != nil {
			return lease{}, err
		}
		u, err = c.leases.Patch(ctx, c.name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: FieldManager})
	}
	if err != nil {
		return lease{}, err
	}
	return leaseOf(u), nil
}

func leaseOf(u *unstructured.Unstructured) lease {
	l := lease{version: u.GetResourceVersion()}
	field, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec")
	spec, _ := field.(map[string]any)
	l.holder, _ = spec["holderIdentity"].(string)
	if seconds, _ := spec["leaseDurationSeconds"].(int64); seconds > 0 {
		l.duration = time.Duration(seconds) * time.Second
	}
	l.transitions, _ = spec["leaseTransitions"].(int64)
	l.acquired, l.renewed = microTime(spec["acquireTime"]), microTime(spec["renewTime"])
	return l
}

// microTime reads a MicroTime; what cannot be read is the zero time.
func microTime(v any) time.Time {
	s, _ := v.(string)
	t, _ := time.Parse(time.RFC3339Nano, s)
	return t
}
