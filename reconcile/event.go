package reconcile

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"encoding/json"
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
	noteLimit   = 1024             // events.k8s.io/v1 allows 1 kB
)

// Recorder writes Events. The same Event (object, type, reason, note) is one
// object on the server however often it happens: its name is a hash of those,
// and its series is counted, written at most every ten minutes to spare the
// disk. An Event that cannot be written is logged and dropped.
type Recorder struct {
	client   dynamic.Interface
	instance string
	log      *slog.Logger

	mu   sync.Mutex
	seen map[string]*series
}

type series struct {
	count   int64
	written time.Time
}

// NewRecorder makes a Recorder; instance names this process (its host).
func NewRecorder(client dynamic.Interface, instance string, log *slog.Logger) *Recorder {
	return &Recorder{client: client, instance: instance, log: log, seen: map[string]*series{}}
}

// Record writes or counts an Event about an object.
func (r *Recorder) Record(ctx context.Context, about *unstructured.Unstructured, kind EventType, reason, action, note string) {
	if len(note) > noteLimit {
		note = note[:noteLimit-3] + "..."
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s|%s|%s|%s", about.GetUID(), kind, reason, note)
	name := fmt.Sprintf("%.200s.%016x", about.GetName(), h.Sum64())
	now := time.Now().UTC()
	count, write := r.count(about.GetNamespace()+"/"+name, now)
	if !write {
		return
	}
	if err := r.write(ctx, about, name, kind, reason, action, note, count, now); err != nil && ctx.Err() == nil {
		r.log.Warn("could not write an Event; it is dropped", "object", Key{about.GetNamespace(), about.GetName()}.String(),
			"reason", reason, "error", err.Error())
	}
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

func (r *Recorder) forgetOldest() {
	var oldest string
	for id, s := range r.seen {
		if oldest == "" || s.written.Before(r.seen[oldest].written) {
			oldest = id
		}
	}
	delete(r.seen, oldest)
}

func (r *Recorder) write(ctx context.Context, about *unstructured.Unstructured, name string, kind EventType, reason, action, note string, count int64, now time.Time) error {
	events := r.client.Resource(eventResource).Namespace(about.GetNamespace())
	const micro = "2006-01-02T15:04:05.000000Z07:00"
	if count == 1 {
		_, err := events.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion":          "events.k8s.io/v1",
			"kind":                "Event",
			"metadata":            map[string]any{"name": name, "namespace": about.GetNamespace()},
			"eventTime":           now.Format(micro),
			"reportingController": "mote.example.com/mote",
			"reportingInstance":   r.instance,
			"type":                string(kind),
			"reason":              reason,
			"action":              action,
			"note":                note,
			"regarding": map[string]any{
				"apiVersion": about.GetAPIVersion(), "kind": about.GetKind(),
				"namespace": about.GetNamespace(), "name": about.GetName(),
				"uid": string(about.GetUID()), "resourceVersion": about.GetResourceVersion(),
			},
		}}, metav1.CreateOptions{FieldManager: FieldManager})
		if !apierrors.IsAlreadyExists(err) {
			return err
		}
		count = 2 // from before a restart
		if old, err := events.Get(ctx, name, metav1.GetOptions{}); err == nil {
			if n, ok, _ := unstructured.NestedInt64(old.Object, "series", "count"); ok {
				count = n + 1
			}
		}
	}
	patch, err := json.Marshal(map[string]any{"series": map[string]any{"count": count, "lastObservedTime": now.Format(micro)}})
	if err != nil {
		return err
	}
	_, err = events.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: FieldManager})
	if apierrors.IsNotFound(err) { // it expired: begin it anew
		return r.write(ctx, about, name, kind, reason, action, note, 1, now)
	}
	return err
}
