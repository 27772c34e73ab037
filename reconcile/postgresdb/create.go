package postgresdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// decideCreate brings an object without an instance to one: an open intent is
// cleared up first; then all that can be refused without buying is checked;
// then the look-up, the finalizer, and the purchase.
func decideCreate(v View) Decision {
	if v.Object.Status.Create != nil {
		return decideIntent(v)
	}
	if d, ok := checkSecret(v); !ok {
		return d
	}
	purchase, d, ok := plan(v)
	if !ok {
		return d
	}
	if v.Found == nil {
		return Decision{Do: LookUp}
	}
	if d, ok := resolve(v); ok {
		return d
	}
	if !v.Finalizer {
		return Decision{Do: AddFinalizer}
	}
	return Decision{Do: Buy, Purchase: purchase,
		Show: &Show{Phase: databasev1.PhaseProvisioning, Reason: "Creating", Message: "the instance was ordered; the cloud is making it"},
		Event: &Event{Reason: "Ordered", Action: "Create",
			Note: fmt.Sprintf("ordered a PostgreSQL %s instance %s with %d GB in %s", purchase.Major, v.Object.Spec.InstanceClass, purchase.StorageGB, purchase.Zone)}}
}

// checkSecret sees to it that a password of ours is stored before anything is
// bought; ok when it is.
func checkSecret(v View) (Decision, bool) {
	switch {
	case v.Secret == nil:
		return Decision{Do: ReadSecret}, false
	case !v.Secret.Exists:
		return Decision{Do: CreateSecret, SecretData: map[string]string{"user": v.Object.Spec.AdminUser}}, false
	case !v.Secret.Ours:
		d := failed(v.Settings.SlowRetry, "NameConflict",
			"Secret %s exists and belongs to somebody else, so Mote leaves it alone: delete it, or name another one in spec.connectionSecretName of a new object; looking again in %s",
			SecretName(v.Object), v.Settings.SlowRetry)
		d.Show.Phase = databasev1.PhasePending
		return d, false
	case v.Secret.Data["password"] == "":
		return Decision{Do: WriteSecret, SecretData: map[string]string{"user": v.Object.Spec.AdminUser}}, false
	}
	return Decision{}, true
}

// decideIntent clears up a purchase whose outcome is not known. It never buys.
func decideIntent(v View) Decision {
	intent := v.Object.Status.Create
	if len(intent.Orders) > 0 {
		switch {
		case v.Orders == nil:
			return Decision{Do: ReadOrders}
		case len(*v.Orders) == 1:
			return record(v, (*v.Orders)[0])
		case len(*v.Orders) > 1:
			return several(v, *v.Orders)
		}
	}
	if v.Found == nil {
		return Decision{Do: LookUp}
	}
	if d, ok := resolve(v); ok {
		return d
	}
	if len(intent.Orders) > 0 { // paid for, so it will come: never given up
		return waiting(phaseOf(v), 5*time.Second, "Creating", "order %s was placed; waiting for the cloud to name the instance", strings.Join(intent.Orders, ", "))
	}
	every := v.Settings.Grace / time.Duration(max(v.Settings.CleanLookups, 1))
	show := &Show{Phase: phaseOf(v), Reason: "CreateOutcomeUnknown",
		Message: fmt.Sprintf("the answer to the purchase was lost, so Mote looks for instance %s for %s before it orders again", intent.Name, v.Settings.Grace)}
	switch {
	case intent.AmbiguousSince == nil:
		return Decision{Do: MarkAmbiguous, Show: show, After: every,
			Event: &Event{Warning: true, Reason: "CreateOutcomeUnknown", Action: "Create", Note: show.Message}}
	case intent.CleanLookups+1 >= v.Settings.CleanLookups && !v.Now.Before(intent.AmbiguousSince.Add(v.Settings.Grace)):
		return Decision{Do: ClearIntent,
			Event: &Event{Reason: "CreateHadNoEffect", Action: "Create", Note: "no instance turned up, so the purchase had no effect"}}
	case v.Now.Before(intent.AmbiguousSince.Add(time.Duration(intent.CleanLookups+1) * every)):
		return Decision{Do: Rest, After: intent.AmbiguousSince.Add(time.Duration(intent.CleanLookups+1) * every).Sub(v.Now), Show: show}
	}
	return Decision{Do: CountLookup, Show: show, After: every}
}

// phaseOf is Deleting for an object that is, or else Provisioning.
func phaseOf(v View) string {
	if v.Deleting {
		return databasev1.PhaseDeleting
	}
	return databasev1.PhaseProvisioning
}

// resolve takes what the look-up found: one instance is ours, several are a
// reason to stop; ok false: none.
func resolve(v View) (Decision, bool) {
	var ids []string
	for _, i := range *v.Found {
		// The name is unique to this object; a tag that is missing may yet come,
		// one that names another object says that somebody copied the name.
		if o := owner(i); i.State != cloud.StateGone && (o == "" || o == string(v.Object.UID)) {
			ids = append(ids, i.ID)
		}
	}
	switch len(ids) {
	case 0:
		return Decision{}, false
	case 1:
		return record(v, ids[0]), true
	}
	return several(v, ids), true
}

func record(v View, id string) Decision {
	return Decision{Do: RecordID, InstanceID: id,
		Show: &Show{Phase: phaseOf(v), Reason: "Creating", Message: "instance " + id + " exists; the cloud is making it"}}
}

func several(v View, ids []string) Decision {
	slices.Sort(ids)
	d := failed(v.Settings.SlowRetry, "SeveralInstances",
		"the cloud has several instances for this one object: %s. Mote touches none of them: keep one, destroy the others in the cloud's console, and it goes on",
		strings.Join(ids, ", "))
	if v.Deleting {
		d.Show.Phase = databasev1.PhaseDeleting
	}
	return d
}

// plan works out the purchase from the spec, the subnet and what is for sale;
// when it can't, ok is false and the decision says what to do.
func plan(v View) (cloud.CreateRequest, Decision, bool) {
	s := v.Object.Spec
	none := cloud.CreateRequest{}
	if v.Subnet == nil {
		return none, Decision{Do: ReadSubnet}, false
	}
	zone, vpc := v.Subnet.Zone, v.Subnet.VPCID
	if s.Zone != "" {
		zone = s.Zone
	}
	if s.VPCID != "" && s.VPCID != vpc {
		return none, refused(v, "WrongNetwork", "spec.vpcID is %s, but subnet %s lies in %s", s.VPCID, s.SubnetID, vpc), false
	}
	if v.Offer == nil {
		return none, Decision{Do: ReadOffer}, false
	}
	major, _, _ := strings.Cut(s.EngineVersion, ".")
	if why := versionFor(v.Offer.Versions, s.EngineVersion); why != "" {
		return none, refused(v, "VersionNotForSale", "%s", why), false
	}
	class, why := classFor(v.Offer.Classes, s.InstanceClass, int(s.StorageGB), zone, major)
	if why != "" {
		return none, refused(v, "ClassNotForSale", "%s", why), false
	}
	tags := map[string]string{TagUID: string(v.Object.UID), TagObject: v.Object.Namespace + "/" + v.Object.Name}
	for k, t := range s.Tags {
		tags[k] = string(t)
	}
	return cloud.CreateRequest{
		Name: InstanceName(string(v.Object.UID)), SpecCode: class.SpecCode, StorageGB: int(s.StorageGB), Major: major,
		Zone: zone, VPCID: vpc, SubnetID: s.SubnetID, ChargeType: cloud.ChargeType(s.ChargeType), AdminUser: s.AdminUser,
		DeletionProtection: s.DeletionProtection != nil && *s.DeletionProtection,
		SecurityGroupIDs:   s.SecurityGroupIDs, Tags: tags,
	}, Decision{}, true
}

// refused is a spec that cannot be bought, found out before asking.
func refused(v View, reason, format string, a ...any) Decision {
	return failed(v.Settings.RefusedRetry, reason, format, a...)
}

// versionFor says why a version cannot be bought, or "". A major is bought, and
// the cloud picks its latest minor; that minor must satisfy the wish.
func versionFor(all []cloud.Version, wish string) string {
	major, _, _ := strings.Cut(wish, ".")
	var sold []string
	newest := ""
	for _, x := range all {
		if !x.Available {
			continue
		}
		if !slices.Contains(sold, x.Major) {
			sold = append(sold, x.Major)
		}
		if x.Major == major && (newest == "" || !Satisfies(newest, x.Minor)) {
			newest = x.Minor
		}
	}
	switch {
	case newest == "":
		slices.SortFunc(sold, func(a, b string) int { return atoi(a) - atoi(b) })
		return fmt.Sprintf("PostgreSQL %s is not for sale in this region; there are %s", major, strings.Join(sold, ", "))
	case !Satisfies(newest, wish):
		return fmt.Sprintf("PostgreSQL %s is not for sale in this region; the newest of its major is %s", wish, newest)
	}
	return ""
}

// Satisfies tells whether the version that runs fulfils a wish: the same major,
// and no older a minor where the wish names one.
func Satisfies(runs, wish string) bool {
	runsMajor, runsMinor, _ := strings.Cut(runs, ".")
	major, minor, named := strings.Cut(wish, ".")
	return runsMajor == major && (!named || atoi(runsMinor) >= atoi(minor))
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // the schema lets only digits through; anything else from the cloud counts as 0
	return n
}

// classFor finds the size that is for sale, or says why there is none.
func classFor(all []cloud.InstanceClass, wish string, storageGB int, zone, major string) (cloud.InstanceClass, string) {
	var sold []string
	for _, c := range all {
		name := fmt.Sprintf("%dC%dG", c.CPU, c.MemoryGB)
		if name != wish {
			sold = append(sold, name)
			continue
		}
		if c.MaxStore > 0 && (storageGB < c.MinStorage || storageGB > c.MaxStore) {
			return c, fmt.Sprintf("%s takes %d to %d GB of storage in %s, not %d", wish, c.MinStorage, c.MaxStore, zone, storageGB)
		}
		return c, ""
	}
	if len(sold) == 0 {
		return cloud.InstanceClass{}, fmt.Sprintf("no instance class is for sale in %s for PostgreSQL %s", zone, major)
	}
	return cloud.InstanceClass{}, fmt.Sprintf("%s is not for sale in %s for PostgreSQL %s; there are %s", wish, zone, major, strings.Join(sold, ", "))
}
