package myapp

import (
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// turnLimit bounds one turn: a dozen requests to the API server at most.
const turnLimit = time.Minute

// Kind is MyApp for the engine: which ones to serve, and how many turns at once.
func (r *Reconciler) Kind(sel reconcile.Selection, workers int) reconcile.Kind {
	return reconcile.Kind{
		Name:         examplev1.Kind,
		Resource:     schema.GroupVersionResource{Group: examplev1.Group, Version: examplev1.Version, Resource: examplev1.Resource},
		SteadyPhases: []string{examplev1.PhaseRunning, examplev1.PhaseStopped},
		Phases:       examplev1.Phases,
		Workers:      workers,
		TurnLimit:    turnLimit,
		Selection:    sel,
		Owned:        ownedKinds,
		Seed:         r.options.seed(),
		Reconciler:   r,
		Index:        r.index,
	}
}

// ownedKinds are the resources of children, in the order of their roles.
var ownedKinds = []reconcile.Owned{
	config:     {Resource: resources[config], Fingerprint: contentFingerprint},
	service:    {Resource: resources[service], Fingerprint: contentFingerprint},
	deployment: {Resource: resources[deployment], Fingerprint: deploymentFingerprint},
}
