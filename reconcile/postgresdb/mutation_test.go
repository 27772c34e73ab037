package postgresdb

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// TestMutations: a bug put in on purpose is found. Each is one that somebody
// could make; were it not found, the exploration would prove little. The bugs that
// the other proofs have to find as well are in decider_mutants.go.
func TestMutations(t *testing.T) {
	for name, m := range map[string]machine{
		"a grace period shorter than the lag": {decide: func(v View) Decision {
			v.Settings.Grace, v.Settings.CleanLookups = (goodLag-1)*tick, 1
			return Decide(v)
		}},
		"drop the finalizer while isolating": {decide: func(v View) Decision {
			if v.Deleting() && v.Instance != nil && v.Instance.Instance.State == cloud.StateIsolating {
				return Decision{Do: DropFinalizer}
			}
			return Decide(v)
		}},
		"drop the finalizer although an intent is open": {decide: func(v View) Decision {
			if v.Deleting() && v.Object.Status.Create != nil {
				return Decision{Do: DropFinalizer}
			}
			return Decide(v)
		}},
		"believe at once that a new instance is gone": {decide: func(v View) Decision {
			if v.Deleting() && v.Instance != nil && v.Instance.Gone {
				return Decision{Do: DropFinalizer}
			}
			return Decide(v)
		}},
		"let go by what the watch saw": {decide: func(v View) Decision {
			if v.Instance != nil {
				v.Instance.Live = true
			}
			return Decide(v)
		}},
		"buy without the finalizer": {decide: func(v View) Decision {
			d := Decide(v)
			if d.Do == AddFinalizer {
				v.Object.Finalizers = []string{databasev1.Finalizer}
				return Decide(v)
			}
			return d
		}},
		"forget that the new password is not set": {decide: func(v View) Decision {
			d := Decide(v)
			d.Reset = false
			return d
		}},
		"say Running while a password is on its way": {decide: func(v View) Decision {
			d := Decide(v)
			if d.Do == Rest && d.Show != nil && d.Show.Reason == "RestoringPassword" {
				o := *v.Object
				o.Status.Phase = databasev1.PhaseUpdating
				v.Object, v.Found = &o, &[]cloud.Instance{}
				return Decide(v)
			}
			return d
		}},
		"leave a name that somebody has given": {decide: func(v View) Decision {
			d := Decide(v)
			if d.Do == Rename {
				seen := *v.Instance
				seen.Instance.Name = InstanceName(testUID)
				v.Instance = &seen
				return Decide(v)
			}
			return d
		}},
		"overlook a password that somebody has changed": {decide: func(v View) Decision {
			if v.Secret != nil && v.Secret.ResetPending && v.Secret.Noted {
				seen := *v.Secret
				seen.ResetPending = false
				v.Secret = &seen
			}
			return Decide(v)
		}},
		"forget what version was asked for": {decide: func(v View) Decision {
			d := Decide(v)
			if d.Do == Upgrade || d.Do == ReadVersions {
				o := *v.Object
				o.Spec.EngineVersion = "14"
				v.Object = &o
				return Decide(v)
			}
			return d
		}},
		"destroy whatever the policy": {decide: func(v View) Decision {
			o := *v.Object
			o.Spec.DeletionPolicy = databasev1.DeletionDelete
			v.Object = &o
			return Decide(v)
		}},
		"call although the intent was not written": {decide: Decide, cluster: func(c cluster) cluster { return intentMaybe{c} }},
		"checked writes are not checked":           {decide: Decide, cluster: func(c cluster) cluster { return unchecked{c} }},
		"take a lost answer for a refusal":         {decide: Decide, cloud: func(c cloud.Postgres) cloud.Postgres { return lostIsRefused{c} }},
	} {
		t.Run(name, func(t *testing.T) {
			start := newWorld(nil)
			if strings.Contains(name, "password") {
				start = secretLost(t)
			}
			mustBeCaught(t, m, start)
		})
	}
}

// mustBeCaught explores the lives that come of start until a rule is broken.
func mustBeCaught(t *testing.T, m machine, start world) {
	v, how := shortestViolation(m, start, 2)
	if v == nil {
		t.Fatalf("not caught: %s", how)
	}
	t.Logf("%s: %s\n%s", how, v.rule, v.trace)
}

// secretLost is a world with an instance that runs, just after somebody deleted
// the connection Secret.
func secretLost(t *testing.T) world {
	w := newWorld(nil)
	for range 4 * making {
		w.Proc.Turn = wakeNow
		mote.turn(&w, &chooser{})
		w.tick()
	}
	if !w.Object.Status.Said.what().Ready {
		t.Fatalf("it should run:\n%s", w)
	}
	secretGone.do(&w)
	w.between()
	return w
}

// intentMaybe takes an intent for written whatever came back.
type intentMaybe struct{ cluster }

func (c intentMaybe) PatchStatusChecked(ctx context.Context, wanted any) error {
	err := c.cluster.PatchStatusChecked(ctx, wanted)
	if st := wanted.(databasev1.PostgresDBStatus); st.Create != nil && !apierrors.IsConflict(err) {
		c.cluster.(*modelCluster).o.Status, _ = statusOf(st)
		return nil
	}
	return err
}

// unchecked lets late and stale writes through.
type unchecked struct{ cluster }

func (c unchecked) PatchStatusChecked(_ context.Context, wanted any) error {
	return c.cluster.(*modelCluster).patchStatus(wanted, false)
}

// lostIsRefused takes a purchase whose answer was lost for one that was refused.
type lostIsRefused struct{ cloud.Postgres }

func (c lostIsRefused) Create(ctx context.Context, region string, r cloud.CreateRequest) (cloud.Created, error) {
	created, err := c.Postgres.Create(ctx, region, r)
	var e *cloud.Error
	if errors.As(err, &e) && e.Class == cloud.Ambiguous {
		e.Class = cloud.Refused
	}
	return created, err
}
