package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/mote/cloud/standin"
)

// TestSpecReachesTheCloud: all that a spec can say is so in the cloud.
func TestSpecReachesTheCloud(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(database("db", fields{
		"engineVersion": "16.1", "instanceClass": "4C16G", "storageGB": 250, "region": "ap-shanghai",
		"subnetID": "subnet-mote0101", "zone": "ap-shanghai-5", "vpcID": "vpc-mote0101", "chargeType": "Prepaid",
		"adminUser": "owner", "connectionSecretName": "how-to-connect", "deletionProtection": false,
		"securityGroupIDs": []string{"sg-0a1b2c3d", "sg-1a2b3c4d"}, "tags": map[string]string{"team": "orders"},
	}))
	s.runs(databases, "db")
	st := s.state(databases, "db")
	e := s.one(st.uid)
	if e.Region != "ap-shanghai" || e.Zone != "ap-shanghai-5" || e.VpcID != "vpc-mote0101" || e.SubnetID != "subnet-mote0101" ||
		e.Major != "16" || e.CPU != 4 || e.MemoryGB != 16 || e.StorageGB != 250 || e.ChargeType != "PREPAID" || e.AdminUser != "owner" ||
		!slices.Equal(slices.Sorted(slices.Values(e.SecurityGroups)), []string{"sg-0a1b2c3d", "sg-1a2b3c4d"}) || e.Tags["team"] != "orders" {
		t.Errorf("bought: %+v", e)
	}
	if c := s.connection("how-to-connect"); c["user"] != "owner" {
		t.Errorf("user %q", c["user"])
	}
	if st.engineVersion != e.Version || !strings.HasPrefix(e.Version, "16.") {
		t.Errorf("version %q, the cloud has %q", st.engineVersion, e.Version)
	}
}

// TestNoRegion: without --region an object has to name its own.
func TestNoRegion(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start("--region", "")
	s.apply(database("without", nil), database("with", fields{"region": "eu-frankfurt", "subnetID": "subnet-mote0201"}))
	s.runs(databases, "with")
	s.stuck(databases, "without", "Failed", "RegionMissing", "--region")
	if n := len(s.ledger()); n != 1 {
		t.Errorf("%d instances were bought", n)
	}
}

// TestAdoption takes over an instance that exists, and not somebody else's.
func TestAdoption(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(database("first", fields{"deletionPolicy": "Retain"}))
	s.runs(databases, "first")
	id := s.state(databases, "first").instance

	s.apply(database("thief", fields{"instanceID": id}), database("dreamer", fields{"instanceID": "postgres-dream"}))
	thief := s.stuck(databases, "thief", "Failed", "OwnedByAnother", id, s.ns+"/first")
	s.told(thief.uid, "OwnedByAnother", id)
	s.stuck(databases, "dreamer", "Failed", "InstanceNotFound", "postgres-dream")
	s.kubectl("delete", "pgdb", "thief", "dreamer", "first", "--timeout=60s")
	if e := s.entry(id); !e.Billed || e.Status != "running" {
		t.Fatalf("the instance was not retained: %+v", e)
	}

	if _, err := s.cloud.Console(t.Context(), id, standin.Change{Tags: &map[string]string{}, Name: ptr("legacy")}); err != nil {
		t.Fatal(err)
	}
	s.apply(database("heir", fields{"instanceID": id, "deletionPolicy": "Isolate"}))
	s.runs(databases, "heir")
	if st := s.state(databases, "heir"); st.instance != id || st.endpoint != s.entry(id).Endpoint {
		t.Errorf("the heir has instance %s at %s", st.instance, st.endpoint)
	}
	if keys := slices.Sorted(maps.Keys(s.connection("heir-connection"))); slices.Contains(keys, "password") || !slices.Contains(keys, "host") {
		t.Errorf("the connection Secret of an adopted instance, whose password nobody knows, has %v", keys)
	}
	s.kubectl("delete", "pgdb", "heir", "--timeout=60s")
	if e := s.entry(id); e.Billed || e.Isolated.IsZero() {
		t.Errorf("after the heir's deletion: %+v", e)
	}
	if n := len(s.ledger()); n != 1 {
		t.Errorf("%d instances were bought", n)
	}
}

// TestConnectionSecretLost: a connection Secret that is deleted is made again, with a
// password that the cloud has.
func TestConnectionSecretLost(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.start()
	s.apply(database("db", nil))
	s.runs(databases, "db")
	id := s.state(databases, "db").instance
	before := s.connection("db-connection")
	s.kubectl("delete", "secret", "db-connection")
	s.kubectl("annotate", "pgdb/db", "mote.example.com/reconcile-requested-at=now")
	hash := s.entry(id).PasswordSHA256
	s.becomes(id, "has another password", func(e standin.Entry) bool { return e.PasswordSHA256 != hash })
	s.runs(databases, "db")
	after := s.connection("db-connection")
	if after["password"] == "" || after["password"] == before["password"] || sha256hex(after["password"]) != s.entry(id).PasswordSHA256 {
		t.Error("the new Secret's password is not the cloud's")
	}
	if after["host"] != before["host"] || after["user"] != before["user"] {
		t.Error("the new Secret says something else than the old one")
	}
}
