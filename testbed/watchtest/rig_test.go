package watchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/reconcile"
	"example.com/mote/reconcile/lean"
	"example.com/mote/testbed/watchtest/faulty"
)

// patience is how long a test waits for anything at most; it only decides when a
// test that fails gives up.
const patience = 60 * time.Second

// usual is the tempo of most tests: five minutes are five seconds.
var usual = reconcile.Tempo{Faster: 60}

// rig is one engine that watches one kind in one namespace through a proxy.
type rig struct {
	t         *testing.T
	namespace string
	plural    string
	proxy     *faulty.Proxy
	engine    *reconcile.Controller
	index     *reconcile.Index
	log       lockedBuffer

	mu      sync.Mutex
	present map[string]string // by the engine: the resourceVersion of each object that is there
	left    map[string]bool   // what it ever took for gone
	deleted map[string]bool   // what the test deleted
	made    int
}

// The rig is the kind's Reconciler.

func (r *rig) Reconcile(context.Context, *reconcile.Turn) (reconcile.Result, error) {
	return reconcile.Result{}, nil
}

func (r *rig) Seen(k reconcile.Key, u *unstructured.Unstructured) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.present[k.Name] = u.GetResourceVersion()
}

func (r *rig) Left(k reconcile.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.present, k.Name)
	r.left[k.Name] = true
}

// newRig makes a namespace, seven objects, a proxy and an engine that runs.
func newRig(t *testing.T, plural, token string, tempo reconcile.Tempo, before *faulty.Fault) *rig {
	t.Helper()
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(t.Name()))
	r := &rig{t: t, namespace: name + "-" + plural, plural: plural, index: reconcile.NewIndex(),
		present: map[string]string{}, left: map[string]bool{}, deleted: map[string]bool{}}
	r.must(made(t.Context(), namespaces, "", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": r.namespace}}))
	for range 7 {
		r.create()
	}
	var err error
	r.proxy, err = faulty.Start(host, transport)
	r.must(err)
	r.proxy.Set(before)
	config := &rest.Config{Host: r.proxy.URL, BearerToken: token, QPS: -1}
	whole, err := dynamic.NewForConfig(config)
	r.must(err)
	glance, err := lean.NewClient(config)
	r.must(err)
	log := slog.New(slog.NewTextHandler(&r.log, nil))
	r.engine = reconcile.NewController(reconcile.Clients{Whole: whole, Glance: glance}, reconcile.Kind{
		Name: kindOf(plural), Resource: resource(plural), Selection: reconcile.Selection{Namespace: r.namespace},
		Workers: 2, Reconciler: r, Index: r.index,
	}, reconcile.NewRecorder(whole, "", log), log)
	r.engine.SetTempo(tempo)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.engine.Run(ctx, time.Second)
	}()
	t.Cleanup(func() {
		stop()
		r.proxy.Close()
		<-ended
		if t.Failed() {
			t.Logf("the engine's log:\n%s", &r.log)
		}
	})
	return r
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) objects() dynamic.ResourceInterface {
	return admin.Resource(resource(r.plural)).Namespace(r.namespace)
}

func (r *rig) name(i int) string { return fmt.Sprintf("p-%03d", i) }

func (r *rig) create() {
	r.t.Helper()
	r.must(made(r.t.Context(), resource(r.plural), r.namespace, map[string]any{
		"apiVersion": group + "/v1", "kind": kindOf(r.plural), "metadata": map[string]any{"name": r.name(r.made)},
		"spec": map[string]any{"text": strings.Repeat("long ", 100)},
	}))
	r.made++
}

// change creates an object, changes the one before it, and deletes the one before that.
func (r *rig) change() {
	r.t.Helper()
	r.create()
	_, err := r.objects().Patch(r.t.Context(), r.name(r.made-2), types.MergePatchType, []byte(`{"spec":{"changed":"`+r.name(r.made)+`"}}`), metav1.PatchOptions{})
	r.must(err)
	r.mu.Lock()
	r.deleted[r.name(r.made-3)] = true
	r.mu.Unlock()
	r.must(r.objects().Delete(r.t.Context(), r.name(r.made-3), metav1.DeleteOptions{}))
}

// until waits for something.
func (r *rig) until(what string, try func() error) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	began := time.Now()
	for {
		err := try()
		if err == nil {
			r.t.Logf("%6s  %s", time.Since(began).Round(100*time.Millisecond), what)
			return
		}
		if !pause(ctx) {
			r.t.Fatalf("waited for: %s\nlast seen: %v", what, err)
		}
	}
}

// struck waits until the present fault has befallen so many requests.
func (r *rig) struck(n int) {
	r.t.Helper()
	r.until(fmt.Sprintf("struck %d times", n), func() error {
		if is := r.proxy.Struck(); is < n {
			return fmt.Errorf("%d times", is)
		}
		return nil
	})
}

// knows waits until the engine knows exactly what the API server has, and sees
// that it took nothing for gone that was not.
func (r *rig) knows(when string) {
	r.t.Helper()
	r.until("it knows all, "+when, func() error {
		l, err := r.objects().List(r.t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		want := map[string]string{}
		for _, o := range l.Items {
			want[o.GetName()] = o.GetResourceVersion()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if !maps.Equal(want, r.present) || r.index.Len() != len(want) {
			return fmt.Errorf("it knows %v and %d records; there are %v", r.present, r.index.Len(), want)
		}
		for name := range want {
			if !r.index.Has(reconcile.Key{Namespace: r.namespace, Name: name}) {
				return fmt.Errorf("no record of %s", name)
			}
		}
		return nil
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	for name := range r.left {
		if !r.deleted[name] {
			r.t.Errorf("%s was taken for gone", name)
		}
	}
}

// troubled waits until the engine shows trouble that says so; "": until there is none.
func (r *rig) troubled(words string) {
	r.t.Helper()
	r.until(fmt.Sprintf("trouble %q", words), func() error {
		if is := r.engine.Trouble(); words == "" && is != "" || !strings.Contains(is, words) {
			return errors.New(is)
		}
		return nil
	})
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}
