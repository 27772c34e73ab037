package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// TestAppOthersFields: what others add to children, and Mote has no opinion on, stays.
func TestAppOthersFields(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", nil))
	s.runs(apps, "web")
	s.kubectl("annotate", "service", "web", "metallb.universe.tf/address-pool=edge")
	s.kubectl("label", "deployment", "web", "team=shop")
	s.patch("service/web", `{"spec":{"sessionAffinity":"ClientIP"}}`)
	s.kubectl("patch", "deployment", "web", "--type=strategic", "-p",
		`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"now"}},"spec":{"priorityClassName":"system-node-critical","containers":[{"name":"proxy","image":"example.com/proxy:1"}]}}}}`)
	s.runs(apps, "web")
	s.patch("mapp/web", `{"spec":{"image":"example.com/web:2","serviceType":"NodePort"}}`)
	s.runs(apps, "web")
	for what, path := range map[string][2]string{
		"annotation":  {"service", "{.metadata.annotations.metallb\\.universe\\.tf/address-pool}"},
		"affinity":    {"service", "{.spec.sessionAffinity}"},
		"label":       {"deployment", "{.metadata.labels.team}"},
		"restartedAt": {"deployment", "{.spec.template.metadata.annotations.kubectl\\.kubernetes\\.io/restartedAt}"},
		"priority":    {"deployment", "{.spec.template.spec.priorityClassName}"},
		"sidecar":     {"deployment", "{.spec.template.spec.containers[?(@.name=='proxy')].image}"},
	} {
		want := map[string]string{"annotation": "edge", "affinity": "ClientIP", "label": "shop", "restartedAt": "now", "priority": "system-node-critical", "sidecar": "example.com/proxy:1"}[what]
		if is := s.kubectl("get", path[0], "web", "-o", "jsonpath="+path[1]); is != want {
			t.Errorf("%s: %q is left of %q", what, is, want)
		}
	}
	if err := s.hasNow(apps, "web", "<nil>", "status", "corrections"); err != nil {
		t.Error(err)
	}
}

// TestAppCorrections: what others change of what Mote has an opinion on is put
// right, once, counted, and told.
func TestAppCorrections(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", nil))
	s.runs(apps, "web")
	s.kubectl("scale", "deployment", "web", "--replicas=5")
	s.holds(deployments, "web", "2", "spec", "replicas")
	s.holds(apps, "web", "1", "status", "corrections")
	uid := string(s.get(apps, "web").GetUID())
	s.told(uid, "Corrected", `Deployment "web": spec.replicas was changed by "kubectl"; put right`)
	s.kubectl("delete", "service", "web")
	s.holds(apps, "web", "2", "status", "corrections")
	s.runs(apps, "web")
}

// TestAppFight: another controller that changes a child for ever is noticed, and
// not fought; when it ends, the child is put right.
func TestAppFight(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", nil), app("calm", nil))
	s.runs(apps, "web", "calm")
	rounds := 0
	s.eventually("the app shows that it is contested", func() error {
		kind, _, _ := unstructured.NestedString(s.get(services, "web").Object, "spec", "type")
		if kind == "ClusterIP" {
			_, err := s.client.Resource(services).Namespace(s.ns).Patch(t.Context(), "web", types.MergePatchType,
				[]byte(`{"spec":{"type":"NodePort"}}`), metav1.PatchOptions{FieldManager: "other-controller"})
			if err != nil {
				return err
			}
			rounds++
		}
		st := s.state(apps, "web")
		if st.phase != "Running" || st.isReady() || st.ready.Reason != "Contested" {
			return fmt.Errorf("after %d rounds: %s", rounds, st)
		}
		return says(st.ready.Message, `Service "web"`, "spec.type", `"other-controller"`, "does not fight")
	})
	st := s.state(apps, "web")
	s.told(st.uid, "Contested", "other-controller")
	if rounds < 3 || rounds > 20 {
		t.Errorf("it was fought over for %d rounds", rounds)
	}
	s.holds(services, "web", "NodePort", "spec", "type")
	s.holds(services, "web", "ClusterIP", "spec", "type") // when a minute has passed
	s.runs(apps, "web", "calm")
}

// TestAppLongestName: names of 63 characters work in all that is derived from them.
func TestAppLongestName(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	name := "a" + strings.Repeat("-b", 31)
	s.apply(app(name, fields{"config": map[string]any{"a.conf": "one"}}))
	s.runs(apps, name)
	if n := len(s.podsOf(name)); n != 2 {
		t.Errorf("%d pods", n)
	}
	s.patch("mapp/"+name, `{"spec":{"config":{"a.conf":"two"}}}`)
	s.runs(apps, name)
	s.kubectl("scale", "mapp", name, "--replicas=1")
	s.runs(apps, name)
	s.kubectl("delete", "mapp", name, "--timeout=120s")
	s.childless()
}
