package e2e

import (
	"testing"
)

// TestAppNameConflict: somebody else's Deployment is not taken.
func TestAppNameConflict(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.kubectl("create", "deployment", "web", "--image=example.com/theirs:1")
	theirs := s.get(deployments, "web")
	s.apply(app("web", nil))
	st := s.stuck(apps, "web", "Failed", "NameConflict", `Deployment "web"`, "was not made by Mote")
	s.told(st.uid, "NameConflict", "was not made by Mote")
	if now := s.get(deployments, "web"); now.GetUID() != theirs.GetUID() || now.GetGeneration() != theirs.GetGeneration() || len(now.GetOwnerReferences()) > 0 {
		t.Error("somebody else's Deployment was touched")
	}
	s.kubectl("delete", "deployment", "web")
	s.runs(apps, "web")
	s.kubectl("delete", "mapp", "web", "--timeout=60s")
	s.childless()

	// A child that is taken away from its app is somebody else's from then on.
	s.apply(app("web", nil))
	s.runs(apps, "web")
	s.patch("deployment/web", `{"metadata":{"ownerReferences":null}}`)
	s.stuck(apps, "web", "Failed", "NameConflict", `Deployment "web"`)
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

// TestAppFailingImage: pods that do not come up are no success, and a better
// image heals.
func TestAppFailingImage(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	for name, image := range map[string]string{
		"absent": "example.com/web:image-pull-backoff", "crashing": "example.com/web:crash-loop", "unready": "example.com/web:never-ready",
	} {
		s.apply(app(name, fields{"image": image}))
	}
	all := []string{"absent", "crashing", "unready"}
	for _, name := range all {
		s.stuck(apps, name, "Progressing", "Progressing", "0 of 2 replicas available")
	}
	for _, name := range all {
		s.patch("mapp/"+name, `{"spec":{"image":"example.com/web:2"}}`)
	}
	s.runs(apps, all...)
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
