package apiserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// snapshot is a list that is fetched in pages: it shows what was when it began.
type snapshot struct {
	version int64
	objects []*object
}

// read answers a list or a watch.
func (s *Server) read(w http.ResponseWriter, r *http.Request, q request) {
	sel, st := q.selection()
	if st != nil {
		respond(w, nil, st)
		return
	}
	if yes, _ := strconv.ParseBool(q.option("watch")); yes {
		s.watch(w, r, q, sel)
		return
	}
	text, st := s.list(q, sel)
	if st != nil {
		respond(w, nil, st)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the caller may be gone
}

// list is one page of a list.
func (s *Server) list(q request, sel selection) ([]byte, *metav1.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, _ := strconv.Atoi(q.option("limit"))
	snap, from := &snapshot{version: s.version}, 0
	if token := q.option("continue"); token != "" {
		id, at, _ := strings.Cut(token, ".")
		snap = q.kind.pages[id]
		if snap == nil {
			return nil, expired("The provided continue parameter is too old to display a consistent list result.")
		}
		from, _ = strconv.Atoi(at)
	} else {
		for _, o := range q.kind.sorted() {
			if sel.has(o) {
				snap.objects = append(snap.objects, o)
			}
		}
	}
	to := len(snap.objects)
	token := ""
	if limit > 0 && from+limit < to {
		to = from + limit
		id := strconv.FormatInt(snap.version, 36)
		q.kind.pages[id+"/"+q.option("fieldSelector")+q.option("labelSelector")+q.namespace] = snap
		token = id + "/" + q.option("fieldSelector") + q.option("labelSelector") + q.namespace + "." + strconv.Itoa(to)
	}
	var b bytes.Buffer
	meta := map[string]any{"resourceVersion": strconv.FormatInt(snap.version, 10)}
	if token != "" {
		meta["continue"] = token
		if sel.labels.Empty() && sel.fields.Empty() {
			meta["remainingItemCount"] = len(snap.objects) - to
		}
	}
	head, err := json.Marshal(meta)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	fmt.Fprintf(&b, `{"apiVersion":%q,"kind":%q,"metadata":%s,"items":[`, q.kind.apiVersion(), q.kind.name+"List", head)
	for i, o := range snap.objects[from:to] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(o.json)
	}
	b.WriteString("]}")
	return b.Bytes(), nil
}

// sorted are a kind's objects in the order in which lists show them.
func (k *kind) sorted() []*object {
	return slices.SortedFunc(maps.Values(k.objects), func(a, b *object) int {
		return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
	})
}

// Forget forgets all history: watches from before now are refused, and pages of
// lists that have begun. Watches that stand go on.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(s.version)
}

// forget forgets what was before a version; s.mu is held.
func (s *Server) forget(before int64) {
	s.oldest = max(s.oldest, before)
	for _, k := range s.kinds {
		maps.DeleteFunc(k.pages, func(_ string, p *snapshot) bool { return p.version < s.oldest })
	}
}
