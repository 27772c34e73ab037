package apiserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// bookmarkEvery is how often a watch that asks for bookmarks gets one; it gets
	// one shortly before its end as well.
	bookmarkEvery = time.Minute
	lastBookmark  = 2 * time.Second
	// longestWatch is the end of one that names none.
	longestWatch = 30 * time.Minute
)

// watch tells of changes after a resourceVersion until its time is over.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, q request, sel selection) {
	at, err := strconv.ParseInt(q.option("resourceVersion"), 10, 64)
	if err != nil || q.option("sendInitialEvents") != "" {
		respond(w, nil, &metav1.Status{Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
			Message: "a watch begins here at a resourceVersion, and lists are not streamed"})
		return
	}
	limit := longestWatch
	if seconds, _ := strconv.Atoi(q.option("timeoutSeconds")); seconds > 0 {
		limit = time.Duration(seconds) * time.Second
	}
	bookmarks, _ := strconv.ParseBool(q.option("allowWatchBookmarks"))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	end := time.NewTimer(limit)
	defer end.Stop()
	bookmark := time.NewTimer(min(bookmarkEvery, max(limit-lastBookmark, time.Second)))
	defer bookmark.Stop()
	var last *time.Timer
	if limit > bookmarkEvery {
		last = time.NewTimer(limit - lastBookmark)
	} else {
		last = time.NewTimer(limit + time.Hour)
	}
	defer last.Stop()
	tell := func(kind string, object json.RawMessage) bool {
		_, err := fmt.Fprintf(w, "{\"type\":%q,\"object\":%s}\n", kind, object)
		w.(http.Flusher).Flush()
		return err == nil
	}
	if gone := s.tooOld(at); gone != nil {
		if text, err := json.Marshal(gone); err == nil {
			tell("ERROR", text)
		}
		return
	}
	for mark := false; ; {
		news, now, changed := s.since(q.kind, at)
		for _, c := range news {
			was, is := sel.has(c.old), sel.has(c.now)
			ok := true
			switch {
			case is && was:
				ok = tell("MODIFIED", c.now.json)
			case is:
				ok = tell("ADDED", c.now.json)
			case was && c.now == nil:
				ok = tell("DELETED", c.old.json)
			case was: // as it was, with the version at which it left
				ok = tell("DELETED", newObject(c.old.key, c.version, copyOf(c.old.content), nil).json)
			}
			if !ok {
				return
			}
		}
		at = now
		if mark && bookmarks && !tell("BOOKMARK", fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"%d"}}`, q.kind.apiVersion(), q.kind.name, at)) {
			return
		}
		mark = false
		select {
		case <-changed:
		case <-bookmark.C:
			bookmark.Reset(bookmarkEvery)
			mark = true
		case <-last.C:
			mark = true
		case <-end.C:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// tooOld is the refusal of a watch from before all that is remembered. One that has
// begun goes on.
func (s *Server) tooOld(at int64) *metav1.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at >= s.oldest {
		return nil
	}
	st := expired("too old resource version: %d (%d)", at, s.oldest)
	st.Kind, st.APIVersion, st.Status = "Status", "v1", metav1.StatusFailure
	return st
}

// since is what happened after a version, the version that all of it is up to, and
// what is closed at the next change.
func (s *Server) since(k *kind, at int64) (news []change, now int64, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := sort.Search(len(k.history), func(i int) bool { return k.history[i].version > at })
	return k.history[from:], max(at, s.version), k.changed
}
