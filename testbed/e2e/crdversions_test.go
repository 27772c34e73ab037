package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/mote/check"
	"example.com/mote/testbed/bed"
)

// crdsBefore are the CustomResourceDefinitions of the release before this one.
func crdsBefore(t *testing.T) string {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", "crds-before.yaml.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const olderCRD = "its CRD is older than this Mote"

// TestUpgradeAndDowngrade goes from the CRDs of the release before to today's and back,
// with objects at work: none is lost, and nothing is bought twice.
func TestUpgradeAndDowngrade(t *testing.T) {
	t.Parallel()
	s := ownCluster(t)
	s.startCloud()
	established := func() {
		t.Helper()
		s.anywhere("", "wait", "--for=condition=Established", "--timeout=60s", "crd/postgresdbs.database.example.com", "crd/myapps.example.com")
	}
	uids := map[string]string{}
	// whole: everything that was made is as it was, and each database was bought once.
	whole := func(when string, dbs, webs []string) {
		t.Helper()
		s.runs(databases, dbs...)
		s.runs(apps, webs...)
		for _, name := range dbs {
			st := s.state(databases, name)
			if uids[name] == "" {
				uids[name] = st.uid
			}
			if st.uid != uids[name] {
				t.Errorf("%s: %s is another object", when, name)
			}
			if n := len(s.bought(st.uid)); n != 1 {
				t.Errorf("%s: %s was bought %d times", when, name, n)
			}
		}
		if n := len(s.ledger()); n != len(dbs) {
			t.Errorf("%s: %d databases were bought for %d objects", when, n, len(dbs))
		}
	}

	// The CRDs of the release before, and this Mote: its status is one field short.
	s.anywhere(crdsBefore(t), "apply", "-f", "-")
	established()
	s.kubectl("create", "namespace", "mote-system")
	p := s.start(anyPort...)
	s.apply(database("early", nil), app("early", nil))
	whole("under the CRDs before", []string{"early"}, []string{"early"})
	s.logged(p, "the API server dropped a field of the status", `"field":"status.settledSpec"`, "mote crds | kubectl apply -f -")
	s.answers(p, "/readyz", 503, "[-]PostgresDB/status failed since", "drops status.settledSpec, of "+s.ns+"/early for one", olderCRD)
	s.answers(p, "/healthz", 200, "ok")
	s.metric(p, 1, "mote_status_pruned", "kind", "PostgresDB")
	checked := []string{"--kubeconfig=" + s.bed.Kubeconfig, "--cloud-endpoint=" + s.bed.CloudURL, "--region=ap-guangzhou", "--lease-namespace=" + s.ns}
	keys := []string{"TENCENTCLOUD_SECRET_ID=" + bed.SecretID, "TENCENTCLOUD_SECRET_KEY=" + bed.SecretKey}
	s.finds("schema of postgresdbs", check.Error, "drops status.settledSpec", keys, checked...)

	// Upgraded under it, as k3s and kubectl do: the CRDs first.
	manifests, _, _ := mote(t, nil, "crds")
	s.anywhere(manifests, "apply", "-f", "-")
	established()
	s.finds("schema of postgresdbs", check.OK, "this Mote's", keys, checked...)
	s.answers(p, "/readyz", 200, "ok") // within a minute, by itself
	s.stop(p)
	p = s.start(anyPort...)
	s.apply(database("late", fields{"storageGB": int64(20)}), app("late", nil))
	whole("upgraded", []string{"early", "late"}, []string{"early", "late"})
	s.patch("pgdb/early", `{"spec":{"storageGB":200}}`)
	s.eventually("the disk has grown", func() error { return says(s.kubectl("get", "pgdb/early", "-o", "jsonpath={.status.storageGB}"), "200") })
	whole("after a change", []string{"early", "late"}, []string{"early", "late"})

	// And back, with what the later one has written in the objects.
	s.stop(p)
	s.anywhere(crdsBefore(t), "apply", "-f", "-")
	established()
	p = s.start(anyPort...)
	whole("downgraded", []string{"early", "late"}, []string{"early", "late"})
	s.patch("pgdb/late", `{"spec":{"storageGB":300}}`)
	s.apply(database("last", nil))
	s.eventually("the disk has grown", func() error { return says(s.kubectl("get", "pgdb/late", "-o", "jsonpath={.status.storageGB}"), "300") })
	s.kubectl("scale", "mapp/early", "--replicas=2")
	whole("changed after it", []string{"early", "late", "last"}, []string{"early", "late"})
	s.answers(p, "/readyz", 503, "drops status.settledSpec", olderCRD)
	s.kubectl("delete", "pgdb,mapp", "--all", "--timeout=60s")
	s.nothingBilled()
	if err := s.bed.InstallCRDs(t.Context()); err != nil { // what is checked of every site needs them
		t.Fatal(err)
	}
}

// TestNothingIsBoughtUnwritten: where the status cannot hold a purchase, there is none;
// and as soon as it can, there is one.
func TestNothingIsBoughtUnwritten(t *testing.T) {
	t.Parallel()
	s := ownCluster(t)
	s.startCloud()
	if err := s.bed.InstallCRDs(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.kubectl("patch", "crd/postgresdbs.database.example.com", "--type=json", "-p",
		`[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/create"}]`)
	s.eventually("the field has gone", func() error {
		if s.kubectl("explain", "pgdb.status") == "" || strings.Contains(s.kubectl("explain", "pgdb.status"), "create") {
			return os.ErrExist
		}
		return nil
	})
	p := s.start(anyPort...)
	s.apply(database("db", nil), app("web", nil))
	s.stuck(databases, "db", "Failed", "IntentNotKept", "nothing was bought", "mote crds | kubectl apply -f -")
	s.answers(p, "/readyz", 503, "drops status.create, of "+s.ns+"/db", olderCRD)
	s.runs(apps, "web")
	s.kubectl("annotate", "pgdb/db", "mote.example.com/reconcile-requested-at=again")
	s.stop(p)
	p = s.start(anyPort...)
	s.answers(p, "/readyz", 503, "drops status.create")
	if n := s.count("CreateInstances"); n != 0 {
		t.Fatalf("%d orders were made", n)
	}
	if err := s.bed.InstallCRDs(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.runs(databases, "db")
	s.answers(p, "/readyz", 200, "ok")
	if n := s.count("CreateInstances"); n != 1 {
		t.Errorf("%d orders were made", n)
	}
}
