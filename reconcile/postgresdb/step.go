package postgresdb

import (
	"context"
	"fmt"
	"strings"

	"example.com/mote/cloud"
	"example.com/mote/forecast"
)

// stepOf is a decision as a step of a forecast.
func (r *rehearsal) stepOf(ctx context.Context, t thought) forecast.Step {
	v, d := t.view, t.decision
	s := forecast.Step{Sign: forecast.Change, Do: string(d.Do), Where: forecast.InCloud, Why: reasonOf(v, d)}
	secret, spec := "Secret "+SecretName(v.Object), v.Object.Spec
	switch d.Do {
	case AddFinalizer:
		s.Where, s.What = forecast.InCluster, "finalizer, so that the object does not go before its instance"
	case DropFinalizer:
		s.Sign, s.Where, s.What = forecast.End, forecast.InCluster, "let the object go"
		if d.Event != nil {
			s.Why = d.Event.Note
		}
	case CreateSecret:
		s.Sign, s.Where, s.What = forecast.Make, forecast.InCluster, secret+passwordNote(d)
	case WriteSecret:
		s.Where, s.What = forecast.InCluster, secret+": "+keysOf(d.SecretData)
		switch {
		case d.NewPassword:
			s.What = secret + passwordNote(d)
		case d.Reset:
			s.What = secret + ": mark its password as one that the cloud has yet to be given"
		case len(d.SecretData) == 0:
			s.What = secret + ": note which password the cloud has"
		}
	case RecordID:
		s.Where, s.What = forecast.InStatus, "take over instance "+d.InstanceID
		if v.Object.Spec.InstanceID == "" {
			s.What = "note instance " + d.InstanceID
		} else {
			s.Where = forecast.InCluster
		}
	case RecordOrders, ClearIntent, RecordTags, MarkAmbiguous, CountLookup:
		s.Where, s.What = forecast.InStatus, bookNotes[d.Do]
	case Buy:
		s.Sign, s.What = forecast.Make, fmt.Sprintf("buy PostgreSQL %s, %s with %d GB in %s, %s", d.Purchase.Major, spec.InstanceClass, d.Purchase.StorageGB, d.Purchase.Zone, chargeWords(d.Purchase.ChargeType))
		s.Cost = r.cost(ctx, v.Region(), cloud.Priced{Zone: d.Purchase.Zone, SpecCode: d.Purchase.SpecCode, StorageGB: d.Purchase.StorageGB, ChargeType: d.Purchase.ChargeType})
	case Resize:
		i := v.Instance.Instance
		s.What = fmt.Sprintf("resize %s from %s with %d GB to %dC%dG with %d GB", i.ID, i.ClassName(), i.StorageGB, d.Size.CPU, d.Size.MemoryGB, d.Size.StorageGB)
		s.Interrupts = "restarts the database" + windowNote(d.Window)
		s.Cost = r.difference(ctx, v.Region(), i, d.Size)
	case Upgrade:
		s.What = fmt.Sprintf("upgrade %s from PostgreSQL %s to %s", v.Instance.Instance.ID, v.Instance.Instance.Version, strings.TrimPrefix(d.Show.Change.Target, "PostgreSQL "))
		s.Interrupts, s.Final = "restarts the database"+windowNote(d.Window), d.Major
		if d.Major {
			s.Interrupts += ", after a backup"
		}
	case SwitchNow:
		s.What, s.Interrupts = "let the change that waits for its window come into force now", "restarts the database"
	case Rename:
		s.What = "give " + d.InstanceID + " its name back"
	case SetTags:
		s.What = tagChange{d.Tags, d.DropTags}.String()
	case SetGroups:
		s.What = "security groups become " + named(d.Groups)
	case Protect:
		s.What = "protect " + d.InstanceID + " against deletion"
	case Unprotect:
		s.What = "lift the deletion protection of " + d.InstanceID
	case ResetPassword:
		s.What = "set the password of " + spec.AdminUser + " to that of " + secret
	case Isolate:
		s.Sign, s.What = forecast.End, "stop "+d.InstanceID+" and its billing; its data waits in the cloud's recycle bin for "+binTime(v.Instance.Instance.ChargeType)
	case Destroy:
		s.Sign, s.Final, s.What = forecast.End, true, "destroy "+d.InstanceID+" and its data"
	}
	return s
}

var bookNotes = map[Action]string{
	RecordOrders: "note the order", ClearIntent: "note that the purchase had no effect", RecordTags: "note which tags are about to be set",
	MarkAmbiguous: "note that the outcome of the purchase is unknown", CountLookup: "look for the instance of the purchase once more",
}

func passwordNote(d Decision) string {
	if d.NewPassword {
		return " with a new password"
	}
	return ""
}

func windowNote(w cloud.Window) string {
	if w == (cloud.Window{}) {
		return ", at once"
	}
	return fmt.Sprintf(", between %s and %s by the cloud's clock (UTC+8)", w.From, w.To)
}

func chargeWords(c cloud.ChargeType) string {
	if c == cloud.Prepaid {
		return "prepaid by the month"
	}
	return "by the hour"
}

// reasonOf is why a step is taken, where that is not plain from the step itself.
func reasonOf(v View, d Decision) string {
	switch {
	case d.Show != nil && d.Show.Sync != nil && d.Show.Sync.Drifted:
		return "the instance was changed outside of Mote"
	case d.Do == Isolate || d.Do == Destroy:
		return "the object is being deleted, deletionPolicy " + v.Object.Spec.DeletionPolicy
	case d.Do == ResetPassword:
		return "the Secret has another password than the cloud was given"
	case d.Do == Unprotect && v.Deleting():
		return "the object is being deleted, and the spec lifts the protection"
	case d.Do == CreateSecret && v.Object.Status.InstanceID != "":
		return "it is not there any more"
	}
	return ""
}

// cost is what an instance costs.
func (r *rehearsal) cost(ctx context.Context, region string, of cloud.Priced) *forecast.Cost {
	if r.see.Prices == nil {
		return nil
	}
	p, err := r.see.Prices.Price(ctx, region, of)
	if err != nil {
		return &forecast.Cost{Unknown: err.Error()}
	}
	if of.ChargeType == cloud.Prepaid {
		return forecast.Monthly(p.Cents, p.Currency)
	}
	return forecast.Hourly(p.Cents, p.Currency)
}

// difference is what another size costs more than the one that an instance has.
func (r *rehearsal) difference(ctx context.Context, region string, i cloud.Instance, to cloud.Size) *forecast.Cost {
	if r.see.Prices == nil {
		return nil
	}
	classes, err := r.cloud.Classes(ctx, region, i.Zone, i.Major)
	if err != nil {
		return &forecast.Cost{Unknown: err.Error()}
	}
	var both [2]*forecast.Cost
	for n, s := range []cloud.Size{{CPU: i.CPU, MemoryGB: i.MemoryGB, StorageGB: i.StorageGB}, to} {
		class, why := classFor(classes, fmt.Sprintf("%dC%dG", s.CPU, s.MemoryGB), s.StorageGB, i.Zone, i.Major)
		if why != "" {
			return &forecast.Cost{Unknown: why}
		}
		both[n] = r.cost(ctx, region, cloud.Priced{Zone: i.Zone, SpecCode: class.SpecCode, StorageGB: s.StorageGB, ChargeType: i.ChargeType})
		if both[n].Unknown != "" {
			return both[n]
		}
	}
	was, will := both[0], both[1]
	return &forecast.Cost{PerHour: will.PerHour - was.PerHour, PerMonth: will.PerMonth - was.PerMonth, Currency: will.Currency, Difference: true}
}
