package postgresdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/forecast"
	"example.com/mote/reconcile"
)

// Sight is what a forecast sees of the world. Nothing of it is changed.
type Sight struct {
	// Cloud is where instances are looked at; nil: nowhere, and then the status and
	// the spec are believed.
	Cloud cloud.Reader
	// Prices may be nil: then nothing has a price.
	Prices cloud.Pricer
	// Look reads in the cluster; nil: there is none to read in.
	Look *reconcile.Turn
	// Now is the present.
	Now time.Time
	// New: the object is not in the cluster yet.
	New bool
	// Note is told what had to be taken to be so; it may be nil.
	Note func(string)
	// Watch is what the cloud's watch of a running controller last saw; it may be nil.
	Watch func(region, id string) (i cloud.Instance, found bool, at time.Time, ok bool)
}

// Latest is what the cloud's watch last saw of an instance in transition. Of those at
// rest nothing is kept.
func (r *Reconciler) Latest(region, id string) (cloud.Instance, bool, time.Time, bool) {
	return r.paces.watch.Latest(region, id)
}

// mostTurns bounds a forecast: a whole life has a dozen.
const mostTurns = 60

// Foresee plays an object's turns, by the very code that takes them, in a world that
// begins as the real one is and then goes well: what is ordered comes, what is
// changed is changed, and nobody else does anything. The error is one of seeing.
func Foresee(ctx context.Context, o *databasev1.PostgresDB, s Settings, see Sight) ([]forecast.Step, forecast.Then, error) {
	return newRehearsal(o, s, see).play(ctx)
}

// play takes turns until nothing more would happen.
func (r *rehearsal) play(ctx context.Context) ([]forecast.Step, forecast.Then, error) {
	idle := 0 // turns in a row in which nothing happened
	for range mostTurns {
		before, steps := r.object.Status, len(r.steps)
		after, err := r.turn(ctx)
		if err != nil {
			return nil, forecast.Then{}, err
		}
		if r.refused != nil {
			return r.steps, r.then(), nil
		}
		acted := len(r.steps) > steps
		r.now = r.now.Add(max(after.After, time.Second))
		settled := r.cloud.settle()
		if r.object.DeletionTimestamp != nil && !slices.Contains(r.object.Finalizers, databasev1.Finalizer) {
			return r.steps, forecast.Then{Gone: true}, nil
		}
		if !r.idle(acted, settled, before, after) {
			idle = 0
			continue
		}
		// What is tried again after a time is waited for once.
		if idle++; idle > 1 || after.After == 0 || r.then().Ready {
			break
		}
	}
	if r.failure != nil && len(r.steps) > 0 {
		r.steps = slices.Insert(r.steps, 0, *r.failure)
	}
	return r.steps, r.then(), nil
}

// rehearsal is a reconciler in a world of its own.
type rehearsal struct {
	see    Sight
	r      *Reconciler
	object databasev1.PostgresDB
	now    time.Time
	secret *Secret // nil: nobody has looked yet
	cloud  *foreseenCloud
	steps  []forecast.Step
	trail  []thought
	failed error // the first failure of looking
	// refused is what the cloud refuses; nothing is played after it.
	refused  *cloud.Error
	lastTold *time.Time // when the object's status was written last
	// failure is a wait for the next try of what has failed.
	failure *forecast.Step
}

// thought is one decision of a turn, with all that it was made from.
type thought struct {
	view     View
	decision Decision
}

func newRehearsal(o *databasev1.PostgresDB, s Settings, see Sight) *rehearsal {
	r := &rehearsal{see: see, object: *o, now: see.Now.UTC().Truncate(time.Second)}
	if t := o.Status.LastReconciled; t != nil {
		r.lastTold = &t.Time
	}
	r.cloud = &foreseenCloud{rehearsal: r, known: map[string]*cloud.Instance{}, groups: map[string][]string{}}
	if r.cloud.Reader = see.Cloud; see.Cloud == nil {
		r.cloud.Reader = believed{r}
	}
	r.r = New(r.cloud, cloud.WatchOptions{}, s, dull{})
	decide := r.r.decide
	r.r.decide = func(v View) Decision {
		d := decide(v)
		r.trail = append(r.trail, thought{v, d})
		return d
	}
	return r
}

// dull is the randomness of passwords that nobody will ever have.
type dull struct{}

func (dull) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// turn plays one turn and takes down what it did.
func (r *rehearsal) turn(ctx context.Context) (reconcile.Result, error) {
	r.trail = nil
	key := reconcile.Key{Namespace: r.object.Namespace, Name: r.object.Name}
	res, err := r.r.take(ctx, turn{cluster: foreseenCluster{r}, key: key, log: slog.New(slog.DiscardHandler)})
	if r.failed != nil {
		return res, r.failed
	}
	if err != nil {
		return res, err
	}
	for n, t := range r.trail {
		if effect(t.decision.Do) {
			s := r.stepOf(ctx, t)
			if r.refused != nil && calls[t.decision.Do] != nil {
				s = r.refusal(s)
			}
			r.steps = append(r.steps, s)
		}
		if last := n == len(r.trail)-1; last && t.decision.Do == Rest && res.After >= time.Second {
			r.waits(t.decision, res)
		}
	}
	return res, nil
}

// waits adds a step for what the object itself waits for now: not for what the
// forecast has begun.
func (r *rehearsal) waits(d Decision, res reconcile.Result) {
	if len(r.steps) > 0 || d.Show == nil || d.Show.Ready {
		return
	}
	wait := forecast.Step{Sign: forecast.Wait, Do: string(Rest), Where: forecast.InStatus,
		What: "wait: " + d.Show.Message, Why: "Mote looks again in " + res.After.String() + " at the latest"}
	if d.Show.Phase == databasev1.PhaseFailed {
		r.failure = &wait // told if anything comes after it: else the end says the same
		return
	}
	r.steps = append(r.steps, wait)
}

// idle tells whether nothing more would happen.
func (r *rehearsal) idle(acted, settled bool, before databasev1.PostgresDBStatus, res reconcile.Result) bool {
	before.LastReconciled, before.Conditions = r.object.Status.LastReconciled, nil
	now := r.object.Status
	now.Conditions = nil
	waits := r.object.Status.Create != nil && res.After > 0
	return !acted && !settled && !waits && reflect.DeepEqual(before, now)
}

// then is how the object is in the end.
func (r *rehearsal) then() forecast.Then {
	st := r.object.Status
	out := forecast.Then{Phase: st.Phase}
	if c := reconcile.GetCondition(st.Conditions, reconcile.ConditionReady); c != nil {
		out.Ready, out.Reason, out.Message = c.Status == metav1.ConditionTrue, c.Reason, c.Message
	}
	return out
}

// effect tells whether a decision changes something.
func effect(do Action) bool {
	switch do {
	case AskPace, ReadSecret, ReadSubnet, ReadOffer, ReadOrders, LookUp, ReadInstance, ReadVersions, ReadGroups, ReadTask, Rest:
		return false
	}
	return true
}

// foreseenCluster is what a turn does in the cluster, done to copies.
type foreseenCluster struct{ r *rehearsal }

func (c foreseenCluster) Now() time.Time { return c.r.now }

func (c foreseenCluster) Into(typed any) error {
	out, ok := typed.(*databasev1.PostgresDB)
	if !ok {
		return fmt.Errorf("a %T is no PostgresDB; this is a bug in Mote", typed)
	}
	whole, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&c.r.object)
	if err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(whole, out)
}

func (c foreseenCluster) PatchStatusChecked(_ context.Context, wanted any) error {
	st, ok := wanted.(databasev1.PostgresDBStatus)
	if !ok {
		return fmt.Errorf("a %T is no status; this is a bug in Mote", wanted)
	}
	now := metav1.NewTime(c.r.now)
	st.LastReconciled = &now
	c.r.object.Status = st
	return nil
}

func (c foreseenCluster) AddFinalizer(_ context.Context, name string) error {
	c.r.object.Finalizers = append(slices.Clone(c.r.object.Finalizers), name)
	return nil
}

func (c foreseenCluster) RemoveFinalizer(_ context.Context, name string) error {
	c.r.object.Finalizers = slices.DeleteFunc(slices.Clone(c.r.object.Finalizers), func(f string) bool { return f == name })
	return nil
}

func (foreseenCluster) Event(context.Context, reconcile.EventType, string, string, string) {}

// ReadSecret reads the real one once. Without a cluster there is none yet, or it is
// as it should be.
func (c foreseenCluster) ReadSecret(ctx context.Context, o *databasev1.PostgresDB) (*Secret, error) {
	r := c.r
	switch {
	case r.secret != nil:
	case r.see.Look != nil:
		s, err := live{r.see.Look}.ReadSecret(ctx, o)
		if apierrors.IsForbidden(err) { // people who may look at objects may seldom look at Secrets
			s, err = r.believedSecret(), nil
			if r.see.Note != nil {
				r.see.Note("Secret " + SecretName(o) + " may not be read by you: it is taken to be as it should be")
			}
		}
		if err != nil {
			r.failed = err
			return nil, err
		}
		r.secret = s
	case r.see.New:
		r.secret = &Secret{}
	default:
		return nil, errors.New("there is no cluster to read the connection Secret in")
	}
	seen := *r.secret
	return &seen, nil
}

// believedSecret is the connection Secret as it should be: not there before there is
// an instance, and leading to it afterwards.
func (r *rehearsal) believedSecret() *Secret {
	o := &r.object
	if o.Status.InstanceID == "" && o.Status.Create == nil {
		return &Secret{}
	}
	i := cloud.Instance{}
	if host, port, ok := strings.Cut(o.Status.Endpoint, ":"); ok {
		i.Host, i.Port = host, atoi(port)
	}
	password, _ := NewPassword(dull{}) // which never fails
	return &Secret{Exists: true, Ours: true, Noted: true, Data: connection(o, i, map[string]string{"password": password})}
}

func (c foreseenCluster) CreateSecret(_ context.Context, _ *databasev1.PostgresDB, w SecretWrite) error {
	c.r.secret = &Secret{Exists: true, Ours: true, Data: map[string]string{}}
	return c.WriteSecret(context.Background(), nil, nil, w)
}

func (c foreseenCluster) WriteSecret(_ context.Context, _ *databasev1.PostgresDB, _ *Secret, w SecretWrite) error {
	s := c.r.secret
	data := map[string]string{}
	for _, from := range []map[string]string{s.Data, w.Data} {
		for k, v := range from {
			data[k] = v
		}
	}
	for k, v := range data {
		if v == "" {
			delete(data, k)
		}
	}
	s.Data = data
	switch {
	case w.Mark:
		s.ResetPending = true
	case w.Note:
		s.ResetPending, s.Noted = false, true
	}
	return nil
}

// keysOf names what is written of a Secret, without what is in it.
func keysOf(data map[string]string) string {
	var keys []string
	for k := range data {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return strings.Join(keys, ", ")
}
