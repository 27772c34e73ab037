package e2e

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestAppNameConflict: somebody else's Deployment is not taken.
func TestAppNameConflict(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	mote := s.start()
	s.kubectl("create", "deployment", "web", "--image=example.com/theirs:1")
	theirs := s.get(deployments, "web")
	s.apply(app("web", nil))
	st := s.stuck(apps, "web", "Failed", "NameConflict", `Deployment "web"`, "was not made by Mote")
	s.told(st.uid, "NameConflict", "was not made by Mote")
	if now := s.get(deployments, "web"); now.GetUID() != theirs.GetUID() || now.GetGeneration() != theirs.GetGeneration() || len(now.GetOwnerReferences()) > 0 {
		t.Error("somebody else's Deployment was touched")
	}
	s.stop(mote) // a start looks at an app that failed, although its status is about the spec as it is
	s.kubectl("delete", "deployment", "web")
	s.start()
	s.runs(apps, "web")
	s.kubectl("delete", "mapp", "web", "--timeout=60s")
	s.childless()

	// A child whose owner was taken off is put right; one that says that it is not
	// Mote's any more is somebody else's from then on.
	s.apply(app("web", nil))
	s.runs(apps, "web")
	uid := s.get(deployments, "web").GetUID()
	s.patch("deployment/web", `{"metadata":{"ownerReferences":null}}`)
	s.holds(apps, "web", "1", "status", "corrections")
	if now := s.get(deployments, "web"); now.GetUID() != uid || len(now.GetOwnerReferences()) != 1 {
		t.Errorf("the Deployment is another, or has the owners %v", now.GetOwnerReferences())
	}
	s.runs(apps, "web")
	s.patch("deployment/web", `{"metadata":{"ownerReferences":null,"labels":{"app.kubernetes.io/managed-by":null}}}`)
	s.stuck(apps, "web", "Failed", "NameConflict", `Deployment "web"`, "has neither an owner nor the labels")
}

// TestAppHalfConflict: while one name is somebody else's, nothing of a new app is
// there, and an app that was there before goes on.
func TestAppHalfConflict(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	config := fields{"config": map[string]any{"a.conf": "one"}}
	s.apply(app("old", nil))
	s.runs(apps, "old")
	s.kubectl("create", "deployment", "a", "--image=example.com/theirs:1")
	s.kubectl("create", "service", "clusterip", "b", "--tcp=80")
	s.kubectl("create", "configmap", "c-config", "--from-literal=a=theirs")
	s.kubectl("create", "configmap", "old-config", "--from-literal=a=theirs")
	theirs := map[string]string{}
	names := map[string]aChild{"a": {deployments, "a"}, "b": {services, "b"}, "c": {configMaps, "c-config"}}
	for name, child := range names {
		theirs[name] = string(s.get(child.r, child.name).GetUID())
		s.apply(app(name, config))
	}
	s.patch("mapp/old", `{"spec":{"config":{"a.conf":"one"}}}`)
	for name, child := range names {
		s.stuck(apps, name, "Failed", "NameConflict", child.name, "was not made by Mote")
		for _, other := range childrenOf(name) {
			u, err := s.fetch(other.r, other.name)
			switch {
			case other == child && (err != nil || string(u.GetUID()) != theirs[name]):
				t.Errorf("%s: somebody else's %s was touched: %v", name, child.r.Resource, err)
			case other != child && !apierrors.IsNotFound(err):
				t.Errorf("%s: %s %s is there: %v", name, other.r.Resource, other.name, err)
			}
		}
	}
	s.stuck(apps, "old", "Failed", "NameConflict", "old-config")
	for _, child := range childrenOf("old")[:2] {
		s.get(child.r, child.name)
	}
	if n := len(s.podsOf("old")); n != 2 {
		t.Errorf("the app that was there before has %d pods", n)
	}
	for name, child := range names {
		s.kubectl("delete", child.r.Resource, child.name)
		s.kubectl("annotate", "mapp/"+name, "mote.example.com/reconcile-requested-at=gone")
	}
	s.kubectl("delete", "configmap", "old-config") // no hint: it is looked at by itself
	s.runs(apps, "a", "b", "c", "old")
}

// TestDatabaseNameConflict: nothing is bought while somebody else's Secret has the name.
func TestDatabaseNameConflict(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.kubectl("create", "secret", "generic", "db-connection", "--from-literal=host=theirs")
	s.apply(database("db", nil))
	st := s.stuck(databases, "db", "Pending", "NameConflict", "db-connection")
	s.told(st.uid, "NameConflict", "db-connection")
	if len(s.ledger()) != 0 {
		t.Error("an instance was bought whose password could not be stored")
	}
	s.holds(secretsResource, "db-connection", "dGhlaXJz", "data", "host")
	s.kubectl("delete", "secret", "db-connection")
	s.runs(databases, "db")
	s.one(st.uid)
}

// TestAppFailingPods: what stands in the way of pods reaches their app and one
// Event, and a better spec heals.
func TestAppFailingPods(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	cases := map[string]struct {
		change        fields
		reason, words string
	}{
		"absent":   {fields{"image": "example.com/web:image-pull-backoff"}, "ImagePullBackOff", `container "app": Back-off pulling image`},
		"crashing": {fields{"image": "example.com/web:crash-loop"}, "CrashLoopBackOff", `container "app": it ends again and again, last with exit code 1 (Error)`},
		"unready":  {fields{"image": "example.com/web:never-ready"}, "ProbeFailed", "its probe does not succeed"},
		"nowhere":  {fields{"nodeSelector": map[string]any{"disk": "none-such"}}, "Unschedulable", "0/1 nodes are available"},
		"large":    {fields{"resources": map[string]any{"requests": map[string]any{"memory": "64Ti"}}}, "Unschedulable", "Insufficient memory"},
	}
	for name, c := range cases {
		s.apply(app(name, c.change))
	}
	for name, c := range cases {
		st := s.stuck(apps, name, "Progressing", c.reason, c.words, "0 of 2 replicas available")
		s.told(st.uid, c.reason, c.words)
		s.patch("mapp/"+name, `{"spec":{"image":"example.com/web:2","nodeSelector":null,"resources":null}}`)
	}
	for name := range cases {
		s.runs(apps, name)
	}
}

// TestAppProbeTold: what a kubelet told of a probe in an Event reaches the app.
func TestAppProbeTold(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"image": "example.com/web:never-ready", "replicas": 1}))
	s.eventually("there is a pod", func() error {
		if len(s.podsOf("web")) == 0 {
			return errNone
		}
		return nil
	})
	for pod := range s.podsOf("web") {
		s.kubectlWith(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"told"},"type":"Warning","reason":"Unhealthy","lastTimestamp":"2026-01-01T00:00:00Z",
			"involvedObject":{"kind":"Pod","namespace":"`+s.ns+`","name":"`+pod+`"},"message":"Readiness probe failed: HTTP probe failed with statuscode: 503"}`, "apply", "-f", "-")
	}
	s.stuck(apps, "web", "Progressing", "ProbeFailed", "Readiness probe failed: HTTP probe failed with statuscode: 503")
}

// TestAppDeadline: a rollout that gets nowhere has failed after its deadline, with
// the cause; the pods of before stay.
func TestAppDeadline(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"progressDeadlineSeconds": 10}))
	s.runs(apps, "web")
	old := s.podsOf("web")
	s.patch("mapp/web", `{"spec":{"image":"example.com/web:image-pull-backoff"}}`)
	s.stuck(apps, "web", "Failed", "ImagePullBackOff", "Back-off pulling image", "has timed out progressing", "2 of 2 replicas available")
	now := s.podsOf("web")
	for name := range old {
		if !now[name] {
			t.Errorf("pod %s went before another was ready", name)
		}
	}
	s.patch("mapp/web", `{"spec":{"image":"example.com/web:2"}}`)
	s.runs(apps, "web")
}

// TestAppReadyIsOfThisGeneration: at no moment is an app Ready for a generation
// whose pods are not there.
func TestAppReadyIsOfThisGeneration(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"env": []any{map[string]any{"name": "ROUND", "value": "0"}}}))
	s.runs(apps, "web")
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		s.patch("mapp/web", `{"spec":{"env":[{"name":"ROUND","value":"`+n+`"}]}}`)
		s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
		// What is asked right after the wait is of this round alone.
		rounds := ""
		for _, p := range s.list(pods, "mote.example.com/app=web") {
			if p.GetDeletionTimestamp() == nil {
				containers, _, _ := unstructured.NestedSlice(p.Object, "spec", "containers")
				env := containers[0].(map[string]any)["env"].([]any)
				rounds += env[0].(map[string]any)["value"].(string)
			}
		}
		if rounds != n+n {
			t.Errorf("round %s: Ready while the pods are of rounds %q", n, rounds)
		}
	}
}

// TestAppDegraded: pods that fail later make their app Degraded, not another word.
func TestAppDegraded(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"replicas": 3}))
	s.runs(apps, "web")
	const behaviour = "podstandin.mote.example.com/behaviour"
	var one string
	for name := range s.podsOf("web") {
		one = name
	}
	s.kubectl("annotate", "pod", one, behaviour+"=never-ready")
	st := s.stuck(apps, "web", "Degraded", "ReplicasUnavailable", "2 of 3 replicas available")
	s.told(st.uid, "ReplicasUnavailable", "2 of 3")
	s.kubectl("annotate", "pod", one, behaviour+"-")
	s.runs(apps, "web")
}

// TestAppRefused: what the API server refuses is shown in its words.
func TestAppRefused(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("greedy", fields{"resources": map[string]any{"requests": map[string]any{"cpu": "2"}, "limits": map[string]any{"cpu": "1"}}}))
	st := s.stuck(apps, "greedy", "Failed", "Refused", "cpu")
	s.told(st.uid, "Refused", "cpu")
	s.patch("mapp/greedy", `{"spec":{"resources":{"limits":{"cpu":"3"}}}}`)
	s.runs(apps, "greedy")

	s.kubectlWith(`{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"few"},"spec":{"hard":{"pods":"3"}}}`, "apply", "-f", "-")
	s.holds(resourceQuotas, "few", "2", "status", "used", "pods")
	s.kubectl("scale", "mapp", "greedy", "--replicas=5")
	st = s.stuck(apps, "greedy", "Failed", "ReplicaFailure", "exceeded quota", "3 of 5 replicas available")
	s.told(st.uid, "ReplicaFailure", "exceeded quota")
	s.kubectl("delete", "resourcequota", "few")
	s.runs(apps, "greedy")
}
