package postgresdb

import (
	"context"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/mote/cloud"
	"example.com/mote/reconcile"
)

// machine is the program under exploration: the real shell around a decision,
// which a mutation may put in the place of Decide.
type machine struct {
	decide  func(View) Decision
	cluster func(cluster) cluster               // nil, or a mutation of what writes mean
	cloud   func(cloud.Postgres) cloud.Postgres // nil, or one of what calls mean
}

// mote is the program as it is.
var mote = machine{decide: Decide}

var silent = slog.New(slog.DiscardHandler)

// turned is what a turn did beside changing the world.
type turned struct {
	broken  string // the first rule that it broke
	effects int    // calls that changed something in the cloud
	writes  bool   // something in the cluster was written
	crashed bool
}

// turn runs the real shell for one turn in w, which it changes, and goes on as
// the engine does.
func (m machine) turn(w *world, ch *chooser) (out turned) {
	if !w.Object.Exists {
		r := m.shell(w, nil)
		r.Left(testKey)
		w.Proc = process{}
		return out
	}
	before := *w
	api := &modelCloud{w: w, ch: ch, begun: w.Object, check: func(broken string) {
		if out.broken == "" {
			out.broken = broken
		}
	}}
	r := m.shell(w, api)
	w.Proc.Turn = wakeNever
	func() {
		defer func() {
			if p := recover(); p != nil {
				if _, ok := p.(crash); !ok {
					panic(p)
				}
				out.crashed = true
			}
		}()
		var c cluster = &modelCluster{w: w, ch: ch, o: w.Object}
		if m.cluster != nil {
			c = m.cluster(c)
		}
		res, err := r.take(context.Background(), turn{cluster: c, key: testKey, log: silent})
		w.Proc.remember(r, w.Object)
		if w.Proc.Turn == wakeNever { // nobody else wants another turn at once
			w.Proc.Turn = nextTurn(res, err)
		}
	}()
	out.effects = api.effects
	out.writes = before.Secret != w.Secret || before.Object != w.Object
	if out.crashed {
		w.restart()
	}
	w.between()
	return out
}

// nextTurn is when the engine gives the object its next turn. What comes within
// seconds comes at once, what takes longer takes a tick at least.
func nextTurn(res reconcile.Result, err error) wake {
	switch {
	case apierrors.IsConflict(err):
		return wakeNow
	case err != nil || res.Retry:
		return wakeIn + wake(res.After/tick)
	case res.After == 0:
		return wakeNever
	case res.After <= time.Second:
		return wakeNow
	}
	return wakeIn + wake((res.After-1)/tick)
}

// shell is a Reconciler that remembers what the process does.
func (m machine) shell(w *world, api *modelCloud) *Reconciler {
	if api == nil {
		api = &modelCloud{w: w}
	}
	p := w.Proc
	r := &Reconciler{api: api, settings: exploredSettings, random: sameBytes(w.unusedPassword()), decide: m.decide, follows: follows{watch: api}}
	if m.cloud != nil {
		r.api = m.cloud(api)
	}
	if p.Follows != 0 && p.Urgent {
		r.follows.at = map[reconcile.Key]place{testKey: {exploredSettings.Region, idOf(p.Follows)}}
	}
	if p.Outcome != outcomeUnknownKind {
		what := Outcome{Nothing: p.Outcome == outcomeNothing}
		switch p.Outcome {
		case outcomeID:
			what.Created = cloud.Created{ID: idOf(p.Bought)}
		case outcomeOrder:
			what.Created = cloud.Created{Orders: []string{orderOf(p.Bought)}}
		}
		r.outcomes.of = map[reconcile.Key]remembered{testKey: {testUID, ago(p.Started).Time, what}}
	}
	return r
}

// remember takes over what the Reconciler remembers. What the cloud's watch
// remembers is in the world already.
func (p *process) remember(r *Reconciler, o object) {
	p.Outcome, p.Bought, p.Started = outcomeUnknownKind, 0, 0
	e, ok := r.outcomes.of[testKey]
	switch {
	case !ok || !o.Exists:
		return
	case e.what.Nothing:
		p.Outcome = outcomeNothing
	case e.what.ID != "":
		p.Outcome, p.Bought = outcomeID, numberOf(e.what.ID)
	default:
		p.Outcome, p.Bought = outcomeOrder, e.what.Orders[0][len("deal-")]-'0'
	}
	p.Started = ageOf(e.started)
}

// unusedPassword is the number of a password that is nowhere in the world.
func (w *world) unusedPassword() uint8 {
	var used [len(passwords)]bool
	used[0], used[w.Secret.Password], used[w.Secret.URI] = true, true, true
	for _, i := range w.Cloud {
		used[i.Password] = true
	}
	for n, taken := range used {
		if !taken {
			return uint8(n)
		}
	}
	panic("more passwords than the model has")
}
