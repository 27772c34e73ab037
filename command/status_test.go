package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kinds "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/crd/databasev1"
	"example.com/mote/look"
	"example.com/mote/overview"
	"example.com/mote/schema"
	"example.com/mote/simulation/apiserver"
	"example.com/mote/simulation/wire"
)

// TestStatusInPages: however many objects there are, a page of them is held at once.
func TestStatusInPages(t *testing.T) {
	const objects, most = 10_000, 40 << 20 // all of them would be 80 MB as text alone
	fields := strings.Repeat(`"f:x":{},`, 850)
	var pages, peak int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/leases") {
			fmt.Fprint(w, `{"apiVersion":"coordination.k8s.io/v1","kind":"LeaseList","metadata":{},"items":[]}`)
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/postgresdbs") {
			fmt.Fprint(w, `{"apiVersion":"example.com/v1","kind":"MyAppList","metadata":{},"items":[]}`)
			return
		}
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil || limit > 1000 {
			t.Errorf("a list with the limit %q", r.URL.Query().Get("limit"))
			limit = 500
		}
		from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
		next := ""
		if from+limit < objects {
			next = fmt.Sprint(from + limit)
		}
		if pages++; pages%5 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, int(m.HeapAlloc))
		}
		fmt.Fprintf(w, `{"apiVersion":"database.example.com/v1","kind":"PostgresDBList","metadata":{"continue":%q},"items":[`, next)
		for n := from; n < min(from+limit, objects); n++ {
			if n > from {
				io.WriteString(w, ",")
			}
			fmt.Fprintf(w, `{"apiVersion":"database.example.com/v1","kind":"PostgresDB","metadata":{"name":"db%d","namespace":"shop","generation":1,"managedFields":[{"manager":"x","fieldsV1":{%s"f:y":{}}}]},`+
				`"spec":{"site":"edge-%d"},"status":{"phase":"Running","observedGeneration":1,"conditions":[{"type":"Ready","status":"True"}]}}`, n, fields, n%3)
		}
		io.WriteString(w, "]}")
	}))
	defer server.Close()
	l, err := parseLooking("status", []string{"-A"}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	l.config = &rest.Config{Host: server.URL}
	eyes, _, err := l.open(t.Context(), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	lines := &lineCount{}
	var errs bytes.Buffer
	if code := l.status(t.Context(), eyes, surroundings{env: noEnv, stdout: lines, stderr: &errs}); code != exitOK {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	if lines.n != objects+5 || !strings.Contains(lines.before, "Sites: edge-0 3334, edge-1 3333, edge-2 3333") || !strings.HasPrefix(lines.last, "Mote: nobody: no Mote") {
		t.Errorf("%d lines, the last is %s", lines.n, lines.last)
	}
	if peak == 0 || peak > most {
		t.Errorf("%d bytes were alive at the peak, want at most %d", peak, most)
	}
}

type lineCount struct {
	n            int
	before, last string
}

func (l *lineCount) Write(p []byte) (int, error) {
	l.n += bytes.Count(p, []byte("\n"))
	l.before, l.last = l.last, string(p)
	return len(p), nil
}

// seer is a board that is told of.
type seer struct {
	mu      sync.Mutex
	board   overview.Board
	rows    map[string]overview.Row
	trouble int
}

func (s *seer) Put(r overview.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.board.Put(r)
	s.rows[r.ID()] = r
}

func (s *seer) Drop(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.board.Drop(id)
	delete(s.rows, id)
}

func (s *seer) Listed(kind string, ids map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.board.Keep(kind, ids) {
		delete(s.rows, r.ID())
	}
}

func (s *seer) Trouble(_ string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.trouble++
	}
}

// TestFollow: whatever becomes of the watch, what is shown is what there is.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, err := apiserver.New("one")
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		broken, streams := false, 0
		line := wire.NewLine(server, func(r *http.Request, _ []byte) wire.Fate {
			mu.Lock()
			defer mu.Unlock()
			if broken {
				return wire.Fate{Lost: true}
			}
			if r.URL.Query().Get("watch") != "" {
				streams++
				return wire.Fate{Breaks: time.Duration(1+streams%3) * time.Minute}
			}
			return wire.Fate{}
		})
		people, err := dynamic.NewForConfig(&rest.Config{Host: "http://cluster.test", Transport: wire.NewLine(server, nil), QPS: -1})
		if err != nil {
			t.Fatal(err)
		}
		databases := people.Resource(kinds.GroupVersionResource{Group: databasev1.Group, Version: databasev1.Version, Resource: databasev1.Resource}).Namespace("one")
		make := func(name string) {
			t.Helper()
			o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "database.example.com/v1", "kind": "PostgresDB", "metadata": map[string]any{"name": name},
				"spec": map[string]any{"engineVersion": "14", "instanceClass": "1C2G", "storageGB": int64(10), "subnetID": "subnet-1", "site": "edge-01"}}}
			if _, err := databases.Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		drop := func(name string) {
			t.Helper()
			if err := databases.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		breaks := func(yes bool) {
			mu.Lock()
			defer mu.Unlock()
			broken = yes
		}
		cluster, err := look.Cluster(&rest.Config{Host: "http://cluster.test", Transport: line})
		if err != nil {
			t.Fatal(err)
		}
		s := &seer{rows: map[string]overview.Row{}}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			(&look.Look{Cluster: cluster, Now: time.Now}).Follow(ctx, schema.Named("pgdb"), look.Which{}, s)
		})
		shows := func(when string, names ...string) {
			t.Helper()
			time.Sleep(10 * time.Minute)
			s.mu.Lock()
			defer s.mu.Unlock()
			var got []string
			for _, r := range s.rows {
				got = append(got, r.Name)
			}
			slices.Sort(got)
			if !slices.Equal(got, names) {
				t.Errorf("%s: %v are shown, want %v", when, got, names)
			}
		}
		make("a")
		shows("made before", "a")
		make("b")
		drop("a")
		shows("as the watch tells", "b")
		breaks(true)
		make("c")
		drop("b")
		server.Forget()
		time.Sleep(10 * time.Minute)
		if s.mu.Lock(); s.trouble == 0 {
			t.Error("no trouble was told of")
		}
		s.mu.Unlock()
		breaks(false)
		shows("after an outage in which the history was forgotten", "c")
		for n := range 30 { // streams break meanwhile
			make(fmt.Sprint("d", n))
			time.Sleep(time.Minute)
			drop(fmt.Sprint("d", n))
		}
		shows("in the end", "c")
		cancel()
		all.Wait()
	})
}

// TestDisplay: what is followed has titles, the whole list in columns that fit; that
// there is nothing is said.
func TestDisplay(t *testing.T) {
	var out, errs bytes.Buffer
	row := func(name, phase string) overview.Row {
		return overview.Row{Kind: "PostgresDB", Short: "pgdb", Namespace: "shop", Name: name, Phase: phase, Ready: true, Created: time.Now()}
	}
	d := newDisplay(surroundings{env: noEnv, stdout: &out, stderr: &errs}, "text")
	d.unlisted["PostgresDB"], d.unlisted["MyApp"] = true, true
	d.Listed("MyApp", nil)
	if out.Len() > 0 {
		t.Errorf("printed before all was seen: %s", out.String())
	}
	d.Listed("PostgresDB", nil)
	d.Listed("PostgresDB", nil)
	if out.String() != "There are no objects.\n" {
		t.Errorf("of nothing is said %q", out.String())
	}
	out.Reset()
	d = newDisplay(surroundings{env: noEnv, stdout: &out, stderr: &errs}, "text")
	d.unlisted["PostgresDB"] = true
	d.Put(row("a", "Running"))
	d.Put(row("a-long-name", "Running"))
	d.Listed("PostgresDB", map[string]bool{"PostgresDB shop/a": true, "PostgresDB shop/a-long-name": true})
	d.Put(row("a", "Updating"))
	d.Drop("PostgresDB shop/a")
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, line[strings.Index(line, " "):])
	}
	want := []string{"      KIND  OBJECT            PHASE    READY  AGE\n", "  pgdb  shop/a            Running  yes    0s\n", "  pgdb  shop/a-long-name  Running  yes    0s\n",
		"  pgdb  shop/a            Updating  yes    0s\n", "  pgdb  shop/a            Gone      no     0s\n"}
	if !slices.Equal(got, want) {
		t.Errorf("printed\n%s", out.String())
	}
}

// Rows are lines of JSON, or documents of YAML.
func TestEncodeRow(t *testing.T) {
	for format, want := range map[string]string{"json": "{\"kind\":\"MyApp\"", "yaml": "---\n"} {
		var b strings.Builder
		if err := encodeRow(&b, format, overview.Row{Kind: "MyApp"}); err != nil || !strings.HasPrefix(b.String(), want) || format == "yaml" && !strings.Contains(b.String(), "\nkind: MyApp\n") {
			t.Errorf("%s: %s, %v", format, b.String(), err)
		}
	}
}
