package postgresdb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/forecast"
	"example.com/mote/reconcile"
)

// Explain takes the object's next turn without doing anything, and tells what was
// seen, what was decided, and by which rule. What could not be seen is told too.
func Explain(ctx context.Context, o *databasev1.PostgresDB, s Settings, see Sight) forecast.Explanation {
	return newRehearsal(o, s, see).explain(ctx)
}

func (r *rehearsal) explain(ctx context.Context) forecast.Explanation {
	o, see := r.object, r.see // as they are before the turn
	x := forecast.Explanation{Now: r.now}
	res, err := r.turn(ctx)
	if err != nil {
		x.Errors = append(x.Errors, err.Error())
	}
	x.Intent, x.Outcome = intentOf(&o)
	if len(r.trail) == 0 {
		return x
	}
	last := r.trail[len(r.trail)-1]
	for _, t := range r.trail { // what comes after the first effect is not decided yet
		if effect(t.decision.Do) {
			last = t
			break
		}
	}
	x.Seen = seenIn(last.view, see)
	d := last.decision
	x.Decision, x.Rule = string(d.Do), ruleOf(last.view, d)
	switch {
	case err != nil:
		x.Decision, x.WaitsFor = "none: "+string(d.Do)+" failed", "the cloud or the API server to answer"
	case d.Do == Rest:
		x.Decision = "Rest: nothing to do now"
		if d.Show != nil {
			x.Because = d.Show.Message
			if !d.Show.Ready {
				x.WaitsFor = waitsFor(last.view, d)
			}
		}
		if res.After > 0 {
			until := r.now.Add(res.After)
			x.Until = &until
		}
	default:
		if len(r.steps) > 0 {
			x.Decision = string(d.Do) + ": " + r.steps[0].What
			x.Because = r.steps[0].Why
		}
		if x.Because == "" && d.Show != nil {
			x.Because = d.Show.Message
		}
		if r.refused != nil {
			x.Because = r.then().Message
			x.WaitsFor, x.Until = "somebody to put right what the cloud refuses", r.retryAt()
		}
	}
	return x
}

// ruleOf names the rule that gave a decision: the part of the behaviour, which has a
// function of that name, and the reason.
func ruleOf(v View, d Decision) string {
	o, rule := v.Object, ""
	switch {
	case v.Deleting():
		rule = "decideDelete"
	case v.Region() == "":
		rule = "Decide"
	case o.Status.InstanceID != "":
		rule = "decideLife"
		if v.Instance != nil && (v.Instance.Instance.State == cloud.StateRunning || v.Instance.Instance.State == cloud.StateLimited) && v.Instance.Instance.Endpoint() != "" {
			rule = "decideRunning"
		}
	case o.Spec.InstanceID != "":
		rule = "decideAdopt"
	case o.Status.Create != nil:
		rule = "decideIntent"
	default:
		rule = "decideCreate"
	}
	if d.Show != nil {
		return rule + ", " + d.Show.Reason
	}
	return rule + ", " + string(d.Do)
}

// waitsFor is what has to happen before anything else does.
func waitsFor(v View, d Decision) string {
	switch {
	case v.Instance != nil && !v.Instance.Gone && inTransition(v.Instance.Instance):
		return fmt.Sprintf("instance %s, which is %s", v.Instance.Instance.ID, v.Instance.Instance.State)
	case v.Object.Status.Create != nil:
		return "the outcome of the purchase"
	case d.Show.Phase == databasev1.PhaseFailed:
		return "somebody to put right what the message says"
	}
	return d.Show.Message
}

// seenIn is what a decision was made from.
func seenIn(v View, see Sight) (all []forecast.Seen) {
	o, now := v.Object, see.Now
	add := func(what, by string, at time.Time, format string, a ...any) {
		all = append(all, forecast.Seen{What: what, State: fmt.Sprintf(format, a...), At: at, By: by})
	}
	live, asked := "read live", "asked just now"
	if see.Cloud == nil {
		asked = "believed of status and spec, no cloud"
	}
	state := fmt.Sprintf("generation %d, phase %s", o.Generation, orNone(o.Status.Phase))
	if v.Deleting() {
		state += ", being deleted"
	}
	if v.Finalizer() {
		state += ", kept by Mote's finalizer until its instance is gone"
	}
	add("object", live, now, "%s", state)
	if t := o.Status.LastReconciled; t != nil {
		add("status", "written by Mote", t.Time, "of generation %d", o.Status.ObservedGeneration)
	}
	if s := v.Secret; s != nil {
		state := "not there"
		if s.Exists {
			state = "there, but not this object's"
			if s.Ours {
				state = "there, this object's"
			}
			if s.ResetPending {
				state += ", its password is still to be set in the cloud"
			}
		}
		add("Secret", live, now, "%s: %s", SecretName(o), state)
	}
	if s := v.Subnet; s != nil {
		add("subnet", asked, now, "%s in %s, %s", s.ID, s.Zone, s.VPCID)
	}
	if f := v.Offer; f != nil {
		add("for sale", asked, now, "%s, %s", counted(len(f.Versions), "version"), counted(len(f.Classes), "size"))
	}
	if f := v.Found; f != nil {
		add("by name", asked, now, "%s named %s", counted(len(*f), "instance"), InstanceName(string(o.UID)))
	}
	if f := v.Orders; f != nil {
		add("orders", asked, now, "%s", orNone(strings.Join(*f, ", ")))
	}
	if i := v.Instance; i != nil && i.Gone {
		add("instance", asked, now, "the cloud does not know it")
	} else if i != nil {
		x := i.Instance
		add("instance", asked, now, "%s is %s (%s): PostgreSQL %s, %s with %d GB, address %s", x.ID, x.State, x.Status, x.Version, x.ClassName(), x.StorageGB, orNone(x.Endpoint()))
	}
	if id := o.Status.InstanceID; see.Watch != nil && id != "" {
		if x, found, at, ok := see.Watch(v.Region(), id); ok && found {
			add("instance", "the cloud's watch", at, "%s is %s (%s)", x.ID, x.State, x.Status)
		} else if ok {
			add("instance", "the cloud's watch", at, "not listed")
		}
	}
	if g := v.Groups; g != nil {
		add("security groups", asked, now, "%s", named(*g))
	}
	if t := v.Task; t != nil {
		add("task", asked, now, "%s", *t)
	}
	return all
}

// counted is "1 size", "2 sizes".
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// intentOf is the last purchase or change that was asked for, and what came of it.
func intentOf(o *databasev1.PostgresDB) (intent, outcome string) {
	st := o.Status
	ready := reconcile.GetCondition(st.Conditions, reconcile.ConditionReady)
	said := ""
	if ready != nil {
		said = ready.Reason
	}
	switch {
	case st.Create != nil:
		intent = fmt.Sprintf("buy %s, begun %s", st.Create.Name, st.Create.StartedAt.UTC().Format(time.RFC3339))
		switch {
		case len(st.Create.Orders) > 0:
			outcome = "ordered as " + strings.Join(st.Create.Orders, ", ") + "; the cloud has not named the instance yet"
		case st.Create.AmbiguousSince != nil:
			outcome = fmt.Sprintf("unknown since %s; %s found nothing", st.Create.AmbiguousSince.UTC().Format(time.RFC3339), counted(int(st.Create.CleanLookups), "look-up"))
		default:
			outcome = "open: not known to have been called, or answered"
		}
	case st.Change != nil:
		intent = strings.ToLower(st.Change.Kind)
		switch st.Change.Kind {
		case databasev1.ChangeTags:
			intent = "set the tags"
		case databasev1.ChangeSecurityGroups:
			intent = "set the security groups"
		}
		intent += " to " + st.Change.Target
		if st.Change.Window != "" {
			intent += " between " + st.Change.Window
		}
		outcome = "asked for; " + said
	case st.InstanceID != "":
		intent, outcome = "have an instance", "instance "+st.InstanceID
	}
	return intent, outcome
}
