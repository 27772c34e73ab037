package reconcile

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func keysOf(x *Index) (keys []Key) {
	for o := range x.objects.all() {
		keys = append(keys, o.key())
	}
	return keys
}

func sortedKeys(keys []Key) string {
	var s []string
	for _, k := range keys {
		s = append(s, k.String())
	}
	slices.Sort(s)
	return strings.Join(s, " ")
}

func TestIndexSweep(t *testing.T) {
	x := NewIndex()
	see := func(names ...string) {
		for _, n := range names {
			x.See(Key{"ns", n}, Glimpse{Steady: true})
		}
	}
	expect := func(what string, left []Key, wantLeft, wantKept string) {
		t.Helper()
		if got := sortedKeys(left); got != wantLeft {
			t.Errorf("%s: %q left, want %q", what, got, wantLeft)
		}
		if got := sortedKeys(keysOf(x)); got != wantKept {
			t.Errorf("%s: %q kept, want %q", what, got, wantKept)
		}
	}
	x.Begin()
	see("a", "b", "c")
	expect("the first list", x.End(), "", "ns/a ns/b ns/c")

	see("d") // by the watch
	x.Begin()
	see("a", "b", "d")
	expect("a list without c", x.End(), "ns/c", "ns/a ns/b ns/d")

	x.Begin()
	see("a") // given up after a page, and begun anew
	x.Begin()
	see("b")
	expect("a list begun anew", x.End(), "ns/a ns/d", "ns/b")

	x.Begin()
	see("b", "b", "e", "b") // pages that repeat items
	expect("pages that repeat", x.End(), "", "ns/b ns/e")

	x.Begin()
	expect("an empty list", x.End(), "ns/b ns/e", "")
	if len(x.spaces) != 0 {
		t.Errorf("namespaces are left: %v", x.spaces)
	}
}

func seeWakes(x *Index, k Key, g Glimpse) bool {
	wake, _ := x.See(k, g)
	return wake
}

func TestIndexLeave(t *testing.T) {
	x := NewIndex()
	a := Key{"ns", "a"}
	x.Leave(a) // of what is not there
	if !seeWakes(x, a, Glimpse{Interest: 1}) {
		t.Error("a new object does not wake")
	}
	if !x.Has(a) || x.Len() != 1 {
		t.Error("it is not there")
	}
	if seeWakes(x, a, Glimpse{Interest: 1}) {
		t.Error("an unchanged one wakes")
	}
	x.Leave(a)
	if x.Has(a) || x.Len() != 0 {
		t.Error("it is still there")
	}
	if !seeWakes(x, a, Glimpse{Interest: 1}) {
		t.Error("after it left and came back it does not wake")
	}
}

func TestIndexSharesNamespacesAndKeepsNothingElse(t *testing.T) {
	x := NewIndex()
	page := strings.Repeat("namespace-and-name", 1000) // as a decoder may cut strings out of one page
	space, name := page[0:9], page[14:18]
	x.See(Key{space, name}, Glimpse{})
	x.See(Key{strings.Clone(space), "other"}, Glimpse{})
	keys := keysOf(x)
	inPage := func(s string) bool {
		at, from := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.StringData(page)))
		return at >= from && at < from+uintptr(len(page))
	}
	for _, k := range keys {
		if inPage(k.Namespace) || inPage(k.Name) {
			t.Errorf("%s keeps the page alive", k)
		}
	}
	if unsafe.StringData(keys[0].Namespace) != unsafe.StringData(keys[1].Namespace) {
		t.Error("the namespace is held twice")
	}
	for i := range 1000 {
		k := Key{fmt.Sprint("short-lived-", i), "a"}
		x.See(k, Glimpse{})
		x.Leave(k)
	}
	if len(x.spaces) != 1 {
		t.Errorf("%d namespaces are kept", len(x.spaces))
	}
}

// At most 128 bytes of heap for each object, its name's bytes included, at the
// number where the table is best and where it is worst filled.
func TestIndexMemory(t *testing.T) {
	if size := unsafe.Sizeof(Record{}); size != 16 {
		t.Errorf("a Record is %d bytes, the doc comment says 16", size)
	}
	for _, objects := range []int{tableFull, tableFull + 1} {
		var x *Index
		used := heapGrowth(func() any {
			x = NewIndex()
			for i := range objects {
				x.See(Key{fmt.Sprintf("team-%02d", i%100), fmt.Sprintf("orders-database-%012d", i)}, Glimpse{Interest: uint64(i)})
			}
			return x
		})
		perObject := float64(used) / float64(objects)
		t.Logf("%.1f bytes for each of %d objects, names of 28 bytes", perObject, objects)
		if perObject > 117 {
			t.Errorf("%.1f bytes for each of %d objects, want at most 118", perObject, objects)
		}
		left := heapGrowth(func() any {
			x.Begin()
			if n := len(x.End()); n != objects {
				t.Errorf("%d of %d left", n, objects)
			}
			return x
		})
		if kept := used + left; kept > 32<<10 {
			t.Errorf("when all have left, %d bytes are kept", kept)
		}
		runtime.KeepAlive(x)
	}
}

func TestIndexOfKnownAllocatesNothing(t *testing.T) {
	x := NewIndex()
	k := Key{"ns", "a"}
	x.See(k, Glimpse{})
	if n := testing.AllocsPerRun(100, func() { x.See(k, Glimpse{Interest: 2}) }); n != 0 {
		t.Errorf("it allocates %v times", n)
	}
}
