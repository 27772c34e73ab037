package postgresdb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// late is a write to the object that the API server has yet to make, or to drop,
// although the process has given up waiting for the answer.
type late struct {
	On        bool
	Checked   bool // only on the version that was read
	Fresh     bool // the object is still of that version
	Age       uint8
	Finalizer uint8 // 1: put on, 2: take off; 0: status
	Fields    uint16
	Status    status
	Observed  uint8
}

// modelCluster is the cluster of one turn in a world.
type modelCluster struct {
	w  *world
	ch *chooser
	o  object // as read or last written
}

func (c *modelCluster) Now() time.Time { return present }

func (c *modelCluster) Into(typed any) error {
	*typed.(*databasev1.PostgresDB) = *c.o.typed()
	return nil
}

func (c *modelCluster) Event(context.Context, reconcile.EventType, string, string, string) {}

var resource = schema.GroupResource{Group: databasev1.Group, Resource: databasev1.Resource}

var (
	errUnavailable = errors.New("the API server did not answer")
	errConflict    = apierrors.NewConflict(resource, testName, errors.New("it has changed"))
)

func (c *modelCluster) PatchStatusChecked(_ context.Context, wanted any) error {
	return c.patchStatus(wanted, true)
}

func (c *modelCluster) patchStatus(wanted any, checked bool) error {
	want, observed := statusOf(wanted.(databasev1.PostgresDBStatus))
	fields := differences(c.o.Status, want)
	if observed != c.o.Observed {
		fields |= observedField
	}
	what := "status"
	switch {
	case fields&idField != 0:
		what = "id"
	case fields&intentField == 0:
	case !c.o.Status.Intent.Open:
		what = "intent"
	case want.Intent.Open:
		what = "look-up in the intent"
	default:
		what = "end of intent"
	}
	return c.write(what, late{Checked: checked, Fields: fields, Status: want, Observed: observed})
}

func (c *modelCluster) AddFinalizer(context.Context, string) error {
	if c.o.Finalizer {
		return nil
	}
	return c.write("finalizer on", late{Checked: true, Finalizer: 1})
}

func (c *modelCluster) RemoveFinalizer(context.Context, string) error {
	if !c.o.Finalizer {
		return nil
	}
	return c.write("finalizer off", late{Checked: true, Finalizer: 2})
}

// write is one write to the object and all that can become of it. Somebody else
// may change the object just before; earlier in the turn would be the same.
func (c *modelCluster) write(what string, patch late) error {
	c.ch.happens(c.w, what, lateWrite)
	c.ch.happens(c.w, what, duringTurns...)
	apply := func() error {
		if !c.w.Object.Exists {
			return apierrors.NewNotFound(resource, testName)
		}
		if patch.Checked && c.w.Object.Version != c.o.Version {
			return errConflict
		}
		c.w.apply(patch)
		return nil
	}
	switch c.ch.choose("", what+" not written", what+" written, answer lost", what+" not written yet", "crash before "+what, "crash after "+what) {
	case 1:
		return errUnavailable
	case 2:
		apply()
		return errUnavailable
	case 3:
		patch.On, patch.Fresh = true, c.w.Object.Version == c.o.Version
		c.w.Late = patch
		return errUnavailable
	case 4:
		panic(crash{})
	case 5:
		apply()
		panic(crash{})
	}
	err := apply()
	if err == nil {
		c.o = c.w.Object
	}
	return err
}

// The fields of a status, as bits of a patch.
const (
	phaseField = 1 << iota
	idField
	endpointField
	regionField
	seenField
	intentField
	saidField
	printField
	changeField
	settledField
	observedField
)

func differences(have, want status) (fields uint16) {
	note := func(bit uint16, differs bool) {
		if differs {
			fields |= bit
		}
	}
	note(phaseField, have.Phase != want.Phase)
	note(idField, have.ID != want.ID)
	note(endpointField, have.Endpoint != want.Endpoint)
	note(regionField, have.Region != want.Region)
	note(seenField, have.Seen != want.Seen)
	note(intentField, have.Intent != want.Intent)
	note(printField, have.Print != want.Print)
	note(changeField, have.Change != want.Change)
	note(settledField, have.Settled != want.Settled)
	note(saidField, have.Said != want.Said)
	return fields
}

// apply makes a write to the object.
func (w *world) apply(p late) {
	o := &w.Object
	w.changed()
	switch p.Finalizer {
	case 1:
		o.Finalizer = true
		return
	case 2:
		o.Finalizer = false
		if o.Deleting {
			w.leave()
		}
		return
	}
	st, has := &o.Status, func(bit uint16) bool { return p.Fields&bit != 0 }
	if has(phaseField) {
		st.Phase = p.Status.Phase
	}
	if has(idField) {
		st.ID = p.Status.ID
	}
	if has(endpointField) {
		st.Endpoint = p.Status.Endpoint
	}
	if has(regionField) {
		st.Region = p.Status.Region
	}
	if has(seenField) {
		st.Seen = p.Status.Seen
	}
	if has(intentField) {
		st.Intent = p.Status.Intent
	}
	if has(printField) {
		st.Print = p.Status.Print
	}
	if has(changeField) {
		st.Change = p.Status.Change
	}
	if has(settledField) {
		st.Settled = p.Status.Settled
	}
	if has(saidField) {
		st.Said = p.Status.Said
	}
	if has(observedField) {
		o.Observed = p.Observed
	}
	st.Written, st.ChangedAge = true, p.Age
}

// changed notes that the object is another version now.
func (w *world) changed() {
	w.Object.Version++
	w.Late.Fresh = false
}

// leave is the end of the object; garbage collection takes its Secret.
func (w *world) leave() {
	w.Object = object{Policy: w.Object.Policy}
	w.Secret, w.Late = secret{}, late{}
}

func (c *modelCluster) ReadSecret(context.Context, *databasev1.PostgresDB) (*Secret, error) {
	if c.ch.choose("", "Secret not read") == 1 {
		return nil, errUnavailable
	}
	return c.w.Secret.typed(), nil
}

func (c *modelCluster) CreateSecret(_ context.Context, _ *databasev1.PostgresDB, sw SecretWrite) error {
	return c.writeSecret("Secret made", func() error {
		if c.w.Secret.Exists {
			return apierrors.NewAlreadyExists(schema.GroupResource{Resource: "secrets"}, SecretName(c.o.typed()))
		}
		s := secret{Exists: true, Pending: sw.Mark}
		if s.take(sw.Data); sw.Note {
			s.Set = s.Password
		}
		c.w.Secret = s
		return nil
	})
}

func (c *modelCluster) WriteSecret(_ context.Context, _ *databasev1.PostgresDB, seen *Secret, sw SecretWrite) error {
	return c.writeSecret("Secret written", func() error {
		s := &c.w.Secret
		if !s.Exists || seen.version != strconv.Itoa(int(s.Generation)) {
			return errConflict
		}
		data := s.typed().Data
		for k, v := range sw.Data {
			if v == "" {
				delete(data, k)
				continue
			}
			data[k] = v
		}
		s.take(data)
		if s.Pending = s.Pending || sw.Mark; sw.Note {
			s.Pending, s.Set = false, s.Password
		}
		s.Generation++
		return nil
	})
}

func (c *modelCluster) writeSecret(what string, apply func() error) error {
	c.ch.happens(c.w, what, secretGone)
	switch c.ch.choose("", what+": not done", what+", answer lost", "crash before "+what, "crash after "+what) {
	case 1:
		return errUnavailable
	case 2:
		apply()
		return errUnavailable
	case 3:
		panic(crash{})
	case 4:
		apply()
		panic(crash{})
	}
	if err := apply(); err != nil {
		return fmt.Errorf("Secret: %w", err)
	}
	return nil
}
