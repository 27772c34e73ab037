package measure

import (
	"context"
	"net/http"
	"time"

	"example.com/mote/testbed/bench/dataset"
)

const deployments = "/apis/apps/v1/deployments"

// rollers is how many Deployments are rolled out at once.
const rollers = 16

// rollouts stands in for the Deployment controller and all below it: no pods are
// made, and a Deployment's status says at once that all are available. So what is
// measured is the operator, and not how soon pods come up.
type rollouts struct {
	ctx   context.Context
	api   *dataset.API
	ended chan<- error
	free  chan struct{}
}

// see rolls out a Deployment of which the status does not speak yet.
func (r *rollouts) see(o dataset.Object, _ time.Time) {
	if o.Metadata.Generation <= o.Status.ObservedGeneration || o.Metadata.DeletionTimestamp != "" {
		return
	}
	r.free <- struct{}{}
	go func() {
		defer func() { <-r.free }()
		path := "/apis/apps/v1/namespaces/" + o.Metadata.Namespace + "/deployments/" + o.Metadata.Name + "/status?fieldManager=deployment-stand-in"
		if err := r.api.Do(r.ctx, http.MethodPatch, path, rolledOut(o.Metadata.Generation, time.Now()), nil); err != nil && r.ctx.Err() == nil {
			select {
			case r.ended <- err:
			default:
			}
		}
	}()
}

// rolledOut is the patch of a Deployment's status that says that its only replica is
// available.
func rolledOut(generation int64, now time.Time) map[string]any {
	at := now.UTC().Format(time.RFC3339)
	condition := func(kind, reason string) map[string]any {
		return map[string]any{"type": kind, "status": "True", "reason": reason, "lastUpdateTime": at, "lastTransitionTime": at}
	}
	return map[string]any{"status": map[string]any{
		"observedGeneration": generation, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
		"conditions": []any{condition("Available", "MinimumReplicasAvailable"), condition("Progressing", "NewReplicaSetAvailable")},
	}}
}
