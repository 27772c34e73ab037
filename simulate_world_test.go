package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/cloud/standin"
	"example.com/mote/command"
	"example.com/mote/simulation/apiserver"
	"example.com/mote/simulation/wire"
)

// world is all that one seed makes.
type world struct {
	t       *testing.T
	seed    uint64
	plan    plan
	options command.RunOptions
	began   time.Time

	cluster *apiserver.Server
	cloud   *standin.Server
	people  people

	broken error // the first rule that was broken

	mu      sync.Mutex // guards all below
	calm    bool       // nothing goes wrong any more
	counts  map[string]uint64
	writes  int             // of processes, on both wires
	asked   int             // requests other than those of a Mote at rest
	running []*process      // by place; nil: none at present
	secrets map[string]bool // passwords that were ever written
	said    bytes.Buffer    // what all processes logged
	trace   []string
}

func noEnv(string) string { return "" }

func newWorld(t *testing.T, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 0))
	w := &world{t: t, seed: seed, plan: newPlan(seed, r), began: time.Now(), counts: map[string]uint64{}, secrets: map[string]bool{cloudKey.Secret: true}}
	var err error
	if w.options, err = command.ParseRun(w.plan.args, noEnv); err != nil {
		t.Fatal(err)
	}
	if w.cluster, err = apiserver.New("kube-system", "one", "two"); err != nil {
		t.Fatal(err)
	}
	if w.cloud, err = standin.New(w.plan.cloud); err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(&rest.Config{Host: "http://cluster.test", Transport: wire.NewLine(w.cluster, nil), QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	w.people = people{world: w, client: client, lives: map[string]*life{}}
	w.people.plan(r)
	key := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "cloud"}, "data": map[string]any{
		"secret-id": base64.StdEncoding.EncodeToString([]byte(cloudKey.ID)), "secret-key": base64.StdEncoding.EncodeToString([]byte(cloudKey.Secret))}}}
	if _, err := client.Resource(secretResource).Namespace("kube-system").Create(t.Context(), key, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return w
}

// begin sets everything going that goes by itself, until over is closed.
func (w *world) begin(all *sync.WaitGroup, over chan struct{}) {
	all.Go(func() { w.cluster.Clock(5*time.Second, 5*time.Minute, over) })
	w.running = make([]*process, w.plan.processes)
	for place := range w.running {
		all.Go(func() { w.keepRunning(place, all, over) })
	}
	all.Go(func() { w.people.act(over) })
	w.schedule()
}

// run lets the world go its way until it is at rest or broken.
func (w *world) run() {
	over := make(chan struct{})
	var all sync.WaitGroup
	w.begin(&all, over)
	time.Sleep(w.plan.span)
	w.endTrouble()
	w.broken = w.judge()
	close(over)
	all.Wait()
	w.cloud.Close()
	time.Sleep(time.Hour) // what is still on the wires arrives
	w.mu.Lock()
	defer w.mu.Unlock()
	for secret := range w.secrets {
		if w.broken == nil && bytes.Contains(w.said.Bytes(), []byte(secret)) {
			w.broken = errors.New("a secret is in the log")
		}
	}
}

// schedule sets what happens to processes at a time.
func (w *world) schedule() {
	for i, at := range append(slices.Clone(w.plan.kills), w.plan.stops...) {
		time.AfterFunc(at, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			switch p := w.running[i%len(w.running)]; {
			case p == nil || w.calm:
			case i < len(w.plan.kills):
				p.kill()
			default:
				p.stop()
			}
		})
	}
	for _, at := range w.plan.forgets {
		time.AfterFunc(at, w.cluster.Forget)
	}
}

func (w *world) endTrouble() {
	w.mu.Lock()
	w.calm = true
	w.note("--- calm")
	w.mu.Unlock()
	w.cloud.ClearFaults()
}

// process is one Mote.
type process struct {
	cluster, cloud *wire.Line
	cancel         context.CancelFunc
	dead           chan struct{}
	once           sync.Once
}

// kill ends it at once: nothing of what it has under way is answered any more.
func (p *process) kill() {
	p.cluster.Cut()
	p.cloud.Cut()
	p.stop()
}

// stop asks it to end.
func (p *process) stop() {
	p.once.Do(func() { close(p.dead) })
	p.cancel()
}

// keepRunning starts a process, and another when it ends.
func (w *world) keepRunning(place int, all *sync.WaitGroup, over <-chan struct{}) {
	for {
		p := &process{dead: make(chan struct{})}
		p.cluster = wire.NewLine(w.traced("cluster", w.cluster), func(r *http.Request, body []byte) wire.Fate { return w.clusterFate(p, r, body) })
		p.cloud = wire.NewLine(w.traced("cloud", w.cloud), func(r *http.Request, body []byte) wire.Fate { return w.cloudFate(p, r, body) })
		ctx, cancel := context.WithCancel(context.Background())
		p.cancel = cancel
		w.mu.Lock()
		w.note("--- process %d starts", place)
		w.running[place] = p
		w.mu.Unlock()
		all.Go(func() {
			out := outside{cluster: &rest.Config{Host: "http://cluster.test", Transport: p.cluster}, cloud: p.cloud}
			if err := serve(ctx, &w.options, out, slog.New(slog.NewTextHandler(logTo{w}, &slog.HandlerOptions{Level: slog.LevelDebug}))); err != nil {
				w.t.Error(err)
			}
		})
		select {
		case <-p.dead:
		case <-over:
			p.stop()
			return
		}
		w.mu.Lock()
		w.running[place] = nil
		w.note("--- process %d ends", place)
		pause := time.Duration(w.dice("pause", fmt.Sprint(place)).Int64N(int64(90 * time.Second)))
		w.mu.Unlock()
		time.Sleep(pause)
	}
}

// dice are the random numbers of the nth thing of a kind; w.mu is held.
func (w *world) dice(kind, what string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, kind, " ", what)
	w.counts[kind+what]++
	return rand.New(rand.NewPCG(w.seed<<20+w.counts[kind+what], h.Sum64()))
}

// note adds a line to the trace; w.mu is held.
func (w *world) note(format string, a ...any) {
	w.trace = append(w.trace, time.Since(w.began).Round(time.Millisecond).String()+" "+fmt.Sprintf(format, a...))
}

// logTo takes what a process logs.
type logTo struct{ w *world }

func (l logTo) Write(p []byte) (int, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.w.said.Write(p)
	l.w.note("log %s", strings.TrimSpace(string(p)))
	return len(p), nil
}

// traced notes what arrives at a server, and its answer.
func (w *world) traced(name string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		s := &codeSeen{ResponseWriter: out, code: http.StatusOK}
		defer func() {
			w.mu.Lock()
			w.note("%s: %s %s %s -> %d", name, r.Method, r.URL, r.Header.Get("X-TC-Action"), s.code)
			w.mu.Unlock()
		}()
		h.ServeHTTP(s, r)
	})
}

type codeSeen struct {
	http.ResponseWriter
	code int
}

func (s *codeSeen) WriteHeader(code int) { s.code = code; s.ResponseWriter.WriteHeader(code) }
func (s *codeSeen) Flush()               { s.ResponseWriter.(http.Flusher).Flush() }
