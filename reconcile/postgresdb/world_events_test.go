package postgresdb

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/mote/crd/databasev1"
)

// event is something that others do, at any moment.
type event struct {
	name    string
	unusual int // what it costs of the things that are limited in number
	can     func(*world) bool
	do      func(*world)
}

// spec is an event that changes the object's spec.
func spec(name string, spent func(*events) *bool, can func(object) bool, do func(*object)) event {
	return event{name, 1,
		func(w *world) bool { return w.Object.Exists && !*spent(&w.Spent) && can(w.Object) },
		func(w *world) {
			*spent(&w.Spent) = true
			do(&w.Object)
			w.Object.Gen++
			w.changed()
			w.Proc.Turn = wakeNow
		}}
}

func always(object) bool { return true }

// objectEvents are what people do to the object. A policy changes from Delete to
// either of the others.
var objectEvents = []event{
	{"deleted", 0, func(w *world) bool { return w.Object.Exists && !w.Spent.Deleted }, func(w *world) {
		w.Spent.Deleted = true
		w.changed()
		if w.Proc.Turn = wakeNow; !w.Object.Finalizer {
			w.leave()
			return
		}
		w.Object.Deleting, w.Object.DeletingAge = true, 0
		w.Object.Gen++
	}},
	spec("storage grown", func(e *events) *bool { return &e.Large }, always, func(o *object) { o.Large = true }),
	spec("class changed", func(e *events) *bool { return &e.Fast }, always, func(o *object) { o.Fast = true }),
	spec("version raised", func(e *events) *bool { return &e.New }, func(o object) bool { return o.Status.ID != 0 }, func(o *object) { o.New = true }),
	spec("policy Isolate", func(e *events) *bool { return &e.Policy }, func(o object) bool { return o.Policy == deletePolicy }, func(o *object) { o.Policy = isolatePolicy }),
	spec("policy Retain", func(e *events) *bool { return &e.Policy }, func(o object) bool { return o.Policy == deletePolicy }, func(o *object) { o.Policy = retainPolicy }),
	spec("protection lifted", func(e *events) *bool { return &e.Protect }, func(o object) bool { return o.Protect == protectYes }, func(o *object) { o.Protect = protectNo }),
}

// skimmed: the policy changes while the object is at rest, and the status says at once
// that it was seen.
var skimmed = event{"policy Retain, skimmed", 1,
	func(w *world) bool {
		return w.Object.steady() && w.Object.Policy == deletePolicy && !w.Spent.Policy && w.Proc.Turn == wakeNever
	},
	func(w *world) {
		w.Spent.Policy, w.Object.Policy = true, retainPolicy
		w.Object.Gen++
		w.changed()
		w.Proc.Turn = wakeNow
		if st, ok := settledAnew(w.Object.typed()); ok {
			w.Object.Status, w.Object.Observed = statusOf(st)
			w.Proc.Turn = wakeNever
			w.between()
		}
	}}

// duringTurns are those of them that can also come in the middle of a turn. To a
// turn all changes of the spec are alike, so one stands for them.
var duringTurns = slices.DeleteFunc(slices.Clone(objectEvents), func(e event) bool {
	return e.name == "class changed" || e.name == "version raised" || e.name == "policy Isolate"
})

// secretGone: somebody deletes the connection Secret.
var secretGone = event{"Secret deleted", 1,
	func(w *world) bool { return w.Secret.Exists && !w.Spent.SecretGone },
	func(w *world) { w.Spent.SecretGone, w.Lost, w.Secret = true, true, secret{} }}

// passwordChanged: somebody puts another password into the connection Secret.
var passwordChanged = event{"password changed", 1,
	func(w *world) bool { return w.Secret.Exists && w.Secret.Password != 0 && !w.Spent.Password },
	func(w *world) {
		w.Spent.Password, w.Lost = true, true
		w.Secret.Password = w.unusedPassword()
		w.Secret.Generation++
	}}

// lateWrite: the API server makes a write that nobody waits for any more.
var lateWrite = event{"late write", 0, func(w *world) bool { return w.Late.On }, func(w *world) {
	p := w.Late
	w.Late = late{}
	if w.Object.Exists && (!p.Checked || p.Fresh) {
		was := w.Object.steady()
		if w.apply(p); was && !w.Object.steady() {
			w.Proc.Turn = wakeNow // the watch shows it
		}
	}
}}

// steady: the object says that nothing is left to do.
func (o object) steady() bool {
	return o.Exists && !o.Deleting && o.Status.Phase.String() == databasev1.PhaseRunning && o.Observed == o.Gen
}

// cloudEvents are what people, or arrears, do to the first instance.
var cloudEvents = []event{
	{"isolated outside", 1, func(w *world) bool { return !w.Spent.Isolated && w.Cloud[0].State == running }, func(w *world) {
		w.Spent.Isolated, w.Cloud[0].State = true, isolated
	}},
	{"destroyed outside", 1, func(w *world) bool {
		return !w.Spent.Destroyed && (w.Cloud[0].State == running || w.Cloud[0].State == isolated)
	}, func(w *world) { w.Spent.Destroyed, w.Cloud[0].State = true, gone }},
	{"restored outside", 1, func(w *world) bool {
		// Once the object was let go of, be it that the write is still on its way,
		// what a person restores is that person's.
		letGo := !w.Object.Exists || w.Late.On && w.Late.Finalizer == 2
		return !w.Spent.Restored && w.Cloud[0].State == isolated && !letGo
	}, func(w *world) { w.Spent.Restored, w.Cloud[0].State = true, running }},
	{"renamed outside", 1, func(w *world) bool {
		// Not before its id is known: look-ups go by the name.
		return !w.Spent.Renamed && w.Cloud[0].State == running && w.Object.Status.ID == 1 && !w.Late.On
	}, func(w *world) { w.Spent.Renamed, w.Cloud[0].Renamed = true, true }},
}

// steps are what can happen between turns, beside a turn.
var steps = func() []event {
	all := append([]event{secretGone, passwordChanged, skimmed}, objectEvents...)
	all = append(all, cloudEvents...)
	all = append(all,
		event{"tick", 0, func(*world) bool { return true }, (*world).tick},
		event{"restart", 1, func(w *world) bool { return w.Proc != process{} }, (*world).restart},
		lateWrite,
	)
	for n := range slots {
		all = append(all,
			event{idOf(uint8(n+1)) + " listed", 0, func(w *world) bool { return w.Cloud[n].State != 0 && !w.Cloud[n].Listed }, func(w *world) { w.Cloud[n].Listed = true }},
			event{idOf(uint8(n+1)) + " known", 0, func(w *world) bool { return w.Cloud[n].State != 0 && !w.Cloud[n].Known }, func(w *world) { w.Cloud[n].Known = true }})
	}
	return all
}()

// tick lets time pass: everything ages, the cloud gets on with its work, the lag
// of its lists comes to an end, its watch polls, and the next turn draws nearer.
func (w *world) tick() {
	o := &w.Object
	if o.Deleting {
		o.DeletingAge = older(o.DeletingAge)
	}
	o.Status.grow()
	if w.Late.On {
		if w.Late.Age++; w.Late.Age > 1 { // the API server gives a request up after a while
			w.Late = late{}
		} else {
			w.Late.Status.grow()
		}
	}
	for n := range w.Cloud {
		i := &w.Cloud[n]
		if i.State == 0 {
			continue
		}
		if i.Age = min(i.Age+1, w.Cloudy.Lag); i.Age >= w.Cloudy.Lag {
			i.Listed, i.Known = true, true
		}
		switch i.State {
		case provisioning:
			if i.Age >= making {
				i.State = running
			}
		case busy:
			i.State, i.Size, i.Becoming = running, i.Becoming, size{}
		case isolating:
			i.State = isolated
		}
	}
	if w.Proc.Outcome != outcomeUnknownKind {
		w.Proc.Started = older(w.Proc.Started)
	}
	if w.Proc.Turn > wakeNow {
		w.Proc.Turn--
	}
	w.poll()
}

// making is how many ticks the cloud takes to make an instance.
const making = 2

func (s *status) grow() {
	if s.Written {
		s.ChangedAge = older(s.ChangedAge)
	}
	if i := &s.Intent; i.Open {
		i.StartedAge = older(i.StartedAge)
		if i.Ambiguous {
			i.Since = older(i.Since)
		}
	}
}

// restart loses all that the process remembers. It lists the object, which needs
// a turn unless it says that nothing is left to do; then its instance is followed
// from what the status says.
func (w *world) restart() {
	w.Proc = process{}
	o := w.Object
	switch {
	case !o.Exists:
	case o.steady():
		u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o.typed())
		if err != nil {
			panic(err)
		}
		r := &Reconciler{follows: follows{watch: &modelCloud{w: w}}}
		r.Seen(testKey, &unstructured.Unstructured{Object: u})
	default:
		w.Proc.Turn = wakeNow
	}
}

// between brings what only counts within a turn back to its least.
func (w *world) between() {
	o := &w.Object
	o.Version, w.Secret.Generation = 0, 0
	if !o.Exists {
		return
	}
	for _, observed := range []*uint8{&o.Observed, &w.Late.Observed} {
		switch {
		case *observed == o.Gen:
			*observed = 2
		case *observed != 0:
			*observed = 1
		}
	}
	o.Gen = 2
}
