package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// EventType is Normal or Warning.
type EventType string

// The types of Events.
const (
	Normal  EventType = "Normal"
	Warning EventType = "Warning"
)

var eventResource = schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}

// Limits of what a Recorder keeps and writes.
const (
	eventMemory = 512              // Events remembered for counting
	eventSpell  = 10 * time.Minute // a series is written at most this often
	noteLimit   = 1024             // bytes; events.k8s.io/v1 allows no more
	nameLimit   = 128              // bytes; the same, for the names of reasons, actions and instances
)

// Recorder writes Events. The same Event (object, type, reason, note) is one
// object on the server however often it happens: its name is a hash of those,
// and its series is counted, written at most every ten minutes to spare the
// disk. An Event that cannot be written is logged and dropped.
//
// Memory: at most eventMemory series of some 100 bytes and an Event's name each;
// of a series that was forgotten, the API server knows the count.
type Recorder struct {
	client   dynamic.Interface
	instance string
	log      *slog.Logger

	mu   sync.Mutex
	seen map[string]*series
}

type series struct {
	count   int64     // how often it happened
	written time.Time // when it was last sent to the API server
}

// NewRecorder makes a Recorder; instance names this process (its host).
func NewRecorder(client dynamic.Interface, instance string, log *slog.Logger) *Recorder {
	if instance == "" {
		instance = "mote" // an Event without one is refused
	}
	return &Recorder{client: client, instance: shortened(instance, nameLimit), log: log, seen: map[string]*series{}}
}

// Record writes or counts an Event about an object.
func (r *Recorder) Record(ctx context.Context, about *unstructured.Unstructured, kind EventType, reason, action, note string) {
	e := happening{kind: kind, reason: shortened(reason, nameLimit), action: shortened(action, nameLimit), note: shortened(note, noteLimit), at: time.Now().UTC()}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s|%s|%s|%s", about.GetUID(), e.kind, e.reason, e.note)
	e.name = fmt.Sprintf("%s.%016x", strings.TrimRight(about.GetName()[:min(len(about.GetName()), 200)], "-."), h.Sum64())
	id := about.GetNamespace() + "/" + e.name
	count, write := r.count(id, e.at)
	if !write {
		return
	}
	count, err := r.write(ctx, about, e, count)
	if err != nil && ctx.Err() == nil {
		tell := r.log.Warn
		if NamespaceEnding(err) { // each object in it would say so
			tell = r.log.Debug
		}
		tell("could not write an Event; it is dropped", "object", Key{about.GetNamespace(), about.GetName()}.String(),
			"reason", reason, "error", err.Error())
		return
	}
	r.learn(id, count)
}

// NamespaceEnding tells whether a write failed because the whole namespace is being
// deleted: there is nothing to do and nothing to say.
func NamespaceEnding(err error) bool {
	const cause metav1.CauseType = "NamespaceTerminating" // of k8s.io/api/core/v1
	return apierrors.HasStatusCause(err, cause)
}

// happening is one occurrence of what an Event tells.
type happening struct {
	name                 string // of the Event
	kind                 EventType
	reason, action, note string
	at                   time.Time
}

// count remembers an Event and tells how often it has happened, and whether to
// write it now.
func (r *Recorder) count(id string, now time.Time) (int64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seen[id]
	if s == nil {
		if len(r.seen) >= eventMemory {
			r.forgetOldest()
		}
		s = &series{}
		r.seen[id] = s
	}
	s.count++
	if s.count > 1 && now.Sub(s.written) < eventSpell {
		return s.count, false
	}
	s.written = now
	return s.count, true
}

// learn takes over the count that the API server has now: it may remember an
// Event from before a restart.
func (r *Recorder) learn(id string, count int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.seen[id]; s != nil {
		s.count = max(s.count, count)
	}
}

func (r *Recorder) forgetOldest() {
	var oldest string
	for id, s := range r.seen {
		if oldest == "" || s.written.Before(r.seen[oldest].written) {
			oldest = id
		}
	}
	delete(r.seen, oldest)
}

// write creates an Event, or its series when it is there already, and returns
// the count that the API server has then.
func (r *Recorder) write(ctx context.Context, about *unstructured.Unstructured, e happening, count int64) (int64, error) {
	events := r.client.Resource(eventResource).Namespace(about.GetNamespace())
	create := func() error {
		_, err := events.Create(ctx, r.event(about, e), metav1.CreateOptions{FieldManager: FieldManager})
		return err
	}
	repeat := func() error {
		patch, err := json.Marshal(map[string]any{"series": map[string]any{"count": count, "lastObservedTime": e.at.Format(metav1.RFC3339Micro)}})
		if err != nil {
			return err
		}
		_, err = events.Patch(ctx, e.name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: FieldManager})
		return err
	}
	if count > 1 {
		if err := repeat(); !apierrors.IsNotFound(err) {
			return count, err
		}
		return count, create() // it expired: begin it anew
	}
	if err := create(); !apierrors.IsAlreadyExists(err) {
		return count, err
	}
	count = 2 // it is from before a restart
	old, err := events.Get(ctx, e.name, metav1.GetOptions{})
	if err != nil {
		return count, err
	}
	if n, ok, _ := unstructured.NestedInt64(old.Object, "series", "count"); ok {
		count = n + 1
	}
	return count, repeat()
}

func (r *Recorder) event(about *unstructured.Unstructured, e happening) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion":          "events.k8s.io/v1",
		"kind":                "Event",
		"metadata":            map[string]any{"name": e.name, "namespace": about.GetNamespace()},
		"eventTime":           e.at.Format(metav1.RFC3339Micro),
		"reportingController": "mote.example.com/mote",
		"reportingInstance":   r.instance,
		"type":                string(e.kind),
		"reason":              e.reason,
		"action":              e.action,
		"note":                e.note,
		"regarding": map[string]any{
			"apiVersion": about.GetAPIVersion(), "kind": about.GetKind(),
			"namespace": about.GetNamespace(), "name": about.GetName(),
			"uid": string(about.GetUID()), "resourceVersion": about.GetResourceVersion(),
		},
	}}
}

// shortened is a text of at most limit bytes, cut between runes, with dots where
// something is missing; what is no UTF-8 becomes question marks.
func shortened(s string, limit int) string {
	s = strings.ToValidUTF8(s, "?")
	if len(s) <= limit {
		return s
	}
	cut := limit - len("...")
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
