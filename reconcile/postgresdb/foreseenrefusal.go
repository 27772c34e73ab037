package postgresdb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/forecast"
	"example.com/mote/reconcile"
)

// What the cloud will refuse is known in two ways: it has refused the same of this very
// spec already, as the status says, or a look at what is for sale tells. A forecast
// ends there.

// calls are the API's names of what an action may call.
var calls = map[Action][]string{
	Buy: {"CreateInstances"}, Resize: {"ModifyDBInstanceSpec"},
	Upgrade:   {"UpgradeDBInstanceKernelVersion", "UpgradeDBInstanceMajorVersion"},
	SetGroups: {"ModifyDBInstanceSecurityGroups"},
}

// refusedOnce is the refusal of an action that an object's status tells of, or nil.
func refusedOnce(o *databasev1.PostgresDB, do Action) *cloud.Error {
	c := reconcile.GetCondition(o.Status.Conditions, reconcile.ConditionReady)
	if c == nil || c.Reason != "CloudRefused" || c.Status != metav1.ConditionFalse || c.ObservedGeneration != o.Generation {
		return nil
	}
	where, answer, ok := strings.Cut(c.Message, " was refused: ")
	action, region, too := strings.Cut(where, " in ")
	if !ok || !too || !slices.Contains(calls[do], action) {
		return nil
	}
	answer, _, _ = strings.Cut(answer, ". Mote tries again")
	code, message, _ := strings.Cut(answer, ": ")
	return &cloud.Error{Class: cloud.Refused, Action: action, Region: region, Code: code, Message: message}
}

// refuse ends the forecast with an action that is going to be refused, if it is.
func (c *foreseenCloud) refuse(do Action) error {
	if e := refusedOnce(&c.object, do); e != nil {
		c.refused = e
		return e
	}
	return nil
}

// unsold is the refusal of a size that is not for sale. Nothing is known where the cloud
// names no size at all.
func (c *foreseenCloud) unsold(ctx context.Context, region string, i cloud.Instance, s cloud.Size) error {
	classes, err := c.Classes(ctx, region, i.Zone, i.Major)
	if err != nil || len(classes) == 0 {
		return err
	}
	name := fmt.Sprintf("%dC%dG", s.CPU, s.MemoryGB)
	_, why := classFor(classes, name, s.StorageGB, i.Zone, i.Major)
	sold := slices.ContainsFunc(classes, func(x cloud.InstanceClass) bool { return x.CPU == s.CPU && x.MemoryGB == s.MemoryGB })
	if why == "" || !sold && name == i.ClassName() { // what it has, it may keep
		return nil
	}
	c.refused = &cloud.Error{Class: cloud.Refused, Action: calls[Resize][0], Region: region, Code: "foreseen", Message: why}
	return c.refused
}

// refusal is a step that the cloud refuses.
func (r *rehearsal) refusal(s forecast.Step) forecast.Step {
	s.Sign, s.Interrupts, s.Final, s.Cost = forecast.Refuse, "", false, nil
	said := "the cloud will refuse this: " + r.refused.Message
	if r.refused.Code != "foreseen" {
		said = "the cloud refused this: " + r.refused.Code + ": " + r.refused.Message
	}
	s.Details = append(s.Details, said, r.askedAgain())
	return s
}

func (r *rehearsal) askedAgain() string {
	if at := r.retryAt(); at != nil {
		return "asked again at " + at.UTC().Format(time.RFC3339) + ", and when the spec changes"
	}
	return fmt.Sprintf("asked again every %s, and when the spec changes", r.r.settings.RefusedRetry)
}

// retryAt is when what was refused is asked for again, as far as the status tells; nil:
// it does not.
func (r *rehearsal) retryAt() *time.Time {
	if r.lastTold == nil || r.refused.Code == "foreseen" {
		return nil
	}
	at := r.lastTold.Add(r.r.settings.RefusedRetry)
	if !at.After(r.see.Now) {
		return nil
	}
	return &at
}
