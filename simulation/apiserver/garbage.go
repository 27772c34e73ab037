package apiserver

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

func copyOf(o map[string]any) map[string]any { return runtime.DeepCopyJSON(o) }

func uidOf(o *object) types.UID {
	uid, _ := metaOf(o.content)["uid"].(string)
	return types.UID(uid)
}

func ownersOf(o *object) []map[string]any { return elements(metaOf(o.content)["ownerReferences"]) }

// CollectGarbage does what there is to do for the garbage collector: it deletes
// objects all of whose owners are gone, and those of an owner that is deleted in
// the foreground, which it then lets go. It tells whether it did anything.
func (s *Server) CollectGarbage() (did bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	living, foreground, kept := map[any]bool{}, map[any]bool{}, map[any]bool{}
	for _, k := range s.ordered() {
		for _, o := range k.objects {
			living[metaOf(o.content)["uid"]] = true
			if deletedIn(o, finalizerForeground) {
				foreground[metaOf(o.content)["uid"]] = true
			}
		}
	}
	for _, k := range s.ordered() {
		for _, o := range k.sorted() {
			owners := ownersOf(o)
			if len(owners) == 0 {
				continue
			}
			orphan := !slices.ContainsFunc(owners, func(r map[string]any) bool { return living[r["uid"]] })
			blocked := slices.ContainsFunc(owners, func(r map[string]any) bool { return foreground[r["uid"]] })
			if (orphan || blocked) && metaOf(o.content)["deletionTimestamp"] == nil {
				s.end(k, o, metav1.DeletePropagationBackground)
				did = true
			}
			if now := k.objects[o.key]; now != nil {
				for _, r := range owners {
					kept[r["uid"]] = kept[r["uid"]] || r["blockOwnerDeletion"] == true
				}
			}
		}
	}
	for _, k := range s.ordered() {
		for _, o := range k.sorted() {
			if uid := metaOf(o.content)["uid"]; foreground[uid] && !kept[uid] {
				s.release(k, o, finalizerForeground)
				did = true
			}
		}
	}
	return did
}

func deletedIn(o *object, finalizer string) bool {
	meta := metaOf(o.content)
	finalizers, _ := meta["finalizers"].([]any)
	return meta["deletionTimestamp"] != nil && slices.Contains(finalizers, any(finalizer))
}

// release takes a finalizer off.
func (s *Server) release(k *kind, o *object, finalizer string) {
	c := copyOf(o.content)
	finalizers := slices.DeleteFunc(metaOf(c)["finalizers"].([]any), func(f any) bool { return f == finalizer })
	metaOf(c)["finalizers"] = finalizers
	if len(finalizers) == 0 {
		delete(metaOf(c), "finalizers")
	}
	s.put(k, o.key, c, o.owned)
}

// ordered are the kinds in the order of their paths.
func (s *Server) ordered() []*kind {
	var paths []string
	for p := range s.kinds {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var out []*kind
	for _, p := range paths {
		out = append(out, s.kinds[p])
	}
	return out
}

// RunPods lets one more pod of each Deployment run, or one less, until there are
// as many as it wants; pods of an older template go first. It tells whether it did
// anything.
func (s *Server) RunPods() (did bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kinds["apis/apps/v1/deployments"]
	for _, o := range k.sorted() {
		meta := metaOf(o.content)
		spec, _ := o.content["spec"].(map[string]any)
		old, _ := o.content["status"].(map[string]any)
		want, _ := spec["replicas"].(int64)
		generation, _ := meta["generation"].(int64)
		observed, _ := old["observedGeneration"].(int64)
		have, _ := old["availableReplicas"].(int64)
		switch {
		case observed != generation:
			have = min(have, max(want-1, 0)) // one at least is made anew
		case have < want:
			have++
		case have > want:
			have--
		}
		st := map[string]any{"observedGeneration": generation}
		if have > 0 {
			for _, f := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
				st[f] = have
			}
		}
		if have < want {
			st["replicas"], st["unavailableReplicas"] = want, want-have
			st["updatedReplicas"] = want
		}
		progress := map[string]any{"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}
		if have == want {
			progress["reason"] = "NewReplicaSetAvailable"
		}
		st["conditions"] = []any{progress}
		if meta["deletionTimestamp"] != nil || equal(old, st) {
			continue
		}
		c := copyOf(o.content)
		c["status"] = st
		s.put(k, o.key, c, o.owned)
		did = true
	}
	return did
}

// Clock is what a control plane does by itself: pods run, garbage is collected and
// history that is older than that forgotten, until stop is closed.
func (s *Server) Clock(every, forget time.Duration, stop <-chan struct{}) {
	tick, oblivion := time.NewTicker(every), time.NewTicker(forget)
	defer tick.Stop()
	defer oblivion.Stop()
	for done, before := int64(0), int64(start); ; {
		select {
		case <-tick.C:
			if at := s.written(); at != done && !s.RunPods() && !s.CollectGarbage() {
				done = at // nothing is left to do until something is written
			}
		case <-oblivion.C:
			s.mu.Lock()
			s.forget(before)
			before = s.version
			s.mu.Unlock()
		case <-stop:
			return
		}
	}
}

// written is the last version of anything but a Lease.
func (s *Server) written() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := int64(0)
	for _, k := range s.kinds {
		if n := len(k.history); n > 0 && k.name != "Lease" {
			last = max(last, k.history[n-1].version)
		}
	}
	return last
}
