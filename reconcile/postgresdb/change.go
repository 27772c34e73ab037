package postgresdb

import (
	"context"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/reconcile"
)

// change asks the cloud for one change to the instance. All of them may be asked
// for twice without harm.
func (r *Reconciler) change(ctx context.Context, t turn, v *View, d *Decision) (reconcile.Result, error) {
	region, id := v.Region(), d.InstanceID
	var err error
	switch d.Do {
	case Resize:
		err = r.api.Resize(ctx, region, id, d.Size, d.Window)
	case Upgrade:
		d.Show.Change.TaskID, err = r.api.Upgrade(ctx, region, id, d.Kernel, d.Major, d.Window)
	case SwitchNow:
		err = r.api.SwitchNow(ctx, region, id)
	case Rename:
		err = r.api.Rename(ctx, region, id, InstanceName(string(v.Object.UID)))
	case SetTags:
		err = r.api.SetTags(ctx, region, id, d.Tags, d.DropTags)
	case SetGroups:
		err = r.api.SetSecurityGroups(ctx, region, id, d.Groups)
	case Protect, Unprotect:
		err = r.api.SetDeletionProtection(ctx, region, id, d.Do == Protect)
	case ResetPassword:
		err = r.api.ResetPassword(ctx, region, id, v.Object.Spec.AdminUser, v.Secret.Data["password"])
	case Isolate:
		err = r.api.Isolate(ctx, region, id)
	case Destroy:
		err = r.api.Destroy(ctx, region, id)
	}
	switch class := cloud.ClassOf(err); {
	case err == nil || class == cloud.Busy || class == cloud.Ambiguous || class == cloud.Gone:
		r.follows.track(t.key, region, id, 0, true) // what was seen before does not count any more
		if class == cloud.Gone {                    // a live read will say so
			return reconcile.Result{After: time.Second, Retry: true}, nil
		}
	}
	if err != nil {
		if d.Do == ResetPassword && cloud.ClassOf(err) == cloud.Ambiguous {
			r.resets.lose(t.key, v.Secret.Data["password"], time.Now().Add(resetLate))
		}
		return reconcile.Result{}, err
	}
	if d.Do == ResetPassword {
		if wait := r.resets.wait(t.key, v.Secret.Data["password"], time.Now()); wait > 0 {
			t.log.Debug("a call with an earlier password may still take effect; this one is made once more after that", "wait", wait.String())
			return reconcile.Result{After: wait}, nil
		}
		if err := t.WriteSecret(ctx, v.Object, v.Secret, SecretWrite{Note: true}); err != nil {
			return reconcile.Result{}, err
		}
	}
	if err := r.show(ctx, t, *v, d.Show, d.Event); err != nil {
		return reconcile.Result{}, err
	}
	switch d.Do {
	case Protect, Unprotect, ResetPassword, Rename, SetTags, SetGroups:
		// No transition to wait for; but one that does not come to show is asked
		// for ever more slowly.
		return reconcile.Result{After: time.Second, Retry: true}, nil
	}
	return reconcile.Result{After: v.Settings.Watchful}, nil
}
