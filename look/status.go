package look

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/mote/crd/databasev1"
	"example.com/mote/overview"
	"example.com/mote/reconcile"
	"example.com/mote/schema"
)

// RowOf is an object's line; nothing of the object is kept alive but its words.
func RowOf(k *schema.Kind, u *unstructured.Unstructured) overview.Row {
	text := func(path ...string) string { s, _, _ := unstructured.NestedString(u.Object, path...); return s }
	count := func(path ...string) int64 { n, _, _ := unstructured.NestedInt64(u.Object, path...); return n }
	r := overview.Row{Kind: k.Name, Short: k.Short(), Namespace: u.GetNamespace(), Name: u.GetName(), Phase: text("status", "phase"), Site: text("spec", "site"), Created: u.GetCreationTimestamp().Time}
	if r.Phase == "" {
		r.Phase = "New"
	}
	if k.Name == databasev1.Kind {
		r.Where = text("status", "endpoint")
	} else {
		want, there, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		if !there {
			want = count("status", "replicas")
			if r.Phase == "New" {
				want = 1 // what it is going to have
			}
		}
		r.Where = fmt.Sprintf("%d/%d", count("status", "availableReplicas"), want)
	}
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		c, _ := c.(map[string]any)
		if c["type"] != reconcile.ConditionReady {
			continue
		}
		r.Ready = c["status"] == "True" && count("status", "observedGeneration") == u.GetGeneration()
		if !r.Ready {
			r.WaitsFor = fmt.Sprintf("%v: %v", c["reason"], c["message"])
		}
	}
	if r.Phase == "New" {
		r.WaitsFor = "a controller that serves it"
	}
	if r.Deleting = u.GetDeletionTimestamp() != nil; r.Deleting {
		r.Ready = false
		if r.Phase != "Deleting" { // what the status says is from before
			r.WaitsFor = "the deletion to end; the status does not speak of it yet"
		}
	}
	if r.Paused = reconcile.Paused(u); r.Paused {
		r.WaitsFor = "the annotation " + reconcile.AnnotationPaused + " to be taken off"
	}
	return r
}

// Seer is told what Follow sees. The calls are never at once for one kind.
type Seer interface {
	Put(r overview.Row)
	Drop(id string)
	// Listed ends a list of a kind: what was not put since is not there any more.
	Listed(kind string, ids map[string]bool)
	// Trouble says that a kind cannot be seen at present; nil: it can again.
	Trouble(kind string, err error)
}

// Pauses between tries to see a kind.
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
	// tooShort is a watch that nothing was seen on: the API server ends one after five
	// minutes, and there are bookmarks every minute.
	tooShort = 45 * time.Second
)

var errTooShort = errors.New("the API server's watch ends as soon as it begins")

// Follow lists and watches one kind until ctx ends.
func (l *Look) Follow(ctx context.Context, k *schema.Kind, w Which, s Seer) {
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, longestPause) {
		version, err := l.list(ctx, k, w, s)
		for err == nil && ctx.Err() == nil {
			pause = firstPause
			s.Trouble(k.Name, nil)
			began, before := time.Now(), version
			if version, err = l.watch(ctx, k, w, version, s); err == nil && version == before && time.Since(began) < tooShort {
				err = errTooShort // client-go takes a connection that breaks for the end of a watch
			}
		}
		if ctx.Err() != nil {
			return
		}
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			s.Trouble(k.Name, readable(err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// list puts all rows, page by page.
func (l *Look) list(ctx context.Context, k *schema.Kind, w Which, s Seer) (version string, err error) {
	r := l.Cluster.Resource(resource(k)).Namespace(w.Namespace)
	ids, next := map[string]bool{}, ""
	for {
		page, err := r.List(ctx, metav1.ListOptions{Limit: pageSize, Continue: next, LabelSelector: w.Selector})
		if err != nil {
			return "", err
		}
		for n := range page.Items {
			row := RowOf(k, &page.Items[n])
			if w.Name == "" || w.Name == row.Name {
				ids[row.ID()] = true
				s.Put(row)
			}
		}
		if next = page.GetContinue(); next == "" {
			s.Listed(k.Name, ids)
			return page.GetResourceVersion(), nil
		}
	}
}

// watch puts rows as they change; it ends without an error when the API server ends
// it, and then can go on at the version.
func (l *Look) watch(ctx context.Context, k *schema.Kind, w Which, version string, s Seer) (string, error) {
	limit := int64(300)
	stream, err := l.Cluster.Resource(resource(k)).Namespace(w.Namespace).Watch(ctx, metav1.ListOptions{
		ResourceVersion: version, LabelSelector: w.Selector, AllowWatchBookmarks: true, TimeoutSeconds: &limit})
	if err != nil {
		return version, err
	}
	defer stream.Stop()
	for e := range stream.ResultChan() {
		u, ok := e.Object.(*unstructured.Unstructured)
		if e.Type == watch.Error || !ok {
			return version, apierrors.FromObject(e.Object)
		}
		version = u.GetResourceVersion()
		if e.Type == watch.Bookmark || w.Name != "" && w.Name != u.GetName() {
			continue
		}
		if row := RowOf(k, u); e.Type == watch.Deleted {
			s.Drop(row.ID())
		} else {
			s.Put(row)
		}
	}
	return version, ctx.Err()
}
