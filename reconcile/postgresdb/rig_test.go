package postgresdb

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// rig is the real engine and shell, with a real dynamic client, between a small
// API server and a small cloud.
type rig struct {
	*testing.T
	j     *journal
	api   *apiServer
	cloud *testCloud
	log   *safeBuffer
	turns chan turnEnd

	ctl *reconcile.Controller
	url string
	end func()
}

// turnEnd is how a turn ended, and what it did.
type turnEnd struct {
	reconcile.Result
	err   error
	steps []string
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// newRig starts an engine that has one object to serve once it is put.
func newRig(t *testing.T) *rig {
	j := &journal{before: map[string]func(){}, fail: map[string]error{}}
	r := &rig{T: t, j: j, api: newAPIServer(t, j), cloud: newTestCloud(j), log: &safeBuffer{}}
	server := httptest.NewServer(r.api)
	r.url = server.URL
	t.Cleanup(server.Close)
	t.Cleanup(func() { r.end() })
	r.start()
	return r
}

// reporter tells the rig of each turn's end.
type reporter struct {
	*Reconciler
	turns chan turnEnd
	j     *journal
}

func (r reporter) Reconcile(ctx context.Context, t *reconcile.Turn) (reconcile.Result, error) {
	res, err := r.Reconciler.Reconcile(ctx, t)
	r.turns <- turnEnd{res, err, r.j.taken()}
	return reconcile.Result{}, nil // the test says when the next turn is
}

// start is a process that begins, knowing nothing.
func (r *rig) start() {
	r.Helper()
	client, err := dynamic.NewForConfig(&rest.Config{Host: r.url, QPS: -1})
	if err != nil {
		r.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	settings := DefaultSettings
	settings.Region, settings.Grace, settings.CleanLookups = "ap-guangzhou", 0, 1
	shell := New(r.cloud, cloud.WatchOptions{}, settings, rand.Reader)
	kind := shell.Kind(reconcile.Selection{Namespace: testNamespace}, 1)
	r.turns = make(chan turnEnd, 100)
	kind.Reconciler = reporter{shell, r.turns, r.j}
	r.ctl = reconcile.NewController(reconcile.Clients{Whole: client}, kind, reconcile.NewRecorder(client, "test", log), log)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { r.ctl.Run(ctx, time.Second); close(ended) }()
	r.end = func() { stop(); <-ended }
	<-r.ctl.Synced()
}

// restart is the end of a process, and a new one.
func (r *rig) restart() {
	r.Helper()
	r.end()
	r.j.mu.Lock()
	r.j.cut, r.j.steps = 0, nil
	r.j.mu.Unlock()
	r.start()
}

// put makes the object, as a person does; its first turn comes by itself.
func (r *rig) put(change func(*databasev1.PostgresDBSpec)) turnEnd {
	r.Helper()
	o := see().Object
	if change != nil {
		change(&o.Spec)
	}
	var u map[string]any
	text, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(text, &u)
	}
	if err != nil {
		r.Fatal(err)
	}
	u["apiVersion"], u["kind"] = databasev1.Group+"/"+databasev1.Version, databasev1.Kind
	delete(u, "status")
	r.api.mu.Lock()
	r.api.store(databasev1.Resource, testName, u)
	r.api.mu.Unlock()
	return r.turn()
}

// turn waits for a turn to end.
func (r *rig) turn() turnEnd {
	r.Helper()
	select {
	case e := <-r.turns:
		return e
	case <-time.After(20 * time.Second):
		r.Fatalf("no turn ends\n%s", r.log)
		panic("unreachable")
	}
}

// next gives the object a turn.
func (r *rig) next() turnEnd {
	r.Helper()
	r.ctl.Wake(testKey)
	return r.turn()
}

// edit changes the object, and waits for the turn that this brings.
func (r *rig) edit(change func(o map[string]any)) turnEnd {
	r.Helper()
	r.api.edit(databasev1.Resource, testName, change)
	return r.turn()
}

func specOf(o map[string]any) map[string]any { return o["spec"].(map[string]any) }

func deletedNow(o map[string]any) {
	metaOf(o)["deletionTimestamp"] = time.Now().UTC().Format(time.RFC3339)
}

// settle gives turns until one changes nothing any more.
func (r *rig) settle() {
	r.Helper()
	for range 30 {
		r.ctl.Wake(testKey)
		select {
		case e := <-r.turns:
			if e.err == nil && !e.Retry && !slices.ContainsFunc(e.steps, isChange) {
				return
			}
		case <-time.After(100 * time.Millisecond):
			if r.object() == nil {
				return
			}
		}
	}
	r.Fatalf("it does not come to rest\n%s", r.log)
}

// isChange: a step that changes something, other than telling of it.
func isChange(step string) bool {
	for _, read := range []string{"GET ", "POST events", "PATCH events", "cloud Subnet", "cloud Versions", "cloud Classes", "cloud Find", "cloud Get", "cloud Orders", "cloud SecurityGroups", "cloud Task"} {
		if strings.HasPrefix(step, read) {
			return false
		}
	}
	return true
}

// object is the object as it is now, typed; nil when it is gone.
func (r *rig) object() *databasev1.PostgresDB {
	r.Helper()
	u := r.api.get(databasev1.Resource, testName)
	if u == nil {
		return nil
	}
	var o databasev1.PostgresDB
	text, err := json.Marshal(u)
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		r.Fatal(err)
	}
	return &o
}

// secret is the connection Secret's data; nil without one.
func (r *rig) secret() map[string]string {
	r.Helper()
	u := r.api.get("secrets", "orders-connection")
	if u == nil {
		return nil
	}
	data := map[string]string{}
	for k, v := range u["data"].(map[string]any) {
		b, err := base64.StdEncoding.DecodeString(v.(string))
		if err != nil {
			r.Error(err)
		}
		data[k] = string(b)
	}
	return data
}

// putPassword puts a password into the connection Secret, as a person does.
func (r *rig) putPassword(p string) {
	r.api.edit("secrets", "orders-connection", func(o map[string]any) {
		o["data"].(map[string]any)["password"] = base64.StdEncoding.EncodeToString([]byte(p))
	})
}

// wantSteps compares what a turn did, Events apart.
func (r *rig) wantSteps(e turnEnd, want ...string) {
	r.Helper()
	got := slices.DeleteFunc(e.steps, func(s string) bool { return strings.Contains(s, " events") })
	if !slices.Equal(got, want) {
		r.Errorf("did\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// ready is the object's Ready condition.
func (r *rig) ready() (status, reason string) {
	r.Helper()
	c := reconcile.GetCondition(r.object().Status.Conditions, reconcile.ConditionReady)
	if c == nil {
		return "", ""
	}
	return string(c.Status), c.Reason
}
