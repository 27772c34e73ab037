package e2e

import (
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestMainJob takes both samples from kubectl apply to Ready, and back to nothing.
func TestMainJob(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	samples := filepath.Join(root, "k3s", "samples")
	s.kubectl("apply", "-f", samples)
	s.kubectl("wait", "--for=condition=Ready", "pgdb/orders", "mapp/shop", "--timeout=120s")

	db, shop := s.get(databases, "orders"), s.get(apps, "shop")
	seen := stateOf(db)
	bought := s.one(seen.uid)
	if bought.Endpoint == "" || seen.endpoint != bought.Endpoint || seen.instance != bought.ID || seen.phase != "Running" {
		t.Errorf("the status says instance %s at %q, the cloud %s at %q", seen.instance, seen.endpoint, bought.ID, bought.Endpoint)
	}
	if bought.CPU != 2 || bought.MemoryGB != 4 || bought.StorageGB != 100 || bought.Major != "14" ||
		bought.SubnetID != "subnet-mote0001" || bought.VpcID != "vpc-mote0001" || bought.Zone != "ap-guangzhou-6" ||
		bought.ChargeType != "POSTPAID_BY_HOUR" || bought.Tags["mote-uid"] != seen.uid || bought.Tags["mote-object"] != s.ns+"/orders" {
		t.Errorf("bought: %+v", bought)
	}
	checkConnectionSecret(s, db, bought.Endpoint, bought.PasswordSHA256)
	checkOwned(s, shop, deployments, "shop")
	checkOwned(s, shop, services, "shop")
	checkOwned(s, shop, configMaps, "shop-config")
	if len(s.list(pods, "mote.example.com/app=shop")) != 3 {
		t.Error("there are not 3 pods")
	}

	checkGet(s, seen)
	checkDescribe(s, seen)
	checkExplain(s)

	s.kubectl("delete", "-f", samples, "--timeout=120s")
	s.gone(databases, "orders")
	s.gone(apps, "shop")
	if e := s.one(seen.uid); e.Billed || e.Ended.IsZero() {
		t.Errorf("after the deletion by policy Delete: %+v", e)
	}
	if n := len(s.ledger()); n != 1 {
		t.Errorf("%d instances were bought, want 1", n)
	}
	s.childless()
	s.gone(secretsResource, "orders-connection")
}

// checkConnectionSecret takes the Secret as an app would that knows nothing else.
func checkConnectionSecret(s *site, db *unstructured.Unstructured, endpoint, passwordHash string) {
	t := s.t
	checkOwned(s, db, secretsResource, "orders-connection")
	c := s.connection("orders-connection")
	if len(c) != 7 || c["user"] != "dbadmin" || c["dbname"] == "" || c["sslmode"] == "" || net.JoinHostPort(c["host"], c["port"]) != endpoint {
		t.Error("the connection Secret is not as it should be")
	}
	if sha256hex(c["password"]) != passwordHash {
		t.Error("the cloud has another password than the Secret")
	}
	u, err := url.Parse(c["uri"])
	if err != nil {
		t.Fatal("the uri cannot be parsed")
	}
	password, _ := u.User.Password()
	if u.Scheme != "postgresql" || u.Host != endpoint || u.User.Username() != "dbadmin" || password != c["password"] ||
		u.Path != "/"+c["dbname"] || u.Query().Get("sslmode") != c["sslmode"] {
		t.Error("the uri does not say what the other keys say")
	}
	out := s.kubectl("get", "secret", "orders-connection", "-o", "jsonpath={.data.uri}")
	if out == "" {
		t.Error("kubectl finds no uri")
	}
}

// checkOwned: a child belongs to its owner, so that it goes with it.
func checkOwned(s *site, owner *unstructured.Unstructured, r schema.GroupVersionResource, name string) {
	s.t.Helper()
	child := s.get(r, name)
	ref := metav1.GetControllerOf(child)
	if ref == nil || ref.UID != owner.GetUID() || ref.Kind != owner.GetKind() || ref.BlockOwnerDeletion == nil || !*ref.BlockOwnerDeletion {
		s.t.Errorf("%s %s is owned by %+v", r.Resource, name, child.GetOwnerReferences())
	}
	if child.GetLabels()["app.kubernetes.io/managed-by"] != "mote" {
		s.t.Errorf("%s %s has labels %v", r.Resource, name, child.GetLabels())
	}
}

func checkGet(s *site, db state) {
	t := s.t
	table := func(args ...string) [][]string {
		var rows [][]string
		for line := range strings.Lines(s.kubectl(append([]string{"get"}, args...)...)) {
			if f := strings.Fields(line); len(f) > 0 {
				rows = append(rows, f)
			}
		}
		return rows
	}
	line := func(rows [][]string, first string) string {
		for _, r := range rows {
			if r[0] == first {
				return strings.Join(r, " ")
			}
		}
		return ""
	}
	both := table("pgdb,mapp")
	for _, want := range []string{
		"NAME PHASE READY VERSION CLASS STORAGE ENDPOINT AGE",
		"postgresdb.database.example.com/orders Running True 14.1 2C4G 100 " + db.endpoint,
		"NAME PHASE READY DESIRED AVAILABLE IMAGE AGE",
		"myapp.example.com/shop Running True 3 3 nginxinc/nginx-unprivileged:1.27-alpine",
	} {
		found := false
		for _, r := range both {
			found = found || strings.HasPrefix(strings.Join(r, " "), want)
		}
		if !found {
			t.Errorf("kubectl get pgdb,mapp has no line %q:\n%v", want, both)
		}
	}
	wide := table("pgdb", "-o", "wide")
	if err := says(line(wide, "NAME"), "INSTANCE REGION SITE MESSAGE"); err != nil {
		t.Error(err)
	}
	if err := says(line(wide, "orders"), db.instance+" ap-guangzhou"); err != nil {
		t.Error(err)
	}
	if rows := table("mote"); len(rows) != 4 {
		t.Errorf("kubectl get mote: %v", rows)
	}
	if rows := table("databases", "-o", "name"); len(rows) != 1 {
		t.Errorf("kubectl get databases: %v", rows)
	}
}

func checkDescribe(s *site, db state) {
	out := s.kubectl("describe", "pgdb", "orders")
	if err := says(out, "Conditions:", "Ready", "Observed Generation:", db.instance, "Events:", "Ordered", "Running"); err != nil {
		s.t.Error(err)
	}
	out = s.kubectl("describe", "mapp", "shop")
	if err := says(out, "Conditions:", "Ready", "Available", "replicas available"); err != nil {
		s.t.Error(err)
	}
}

func checkExplain(s *site) {
	for path, words := range map[string][]string{
		"pgdb.spec":                {"instanceClass", "2C4G", "-required-", "deletionPolicy"},
		"pgdb.spec.deletionPolicy": {"Isolate", "recycle", "ENUM"},
		"pgdb.status.conditions":   {"lastTransitionTime"},
		"mapp.spec":                {"replicas", "serviceType", "config"},
		"mapp.spec.config":         {"ConfigMap"},
	} {
		if err := says(s.kubectl("explain", path), words...); err != nil {
			s.t.Errorf("kubectl explain %s: %v", path, err)
		}
	}
}
