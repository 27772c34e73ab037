package e2e

import (
	"fmt"
	"testing"
)

// TestAppReferences: pods wait for the Secrets and ConfigMaps that they need, roll
// when those change, and stay when they go.
func TestAppReferences(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	s.start()
	s.apply(app("web", fields{
		"env":     []any{map[string]any{"name": "URI", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": "creds", "key": "uri"}}}},
		"volumes": []any{map[string]any{"name": "settings", "mountPath": "/settings", "configMap": map[string]any{"name": "settings"}}},
	}))
	st := s.stuck(apps, "web", "Pending", "ReferenceMissing", `ConfigMap "settings"`, `Secret "creds"`)
	s.told(st.uid, "ReferenceMissing", "no pod would start")
	s.kubectl("create", "secret", "generic", "creds", "--from-literal=url=postgresql://nobody-knows-this")
	s.kubectl("create", "configmap", "settings", "--from-literal=mode=one")
	s.kubectl("annotate", "mapp/web", "mote.example.com/reconcile-requested-at=key")
	s.stuck(apps, "web", "Pending", "ReferenceMissing", `key "uri" of Secret "creds" is not there: no pod would start`)
	if _, err := s.fetch(deployments, "web"); err == nil {
		t.Error("the pods were made although a key is missing")
	}
	s.kubectl("delete", "secret/creds", "configmap/settings")
	s.others()
	s.runs(apps, "web")
	for round, change := range []string{`secret/creds {"stringData":{"uri":"postgresql://nobody-knows-that-either"}}`, `configmap/settings {"data":{"mode":"two"}}`} {
		old := s.podsOf("web")
		var object, patch string
		if _, err := fmt.Sscan(change, &object, &patch); err != nil {
			t.Fatal(err)
		}
		s.patch(object, patch)
		s.kubectl("annotate", "mapp/web", "--overwrite", "mote.example.com/reconcile-requested-at="+digits(int64(round)))
		s.eventually("all pods are new ones after "+object, func() error {
			now := s.podsOf("web")
			for name := range now {
				if old[name] {
					return fmt.Errorf("pod %s is left", name)
				}
			}
			if len(now) != 2 {
				return fmt.Errorf("%d pods", len(now))
			}
			return nil
		})
		s.runs(apps, "web")
	}
	old := s.podsOf("web")
	s.kubectl("patch", "secret", "creds", "--type=json", "-p", `[{"op":"move","from":"/data/uri","path":"/data/url"}]`)
	s.kubectl("annotate", "mapp/web", "--overwrite", "mote.example.com/reconcile-requested-at=moved")
	s.shows(apps, "web", "tells of the key, and is Ready", func(st state) bool {
		return st.isReady() && says(st.ready.Message, `key "uri" of Secret "creds" is not there any more`) == nil
	})
	s.kubectl("delete", "secret", "creds")
	s.kubectl("annotate", "mapp/web", "--overwrite", "mote.example.com/reconcile-requested-at=gone")
	s.shows(apps, "web", "tells of the Secret, and is Ready", func(st state) bool {
		return st.isReady() && says(st.ready.Message, `Secret "creds" is not there any more`) == nil
	})
	if now := s.podsOf("web"); fmt.Sprint(now) != fmt.Sprint(old) {
		t.Errorf("the pods are %v, they were %v", now, old)
	}
	s.patch("mapp/web", `{"spec":{"image":"example.com/web:2"}}`)
	s.stuck(apps, "web", "Running", "ReferenceMissing", `Secret "creds" is not there`, "held back")
	s.kubectl("create", "secret", "generic", "creds", "--from-literal=uri=postgresql://nobody-knows-this")
	s.runs(apps, "web")
}
