package killtest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/mote/cloud/standin"
	"example.com/mote/crd/databasev1"
	"example.com/mote/testbed/watchtest/faulty"
)

// moment is a step of an object's life at which its process is killed.
type moment struct {
	name string
	spec fields // of objects that come to it
	// begin lets a running object come to it; nil: the object is created or deleted.
	begin func(*life)
	// arm sees to it that the process comes no further.
	arm func(*life) stop
}

// stop is a moment that one life is about to come to.
type stop struct {
	there func([]standin.Call) bool // given the calls to the cloud since
	dead  func()                    // when the process is dead; may be nil
	back  func()                    // when the next one was started; may be nil
}

// of is a moment of objects with such a spec.
func (m moment) of(spec fields) moment { m.spec = spec; return m }

// by is a moment that a running object comes to by what begin does.
func (m moment) by(begin func(*life)) moment { m.begin = begin; return m }

// long is a delay that nobody sees the end of.
const long = time.Hour

// asked is when a call to the cloud has arrived that changes nothing: the caller
// dies, and it never has an effect.
func asked(action, name string) moment {
	return call(name, false, standin.Fault{Action: action, Kind: standin.Hang})
}

// effected is when a call has had its effect, and the answer does not come.
func effected(action, name string) moment {
	return call(name, true, standin.Fault{Action: action, Kind: standin.Hang, After: true})
}

// late is when a call is on its way; its effect comes after its caller's death.
func late(action, name string) moment {
	m := call(name, false, standin.Fault{Action: action, Kind: standin.Latency, Delay: long})
	arm := m.arm
	m.arm = func(l *life) stop {
		s, about := arm(l), l.about()
		s.dead = func() {
			l.s.until("the effect of "+action+" of a dead caller", func() error {
				if !slices.ContainsFunc(l.s.calls(), func(c standin.Call) bool {
					return c.Action == action && c.Effect && slices.Contains(c.About, about)
				}) {
					return errors.New("none yet")
				}
				return nil
			})
		}
		return s
	}
	return m
}

// call is when a call is in work at the cloud, before or after its effect.
func call(name string, effect bool, f standin.Fault) moment {
	return moment{name: name, arm: func(l *life) stop {
		about := l.about()
		l.fault(f)
		return stop{there: func(calls []standin.Call) bool {
			return slices.ContainsFunc(calls, func(c standin.Call) bool {
				return c.Action == f.Action && c.Effect == effect && slices.Contains(c.About, about)
			})
		}}
	}}
}

// before is when a request is on its way to the API server, which never gets it;
// the cloud's faults bring it about.
func before(which request, name string, faults ...standin.Fault) moment {
	return held(false, which, name, faults)
}

// after is when the API server has done what was asked, and mote does not know.
func after(which request, name string, faults ...standin.Fault) moment {
	return held(true, which, name, faults)
}

func held(after bool, which request, name string, faults []standin.Fault) moment {
	return moment{name: name, arm: func(l *life) stop {
		l.fault(faults...)
		h := l.hold(after, which)
		return stop{there: func([]standin.Call) bool { return isHeld(h) }}
	}}
}

// hold holds a request that is about the life.
func (l *life) hold(after bool, which request) *faulty.Hold {
	h := &faulty.Hold{Which: which(l), After: after}
	l.s.proxy.Hold(h)
	return h
}

func isHeld(h *faulty.Hold) bool {
	select {
	case <-h.Held():
		return true
	default:
		return false
	}
}

// about is what calls that are about the life name: the instance's id, or before
// there is one its name.
func (l *life) about() string {
	if l.id != "" {
		return l.id
	}
	return l.instanceName()
}

// fault has calls go wrong that are about the life.
func (l *life) fault(faults ...standin.Fault) (ids []int) {
	for i := range faults {
		f := faults[i]
		f.Instance = l.about()
		id, err := l.s.cloud.AddFaults(l.s.ctx, f)
		l.s.must(err)
		ids = append(ids, id...)
	}
	return ids
}

// provisioning is while the cloud makes the instance, which takes until the
// process is dead.
func provisioning(name string) moment {
	return moment{name: name, arm: func(l *life) stop {
		console := func(status string) error {
			bought, err := l.s.bought(l)
			if err != nil || len(bought) != 1 {
				return fmt.Errorf("bought: %+v, %v", bought, err)
			}
			_, err = l.s.cloud.Console(l.s.ctx, bought[0].ID, standin.Change{Status: status})
			return err
		}
		slow := false
		return stop{
			there: func([]standin.Call) bool {
				slow = slow || console("initing") == nil
				o, err := l.object()
				return slow && err == nil && o.Status.InstanceID != "" && o.Status.Phase == databasev1.PhaseProvisioning
			},
			back: func() { l.s.must(console("running")) },
		}
	}}
}

// unlisted is when an instance was bought, the answer is lost with the process,
// and lists do not show the instance yet when the next process looks. They do as
// soon as that one has seen nothing.
func unlisted(name string) moment {
	m := effected("CreateInstances", name)
	arm := m.arm
	m.arm = func(l *life) stop {
		s := arm(l)
		var lag []int
		var sawNothing *faulty.Hold
		s.dead = func() {
			lag = l.fault(standin.Fault{Kind: standin.Lag, Delay: long})
			sawNothing = l.hold(false, unknownOutcome)
		}
		s.back = func() {
			l.s.until("the next process sees no instance yet", func() error {
				if !isHeld(sawNothing) {
					return errors.New("it has not said so")
				}
				return nil
			})
			l.s.must(l.s.cloud.ClearFaults(l.s.ctx, lag...))
			sawNothing.Release()
		}
		return s
	}
	return m
}

// unseen is when the id is written of an instance that the cloud does not show
// yet, by its id or in lists, also not when the next process asks for it first.
func unseen(name string) moment {
	m := after(instanceID, name)
	arm := m.arm
	m.arm = func(l *life) stop {
		s := arm(l)
		hidden := standin.Fault{Kind: standin.Lag, Delay: long}
		l.fault(hidden) // ends with the process
		var lag []int
		before := 0
		s.dead = func() {
			before = len(l.s.calls())
			lag = l.fault(hidden)
		}
		s.back = func() {
			bought, err := l.s.bought(l)
			l.s.must(err)
			l.s.until("the next process asks for the instance", func() error {
				for _, c := range l.s.calls()[before:] {
					if c.Action == "DescribeDBInstanceAttribute" && len(bought) == 1 && slices.Contains(c.About, bought[0].ID) {
						return nil
					}
				}
				return fmt.Errorf("no call; bought: %+v", bought)
			})
			l.s.must(l.s.cloud.ClearFaults(l.s.ctx, lag...))
		}
		return s
	}
	return m
}
