package e2e

import (
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// TestUnreachableCluster: mote waits for an API server, and says so; it ends when
// asked to.
func TestUnreachableCluster(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	c := clientcmdapi.NewConfig()
	c.Clusters["nowhere"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
	c.Contexts["nowhere"] = &clientcmdapi.Context{Cluster: "nowhere"}
	c.CurrentContext = "nowhere"
	file := s.bed.Dir + "/nowhere.kubeconfig"
	if err := clientcmd.WriteToFile(*c, file); err != nil {
		t.Fatal(err)
	}
	p := s.start("--kubeconfig", file)
	s.logged(p, "could not reach the lease, will try again", "connection refused")
	s.stop(p)
	alone := s.start("--kubeconfig", file, "--leader-elect=false")
	s.logged(alone, "will try again", "connection refused", `"resource":"postgresdbs"`, `"resource":"myapps"`)
	s.stop(alone)
}

// TestNoRights: a ServiceAccount without RBAC is told of, and its rights are used
// once they are there.
func TestNoRights(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.kubectl("create", "serviceaccount", "mote")
	token := s.token("mote", s.ns)
	p := s.start("--kubeconfig", s.kubeconfigWith(token))
	s.logged(p, "check the ServiceAccount's RBAC", "leases")
	s.kubectl("create", "role", "leases", "--verb=get,create,patch", "--resource=leases.coordination.k8s.io")
	s.kubectl("create", "rolebinding", "leases", "--role=leases", "--serviceaccount="+s.ns+":mote")
	s.logged(p, `"msg":"leading"`, "not allowed to list or watch this kind: check the ServiceAccount's RBAC", `"resource":"postgresdbs"`, `"resource":"myapps"`)
	s.kubectl("create", "rolebinding", "all", "--clusterrole=cluster-admin", "--serviceaccount="+s.ns+":mote")
	s.apply(database("db", nil), app("web", nil))
	s.runs(databases, "db")
	s.runs(apps, "web")
}
