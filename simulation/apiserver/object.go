package apiserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// key is an object's place among those of its kind.
type key struct{ namespace, name string }

func (q request) key() key { return key{q.namespace, q.name} }

// object is one version of an object. It never changes.
type object struct {
	key
	version int64
	content map[string]any
	owned   fieldpath.ManagedFields
	json    []byte
}

// change is one entry of a kind's history.
type change struct {
	version  int64
	old, now *object // nil: was not, is not
}

func newObject(k key, version int64, content map[string]any, owned fieldpath.ManagedFields) *object {
	metaOf(content)["resourceVersion"] = strconv.FormatInt(version, 10)
	text, err := json.Marshal(content)
	if err != nil {
		panic(fmt.Sprintf("an object that came as JSON: %v", err))
	}
	return &object{k, version, content, owned, text}
}

// put stores content as a new version, or lets it go when nothing holds it any
// more. s.mu is held.
func (s *Server) put(k *kind, at key, content map[string]any, owned fieldpath.ManagedFields) *object {
	s.version++
	o := newObject(at, s.version, content, owned)
	old := k.objects[at]
	if finalizers, _ := metaOf(content)["finalizers"].([]any); metaOf(content)["deletionTimestamp"] != nil && len(finalizers) == 0 {
		delete(k.objects, at)
		k.tell(change{s.version, o, nil})
		return o
	}
	k.objects[at] = o
	k.tell(change{s.version, old, o})
	return o
}

// drop takes an object away. s.mu is held.
func (s *Server) drop(k *kind, o *object) {
	s.version++
	delete(k.objects, o.key)
	k.tell(change{s.version, newObject(o.key, s.version, runtime.DeepCopyJSON(o.content), nil), nil})
}

func (k *kind) tell(c change) {
	k.history = append(k.history, c)
	close(k.changed)
	k.changed = make(chan struct{})
}

// uid is one that was never given before. The nth object of a name has the same in
// every run, whatever else is made.
func (k *kind) uid(at key) string {
	k.births[at]++
	h := sha256.Sum256(fmt.Append(nil, k.path(), "/", at.namespace, "/", at.name, "/", k.births[at]))
	x := hex.EncodeToString(h[:16])
	return x[:8] + "-" + x[8:12] + "-4" + x[13:16] + "-8" + x[17:20] + "-" + x[20:]
}

func metaOf(o map[string]any) map[string]any {
	m, ok := o["metadata"].(map[string]any)
	if !ok {
		m = map[string]any{}
		o["metadata"] = m
	}
	return m
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// equal compares two JSON values.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
