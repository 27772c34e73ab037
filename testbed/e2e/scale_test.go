package e2e

import (
	"errors"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestScale scales an app as a person does, and as an autoscaler does.
func TestScale(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"replicas": 3}))
	s.runs(apps, "web")
	for _, n := range []int64{5, 1, 0, 2} {
		s.kubectl("scale", "mapp", "web", "--replicas", digits(n))
		s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
		// The wait above began while Ready still spoke of the earlier generation.
		st := s.state(apps, "web")
		phase := "Running"
		if n == 0 {
			phase = "Stopped"
		}
		if st.phase != phase || st.available != n {
			t.Errorf("scaled to %d: %d available, %s", n, st.available, st)
		}
		if out := s.kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}"); out != digits(n) {
			t.Errorf("scaled to %d: the Deployment wants %s", n, out)
		}
		if n == 0 && st.ready.Reason != "Stopped" {
			t.Errorf("scaled to 0: %s", st)
		}
	}
	scale := s.kubectl("get", "--raw", "/apis/example.com/v1/namespaces/"+s.ns+"/myapps/web/scale")
	if err := says(scale, `"spec":{"replicas":2}`, `"replicas":2,"selector":"mote.example.com/app=web"`); err != nil {
		t.Errorf("the scale subresource: %v", err)
	}
}

// TestReplicasLeftOut: a number of replicas that the app leaves out is whoever's
// scales the Deployment.
func TestReplicasLeftOut(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{"replicas": nil}))
	s.runs(apps, "web")
	has := func(n string) {
		t.Helper()
		s.eventually("the app shows "+n+" replicas, and the Deployment has them", func() error {
			return errors.Join(s.hasNow(deployments, "web", n, "spec", "replicas"), s.hasNow(apps, "web", n, "status", "availableReplicas"))
		})
	}
	has("1")
	s.kubectl("scale", "deployment", "web", "--replicas=3") // as an autoscaler of the Deployment does
	has("3")
	s.runs(apps, "web")
	s.patch("mapp/web", `{"spec":{"image":"example.com/web:2"}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	has("3")
	s.kubectl("scale", "mapp", "web", "--replicas=2")
	has("2")
	s.runs(apps, "web")
	s.kubectl("scale", "deployment", "web", "--replicas=3") // now the app has an opinion
	s.holds(deployments, "web", "2", "spec", "replicas")
	s.runs(apps, "web")

	// Left out again: what there is stays, until somebody scales.
	s.patch("mapp/web", `{"spec":{"replicas":null,"image":"example.com/web:3"}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	has("2")
	s.kubectl("scale", "deployment", "web", "--replicas=0")
	s.shows(apps, "web", "is stopped", func(st state) bool { return st.phase == "Stopped" && st.isReady() })
	s.kubectl("scale", "deployment", "web", "--replicas=4")
	has("4")
	s.patch("mapp/web", `{"spec":{"image":"example.com/web:4"}}`)
	s.kubectl("wait", "--for=condition=Ready", "mapp/web", "--timeout=120s")
	has("4")
	s.runs(apps, "web")
}

// hasNow complains of a field of an object that is not as told.
func (s *site) hasNow(r schema.GroupVersionResource, name, value string, field ...string) error {
	u, err := s.fetch(r, name)
	if err != nil {
		return err
	}
	if is, _, err := unstructured.NestedFieldNoCopy(u.Object, field...); err != nil || fmt.Sprint(is) != value {
		return fmt.Errorf("%s %s: %v is %v, %v", r.Resource, name, field, is, err)
	}
	return nil
}
