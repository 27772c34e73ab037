package postgresdb

import (
	"fmt"
	"runtime"
	"testing"

	"example.com/mote/cloud"
	"example.com/mote/reconcile"
)

func testPaces() (*paces, *reconcile.Index) {
	x := reconcile.NewIndex()
	return newPaces(nil, x, cloud.WatchOptions{}), x
}

// A memo gives back what was put in, for every form of id and many regions.
func TestMemo(t *testing.T) {
	p, x := testPaces()
	ids := []string{"postgres-dnlizio3", "postgres-00000000", "postgres-zzzzzzzz", "postgres-short", "pg-other", "postgres-much-longer-than-usual"}
	for r := range 5 {
		region := fmt.Sprint("region-", r)
		for i, id := range ids {
			k := reconcile.Key{Namespace: region, Name: fmt.Sprint("db", i)}
			x.See(k, reconcile.Glimpse{Interest: 1, Steady: true})
			p.Track(region, id, k, uint64(1)<<47|uint64(i+1), false)
			p.Track(region, id, k, uint64(1)<<47|uint64(i+1), false) // again changes nothing
		}
	}
	for r := range 5 {
		region := fmt.Sprint("region-", r)
		if n := p.Count(region); n != len(ids) {
			t.Errorf("%s has %d, want %d", region, n, len(ids))
		}
		got := map[string]bool{}
		for from := 0; ; {
			page, next := p.Page(region, from, 4)
			for _, s := range page {
				got[s.ID] = true
				var i int
				fmt.Sscanf(s.Key.Name, "db%d", &i)
				if s.Key.Namespace != region || s.ID != ids[i] || s.Seen != uint64(1)<<47|uint64(i+1) || !p.Still(region, s) {
					t.Errorf("%s: %+v is not what was put in", region, s)
				}
			}
			if from = next; next == 0 {
				break
			}
		}
		if len(got) != len(ids) {
			t.Errorf("%s: pages have %v", region, got)
		}
	}
	k := reconcile.Key{Namespace: "region-0", Name: "db0"}
	page, _ := p.Page("region-0", 0, 100)
	p.Track("region-0", ids[0], k, 0, true)
	if n := p.Count("region-0"); n != len(ids)-1 {
		t.Errorf("one in transition is still counted: %d", n)
	}
	for _, s := range page {
		if s.Key == k && p.Still("region-0", s) {
			t.Error("one in transition is still at rest")
		}
	}
}

// Ids of another form are kept as long as their objects are at rest, and no longer.
func TestOddIDsAreLetGo(t *testing.T) {
	p, x := testPaces()
	k := reconcile.Key{Namespace: "n", Name: "a"}
	x.See(k, reconcile.Glimpse{Interest: 1, Steady: true})
	for name, let := range map[string]func(){
		"the object left":     func() { (&follows{watch: p}).drop(k) },
		"it is in transition": func() { p.Track("r", "pg-other", k, 1, true) },
		"another id is usual": func() { p.Track("r", "postgres-dnlizio3", k, 1, false) },
	} {
		p.Track("r", "pg-other", k, 1, false)
		if len(p.odd) != 1 {
			t.Fatalf("%s: %v", name, p.odd)
		}
		if let(); len(p.odd) != 0 {
			t.Errorf("%s: %v is kept", name, p.odd)
		}
	}
}

// The budget: an object at rest, with its instance followed,
// takes at most 128 bytes of heap, all told.
func TestBytesPerObject(t *testing.T) {
	const n = 100_000
	p, x := testPaces()
	before := heap()
	for i := range n {
		k := reconcile.Key{Namespace: fmt.Sprintf("team-%02d", i%20), Name: fmt.Sprintf("orders-%06d", i)}
		x.See(k, reconcile.Glimpse{Interest: uint64(i), Steady: true})
		p.Track("ap-guangzhou", fmt.Sprintf("postgres-%08x", i), k, uint64(i+2), false)
	}
	each := float64(heap()-before) / n
	runtime.KeepAlive(p)
	t.Logf("%.1f bytes of heap for each object", each)
	if each > 128 {
		t.Errorf("%.1f bytes of heap for each object, more than 128", each)
	}
	if p.Count("ap-guangzhou") != n {
		t.Error("not all are followed")
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
