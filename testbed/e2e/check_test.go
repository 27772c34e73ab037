package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/mote/check"
)

// report is what `mote check -o json` prints.
type report struct {
	Passed   bool
	Findings []check.Finding
}

// of finds the one line of a check.
func (r report) of(about string) (check.Finding, error) {
	var hit []check.Finding
	for _, f := range r.Findings {
		if f.Check == about {
			hit = append(hit, f)
		}
	}
	if len(hit) != 1 {
		return check.Finding{}, fmt.Errorf("%d findings of %q in %+v", len(hit), about, r.Findings)
	}
	return hit[0], nil
}

// examines runs mote check.
func (s *site) examines(env []string, args ...string) report {
	s.t.Helper()
	out, complaint, code := mote(s.t, env, append([]string{"check", "-o", "json"}, args...)...)
	var r report
	if err := json.Unmarshal([]byte(out), &r); err != nil || complaint != "" {
		s.t.Fatalf("%v\n%s%s", err, out, complaint)
	}
	if r.Passed != (code == 0) || code > 1 {
		s.t.Errorf("exit code %d of %+v", code, r)
	}
	for _, secret := range s.secrets {
		if strings.Contains(out, secret) {
			s.t.Error("the report holds a secret")
		}
	}
	return r
}

// finds waits until mote check says something about a thing.
func (s *site) finds(about string, level check.Level, words string, env []string, args ...string) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("check: %s of %s: %s", level, about, words), func() error {
		f, err := s.examines(env, args...).of(about)
		if err != nil {
			return err
		}
		if f.Level != level || !strings.Contains(f.Message, words) || level == check.Error && f.Fix == "" {
			return fmt.Errorf("%+v", f)
		}
		return nil
	})
}

// TestCheck makes each trouble on purpose, on a cluster and a cloud that are real.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := ownCluster(t)
	s.startCloud()
	admin := []string{"--kubeconfig=" + s.bed.Kubeconfig, "--cloud-endpoint=" + s.bed.CloudURL, "--region=ap-guangzhou", "--lease-namespace=mote-system"}
	keys := []string{"TENCENTCLOUD_SECRET_ID=" + "AKIDTESTBED", "TENCENTCLOUD_SECRET_KEY=" + "testbed-secret"}

	// Before anything is installed.
	s.finds("kind postgresdbs", check.Error, "does not know it", keys, admin...)
	s.finds("kind myapps", check.Error, "does not know it", keys, admin...)
	s.finds("pod security", check.Warning, "there is no namespace mote-system", keys, admin...)
	s.finds("credentials", check.Error, "not both set", nil, admin...)
	s.finds("environment", check.Warning, "MOTE_SIET", append(keys, "MOTE_SIET=a", "MOTE_PORT_8080_TCP=x"), admin...)

	// Installed, and asked as Mote's own ServiceAccount: all is well.
	in := s.install("--region=ap-guangzhou")
	// The container's own arguments, but for the first: so it can stand before it as an init container.
	pod := append([]string{"--kubeconfig=" + in.kubeconfig, "--cloud-endpoint=" + s.bed.CloudURL}, in.args[1:]...)
	s.eventually("all is well", func() error {
		for _, f := range s.examines(nil, pod...).Findings {
			if f.Level != check.OK && f.Check != "pod security" {
				return fmt.Errorf("%+v", f)
			}
		}
		return nil
	})
	s.finds("pod security", check.Unknown, "need not", nil, pod...)
	s.finds("pod security", check.OK, "enforces restricted", keys, admin...)
	s.finds("lease mote-system/mote", check.OK, "not there yet", nil, pod...)
	p := s.run(in)
	s.logged(p, "leading")
	s.finds("lease mote-system/mote", check.OK, "holds it since", nil, pod...)
	s.stop(p)
	s.finds("lease mote-system/mote", check.OK, "nobody holds it", nil, pod...)
	s.kubectl("patch", "lease", "mote", "--namespace=mote-system", "--type=merge", "-p",
		`{"spec":{"holderIdentity":"a-node-that-died","renewTime":"2020-01-01T00:00:00.000000Z"}}`)
	s.finds("lease mote-system/mote", check.Warning, "a-node-that-died", nil, pod...)

	// Selections.
	s.apply(database("db", fields{"site": "edge-2"}), app("web", nil), database("elsewhere", fields{"region": "ap-shanghai", "subnetID": "subnet-nowhere"}))
	s.finds("selection of postgresdbs", check.Warning, "none of the 2", nil, append(pod, "--site=edge-1")...)
	s.finds("selection of postgresdbs", check.OK, "1 of 2 objects are served here; left to other Motes: 1 of no site", nil, append(pod, "--site=edge-2")...)
	s.finds("selection of postgresdbs", check.Error, "field label not supported", nil, append(pod, "--field-selector=spec.colour=red")...)

	// The cloud.
	s.finds("subnet subnet-mote0001", check.OK, s.ns+"/db", nil, pod...)
	s.finds("subnet subnet-nowhere", check.Error, s.ns+"/elsewhere names it, and ap-shanghai has none", nil, pod...)
	s.finds("subnet subnet-mine", check.Error, "--subnet names it", nil, append(pod, "--subnet=subnet-mine")...)
	s.finds("cloud in ap-guangzhou", check.Error, "cannot be reached", nil, append(pod, "--cloud-endpoint=http://127.0.0.1:1")...)
	s.finds("cloud in ap-guangzhou", check.Error, "AuthFailure", append(keys[:1:1], "TENCENTCLOUD_SECRET_KEY=wrong"), admin...)
	s.finds("clock of the cloud", check.Error, "behind ours", nil, append(pod, "--cloud-endpoint="+s.slowClock(-time.Hour))...)
	s.finds("clock of the cloud", check.Warning, "ahead of ours", nil, append(pod, "--cloud-endpoint="+s.slowClock(2*time.Minute))...)
	s.kubectl("delete", "secret", "mote-credentials", "--namespace=mote-system")
	s.finds("credentials", check.Error, "there is no credentials Secret mote-system/mote-credentials", nil, pod...)

	// Kinds of another version.
	s.kubectl("patch", "crd/postgresdbs.database.example.com", "--type=json", "-p", `[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/maintenanceWindow"}]`)
	s.finds("schema of postgresdbs", check.Error, "drops spec.maintenanceWindow", nil, pod...)
	s.kubectl("patch", "crd/myapps.example.com", "--type=json", "-p", `[{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/later","value":{"type":"string"}}]`)
	s.finds("schema of myapps", check.Warning, "does not know spec.later", nil, pod...)
	s.kubectl("patch", "crd/myapps.example.com", "--type=json", "-p", `[{"op":"remove","path":"/spec/versions/0/selectableFields"}]`)
	s.finds("schema of myapps", check.Error, "cannot be selected by", nil, pod...)
	s.kubectl("patch", "crd/postgresdbs.database.example.com", "--type=json", "-p", `[{"op":"remove","path":"/spec/versions/0/subresources/status"}]`)
	s.finds("kind postgresdbs", check.Error, "no status subresource", nil, pod...)
	if err := s.bed.InstallCRDs(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.finds("schema of postgresdbs", check.OK, "this Mote's", nil, pod...)
	s.finds("schema of myapps", check.OK, "this Mote's", nil, pod...)

	// Rights: one less, then none; and a token of nobody.
	s.kubectl("patch", "role/mote", "--namespace=mote-system", "--type=json", "-p", `[{"op":"replace","path":"/rules/1/verbs","value":["get"]}]`)
	s.finds("rights", check.Error, "may not patch leases.coordination.k8s.io mote in namespace mote-system", nil, pod...)
	s.kubectl("delete", "clusterrolebinding/mote-system-mote")
	s.eventually("most rights are gone", func() error {
		missing := 0
		for _, f := range s.examines(nil, pod...).Findings {
			if f.Check == "rights" && f.Level == check.Error {
				missing++
			}
		}
		if missing != 14 {
			return fmt.Errorf("%d rules are missing", missing)
		}
		return nil
	})
	s.finds("cluster", check.Error, "does not accept the credentials", nil, append(pod, "--kubeconfig="+s.kubeconfigWith("a.b.c"))...)
}

// slowClock is a way to the cloud on which its clock is another one.
func (s *site) slowClock(ahead time.Duration) (address string) {
	s.t.Helper()
	to, err := url.Parse(s.bed.CloudURL)
	if err != nil {
		s.t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host }, // the host is signed
		ModifyResponse: func(r *http.Response) error {
			r.Header.Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
			return nil
		},
	}
	server := httptest.NewServer(proxy)
	s.t.Cleanup(server.Close)
	return server.URL
}

// TestCheckAlone: without a cluster or a cloud, each is said, and the rest is looked at.
func TestCheckAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := clientcmdapi.NewConfig()
	c.Clusters["nowhere"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
	c.Contexts["nowhere"] = &clientcmdapi.Context{Cluster: "nowhere"}
	c.CurrentContext = "nowhere"
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	if err := clientcmd.WriteToFile(*c, nowhere); err != nil {
		t.Fatal(err)
	}
	keys := []string{"TENCENTCLOUD_SECRET_ID=AKIDTESTBED", "TENCENTCLOUD_SECRET_KEY=testbed-secret"}
	cloud := "--cloud-endpoint=" + s.bed.CloudURL
	for _, away := range []string{"--kubeconfig=" + nowhere, "--kubeconfig=" + filepath.Join(t.TempDir(), "none")} {
		s.finds("cluster", check.Error, "could not ask", keys, away, cloud, "--region=ap-guangzhou")
		s.finds("kinds, rights, lease", check.Unknown, "not looked at", keys, away, cloud, "--region=ap-guangzhou")
		s.finds("cloud in ap-guangzhou", check.OK, "answers", keys, away, cloud, "--region=ap-guangzhou")
		s.finds("credentials", check.Error, "cloud-keys", keys, away, cloud, "--region=ap-guangzhou", "--credentials-secret=a/cloud-keys")
	}
	s.finds("cluster", check.OK, "is Kubernetes", keys, "--kubeconfig="+s.bed.Kubeconfig, "--region=ap-guangzhou", "--cloud-endpoint=http://127.0.0.1:1", "--namespace="+s.ns)

	// As text, a line each; of the binary alone, without anything.
	out, _, code := mote(t, keys, "check", "--kubeconfig="+nowhere, cloud, "--region=ap-guangzhou")
	if code != 1 || says(out, "error", "cluster", " -> ") != nil {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if out, complaint, code := mote(t, nil, "check", "--self"); code != 0 || says(out, "embedded kinds", "signatures") != nil {
		t.Errorf("exit code %d:\n%s%s", code, out, complaint)
	}
	for _, bad := range [][]string{{"-o", "xml"}, {"--region", "Nowhere"}, {"--colour"}, {"now"}} {
		if _, complaint, code := mote(t, nil, append([]string{"check"}, bad...)...); code != 2 || strings.Count(complaint, "\n") != 1 {
			t.Errorf("%q: exit code %d: %s", bad, code, complaint)
		}
	}
}
