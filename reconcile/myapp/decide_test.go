package myapp

import (
	"strings"
	"testing"
	"time"

	"example.com/mote/crd/examplev1"
	"example.com/mote/reconcile"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// deleted is what a child is while its deletion waits for something.
func deleted(u *unstructured.Unstructured) {
	u.SetDeletionTimestamp(&metav1.Time{Time: noon})
}

// owned gives a child another controlling owner.
func owned(u *unstructured.Unstructured, apiVersion, kind, name, uid string) {
	refs := u.Object["metadata"].(map[string]any)["ownerReferences"].([]any)
	refs[0] = map[string]any{"apiVersion": apiVersion, "kind": kind, "name": name, "uid": uid, "controller": true}
}

// orphaned is what a child is after kubectl delete --cascade=orphan.
func orphaned(u *unstructured.Unstructured) {
	u.SetOwnerReferences(nil)
	u.Object["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{
		"manager": reconcile.FieldManager, "operation": "Apply", "fieldsType": "FieldsV1",
		"fieldsV1": map[string]any{"f:metadata": map[string]any{"f:annotations": map[string]any{"f:" + annotationApplied: map[string]any{}}}},
	}}
}

// once is an app that was whole.
func once(app *examplev1.MyApp) { app.Status.AppliedGeneration = app.Generation }

// The writes: which child is written next, and which never.
func TestDecideWrites(t *testing.T) {
	const nothing = role(-1)
	refused := &refusal{reason: reasonRefused, message: "no", again: refusedWait}
	for name, c := range map[string]struct {
		app     *examplev1.MyApp
		change  func(*children)
		write   role
		deletes bool
	}{
		"nothing is there: what others need comes first": {newApp(withConfig), func(k *children) { *k = children{} }, config, false},
		"no config wanted":           {newApp(), func(k *children) { *k = children{} }, service, false},
		"the config is made":         {newApp(withConfig), func(k *children) { k[deployment].live, k[service].live = nil, nil }, service, false},
		"the Service is made":        {newApp(withConfig), func(k *children) { k[deployment].live = nil }, deployment, false},
		"the Service is missing":     {newApp(), func(k *children) { k[service].live = nil }, service, false},
		"all is as it should be":     {newApp(tricky), func(*children) {}, nothing, false},
		"no Service wanted, none is": {newApp(withoutService), func(*children) {}, nothing, false},
		"drift in the spec": {newApp(), func(k *children) {
			k[deployment].live.Object["spec"].(map[string]any)["replicas"] = int64(1)
		}, deployment, false},
		"drift in a label": {newApp(), func(k *children) {
			k[service].live.SetLabels(map[string]string{labelApp: "web"})
		}, service, false},
		"drift in the selector": {newApp(), func(k *children) {
			k[service].live.Object["spec"].(map[string]any)["selector"] = map[string]any{labelApp: "web", "more": "x"}
		}, service, false},
		"a field that was wanted once": {newApp(), func(k *children) {
			k[deployment].live.SetAnnotations(map[string]string{annotationApplied: "of another manifest"})
		}, deployment, false},
		"others added to ours": {newApp(), func(k *children) {
			k[service].live.SetAnnotations(map[string]string{
				annotationApplied: k[service].live.GetAnnotations()[annotationApplied], "metallb/pool": "edge"})
			k[deployment].live.Object["spec"].(map[string]any)["paused"] = true
		}, nothing, false},
		"applied in this turn is not applied again": {newApp(), func(k *children) {
			k[deployment].live.Object["spec"].(map[string]any)["replicas"] = int64(1) // a webhook has its own opinion
			k[deployment].applied = true
		}, nothing, false},
		"another selector, which is immutable": {newApp(), func(k *children) {
			k[deployment].live.Object["spec"].(map[string]any)["selector"].(map[string]any)["matchLabels"].(map[string]any)["more"] = "x"
		}, deployment, true},
		"a ConfigMap that was made immutable": {newApp(withConfig), func(k *children) {
			k[config].live.Object["immutable"] = true
			k[config].live.Object["data"] = map[string]any{}
		}, config, true},
		"an immutable ConfigMap that is right": {newApp(withConfig), func(k *children) { k[config].live.Object["immutable"] = true }, nothing, false},
		"refused in this turn, the others go on": {newApp(), func(k *children) {
			k[deployment] = child{refused: refused}
			k[service].live = nil
		}, service, false},
		"the config is refused: the Deployment waits": {newApp(withConfig), func(k *children) {
			k[config] = child{refused: refused}
			k[deployment].live, k[service].live = nil, nil
		}, service, false},
		"the server is in trouble: nothing more": {newApp(), func(k *children) {
			k[deployment] = child{refused: &refusal{reason: reasonApplyFailed, message: "no"}}
			k[service].live = nil
		}, nothing, false},
		"somebody else's Deployment": {newApp(), func(k *children) {
			owned(k[deployment].live, "apps.example.org/v1", "Shop", "web", "uid-of-shop")
			k[deployment].live.SetLabels(nil)
		}, service, true},
		"somebody else's Deployment, and what was made is taken back": {newApp(), func(k *children) {
			owned(k[deployment].live, "apps.example.org/v1", "Shop", "web", "uid-of-shop")
			k[service].live = nil
		}, nothing, false},
		"somebody else's Deployment, and the config cannot be taken back": {newApp(withConfig), func(k *children) {
			k[deployment].live.SetOwnerReferences(nil)
			k[service].live, k[config].refused = nil, refused
		}, nothing, false},
		"somebody else's Deployment, of an app that was whole": {newApp(withConfig, once), func(k *children) {
			k[deployment].live.SetOwnerReferences(nil)
			k[service].live = nil
		}, service, false},
		"somebody else's Service: nothing more is made": {newApp(withConfig), func(k *children) {
			k[service].live.SetOwnerReferences(nil)
			k[config].live, k[deployment].live = nil, nil
		}, nothing, false},
		"somebody else's Service, of an app that has its pods": {newApp(), func(k *children) {
			k[service].live.SetOwnerReferences(nil)
			k[deployment].live.Object["spec"].(map[string]any)["replicas"] = int64(1)
		}, deployment, false},
		"somebody else's config: what was made is taken back": {newApp(withConfig), func(k *children) {
			k[config].live.SetOwnerReferences(nil)
			k[deployment].live = nil
		}, service, true},
		"somebody else's config, of an app that was whole: its pods are not made": {newApp(withConfig, once), func(k *children) {
			k[config].live.SetOwnerReferences(nil)
			k[deployment].live = nil
		}, nothing, false},
		"an orphan": {newApp(), func(k *children) { orphaned(k[deployment].live) }, deployment, false},
		"an orphan of which one label was taken off": {newApp(once), func(k *children) {
			orphaned(k[deployment].live)
			k[deployment].live.SetLabels(map[string]string{labelApp: "web"})
		}, nothing, false},
		"an orphan beside somebody else's": {newApp(withConfig), func(k *children) {
			orphaned(k[deployment].live)
			k[config].live.SetOwnerReferences(nil)
		}, nothing, false},
		"an orphan that is not wanted": {newApp(), func(k *children) {
			k[config].live = allLive(t, newApp(withConfig))[config].live
			orphaned(k[config].live)
		}, nothing, false},
		"a child that is being deleted": {newApp(), func(k *children) {
			deleted(k[service].live)
			k[service].live.SetLabels(nil)
		}, nothing, false},
		"a predecessor's child": {newApp(), func(k *children) {
			owned(k[deployment].live, "example.com/v1", "MyApp", "web", "an-earlier-uid")
		}, nothing, false},

		"the Service is not wanted any more": {newApp(withoutService), func(k *children) {
			k[service].live = allLive(t, newApp())[service].live
		}, service, true},
		"somebody else's Service is none of our business": {newApp(withoutService), func(k *children) {
			k[service].live = allLive(t, newApp())[service].live
			k[service].live.SetOwnerReferences(nil)
		}, nothing, false},
		"a Service that is being deleted already": {newApp(withoutService), func(k *children) {
			k[service].live = allLive(t, newApp())[service].live
			deleted(k[service].live)
		}, nothing, false},
		"a Service that cannot be deleted is not tried twice": {newApp(withoutService), func(k *children) {
			k[service].live = allLive(t, newApp())[service].live
			k[service].refused = &refusal{reason: reasonForbidden, message: "no", again: outsideWait}
		}, nothing, false},
		"the config is not wanted, first the pods let go of it": {newApp(), func(k *children) {
			*k = allLive(t, newApp(withConfig))
		}, deployment, false},
		"old pods still mount the config": {newApp(), func(k *children) {
			k[config].live = allLive(t, newApp(withConfig))[config].live
			rolledOut(k[deployment].live, 4, 2, 3, rolling)
		}, nothing, false},
		"it is not known whether old pods mount the config": {newApp(), func(k *children) {
			k[config].live = allLive(t, newApp(withConfig))[config].live
			k[deployment].live.SetGeneration(2)
		}, nothing, false},
		"the Deployment was refused, so its pods mount the config": {newApp(), func(k *children) {
			*k = allLive(t, newApp(withConfig))
			rolledOut(k[deployment].live, 3, 3, 3, settled)
			k[deployment].refused = refused
		}, nothing, false},
		"no pod mounts the config any more": {newApp(), func(k *children) {
			k[config].live = allLive(t, newApp(withConfig))[config].live
			rolledOut(k[deployment].live, 3, 3, 1, rolling)
		}, config, true},
	} {
		t.Run(name, func(t *testing.T) {
			kids := allLive(t, c.app)
			if kids[deployment].live.Object["status"] == nil {
				rolledOut(kids[deployment].live, 3, 3, 3, settled)
			}
			c.change(&kids)
			d := decide(c.app, wanted(c.app), view{kids: kids, cause: &cause{}, alive: true}, noon)
			switch {
			case c.write == nothing && d.write != nil:
				t.Errorf("writes %s, want no write", kinds[d.write.role])
			case c.write == nothing:
			case d.write == nil:
				t.Errorf("no write, want one of %s", kinds[c.write])
			case d.write.role != c.write || (d.write.manifest == nil) != c.deletes:
				t.Errorf("writes %s (deletes: %v), want %s (%v)", kinds[d.write.role], d.write.manifest == nil, kinds[c.write], c.deletes)
			}
		})
	}
}

// The verdicts: phase, Ready and the rest, when nothing is left to write.
func TestDecideVerdicts(t *testing.T) {
	scaledTo := func(n int32) func(*examplev1.MyApp) {
		return func(a *examplev1.MyApp) { a.Spec.Replicas = &n }
	}
	second := func(a *examplev1.MyApp) { a.Generation = 2 }
	pods := func(replicas, updated, available int64, conditions ...any) func(*children) {
		return func(k *children) { rolledOut(k[deployment].live, replicas, updated, available, conditions...) }
	}
	progressed := func(ago time.Duration, generation int64) func(*examplev1.MyApp) {
		return after(examplev1.PhaseProgressing, reasonProgressing, generation, ago)
	}
	running := func(generation int64) func(*examplev1.MyApp) {
		return after(examplev1.PhaseRunning, reasonAvailable, generation, time.Hour)
	}
	for name, c := range map[string]struct {
		app                    *examplev1.MyApp
		kids                   func(*children)
		phase, reason, message string
		event                  reconcile.EventType // "": none
		again                  time.Duration
		applied                int64
	}{
		"just made": {newApp(), func(*children) {},
			"Progressing", "Progressing", "the Deployment is applied; nothing is known of its pods yet", "", podsWait, 1},
		"rolling out": {newApp(progressed(time.Minute, 1)), pods(3, 3, 1, rolling),
			"Progressing", "Progressing", "1 of 3 replicas available", "", unsteady, 1},
		"rolling out a change": {newApp(second, progressed(time.Minute, 2)), pods(4, 2, 3, rolling),
			"Progressing", "Progressing", "3 of 3 replicas available, 2 updated, 2 old", "", unsteady, 2},
		"all new ones there, an old one too": {newApp(progressed(time.Minute, 1)), pods(4, 3, 4, rolling),
			"Progressing", "Progressing", "3 of 3 replicas available, 1 old", "", unsteady, 1},
		"paused by somebody": {newApp(progressed(time.Minute, 1)), func(k *children) {
			k[deployment].live.Object["spec"].(map[string]any)["paused"] = true
			rolledOut(k[deployment].live, 3, 1, 3)
		}, "Progressing", "Progressing", "3 of 3 replicas available, 1 updated, 2 old; the Deployment is paused", "", unsteady, 1},
		"paused before it began": {newApp(), func(k *children) {
			k[deployment].live.Object["spec"].(map[string]any)["paused"] = true
		}, "Progressing", "Progressing", "the Deployment is applied, and paused: it does not roll out before somebody resumes it", "", podsWait, 1},
		"numbers of an earlier Deployment are not believed": {newApp(second, running(1)), func(k *children) {
			rolledOut(k[deployment].live, 3, 3, 3, settled)
			k[deployment].live.SetGeneration(2)
		}, "Progressing", "Progressing", "the Deployment is applied; nothing is known of its pods yet", "", podsWait, 2},
		"running at last": {newApp(progressed(time.Minute, 1)), pods(3, 3, 3, settled),
			"Running", "Available", "3 of 3 replicas available", reconcile.Normal, 0, 1},
		"still running": {newApp(running(1)), pods(3, 3, 3, settled),
			"Running", "Available", "3 of 3 replicas available", "", 0, 1},
		"running after a change that no pod noticed": {newApp(second, running(1)), pods(3, 3, 3, settled),
			"Running", "Available", "3 of 3 replicas available", "", 0, 2},
		"scaled to zero": {newApp(scaledTo(0), progressed(time.Minute, 1)), pods(0, 0, 0, settled),
			"Stopped", "Stopped", "no replicas are wanted, and none is left", reconcile.Normal, 0, 1},
		"scaling to zero": {newApp(scaledTo(0), progressed(time.Minute, 1)), pods(2, 2, 2, settled),
			"Progressing", "Progressing", "no replicas are wanted, 2 left", "", unsteady, 1},
		"scaling up is progress although the template is settled": {newApp(second, scaledTo(5), progressed(time.Minute, 2)), pods(5, 5, 3, settled),
			"Progressing", "Progressing", "3 of 5 replicas available", "", unsteady, 2},
		"scaling up that does not end": {newApp(second, scaledTo(5), progressed(settleLimit, 2)), pods(5, 5, 3, settled),
			"Degraded", "ReplicasUnavailable", "3 of 5 replicas available", reconcile.Warning, unsteady, 2},
		"a pod was lost": {newApp(running(1)), pods(3, 3, 2, settled),
			"Degraded", "ReplicasUnavailable", "2 of 3 replicas available", reconcile.Warning, unsteady, 1},
		"another pod was lost": {newApp(after(examplev1.PhaseDegraded, reasonDegraded, 1, time.Minute)), pods(3, 3, 1, settled),
			"Degraded", "ReplicasUnavailable", "1 of 3 replicas available", "", unsteady, 1},
		"the pods were restarted by hand": {newApp(running(1)), pods(4, 2, 3, rolling),
			"Progressing", "Progressing", "3 of 3 replicas available, 2 updated, 2 old", "", unsteady, 1},
		"the deadline passed": {newApp(progressed(time.Hour, 1)), pods(3, 3, 0, stalled),
			"Failed", "ProgressDeadlineExceeded", "ReplicaSet has timed out progressing (0 of 3 replicas available)", reconcile.Warning, unsteady, 1},
		"the deadline passed, said before": {newApp(after(examplev1.PhaseFailed, reasonStalled, 1, time.Minute)), pods(3, 3, 0, stalled),
			"Failed", "ProgressDeadlineExceeded", "ReplicaSet has timed out progressing (0 of 3 replicas available)", "", unsteady, 1},
		"pods cannot be made": {newApp(progressed(time.Minute, 1)), pods(1, 1, 1, stalled, condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota")),
			"Failed", "ReplicaFailure", "exceeded quota (1 of 3 replicas available, 1 updated)", reconcile.Warning, unsteady, 1},
		"pods cannot be made, said first": {newApp(progressed(time.Minute, 1)), pods(1, 1, 1, condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota"), stalled),
			"Failed", "ReplicaFailure", "exceeded quota", reconcile.Warning, unsteady, 1},
		"found with pods missing": {newApp(), pods(3, 3, 1, settled),
			"Progressing", "Progressing", "1 of 3 replicas available", "", unsteady, 1},
		"pods could not be made once": {newApp(progressed(time.Minute, 1)), pods(3, 3, 3, settled, condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota")),
			"Running", "Available", "3 of 3 replicas available", reconcile.Normal, 0, 1},

		"somebody else's Service": {newApp(second, running(1)), func(k *children) {
			rolledOut(k[deployment].live, 3, 3, 3, settled)
			owned(k[service].live, "v1", "Shop", "shop", "uid-of-shop")
		}, "Failed", "NameConflict", `Service "web" is there already and belongs to Shop "shop"; Mote does not take it`, reconcile.Warning, podsWait, 1},
		"everything is somebody else's": {newApp(withConfig), func(k *children) {
			for r := range roles {
				k[r].live.SetOwnerReferences(nil)
			}
		}, "Failed", "NameConflict", `ConfigMap "web-config" is there already and looks like Mote's, but the API server has no note`, reconcile.Warning, podsWait, 0},
		"somebody's own": {newApp(withConfig), func(k *children) {
			k[config].live.SetOwnerReferences(nil)
			k[config].live.SetLabels(nil)
		}, "Failed", "NameConflict", `ConfigMap "web-config" is there already and was not made by Mote; Mote does not take it`, reconcile.Warning, podsWait, 0},
		"the conflict has lasted": {newApp(after(examplev1.PhaseFailed, reasonNameConflict, 1, 20*time.Second)), func(k *children) {
			k[service].live.SetOwnerReferences(nil)
		}, "Failed", "NameConflict", `Service "web" is there already and looks like Mote's, but the API server has no note`, "", 20 * time.Second, 1},
		"the conflict is known": {newApp(after(examplev1.PhaseFailed, reasonNameConflict, 1, time.Minute)), func(k *children) {
			k[service].live.SetOwnerReferences(nil)
		}, "Failed", "NameConflict", `Service "web" is there already and looks like Mote's, but the API server has no note`, "", outsideWait, 1},
		"orphans beside somebody else's": {newApp(withConfig), func(k *children) {
			orphaned(k[deployment].live)
			rolledOut(k[deployment].live, 3, 3, 3, settled)
			k[config].live.SetOwnerReferences(nil)
		}, "Failed", "NameConflict", `ConfigMap "web-config" is there already and looks like Mote's, but the API server has no note`, reconcile.Warning, podsWait, 0},
		"an orphan that goes": {newApp(), func(k *children) {
			orphaned(k[service].live)
			deleted(k[service].live)
		}, "Progressing", "WaitingForDeletion", `Service "web" is being deleted; it is made again when it is gone`, "", leavingWait, 0},
		"what was taken away": {newApp(running(1)), func(k *children) {
			orphaned(k[service].live)
			k[service].live.SetLabels(nil)
		}, "Failed", "NameConflict", `Service "web" is there already and has neither an owner nor the labels of this MyApp any more`, reconcile.Warning, podsWait, 1},
		"a predecessor's Deployment": {newApp(), func(k *children) {
			owned(k[deployment].live, "example.com/v1beta1", "MyApp", "web", "an-earlier-uid")
		}, "Pending", "WaitingForDeletion", `Deployment "web" of an earlier MyApp of this name has not been cleaned up yet`, "", leavingWait, 0},
		"the Service is being deleted": {newApp(running(1)), func(k *children) {
			rolledOut(k[deployment].live, 3, 3, 3, settled)
			deleted(k[service].live)
		}, "Progressing", "WaitingForDeletion", `Service "web" is being deleted; it is made again when it is gone`, "", leavingWait, 1},
		"what waits is not the chief cause": {newApp(), func(k *children) {
			deleted(k[service].live)
			k[deployment].live.SetOwnerReferences(nil)
		}, "Failed", "NameConflict", `Service "web" is being deleted; it is made again when it is gone; Deployment "web" is there`, reconcile.Warning, podsWait, 0},
		"the sooner look counts": {newApp(withConfig, after(examplev1.PhaseFailed, reasonNameConflict, 0, time.Hour)), func(k *children) {
			k[config].live.SetOwnerReferences(nil)
			deleted(k[service].live)
		}, "Failed", "NameConflict", `ConfigMap "web-config" is there already`, reconcile.Warning, leavingWait, 0},
		"refused": {newApp(second, running(1)), func(k *children) {
			rolledOut(k[deployment].live, 3, 3, 3, settled)
			k[deployment].refused = &refusal{reason: reasonRefused, message: "spec.x: Invalid value", again: refusedWait}
		}, "Failed", "Refused", `Deployment "web" could not be applied: spec.x: Invalid value`, reconcile.Warning, refusedWait, 1},
		"refused again, after another change": {newApp(second, after(examplev1.PhaseFailed, reasonRefused, 1, time.Minute)), func(k *children) {
			k[deployment] = child{refused: &refusal{reason: reasonRefused, message: "spec.y: Invalid value", again: refusedWait}}
		}, "Failed", "Refused", `Deployment "web" could not be applied: spec.y: Invalid value`, reconcile.Warning, refusedWait, 1},
		"forbidden": {newApp(), func(k *children) {
			k[deployment] = child{refused: &refusal{reason: reasonForbidden, message: "quota", again: outsideWait}}
		}, "Failed", "Forbidden", `Deployment "web" could not be applied: quota`, reconcile.Warning, outsideWait, 0},
		"may not delete": {newApp(withoutService, running(1)), func(k *children) {
			k[service] = child{live: allLive(t, newApp())[service].live, refused: &refusal{reason: reasonForbidden, message: "RBAC", again: outsideWait}}
		}, "Failed", "Forbidden", `Service "web" is not wanted any more, but could not be deleted: RBAC`, reconcile.Warning, outsideWait, 1},
		"the server's trouble, at the beginning": {newApp(), func(k *children) {
			k[deployment] = child{refused: &refusal{reason: reasonApplyFailed, message: "webhook is down"}}
		}, "Pending", "ApplyFailed", `Deployment "web" could not be applied: webhook is down`, "", 0, 0},
		"the server's trouble, after a change": {newApp(second, running(1)), func(k *children) {
			k[deployment].refused = &refusal{reason: reasonApplyFailed, message: "webhook is down"}
		}, "Progressing", "ApplyFailed", `Deployment "web" could not be applied: webhook is down`, "", 0, 1},
		"the server's trouble, while running": {newApp(running(1)), func(k *children) {
			k[service].refused = &refusal{reason: reasonApplyFailed, message: "timeout"}
		}, "Running", "Available", "as before", "", 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			kids := allLive(t, c.app)
			c.kids(&kids)
			d := decide(c.app, wanted(c.app), view{kids: kids, cause: &cause{}}, noon)
			if d.write != nil {
				t.Fatalf("writes %s", kinds[d.write.role])
			}
			ready := reconcile.GetCondition(d.status.Conditions, reconcile.ConditionReady)
			if d.status.Phase != c.phase || ready.Reason != c.reason || !strings.HasPrefix(ready.Message, c.message) {
				t.Errorf("got %s, %s: %q\nwant %s, %s: %q", d.status.Phase, ready.Reason, ready.Message, c.phase, c.reason, c.message)
			}
			if (ready.Status == metav1.ConditionTrue) != (c.phase == examplev1.PhaseRunning || c.phase == examplev1.PhaseStopped) {
				t.Errorf("Ready is %s while %s", ready.Status, c.phase)
			}
			if ready.ObservedGeneration != c.app.Generation {
				t.Errorf("Ready is about generation %d", ready.ObservedGeneration)
			}
			if d.status.ObservedGeneration != c.app.Generation {
				t.Errorf("observedGeneration %d of %d", d.status.ObservedGeneration, c.app.Generation)
			}
			if d.status.AppliedGeneration != c.applied || d.again != c.again {
				t.Errorf("appliedGeneration %d, again %s; want %d, %s", d.status.AppliedGeneration, d.again, c.applied, c.again)
			}
			switch {
			case c.event == "" && len(d.events) > 0:
				t.Errorf("events %v, want none", d.events)
			case c.event != "" && (len(d.events) != 1 || d.events[0].kind != c.event || d.events[0].reason != c.reason):
				t.Errorf("events %v, want one %s", d.events, c.event)
			}
		})
	}
}

// A fight is told by Ready alone: the phase is of the pods.
func TestDecideContested(t *testing.T) {
	for name, c := range map[string]struct {
		change         func(*unstructured.Unstructured) // of the Deployment
		replicas       int64
		pods           [3]int64
		phase, message string
	}{
		"all pods are there":                  {nil, 3, [3]int64{3, 3, 3}, "Running", "(3 of 3 replicas available)"},
		"a pod is missing":                    {nil, 3, [3]int64{3, 3, 2}, "Degraded", "(2 of 3 replicas available)"},
		"over the number of pods":             {nil, 5, [3]int64{5, 5, 5}, "Running", "(3 of 3 replicas available)"},
		"over the number of pods, not so far": {nil, 5, [3]int64{5, 5, 4}, "Degraded", "(3 of 3 replicas available)"},
		"somebody stops it":                   {nil, 0, [3]int64{0, 0, 0}, "Stopped", "(0 of 3 replicas available, 0 updated)"},
		"it rolls":                            {nil, 3, [3]int64{4, 2, 3}, "Progressing", "(3 of 3 replicas available, 2 updated, 2 old)"},
		"it is somebody else's":               {func(u *unstructured.Unstructured) { u.SetOwnerReferences(nil) }, 3, [3]int64{3, 3, 3}, "Failed", ""},
	} {
		app := newApp(after(examplev1.PhaseRunning, reasonAvailable, 1, time.Hour))
		kids := allLive(t, app)
		rolledOut(kids[deployment].live, c.pods[0], c.pods[1], c.pods[2], settled)
		if c.pods[0] != c.pods[1] {
			rolledOut(kids[deployment].live, c.pods[0], c.pods[1], c.pods[2], rolling)
		}
		kids[deployment].live.Object["spec"].(map[string]any)["replicas"] = c.replicas
		kids[service].live.Object["spec"].(map[string]any)["type"] = "NodePort"
		if c.change != nil {
			c.change(kids[deployment].live)
		}
		until := noon.Add(time.Minute)
		d := decide(app, wanted(app), view{kids: kids, cause: &cause{}, held: [roles]time.Time{until, until, until}}, noon)
		if d.write != nil {
			t.Fatalf("%s: writes %s", name, kinds[d.write.role])
		}
		ready := reconcile.GetCondition(d.status.Conditions, reconcile.ConditionReady)
		if d.status.Phase != c.phase || ready.Status != metav1.ConditionFalse || !strings.HasSuffix(ready.Message, c.message) || d.again > time.Minute {
			t.Errorf("%s: %s, Ready %s: %s; again %s; want %s: ...%s", name, d.status.Phase, ready.Status, ready.Message, d.again, c.phase, c.message)
		}
	}
}

// The pods are looked at when a rollout has stood still for a while, and what stands
// in their way is told, once.
func TestDecideCauses(t *testing.T) {
	stoodStill := func(ago time.Duration, kind, status, reason string) any {
		return map[string]any{"type": kind, "status": status, "reason": reason, "lastUpdateTime": noon.Add(-ago).Format(time.RFC3339), "message": "late"}
	}
	pull := cause{reason: reasonImagePull, message: "pod a: no such image"}
	explained := after(examplev1.PhaseProgressing, reasonImagePull, 1, time.Minute)
	for name, c := range map[string]struct {
		app           *examplev1.MyApp
		condition     any
		pods          [3]int64
		cause         *cause
		inspect       bool
		phase, reason string
		message       string
		again         time.Duration
		note          string // of the Event; "": none
	}{
		"it has just got on": {newApp(), stoodStill(4*time.Second, "Progressing", "True", "ReplicaSetUpdated"), [3]int64{3, 3, 1}, nil,
			false, "Progressing", "Progressing", "1 of 3 replicas available", podsWait, ""},
		"it stands still":   {newApp(), stoodStill(5*time.Second, "Progressing", "True", "ReplicaSetUpdated"), [3]int64{3, 3, 1}, nil, true, "", "", "", 0, ""},
		"a cause was known": {newApp(explained), stoodStill(0, "Progressing", "True", "ReplicaSetUpdated"), [3]int64{3, 3, 1}, nil, true, "", "", "", 0, ""},
		"a cause was known of another generation": {newApp(explained, func(a *examplev1.MyApp) { a.Generation = 2 }), stoodStill(0, "Progressing", "True", "ReplicaSetUpdated"), [3]int64{3, 3, 1}, nil,
			false, "Progressing", "Progressing", "1 of 3 replicas available", podsWait, ""},
		"no cause is found": {newApp(), stoodStill(40*time.Second, "Progressing", "True", "ReplicaSetUpdated"), [3]int64{3, 3, 1}, &cause{},
			false, "Progressing", "Progressing", "1 of 3 replicas available", 40 * time.Second, ""},
		"a cause": {newApp(), stoodStill(40*time.Second, "Progressing", "True", "ReplicaSetUpdated"), [3]int64{3, 3, 1}, &pull,
			false, "Progressing", "ImagePullBackOff", "pod a: no such image (1 of 3 replicas available)", 40 * time.Second, "pod a: no such image"},
		"the cause as before": {newApp(explained), stoodStill(time.Hour, "Progressing", "True", "ReplicaSetUpdated"), [3]int64{3, 3, 1}, &pull,
			false, "Progressing", "ImagePullBackOff", "pod a: no such image (1 of 3 replicas available)", unsteady, ""},
		"the deadline passed": {newApp(explained), stoodStill(time.Hour, "Progressing", "False", "ProgressDeadlineExceeded"), [3]int64{3, 3, 1}, &pull,
			false, "Failed", "ImagePullBackOff", "pod a: no such image (late (1 of 3 replicas available))", unsteady, ""},
		"a pod was lost": {newApp(after(examplev1.PhaseRunning, reasonAvailable, 1, time.Hour)), stoodStill(time.Hour, "Progressing", "True", "NewReplicaSetAvailable"), [3]int64{3, 3, 2}, &pull,
			false, "Degraded", "ImagePullBackOff", "pod a: no such image (2 of 3 replicas available)", unsteady, "pod a: no such image"},
		"all is well": {newApp(), stoodStill(time.Hour, "Progressing", "True", "NewReplicaSetAvailable"), [3]int64{3, 3, 3}, nil,
			false, "Running", "Available", "3 of 3 replicas available", 0, ""},
		"all is well at last": {newApp(after(examplev1.PhaseProgressing, reasonProgressing, 1, worthTelling)), stoodStill(time.Hour, "Progressing", "True", "NewReplicaSetAvailable"), [3]int64{3, 3, 3}, nil,
			false, "Running", "Available", "3 of 3 replicas available", 0, "All wanted replicas are available"},
		"all is well soon": {newApp(after(examplev1.PhaseProgressing, reasonProgressing, 1, worthTelling-time.Second)), stoodStill(time.Hour, "Progressing", "True", "NewReplicaSetAvailable"), [3]int64{3, 3, 3}, nil,
			false, "Running", "Available", "3 of 3 replicas available", 0, ""},
		"all is well after trouble": {newApp(after(examplev1.PhaseProgressing, reasonImagePull, 1, time.Second)), stoodStill(time.Hour, "Progressing", "True", "NewReplicaSetAvailable"), [3]int64{3, 3, 3}, nil,
			false, "Running", "Available", "3 of 3 replicas available", 0, "All wanted replicas are available"},
		"all is well as before": {newApp(after(examplev1.PhaseRunning, reasonAvailable, 1, time.Hour)), stoodStill(time.Hour, "Progressing", "True", "NewReplicaSetAvailable"), [3]int64{3, 3, 3}, nil,
			false, "Running", "Available", "3 of 3 replicas available", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			kids := allLive(t, c.app)
			rolledOut(kids[deployment].live, c.pods[0], c.pods[1], c.pods[2], c.condition)
			d := decide(c.app, wanted(c.app), view{kids: kids, cause: c.cause}, noon)
			if d.write != nil || d.inspect != c.inspect {
				t.Fatalf("writes %v, inspects %v", d.write != nil, d.inspect)
			}
			if c.inspect {
				return
			}
			ready := reconcile.GetCondition(d.status.Conditions, reconcile.ConditionReady)
			if d.status.Phase != c.phase || ready.Reason != c.reason || ready.Message != c.message || d.again != c.again {
				t.Errorf("%s, %s: %s, again %s\nwant %s, %s: %s, %s", d.status.Phase, ready.Reason, ready.Message, d.again, c.phase, c.reason, c.message, c.again)
			}
			if notes := len(d.events); (c.note == "") != (notes == 0) || notes > 1 || notes == 1 && d.events[0].note != c.note {
				t.Errorf("Events %+v, want %q", d.events, c.note)
			}
		})
	}
}

func TestStatusCounts(t *testing.T) {
	old := func(a *examplev1.MyApp) {
		a.Status.Replicas, a.Status.ReadyReplicas, a.Status.AvailableReplicas = 7, 7, 7
	}
	type counts struct{ replicas, ready, available int32 }
	for name, c := range map[string]struct {
		change   func(*children)
		want     counts
		selector string
	}{
		"believed": {func(k *children) { rolledOut(k[deployment].live, 4, 3, 2, rolling) }, counts{4, 2, 2}, "mote.example.com/app=web"},
		"not believed": {func(k *children) {
			rolledOut(k[deployment].live, 4, 3, 2, rolling)
			k[deployment].live.SetGeneration(2)
		}, counts{7, 7, 7}, "mote.example.com/app=web"},
		"a new Deployment": {func(*children) {}, counts{}, "mote.example.com/app=web"},
		"somebody else's": {func(k *children) {
			rolledOut(k[deployment].live, 4, 3, 2, rolling)
			k[deployment].live.SetOwnerReferences(nil)
		}, counts{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			app := newApp(old)
			kids := allLive(t, app)
			c.change(&kids)
			s := decide(app, wanted(app), view{kids: kids, cause: &cause{}}, noon).status
			if got := (counts{s.Replicas, s.ReadyReplicas, s.AvailableReplicas}); got != c.want || s.Selector != c.selector {
				t.Errorf("got %v %q, want %v %q", got, s.Selector, c.want, c.selector)
			}
		})
	}
}

// The status of an app that needs no more turns says of which children it speaks;
// another status does not.
func TestChildrenHash(t *testing.T) {
	of := func(app *examplev1.MyApp, seed uint64, change func(*children)) string {
		kids := allLive(t, app)
		rolledOut(kids[deployment].live, 3, 3, 3, settled)
		if change != nil {
			change(&kids)
		}
		return decide(app, wanted(app), view{kids: kids, cause: &cause{}, seed: seed}, noon).status.ChildrenHash
	}
	app := newApp(withConfig)
	base := of(app, 1, nil)
	if base == "" || base != of(app, 1, nil) {
		t.Errorf("%q, then %q", base, of(app, 1, nil))
	}
	for name, other := range map[string]string{
		"another seed": of(app, 2, nil),
		"a child changed": of(app, 1, func(k *children) {
			k[service].live.SetAnnotations(map[string]string{annotationApplied: k[service].live.GetAnnotations()[annotationApplied], "a": "b"})
		}),
		"a child is made anew": of(app, 1, func(k *children) { k[config].live.SetUID("another") }),
		"a pod is ready no more": of(app, 1, func(k *children) {
			rolledOut(k[deployment].live, 3, 3, 3, settled)
			k[deployment].live.SetGeneration(2)
		}),
		"fewer children": of(newApp(), 1, nil),
	} {
		if other == base {
			t.Errorf("%s: the same", name)
		}
	}
	for name, none := range map[string]string{
		"it is not ready":                  of(app, 1, func(k *children) { rolledOut(k[deployment].live, 3, 3, 2, settled) }),
		"it refers to what is not watched": of(newApp(referring), 1, nil),
		"there is a conflict":              of(app, 1, func(k *children) { k[service].live.SetOwnerReferences(nil) }),
	} {
		if none != "" {
			t.Errorf("%s: %s", name, none)
		}
	}
}

// Another Mote, or one that allows other things, looks at every app once.
func TestSeed(t *testing.T) {
	all := map[uint64]string{}
	for name, o := range map[string]Options{"none": {}, "network": {HostNetwork: true}, "paths": {HostPaths: []string{"/dev"}},
		"other paths": {HostPaths: []string{"/dev", "/sys"}}, "version": {Version: "v2"}} {
		if all[o.seed()] != "" {
			t.Errorf("%s is as %s", name, all[o.seed()])
		}
		all[o.seed()] = name
	}
}

// A verdict on its own status is that status: nothing moves by itself.
func TestVerdictsAreStable(t *testing.T) {
	for _, pods := range [][3]int64{{3, 3, 3}, {3, 3, 1}, {4, 2, 3}, {0, 0, 0}} {
		app := newApp(withConfig)
		kids := allLive(t, app)
		rolledOut(kids[deployment].live, pods[0], pods[1], pods[2], rolling)
		first := decide(app, wanted(app), view{kids: kids, cause: &cause{}}, noon)
		app.Status = first.status
		second := decide(app, wanted(app), view{kids: kids, cause: &cause{}}, noon.Add(time.Minute))
		if len(second.events) > 0 || second.status.Phase != first.status.Phase ||
			second.status.Conditions[0] != first.status.Conditions[0] {
			t.Errorf("%v: %+v, then %+v", pods, first, second)
		}
	}
}
