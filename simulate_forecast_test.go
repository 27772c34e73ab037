package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/tencent"
	"example.com/mote/command"
	"example.com/mote/forecast"
	"example.com/mote/look"
	"example.com/mote/reconcile/postgresdb"
	"example.com/mote/schema"
	"example.com/mote/simulation/wire"
)

// TestForecasts holds a plan to what then happens. A world is lived in, with all its
// trouble, until its processes die in the middle of it; people change some more; and
// then nothing else changes any more. What is planned for each object is compared with
// what Mote does when it is started: the same calls that change something in the
// cloud, and the same kinds of writes in the cluster, in the same order. Over the
// wires of the plan itself goes nothing but reads.
//
// FORECASTS is how many worlds, SEED the first.
func TestForecasts(t *testing.T) {
	first, seeds := numberFrom(t, "SEED", 1), numberFrom(t, "FORECASTS", 5)
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	planned := make(chan int, seeds)
	t.Run("seeds", func(t *testing.T) {
		for seed := first; seed < first+seeds; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, seed)
					n, err := w.foretell()
					planned <- n
					if err != nil {
						t.Errorf("%v\n%s\nagain: SEED=%d FORECASTS=1 go test -run TestForecasts .", err, w.writeTrace(t), w.seed)
					}
				})
			})
		}
	})
	close(planned)
	total := 0
	for n := range planned {
		total += n
	}
	if seeds >= 40 && total < int(seeds) { // a comparison of nothing with nothing proves nothing
		t.Errorf("%d steps were planned in %d worlds", total, seeds)
	}
}

// foretell lives a world, plans, lets Mote do it, and compares; it tells how many
// steps were compared.
func (w *world) foretell() (steps int, err error) {
	if len(w.plan.cloud.RateLimits) > 0 || w.plan.databases >= 100 {
		// A purchase that is turned away takes the finalizer off again, as often as it
		// happens; no plan can know how often. That is so where many are made at once, too.
		w.cloud.Close()
		return 0, nil
	}
	r := rand.New(rand.NewPCG(w.seed, 1))
	w.live()
	over := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() { w.cluster.Clock(5*time.Second, 5*time.Minute, over) })
	time.Sleep(time.Hour) // what is on the wires arrives, and the cloud ends what it has begun
	w.lastWishes(r)
	time.Sleep(10 * time.Minute)

	plans, err := w.planned()
	if err == nil {
		done := w.watched(4 * time.Hour)
		steps, err = compared(plans, done)
	}
	close(over)
	all.Wait()
	w.cloud.Close()
	time.Sleep(time.Hour)
	return steps, err
}

// live lets a world go its way for a part of its span; then all processes die.
func (w *world) live() {
	over := make(chan struct{})
	var all sync.WaitGroup
	w.begin(&all, over)
	time.Sleep(w.plan.span * 2 / 3)
	w.endTrouble()
	w.mu.Lock()
	w.people.todo = nil
	for _, p := range w.running {
		if p != nil {
			p.kill()
		}
	}
	w.mu.Unlock()
	close(over)
	all.Wait()
}

// lastWishes are some more changes by people, after which nobody does anything.
func (w *world) lastWishes(r *rand.Rand) {
	for _, e := range w.cloud.Ledger() { // whoever had an instance at work in the console is done with it
		if slices.Contains([]string{"restarting", "limited run", "parameter modifying"}, e.Status) {
			if _, err := w.cloud.Console(e.ID, standin.Change{Status: "running"}); err != nil {
				w.t.Error(err)
			}
		}
	}
	list := func(x place) []unstructured.Unstructured {
		l, err := w.people.client.Resource(x.resource).List(w.t.Context(), metav1.ListOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		return l.Items
	}
	for _, o := range list(place{resource: databaseResource}) {
		x := place{databaseResource, o.GetNamespace(), o.GetName()}
		w.people.edit(x, annotation("paused", nil))
		switch r.IntN(4) {
		case 0:
			w.people.edit(x, spec(databaseChange(r)))
		case 1:
			w.people.console(x, consoleChange(r))
		case 2:
			if r.IntN(2) == 0 {
				w.people.delete(x, metav1.DeletePropagationBackground)()
			}
		}
	}
	for _, o := range list(place{resource: appResource}) {
		x := place{appResource, o.GetNamespace(), o.GetName()}
		if r.IntN(2) == 0 {
			w.people.changeApp(x, r)()
		}
	}
	for n := range 1 + r.IntN(3) {
		w.people.make(place{databaseResource, "one", fmt.Sprintf("last%d", n)}, databaseSpec(r))()
	}
	w.people.make(place{appResource, "two", "lastapp"}, appSpec(r))()
	for len(w.people.todo) > 0 { // what is done with an instance in the console ends
		a := w.people.todo[0]
		w.people.todo = w.people.todo[1:]
		time.Sleep(a.at - time.Since(w.began))
		a.do()
	}
}

// databaseChange changes a spec in a way that the schema would take.
func databaseChange(r *rand.Rand) map[string]any {
	switch r.IntN(4) {
	case 0:
		return map[string]any{"storageGB": int64(60 + 10*r.IntN(5)), "instanceClass": "4C8G"}
	case 1:
		return map[string]any{"engineVersion": "16"}
	case 2:
		return map[string]any{"tags": map[string]any{"team": nil, "color": one(r, "red", "blue")}, "deletionProtection": r.IntN(2) == 0}
	}
	return map[string]any{"securityGroupIDs": []any{"sg-0123abcd", one(r, "sg-1123abcd", "sg-2123abcd")}}
}

// planned is what is ahead of each object, by kind, namespace and name.
func (w *world) planned() (map[string]forecast.Object, error) {
	var wrote []string
	reads := func(name string, h http.Handler, changes func(*http.Request) bool) *wire.Line {
		return wire.NewLine(w.traced(name, h), func(r *http.Request, _ []byte) wire.Fate {
			if changes(r) {
				w.mu.Lock()
				wrote = append(wrote, name+" "+r.Method+" "+r.URL.Path+r.Header.Get("X-TC-Action"))
				w.mu.Unlock()
			}
			return wire.Fate{}
		})
	}
	cluster, err := look.Cluster(&rest.Config{Host: "http://cluster.test", Transport: reads("plan's cluster", w.cluster, func(r *http.Request) bool { return r.Method != http.MethodGet })})
	if err != nil {
		return nil, err
	}
	line := reads("plan's cloud", w.cloud, func(r *http.Request) bool {
		name := r.Header.Get("X-TC-Action")
		return !strings.HasPrefix(name, "Describe") && !strings.HasPrefix(name, "InquiryPrice")
	})
	keys := func(context.Context) (tencent.Credential, error) {
		return tencent.Credential{SecretID: cloudKey.ID, SecretKey: cloudKey.Secret}, nil
	}
	client, err := tencent.New(tencent.Options{Credentials: keys, Endpoint: "http://cloud.test", Transport: tencent.ReadOnly(line)})
	if err != nil {
		return nil, err
	}
	settings := postgresdb.DefaultSettings
	settings.Region = "ap-guangzhou"
	patient := look.Patient{Reader: client, Pricer: look.NewPriceList(client)}
	eyes := &look.Look{Cluster: cluster, Cloud: patient, Prices: patient, Settings: settings, Now: time.Now}
	plans := map[string]forecast.Object{}
	err = eyes.Each(w.t.Context(), look.Which{}, func(k *schema.Kind, u *unstructured.Unstructured) error {
		o := eyes.Plan(w.t.Context(), k, u)
		if len(o.Errors) > 0 {
			return fmt.Errorf("%s: %s", o.Title(), o.Errors[0])
		}
		text, err := json.Marshal(o)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.note("planned: %s", text)
		for secret := range w.secrets {
			if bytes.Contains(text, []byte(secret)) {
				return fmt.Errorf("a secret is in the plan of %s", o.Title())
			}
		}
		plans[k.Name+" "+o.Namespace+"/"+o.Name] = o
		return err
	})
	if err == nil && len(wrote) > 0 {
		err = fmt.Errorf("the plan changes something: %v", wrote)
	}
	return plans, err
}

// watched runs one Mote for some time, and is what it did to each object.
func (w *world) watched(span time.Duration) map[string][]string {
	d := &deeds{of: map[string][]string{}, world: w}
	cluster := wire.NewLine(w.traced("cluster", d.listening(w.cluster, d.inCluster)), nil)
	cloud := wire.NewLine(w.traced("cloud", d.listening(w.cloud, d.inCloud)), nil)
	// At its usual pace a round of looking at what no sweep shows takes too long here.
	o, err := command.ParseRun(append(slices.Clone(w.plan.args), "--resync-interval=10m"), noEnv)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		out := outside{cluster: &rest.Config{Host: "http://cluster.test", Transport: cluster}, cloud: cloud}
		if err := serve(ctx, &o, out, slog.New(slog.NewTextHandler(logTo{w}, &slog.HandlerOptions{Level: slog.LevelDebug}))); err != nil {
			w.t.Error(err)
		}
	})
	time.Sleep(span)
	cancel()
	all.Wait()
	return d.byObject()
}

// deeds are what was done, in order, to what.
type deeds struct {
	world *world
	mu    sync.Mutex
	done  []deed
	of    map[string][]string
}

// deed is one effect; of those in the cloud, it is known only afterwards which
// object's instance it was.
type deed struct{ object, instance, what string }

// listening takes down what succeeded.
func (d *deeds) listening(h http.Handler, hear func(*http.Request, []byte) (deed, bool)) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		var body []byte
		if r.Body != nil {
			body, _ = io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		did, matters := hear(r, body)
		if !matters {
			h.ServeHTTP(out, r)
			return
		}
		kept := &answerKept{codeSeen: codeSeen{ResponseWriter: out, code: http.StatusOK}}
		h.ServeHTTP(kept, r)
		if kept.code < 300 && !bytes.Contains(kept.body.Bytes(), []byte(`"Error"`)) {
			d.mu.Lock()
			d.done = append(d.done, did)
			d.mu.Unlock()
		}
	})
}

type answerKept struct {
	codeSeen
	body bytes.Buffer
}

func (a *answerKept) Write(p []byte) (int, error) { a.body.Write(p); return a.ResponseWriter.Write(p) }

// inCluster tells what a request to the API server does, and to which object.
func (d *deeds) inCluster(r *http.Request, body []byte) (deed, bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	at := slices.Index(parts, "namespaces")
	if r.Method == http.MethodGet || at < 0 || len(parts) < at+3 {
		return deed{}, false
	}
	if r.Header.Get("Content-Type") == "application/json-patch+json" {
		return deed{}, false // the first half of an apply: it takes away what others stated
	}
	namespace, resource, name := parts[at+1], parts[at+2], ""
	if len(parts) > at+3 {
		name = parts[at+3]
	}
	what := r.Method + " " + resource
	switch resource {
	case "postgresdbs":
		if len(parts) > at+4 || !bytes.Contains(body, []byte("finalizers")) {
			return deed{}, false // the status
		}
		return deed{object: "PostgresDB " + namespace + "/" + name, what: what}, true
	case "secrets":
		if r.Method == http.MethodPost {
			var o metav1.PartialObjectMetadata
			_ = json.Unmarshal(body, &o)
			name = o.Name
		}
		return deed{object: "PostgresDB " + namespace + "/" + strings.TrimSuffix(name, "-connection"), what: what}, true
	case "deployments", "services":
		return deed{object: "MyApp " + namespace + "/" + name, what: what}, true
	case "configmaps":
		return deed{object: "MyApp " + namespace + "/" + strings.TrimSuffix(name, "-config"), what: what}, true
	}
	return deed{}, false
}

// inCloud tells which call it is that changes something, and which instance's.
func (d *deeds) inCloud(r *http.Request, body []byte) (deed, bool) {
	action := r.Header.Get("X-TC-Action")
	if strings.HasPrefix(action, "Describe") {
		return deed{}, false
	}
	var p struct {
		DBInstanceId, Name, Resource string
		DBInstanceIdSet              []string
	}
	_ = json.Unmarshal(body, &p)
	id := p.DBInstanceId
	if len(p.DBInstanceIdSet) > 0 {
		id = p.DBInstanceIdSet[0]
	}
	if p.Resource != "" {
		id = p.Resource[strings.LastIndex(p.Resource, "/")+1:]
	}
	if action == "CreateInstances" {
		id = p.Name
	}
	return deed{instance: id, what: action}, true
}

// byObject are the deeds of each object, in order.
func (d *deeds) byObject() map[string][]string {
	owner := map[string]string{}
	for _, e := range d.world.cloud.Ledger() {
		o := "PostgresDB " + e.Tags[postgresdb.TagObject]
		owner[e.ID], owner[postgresdb.InstanceName(e.Tags[postgresdb.TagUID])] = o, o
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.done {
		if x.object == "" {
			x.object = owner[x.instance]
		}
		d.of[x.object] = append(d.of[x.object], x.what)
	}
	return d.of
}

// wires are the steps as they are on the wires.
var wires = map[string][]string{
	"AddFinalizer": {"PATCH postgresdbs"}, "DropFinalizer": {"PATCH postgresdbs"}, "CreateSecret": {"POST secrets"}, "WriteSecret": {"PATCH secrets"},
	"Buy": {"CreateInstances"}, "Resize": {"ModifyDBInstanceSpec"}, "SwitchNow": {"ModifySwitchTimePeriod"}, "Rename": {"ModifyDBInstanceName"},
	"SetTags": {"ModifyResourceTags"}, "SetGroups": {"ModifyDBInstanceSecurityGroups"}, "Protect": {"ModifyDBInstanceDeletionProtection"},
	"Unprotect": {"ModifyDBInstanceDeletionProtection"}, "ResetPassword": {"ResetAccountPassword", "PATCH secrets"},
	"Isolate": {"IsolateDBInstances"}, "Destroy": {"DestroyDBInstance"},
	"Apply ConfigMap": {"PATCH configmaps"}, "Apply Service": {"PATCH services"}, "Apply Deployment": {"PATCH deployments"},
	"Delete ConfigMap": {"DELETE configmaps"}, "Delete Service": {"DELETE services"}, "Delete Deployment": {"DELETE deployments"},
}

// onTheWire is what a step is there; known is false for one that has no place in wires.
func onTheWire(s forecast.Step) (calls []string, known bool) {
	if s.Do != "Upgrade" {
		calls, known = wires[s.Do]
		return calls, known
	}
	if s.Final {
		return []string{"UpgradeDBInstanceMajorVersion"}, true
	}
	return []string{"UpgradeDBInstanceKernelVersion"}, true
}

// compared tells of the first object to which something else happened than planned.
// What the cloud refused when it was last asked it may refuse again, and then nothing
// happens; or take, for whatever stood in the way is over: the plan says no more of that.
func compared(plans map[string]forecast.Object, done map[string][]string) (steps int, err error) {
	for id, o := range plans {
		var want, refused []string
		for _, s := range o.Steps {
			if s.Sign == forecast.Wait || s.Where == forecast.InStatus {
				continue
			}
			calls, known := onTheWire(s)
			if !known {
				return steps, fmt.Errorf("%s: the step %s is not known", id, s.Do)
			}
			if s.Sign == forecast.Refuse {
				refused = calls
				break
			}
			want = append(want, calls...)
		}
		steps += len(want)
		got := done[id]
		if taken := append(slices.Clone(want), refused...); refused != nil && len(got) >= len(taken) && slices.Equal(got[:len(taken)], taken) {
			continue
		}
		if !slices.Equal(got, want) && err == nil {
			err = fmt.Errorf("%s: planned was\n  %v\nand then happened\n  %v", id, want, got)
		}
	}
	for id, did := range done {
		if _, there := plans[id]; !there && err == nil {
			err = fmt.Errorf("%s: nothing was planned, and there happened %v", id, did)
		}
	}
	return steps, err
}
