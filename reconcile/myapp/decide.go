package myapp

import (
	"fmt"
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// child is what a turn knows of one child.
type child struct {
	live    *unstructured.Unstructured // nil: there is none of that name
	applied bool                       // by this turn, and so not again by it
	// replaced means that this turn deleted one of that name, to make it anew.
	replaced bool
	refused  *refusal // this turn's write was not done
}

// children are all that a turn knows of an app's children.
type children [roles]child

// view is what a turn knows.
type view struct {
	kids children
	// cause is what stands in the way of the pods; nil: nobody has looked.
	cause *cause
	// missing are the references without which no pod starts.
	missing []string
	// held are the times until which a child is left as others made it.
	held [roles]time.Time
	// corrected says what others did to children, and this turn put right.
	corrected []string
	// alive means that the app was read again after its children, and is not being
	// deleted.
	alive bool
	// troubled means that an Event warned of the app, and none has said since that it runs.
	troubled bool
	// seed is Options.seed.
	seed uint64
	// forbidden is what of the app the controller does not allow; "": nothing.
	forbidden string
}

// decision is the next thing to do for an app.
type decision struct {
	// write is the one write to do next, after which is decided anew. Only when
	// there is none does the rest hold.
	write *write
	// inspect asks for a look at the pods, after which is decided anew.
	inspect bool
	// confirm asks whether the app is not being deleted, after which is decided anew.
	confirm bool
	status  examplev1.MyAppStatus
	events  []event
	again   time.Duration // when to look again although nothing changed; 0: never
}

// write makes a child what the manifest says; without a manifest it deletes it.
type write struct {
	role     role
	manifest map[string]any
	// corrects says what others did that this puts right; "": nothing.
	corrects string
	// replaces means that a deleted child is to be made again. What belongs to it
	// stays, and the new one takes it over.
	replaces bool
}

// event is an Event to record once the status is written.
type event struct {
	kind         reconcile.EventType
	reason, note string
}

// Waits until the next look at things that no watch tells of.
const (
	outsideWait = time.Minute      // other people's objects, permissions, quotas
	missingWait = 15 * time.Second // a Secret or a ConfigMap that is not there: it is not watched
	watchedNot  = 2 * time.Minute  // those that are there: their changes
	refusedWait = 5 * time.Minute  // what the API server calls invalid, until the spec changes
	leavingWait = 10 * time.Second // an object that is being deleted; the watch usually tells
	unsteady    = 5 * time.Minute  // an app that is not steady, in case the watch missed something
	podsWait    = 5 * time.Second  // pods that do not get on, and names that are taken: the first look at them; each wait is twice the one before
)

// decide is the next thing to do for an app whose children should be as in want.
// It never touches what is neither this very app's nor adoptable.
func decide(app *examplev1.MyApp, want manifests, v view, now time.Time) decision {
	kids := v.kids
	var obstacles []obstacle
	conflict, adopts := false, false
	for r := range roles {
		o := obstacleOf(app, r, kids[r], want[r] != nil, now)
		if o == nil && r == deployment && v.forbidden != "" {
			o = &obstacle{role: r, reason: reasonNotAllowed, message: v.forbidden, again: refusedWait}
		}
		if o != nil {
			obstacles = append(obstacles, *o)
			if o.passing {
				return verdict(app, v, obstacles, now)
			}
			conflict = conflict || o.reason == reasonNameConflict
		}
		adopts = adopts || want[r] != nil && adoptable(app, kids[r].live, now)
	}
	if conflict && app.Status.AppliedGeneration == 0 && belongs(app, kids[deployment].live) != ours {
		if w := takeBack(app, kids); w != nil {
			return decision{write: w}
		}
		return verdict(app, v, obstacles, now)
	}
	if adopts && !v.alive {
		// While an app is being deleted with --cascade=orphan, its children are orphans
		// already; one that it took back would go with it.
		return decision{confirm: true}
	}
	blocked := func(r role) bool {
		for _, o := range obstacles {
			if o.role == r {
				return true
			}
		}
		return false
	}
	for r := range roles {
		if want[r] == nil || blocked(r) || kids[r].applied {
			continue
		}
		if r == deployment && want[config] != nil && blocked(config) {
			continue // its pods would mount what is not ours
		}
		manifest := fitted(app, r, want, kids)
		if live := kids[r].live; live != nil && contains(live.Object, manifest) && putBack(live.Object, manifest) == nil {
			continue
		}
		w := &write{role: r, manifest: manifest}
		if !kids[r].replaced {
			w.corrects = correction(app, r, kids[r].live, manifest)
		}
		switch {
		case r == deployment && len(v.missing) > 0 && !onlyFewer(kids[r].live, manifest):
			obstacles = append(obstacles, obstacle{role: r, reason: reasonMissing, again: missingWait, waiting: true, message: withoutThem(v.missing, kids[r].live != nil)})
		case w.corrects != "" && now.Before(v.held[r]):
			obstacles = append(obstacles, obstacle{role: r, reason: reasonContested, again: v.held[r].Sub(now), message: fmt.Sprintf(
				"%s again and again; Mote does not fight over it, and "+onceMore+"%s", w.corrects, v.held[r].UTC().Format(time.TimeOnly))})
		case replaced(r, kids[r].live, manifest):
			return decision{write: &write{role: r, replaces: true, corrects: w.corrects}}
		default:
			return decision{write: w}
		}
	}
	for r := range roles {
		if want[r] != nil || blocked(r) || belongs(app, kids[r].live) != ours {
			continue
		}
		if r == config && (blocked(deployment) || !readRollout(kids[deployment].live).onlyPresent()) {
			continue // a pod of the earlier template that must start again would not come up without it
		}
		return decision{write: &write{role: r}}
	}
	return verdict(app, v, obstacles, now)
}

// takeBack is the deletion of a child of an app that a name conflict keeps from
// being made; nil: there is none to take back. All of a new app is made, or nothing.
// To look at all names before the first write would cost each new app three
// requests; so the first turn finds the conflict by a write that is refused, and
// what it made until then goes again. An app that has its Deployment, or was whole
// once, keeps what it has, and all of it that is its own is kept true.
func takeBack(app *examplev1.MyApp, kids children) *write {
	if whose := belongs(app, kids[deployment].live); whose != nobody && whose != foreign {
		return nil // there are pods that may need them
	}
	for _, r := range []role{service, config} {
		if kids[r].refused == nil && belongs(app, kids[r].live) == ours {
			return &write{role: r}
		}
	}
	return nil
}

// fitted is a child's manifest with what depends on how the children are now.
func fitted(app *examplev1.MyApp, r role, want manifests, kids children) map[string]any {
	live := kids[r].live
	switch {
	case r == deployment:
		return keepingReplicas(app, want[r], live)
	case r == service && live != nil:
		pods := kids[deployment].live
		if pods == nil || !contains(pods.Object, fitted(app, deployment, want, kids)) || !readRollout(pods).onlyPresent() {
			return leading(want[r], live, portsOf(app))
		}
	}
	return want[r]
}

// replaced tells whether a live child can only become what is wanted by being made
// anew: an immutable field stands in the way.
func replaced(r role, live *unstructured.Unstructured, manifest map[string]any) bool {
	if live == nil {
		return false
	}
	switch r {
	case deployment:
		_, differs := difference(at(live.Object, "spec", "selector"), at(manifest, "spec", "selector"))
		return differs
	case config:
		return live.Object["immutable"] == true
	}
	return false
}

// obstacle is what keeps a child from being as wanted.
type obstacle struct {
	role            role
	reason, message string
	again           time.Duration
	waiting         bool // only for something that is on its way
	passing         bool // the API server's own trouble
}

// obstacleOf finds what is in a child's way, or nil. A child that is not wanted
// stands in its own way only when it could not be deleted.
func obstacleOf(app *examplev1.MyApp, r role, c child, wanted bool, now time.Time) *obstacle {
	what := fmt.Sprintf("%s %q", kinds[r], childName(app, r))
	if f := c.refused; f != nil {
		message := what + notApplied + f.message
		if !wanted {
			message = what + " is not wanted any more, but could not be deleted: " + f.message
		}
		return &obstacle{role: r, reason: f.reason, message: message, again: f.again, passing: f.passing()}
	}
	if !wanted || adoptable(app, c.live, now) {
		return nil
	}
	switch belongs(app, c.live) {
	case foreign:
		// Nobody tells when the name is free: it is looked often at first, for it may be
		// somebody's work of this minute.
		idle := notReadySince(reconcile.GetCondition(app.Status.Conditions, reconcile.ConditionReady), now)
		return &obstacle{role: r, reason: reasonNameConflict, again: min(max(idle, podsWait), outsideWait), message: fmt.Sprintf(
			"%s is there already and %s; Mote does not take it: delete or rename it, or give this MyApp another name",
			what, ownerNote(c.live))}
	case predecessor:
		return &obstacle{role: r, reason: reasonWaiting, again: leavingWait, waiting: true,
			message: what + " of an earlier MyApp of this name has not been cleaned up yet"}
	case leaving:
		return &obstacle{role: r, reason: reasonWaiting, again: leavingWait, waiting: true,
			message: what + " is being deleted; it is made again when it is gone"}
	}
	return nil
}
