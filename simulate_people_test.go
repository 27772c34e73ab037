package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"example.com/mote/cloud/standin"
	"example.com/mote/crd/databasev1"
	"example.com/mote/crd/examplev1"
)

var (
	databaseResource   = schema.GroupVersionResource{Group: databasev1.Group, Version: databasev1.Version, Resource: databasev1.Resource}
	appResource        = schema.GroupVersionResource{Group: examplev1.Group, Version: examplev1.Version, Resource: examplev1.Resource}
	secretResource     = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	configResource     = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	serviceResource    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	deploymentResource = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	eventResource      = schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
)

// people make, change and delete objects, and have a hand in the cloud's console.
// Nothing ever goes wrong with what they send.
type people struct {
	world  *world
	client dynamic.Interface
	todo   []action
	acting bool
	lives  map[string]*life // of databases, by uid
}

// action is something that somebody does at a time.
type action struct {
	at time.Duration
	do func() (again time.Duration) // again: it could not be done yet; 0: it is done
}

// life is what has to be known of one object to judge it.
type life struct {
	name    string
	policy  string // with which it was deleted; "" while it was not
	deleted bool
}

type place struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

func (p *people) at(x place) dynamic.ResourceInterface {
	return p.client.Resource(x.resource).Namespace(x.namespace)
}

// plan makes up what is done, and when.
func (p *people) plan(r *rand.Rand) {
	span := p.world.plan.span
	when := func(from time.Duration) time.Duration { return from + time.Duration(r.Int64N(int64(span-from))) }
	namespace := func() string { return []string{"one", "two"}[r.IntN(2)] }
	for i := range p.world.plan.databases {
		x := place{databaseResource, namespace(), fmt.Sprintf("db%d", i)}
		born := when(0) / 2
		p.add(born, p.make(x, databaseSpec(r)))
		for range r.IntN(4) {
			p.add(when(born), p.change(x, r))
		}
		p.ending(x, born, when, r, databaseSpec(r))
	}
	for i := range p.world.plan.apps {
		x := place{appResource, namespace(), fmt.Sprintf("app%d", i)}
		born := when(0) / 2
		p.add(born, p.make(x, appSpec(r)))
		for range r.IntN(4) {
			p.add(when(born), p.changeApp(x, r))
		}
		p.ending(x, born, when, r, appSpec(r))
	}
	for range r.IntN(12) {
		f := cloudFault(r)
		p.add(when(0), func() time.Duration {
			if _, err := p.world.cloud.AddFaults(f); err != nil {
				p.world.t.Error(err)
			}
			return 0
		})
	}
	slices.SortStableFunc(p.todo, func(a, b action) int { return cmp.Compare(a.at, b.at) })
}

func (p *people) add(at time.Duration, do func() time.Duration) {
	p.todo = append(p.todo, action{at, do})
}

// ending plans the deletion of an object, perhaps, and perhaps another of its name.
func (p *people) ending(x place, born time.Duration, when func(time.Duration) time.Duration, r *rand.Rand, next map[string]any) {
	if r.IntN(5) < 2 {
		return
	}
	end := when(born)
	p.add(end, p.delete(x, one(r, metav1.DeletePropagationBackground, metav1.DeletePropagationForeground)))
	if r.IntN(2) == 0 {
		p.add(when(end), p.make(x, next))
	}
}

// act does everything in its time, until it is over. What could not be done yet is
// tried again.
func (p *people) act(over <-chan struct{}) {
	for {
		p.world.mu.Lock()
		if len(p.todo) == 0 {
			p.acting = false
			p.world.mu.Unlock()
			return
		}
		a := p.todo[0]
		p.todo, p.acting = p.todo[1:], true
		p.world.mu.Unlock()
		select {
		case <-time.After(a.at - time.Since(p.world.began)):
		case <-over:
			return
		}
		if again := a.do(); again > 0 {
			p.later(again, a.do)
		}
	}
}

// later plans something while people act.
func (p *people) later(in time.Duration, do func() time.Duration) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	a := action{time.Since(p.world.began) + in, do}
	at, _ := slices.BinarySearchFunc(p.todo, a, func(x, y action) int { return cmp.Compare(x.at, y.at) })
	p.todo = slices.Insert(p.todo, at, a)
}

// busy tells whether anything is still to be done.
func (p *people) busy() bool {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	return p.acting || len(p.todo) > 0
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func databaseSpec(r *rand.Rand) map[string]any {
	spec := map[string]any{
		"engineVersion": one(r, "14", "15", "16"), "instanceClass": one(r, "1C2G", "2C4G"), "storageGB": int64(10 * (1 + r.IntN(5))),
		"subnetID": one(r, "subnet-mote0001", "subnet-mote0002"), "deletionPolicy": one(r, "Isolate", "Isolate", "Delete", "Delete", "Retain"),
	}
	if r.IntN(4) == 0 {
		spec["region"], spec["subnetID"] = "ap-shanghai", one(r, "subnet-mote0101", "subnet-mote0102")
	}
	if r.IntN(6) == 0 {
		spec["chargeType"] = "Prepaid"
	}
	if r.IntN(5) == 0 {
		spec["deletionProtection"] = r.IntN(2) == 0
	}
	if r.IntN(4) == 0 {
		spec["tags"] = map[string]any{"team": one(r, "a", "b")}
	}
	return spec
}

func appSpec(r *rand.Rand) map[string]any {
	spec := map[string]any{"image": one(r, "nginx:1", "nginx:2"), "port": int64(80 + r.IntN(3)), "replicas": int64(r.IntN(3)), "serviceType": one(r, "ClusterIP", "NodePort", "None")}
	if r.IntN(2) == 0 {
		spec["config"] = map[string]any{"x": one(r, "1", "2")}
	}
	return spec
}

// make makes an object, as soon as no other has its name.
func (p *people) make(x place, spec map[string]any) func() time.Duration {
	kind, api := databasev1.Kind, databasev1.Group+"/"+databasev1.Version
	if x.resource == appResource {
		kind, api = examplev1.Kind, examplev1.Group+"/"+examplev1.Version
	}
	return func() time.Duration {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": api, "kind": kind, "metadata": map[string]any{"name": x.name}, "spec": spec}}
		made, err := p.at(x).Create(p.world.t.Context(), o, metav1.CreateOptions{FieldManager: "people"})
		switch {
		case apierrors.IsAlreadyExists(err):
			return 15 * time.Second
		case err != nil:
			p.world.t.Error(err)
			return 0
		}
		p.world.mu.Lock()
		defer p.world.mu.Unlock()
		p.world.note("people: make %s/%s %s %v", x.namespace, x.name, made.GetUID(), spec)
		if x.resource == databaseResource {
			p.lives[string(made.GetUID())] = &life{name: x.namespace + "/" + x.name}
		}
		return 0
	}
}

// edit sends a patch; that the object is gone is no error.
func (p *people) edit(x place, patch map[string]any) *unstructured.Unstructured {
	text, err := json.Marshal(patch)
	if err != nil {
		p.world.t.Fatal(err)
	}
	o, err := p.at(x).Patch(p.world.t.Context(), x.name, types.MergePatchType, text, metav1.PatchOptions{FieldManager: "people"})
	if err != nil {
		if !apierrors.IsNotFound(err) {
			p.world.t.Error(err)
		}
		return nil
	}
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.world.note("people: %s/%s %s", x.namespace, x.name, text)
	return o
}

func spec(fields map[string]any) map[string]any { return map[string]any{"spec": fields} }

func annotation(name string, value any) map[string]any {
	return map[string]any{"metadata": map[string]any{"annotations": map[string]any{"mote.example.com/" + name: value}}}
}

// change is one of the things that happen to a database.
func (p *people) change(x place, r *rand.Rand) func() time.Duration {
	what, size, class, color, pause := r.IntN(11), int64(60+10*r.IntN(5)), one(r, "2C4G", "4C8G"), one(r, "red", "blue"), some(r, 5*time.Minute)
	drift := consoleChange(r)
	return func() time.Duration {
		switch what {
		case 0, 1:
			p.edit(x, spec(map[string]any{"storageGB": size}))
		case 2:
			p.edit(x, spec(map[string]any{"instanceClass": class}))
		case 3:
			p.edit(x, spec(map[string]any{"tags": map[string]any{"team": nil, "color": color}}))
		case 4:
			p.edit(x, annotation("paused", "true"))
			p.later(pause, func() time.Duration { p.edit(x, annotation("paused", nil)); return 0 })
		case 5:
			p.later(0, p.ask(x))
		case 6: // the Secret is lost, and somebody asks for another
			if err := p.client.Resource(secretResource).Namespace(x.namespace).Delete(p.world.t.Context(), x.name+databasev1.DefaultSecretSuffix, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				p.world.t.Error(err)
			}
			// A wish that nobody sees, because no Mote runs just then, is lost: so once more.
			p.later(0, p.ask(x))
			p.later(p.world.plan.span+5*time.Minute-time.Since(p.world.began), p.ask(x))
		case 8:
			p.edit(x, spec(map[string]any{"engineVersion": "16"}))
		case 9, 10:
			p.console(x, drift)
		case 7:
			p.edit(x, map[string]any{"metadata": map[string]any{"labels": map[string]any{"seen": "yes"}}})
		}
		return 0
	}
}

// consoleChange is what somebody changes in the cloud's console.
func consoleChange(r *rand.Rand) standin.Change {
	number, yes, name := 8, r.IntN(2) == 0, "renamed"
	storage := 100
	switch r.IntN(5) {
	case 0:
		return standin.Change{CPU: &number, MemoryGB: ptr(16)}
	case 1:
		return standin.Change{StorageGB: &storage}
	case 2:
		return standin.Change{DeletionProtection: &yes}
	case 3:
		return standin.Change{Name: &name}
	}
	return standin.Change{Status: one(r, "restarting", "limited run", "parameter modifying")}
}

func ptr[T any](v T) *T { return &v }

// console makes a change in the console to a database that runs.
func (p *people) console(x place, c standin.Change) {
	o, err := p.at(x).Get(p.world.t.Context(), x.name, metav1.GetOptions{})
	if err != nil {
		return // it is not there just now
	}
	id, _, _ := unstructured.NestedString(o.Object, "status", "instanceID")
	phase, _, _ := unstructured.NestedString(o.Object, "status", "phase")
	if phase != databasev1.PhaseRunning || o.GetDeletionTimestamp() != nil {
		return
	}
	if _, err := p.world.cloud.Console(id, c); err != nil {
		p.world.t.Error(err)
	}
	if c.Status != "" { // the cloud is done with it some time
		p.later(2*time.Minute, func() time.Duration {
			for _, e := range p.world.cloud.Ledger() {
				if e.ID == id && e.Status == c.Status {
					_, _ = p.world.cloud.Console(id, standin.Change{Status: "running"})
				}
			}
			return 0
		})
	}
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.world.note("people: console %s %+v", id, c)
}

// ask asks for a turn.
func (p *people) ask(x place) func() time.Duration {
	return func() time.Duration {
		p.edit(x, annotation("reconcile-requested-at", time.Now().Format(time.RFC3339Nano)))
		return 0
	}
}

// changeApp is one of the things that happen to an app and its children.
func (p *people) changeApp(x place, r *rand.Rand) func() time.Duration {
	what, replicas, port, image := r.IntN(5), int64(r.IntN(4)), int64(90+r.IntN(3)), one(r, "nginx:3", "nginx:4")
	config, service := one[any](r, nil, map[string]any{"x": "3"}), one(r, "ClusterIP", "None")
	return func() time.Duration {
		child := place{deploymentResource, x.namespace, x.name}
		switch what {
		case 0:
			p.edit(x, spec(map[string]any{"image": image}))
		case 1:
			p.edit(x, spec(map[string]any{"replicas": replicas, "port": port}))
		case 2:
			p.edit(x, spec(map[string]any{"config": config, "serviceType": service}))
		case 3:
			p.edit(child, spec(map[string]any{"replicas": int64(7), "paused": true}))
			p.edit(child, spec(map[string]any{"paused": nil}))
		case 4:
			if err := p.at(child).Delete(p.world.t.Context(), child.name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				p.world.t.Error(err)
			}
		}
		return 0
	}
}

// delete deletes an object, and what stands in the way of it.
func (p *people) delete(x place, how metav1.DeletionPropagation) func() time.Duration {
	return func() time.Duration {
		o, err := p.at(x).Get(p.world.t.Context(), x.name, metav1.GetOptions{})
		if err != nil {
			p.world.t.Error(err)
			return 0
		}
		if x.resource == databaseResource { // protected by the spec, or in the console
			p.edit(x, spec(map[string]any{"deletionProtection": false}))
		}
		p.world.mu.Lock()
		if l := p.lives[string(o.GetUID())]; l != nil {
			l.deleted = true
			l.policy, _, _ = unstructured.NestedString(o.Object, "spec", "deletionPolicy")
		}
		p.world.note("people: delete %s/%s %s", x.namespace, x.name, o.GetUID())
		p.world.mu.Unlock()
		if err := p.at(x).Delete(p.world.t.Context(), x.name, metav1.DeleteOptions{PropagationPolicy: &how}); err != nil {
			p.world.t.Error(err)
		}
		return 0
	}
}

// cloudFault is one of the stand-in's own faults. What is refused has no effect; a
// code that leaves it open may come after one.
func cloudFault(r *rand.Rand) standin.Fault {
	f := standin.Fault{Times: 1 + r.IntN(3)}
	change := one(r, "CreateInstances", "CreateInstances", "IsolateDBInstances", "DestroyDBInstance", "ModifyDBInstanceSpec", "ResetAccountPassword", "ModifyDBInstanceDeletionProtection")
	read := one(r, "DescribeDBInstances", "DescribeDBInstanceAttribute", "DescribeOrders", "DescribeClasses", "DescribeSubnets")
	f.Action = one(r, change, change, read)
	switch r.IntN(8) {
	case 0:
		f.Kind, f.Code, f.After = standin.ErrorCode, one(r, "InternalError", "InternalError.SystemError", "ServiceUnavailable", "FailedOperation.FailedOperationError", "UnknownError"), r.IntN(2) == 0
	case 1:
		f.Kind, f.Code = standin.ErrorCode, one(r, "RequestLimitExceeded", "AuthFailure.SignatureFailure", "UnauthorizedOperation", "OperationDenied.InstanceStatusLimitError",
			"ResourceInsufficient.ResourceNotEnough", "OperationDenied.InsufficientBalanceError", "LimitExceeded")
	case 2:
		f.Kind, f.After = one(r, standin.Cut, standin.BadGateway, standin.ServerErr, standin.EmptyBody, standin.Hang), r.IntN(2) == 0
	case 3:
		f.Kind = standin.Truncated
	case 4:
		f.Kind, f.Delay = standin.SlowBody, time.Second+some(r, time.Minute)
	case 5:
		f.Kind, f.Delay = standin.Latency, time.Second+some(r, time.Minute)
	case 6:
		f.Kind, f.Delay, f.Action, f.Times = standin.Lag, time.Second+some(r, time.Minute), "DescribeDBInstances", 20
	case 7:
		f.Kind, f.Action = standin.TaskFail, "ModifyDBInstanceSpec"
	}
	return f
}
