package e2e

import (
	"testing"
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
		if st.phase != "Running" || st.available != n {
			t.Errorf("scaled to %d: %d available, %s", n, st.available, st)
		}
		if out := s.kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}"); out != digits(n) {
			t.Errorf("scaled to %d: the Deployment wants %s", n, out)
		}
		if n == 0 && st.ready.Reason != "ScaledToZero" {
			t.Errorf("scaled to 0: %s", st)
		}
	}
	scale := s.kubectl("get", "--raw", "/apis/example.com/v1/namespaces/"+s.ns+"/myapps/web/scale")
	if err := says(scale, `"spec":{"replicas":2}`, `"replicas":2,"selector":"mote.example.com/app=web"`); err != nil {
		t.Errorf("the scale subresource: %v", err)
	}
}
