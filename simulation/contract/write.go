package contract

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func create(r *rig) {
	u := database("a")
	u.Object["status"] = map[string]any{"phase": "Running"}
	u.Object["spec"].(map[string]any)["surprise"] = "unknown"
	u.SetResourceVersion("")
	made := r.make(databases, u)
	at := made.GetCreationTimestamp()
	if made.GetUID() == "" || made.GetResourceVersion() == "" || made.GetNamespace() != r.namespace || made.GetGeneration() != 1 || at.IsZero() {
		r.Errorf("incomplete: %v", made.Object["metadata"])
	}
	r.holds(made, "", "status")
	r.holds(made, "", "spec", "surprise")
	r.holds(made, `"Isolate"`, "spec", "deletionPolicy")
	r.holds(made, `"PostpaidByHour"`, "spec", "chargeType")
	r.holds(r.make(apps, object(`{"apiVersion":"example.com/v1","kind":"MyApp","metadata":{"name":"a"},"spec":{"image":"nginx:1","port":80}}`)), `"ClusterIP"`, "spec", "serviceType")
	_, err := r.in(databases).Create(r.Context(), database("a"), metav1.CreateOptions{})
	r.answers(err, 409, metav1.StatusReasonAlreadyExists)
	_, err = r.client.Resource(databases).Namespace("nowhere").Create(r.Context(), database("a"), metav1.CreateOptions{})
	r.answers(err, 404, metav1.StatusReasonNotFound)
	if err := r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{}); err != nil {
		r.Fatal(err)
	}
	if again := r.make(databases, database("a")); again.GetUID() == made.GetUID() {
		r.Error("an object that was made anew has the uid of the old one")
	}
}

func missing(r *rig) {
	_, err := r.in(databases).Get(r.Context(), "a", metav1.GetOptions{})
	r.answers(err, 404, metav1.StatusReasonNotFound)
	for _, sub := range [][]string{nil, {"status"}} {
		_, err = r.try(databases, "a", `{"metadata":{"uid":"u","resourceVersion":"1"}}`, sub...)
		r.answers(err, 404, metav1.StatusReasonNotFound)
	}
	r.answers(r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{}), 404, metav1.StatusReasonNotFound)
}

// A patch that names another uid is refused, but not as a Conflict; a patch of a
// status is not even refused.
func anotherUID(r *rig) {
	made := r.make(databases, database("a"))
	for _, c := range []struct {
		patch string
		sub   []string
	}{
		{`{"metadata":{"uid":"other","finalizers":["example.com/x"]}}`, nil},
		{fmt.Sprintf(`{"metadata":{"uid":"other","resourceVersion":%q},"spec":{"storageGB":200}}`, made.GetResourceVersion()), nil},
	} {
		_, err := r.try(databases, "a", c.patch, c.sub...)
		st := r.answers(err, 422, metav1.StatusReasonInvalid)
		if st.Details == nil || !slices.ContainsFunc(st.Details.Causes, func(c metav1.StatusCause) bool { return c.Field == "metadata.uid" }) {
			r.Errorf("nothing says that it is the uid: %v", st.Details)
		}
	}
	r.same(databases, made)
	// Whoever names the version as well is told of that.
	_, err := r.try(databases, "a", `{"metadata":{"uid":"other","resourceVersion":"1"},"spec":{"storageGB":200}}`)
	r.answers(err, 409, metav1.StatusReasonConflict)
	_, err = r.try(databases, "a", `{"metadata":{"uid":"other","resourceVersion":"1"},"status":{"phase":"Failed"}}`, "status")
	r.answers(err, 409, metav1.StatusReasonConflict)
	r.same(databases, made)
	// A patch of a status hits whatever object has the name, if it names no version:
	// its metadata is not read.
	now := r.patch(databases, "a", `{"metadata":{"uid":"other"},"status":{"phase":"Failed"}}`, "status")
	r.holds(now, `"Failed"`, "status", "phase")
	if now.GetUID() != made.GetUID() {
		r.Error("a patch of a status has changed the uid")
	}
}

func oldVersion(r *rig) {
	made := r.make(databases, database("a"))
	now := r.patch(databases, "a", `{"spec":{"storageGB":200}}`)
	for _, c := range []struct {
		patch string
		sub   []string
	}{
		{`{"metadata":{"resourceVersion":%q},"spec":{"storageGB":300}}`, nil},
		{`{"metadata":{"resourceVersion":%q,"finalizers":["example.com/x"]}}`, nil},
		{`{"metadata":{"resourceVersion":%q},"status":{"phase":"Pending"}}`, []string{"status"}},
	} {
		_, err := r.try(databases, "a", fmt.Sprintf(c.patch, made.GetResourceVersion()), c.sub...)
		r.answers(err, 409, metav1.StatusReasonConflict)
	}
	r.same(databases, now)
	r.patch(databases, "a", fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"storageGB":300}}`, now.GetResourceVersion()))
}

func statusApart(r *rig) {
	r.make(databases, database("a"))
	now := r.patch(databases, "a", `{"metadata":{"labels":{"x":"y"},"finalizers":["example.com/x"]},"spec":{"storageGB":200},"status":{"phase":"Pending","region":"ap-guangzhou"}}`, "status")
	r.holds(now, "100", "spec", "storageGB")
	r.holds(now, "", "metadata", "finalizers")
	r.holds(now, `"Pending"`, "status", "phase")
	now = r.patch(databases, "a", `{"spec":{"storageGB":200},"status":{"phase":"Failed","instanceID":"x"}}`)
	r.holds(now, "200", "spec", "storageGB")
	r.holds(now, `{"phase":"Pending","region":"ap-guangzhou"}`, "status")
	r.holds(r.patch(databases, "a", `{"status":{"region":null}}`, "status"), `{"phase":"Pending"}`, "status")
}

func generation(r *rig) {
	r.make(databases, database("a"))
	for _, c := range []struct {
		patch string
		sub   []string
		want  int64
	}{
		{`{"spec":{"storageGB":200}}`, nil, 2},
		{`{"metadata":{"annotations":{"mote.example.com/paused":"true"},"labels":{"x":"y"},"finalizers":["example.com/x"]}}`, nil, 2},
		{`{"status":{"phase":"Pending"}}`, []string{"status"}, 2},
		{`{"spec":{"storageGB":200}}`, nil, 2},
		{`{"metadata":{"generation":7},"spec":{"instanceClass":"4C8G"}}`, nil, 3},
	} {
		if got := r.patch(databases, "a", c.patch, c.sub...).GetGeneration(); got != c.want {
			r.Errorf("after %s: generation %d, want %d", c.patch, got, c.want)
		}
	}
}

func noChange(r *rig) {
	r.make(databases, database("a"))
	was := r.patch(databases, "a", `{"metadata":{"finalizers":["example.com/x"]},"spec":{"storageGB":200}}`)
	if now := r.patch(databases, "a", `{"metadata":{"finalizers":["example.com/x"],"labels":{"none":null}},"spec":{"storageGB":200,"site":null}}`); now.GetResourceVersion() != was.GetResourceVersion() {
		r.Error("a patch that changes nothing makes a new version")
	}
	was = r.patch(databases, "a", `{"status":{"phase":"Pending"}}`, "status")
	if now := r.patch(databases, "a", `{"status":{"phase":"Pending"}}`, "status"); now.GetResourceVersion() != was.GetResourceVersion() {
		r.Error("a patch of a status that changes nothing makes a new version")
	}
}

func mergePatch(r *rig) {
	r.make(databases, database("a"))
	now := r.patch(databases, "a", `{"spec":{"tags":{"a":"1","b":"2"},"securityGroupIDs":["sg-1","sg-2"]}}`)
	r.holds(now, `{"a":"1","b":"2"}`, "spec", "tags")
	now = r.patch(databases, "a", `{"spec":{"tags":{"a":null,"c":"3"},"securityGroupIDs":["sg-3"]}}`)
	r.holds(now, `{"b":"2","c":"3"}`, "spec", "tags")
	r.holds(now, `["sg-3"]`, "spec", "securityGroupIDs")
	now = r.patch(databases, "a", `{"metadata":{"finalizers":["example.com/x","example.com/y"]}}`)
	now = r.patch(databases, "a", fmt.Sprintf(`{"metadata":{"uid":%q,"finalizers":["example.com/y"]}}`, now.GetUID()))
	r.holds(now, `["example.com/y"]`, "metadata", "finalizers")
	r.holds(r.patch(databases, "a", `{"metadata":{"finalizers":[]}}`), "", "metadata", "finalizers")
}

func finalizers(r *rig) {
	r.make(databases, database("a"))
	held := r.patch(databases, "a", `{"metadata":{"finalizers":["example.com/x"]}}`)
	if err := r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{}); err != nil {
		r.Fatal(err)
	}
	dying := r.get(databases, "a")
	if dying.GetDeletionTimestamp() == nil || dying.GetGeneration() != held.GetGeneration()+1 || dying.GetUID() != held.GetUID() {
		r.Errorf("not on its way out: %v", dying.Object["metadata"])
	}
	if err := r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{}); err != nil {
		r.Errorf("a second delete: %v", err)
	}
	r.same(databases, dying)
	_, err := r.in(databases).Create(r.Context(), database("a"), metav1.CreateOptions{})
	r.answers(err, 409, metav1.StatusReasonAlreadyExists)
	_, err = r.try(databases, "a", `{"metadata":{"finalizers":["example.com/x","example.com/y"]}}`)
	r.answers(err, 422, metav1.StatusReasonInvalid)
	r.holds(r.patch(databases, "a", `{"status":{"phase":"Deleting"}}`, "status"), `"Deleting"`, "status", "phase")
	last := r.patch(databases, "a", `{"metadata":{"finalizers":[]}}`)
	r.holds(last, "", "metadata", "finalizers")
	_, err = r.in(databases).Get(r.Context(), "a", metav1.GetOptions{})
	r.answers(err, 404, metav1.StatusReasonNotFound)
}

func preconditions(r *rig) {
	made := r.make(databases, database("a"))
	other, version, uid := types.UID("other"), "1", made.GetUID()
	err := r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
	r.answers(err, 409, metav1.StatusReasonConflict)
	err = r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}})
	r.answers(err, 409, metav1.StatusReasonConflict)
	version = made.GetResourceVersion()
	r.same(databases, made)
	if err := r.in(databases).Delete(r.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}}); err != nil {
		r.Error(err)
	}
}

func secret(r *rig) {
	made := r.make(secrets, object(`{"apiVersion":"v1","kind":"Secret","type":"Opaque","metadata":{"name":"a","annotations":{"example.com/x":"y"}},"data":{"user":"YQ==","password":"Yg=="}}`))
	r.holds(made, `{"password":"Yg==","user":"YQ=="}`, "data")
	now := r.patch(secrets, "a", fmt.Sprintf(`{"metadata":{"resourceVersion":%q,"annotations":{"example.com/x":null}},"data":{"user":null,"uri":"Yw=="}}`, made.GetResourceVersion()))
	r.holds(now, `{"password":"Yg==","uri":"Yw=="}`, "data")
	r.holds(now, "", "metadata", "annotations")
	_, err := r.try(secrets, "a", fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"data":{"password":"Yw=="}}`, made.GetResourceVersion()))
	r.answers(err, 409, metav1.StatusReasonConflict)
	if now := r.patch(secrets, "a", `{"metadata":{"annotations":{"example.com/x":null}},"data":{}}`); now.GetResourceVersion() != r.get(secrets, "a").GetResourceVersion() {
		r.Error("the answer is not what stands there")
	}
}

func lease(r *rig) {
	at := "2026-01-02T03:04:05.000000Z"
	l := object(`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"a"},"spec":{"holderIdentity":"me","leaseDurationSeconds":60,"acquireTime":%q,"renewTime":%q,"leaseTransitions":0}}`, at, at)
	made := r.make(leases, l)
	_, err := r.in(leases).Create(r.Context(), l, metav1.CreateOptions{})
	r.answers(err, 409, metav1.StatusReasonAlreadyExists)
	renew := `{"metadata":{"resourceVersion":%q},"spec":{"holderIdentity":%q,"renewTime":"2026-01-02T03:04:06.000001Z"}}`
	now := r.patch(leases, "a", fmt.Sprintf(renew, made.GetResourceVersion(), "me"))
	r.holds(now, `"2026-01-02T03:04:06.000001Z"`, "spec", "renewTime")
	r.holds(now, "60", "spec", "leaseDurationSeconds")
	_, err = r.try(leases, "a", fmt.Sprintf(renew, made.GetResourceVersion(), "you"))
	r.answers(err, 409, metav1.StatusReasonConflict)
	_, err = r.try(leases, "b", fmt.Sprintf(renew, now.GetResourceVersion(), "me"))
	r.answers(err, 404, metav1.StatusReasonNotFound)
	_, err = r.client.Resource(leases).Namespace("nowhere").Create(r.Context(), l, metav1.CreateOptions{})
	r.answers(err, 404, metav1.StatusReasonNotFound)
	r.holds(r.patch(leases, "a", `{"spec":{"holderIdentity":""}}`), `""`, "spec", "holderIdentity")
}

func event(r *rig) {
	e := object(`{"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"a.0123","namespace":%q},"eventTime":"2026-01-02T03:04:05.000000Z",
		"reportingController":"mote.example.com/mote","reportingInstance":"me","type":"Normal","reason":"Running","action":"Reconcile","note":"it runs",
		"regarding":{"apiVersion":"database.example.com/v1","kind":"PostgresDB","namespace":%q,"name":"a","uid":"u","resourceVersion":"1"}}`, r.namespace, r.namespace)
	r.make(events, e)
	_, err := r.in(events).Create(r.Context(), e, metav1.CreateOptions{})
	r.answers(err, 409, metav1.StatusReasonAlreadyExists)
	series := `{"series":{"count":2,"lastObservedTime":"2026-01-02T03:14:05.000000Z"}}`
	r.patch(events, "a.0123", series)
	r.holds(r.get(events, "a.0123"), "2", "series", "count")
	_, err = r.try(events, "b.0123", series)
	r.answers(err, 404, metav1.StatusReasonNotFound)
}
