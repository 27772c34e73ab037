package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/cloud"
	"example.com/mote/reconcile"
	"example.com/mote/reconcile/postgresdb"
	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/dataset"
)

// shardsDivide shows that controllers with a field selector each divide the
// objects: none has two, and none has nobody. The engine says which it was shown;
// the built binary says how many, and each shard holds a Lease of its own.
func shardsDivide(ctx context.Context, t *testing.T, s *stage) {
	whose := map[reconcile.Key]string{}
	for _, site := range dataset.Sites {
		seen := witnessed(ctx, t, s, "spec.site="+site)
		if len(seen) == 0 {
			t.Errorf("%s has no objects", site)
		}
		for k := range seen {
			if other := whose[k]; other != "" {
				t.Errorf("%s is both %s's and %s's", k, other, site)
			}
			whose[k] = site
		}
	}
	for i := range budgetObjects {
		k := reconcile.Key{Namespace: dataset.Namespace(i), Name: dataset.Name(i)}
		if whose[k] != dataset.Site(i) {
			t.Fatalf("%s is %q's, want %s", k, whose[k], dataset.Site(i))
		}
	}
	if len(whose) != budgetObjects {
		t.Errorf("%d objects are served, of %d", len(whose), budgetObjects)
	}

	before := s.leases(ctx, t)
	total := 0
	for _, site := range dataset.Sites {
		c := contender.Mote("shard-"+site, "Mote for "+site, s.bed.Paths.Mote, s.place(), "--site="+site)
		p, err := c.Start(s.bed.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Stop()
		select {
		case <-p.Synced:
		case <-p.Done:
			t.Fatal(p.Ended())
		case <-time.After(5 * time.Minute):
			t.Fatalf("the shard of %s is not synced after five minutes", site)
		}
		total += syncedObjects(t, filepath.Join(s.bed.Dir, c.ID+".log"))
	}
	if total != budgetObjects {
		t.Errorf("the shards say that they have %d objects, of %d", total, budgetObjects)
	}
	fresh := 0
	for name := range s.leases(ctx, t) {
		if before[name] == "" {
			fresh++
		}
	}
	if fresh != len(dataset.Sites) {
		t.Errorf("%d new Leases for %d shards", fresh, len(dataset.Sites))
	}
}

// witness is a Reconciler that takes down what it is shown.
type witness struct {
	mu   sync.Mutex
	seen map[reconcile.Key]bool
}

func (w *witness) Reconcile(context.Context, *reconcile.Turn) (reconcile.Result, error) {
	return reconcile.Result{}, nil
}

func (w *witness) Seen(k reconcile.Key, _ *unstructured.Unstructured) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[k] = true
}

func (w *witness) Left(reconcile.Key) {}

// witnessed is what the engine is shown of PostgresDBs with a field selector.
func witnessed(ctx context.Context, t *testing.T, s *stage, fields string) map[reconcile.Key]bool {
	clients := s.clients(t)
	log := slog.New(slog.DiscardHandler)
	kind := postgresdb.New(nil, cloud.WatchOptions{}, postgresdb.DefaultSettings, nil).Kind(reconcile.Selection{FieldSelector: fields}, 2)
	w := &witness{seen: map[reconcile.Key]bool{}}
	kind.Reconciler, kind.Index = w, nil
	c := reconcile.NewController(clients, kind, reconcile.NewRecorder(clients.Whole, "shard", log), log)
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx, time.Second) })
	select {
	case <-c.Synced():
	case <-time.After(5 * time.Minute):
		t.Errorf("%s: not synced after five minutes", fields)
	}
	cancel()
	running.Wait()
	return w.seen
}

// leases are the holders of all Leases, by namespace and name.
func (s *stage) leases(ctx context.Context, t *testing.T) map[string]string {
	var list struct {
		Items []struct {
			Metadata struct{ Namespace, Name string }
			Spec     struct{ HolderIdentity string }
		}
	}
	if err := s.api.Do(ctx, http.MethodGet, "/apis/coordination.k8s.io/v1/leases", nil, &list); err != nil {
		t.Fatal(err)
	}
	holders := map[string]string{}
	for _, l := range list.Items {
		holders[l.Metadata.Namespace+"/"+l.Metadata.Name] = l.Spec.HolderIdentity + " "
	}
	return holders
}

// syncedObjects is how many PostgresDBs a Mote's log says it has.
func syncedObjects(t *testing.T, log string) int {
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct {
			Msg, Kind string
			Objects   int
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "synced" && line.Kind == "PostgresDB" {
			return line.Objects
		}
	}
	t.Fatal(fmt.Errorf("%s does not say that it is synced", log))
	return 0
}
