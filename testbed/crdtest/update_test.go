package crdtest

import "testing"

// Changes that would destroy or move what exists are refused; the others pass.
func TestUpdates(t *testing.T) {
	const exists = `{"phase":"Running","instanceID":"postgres-1a2b3c4d"}`
	const small = `{"phase":"Failed","instanceID":"postgres-1a2b3c4d","storageGB":50,"engineVersion":"14.11"}`
	for _, c := range []struct {
		kind         kind
		what         string
		status       string // of the object before the change
		before       fields // against the minimal spec
		change       fields // against before
		field, words string // of the refusal; "" when the change is fine
	}{
		{kind: postgresDB, what: "shrink", status: exists, change: fields{"storageGB": "90"}, field: "spec.storageGB", words: "storageGB can grow but never shrink once the instance exists"},
		{kind: postgresDB, what: "shrink before there is an instance", status: `{"phase":"Pending"}`, change: fields{"storageGB": "90"}},
		{kind: postgresDB, what: "shrink without a status", change: fields{"storageGB": "90"}},
		{kind: postgresDB, what: "grow", status: exists, change: fields{"storageGB": "110"}},
		{kind: postgresDB, what: "older major", status: exists, change: fields{"engineVersion": `"13"`}, field: "spec.engineVersion", words: "engineVersion cannot go back to an older major version"},
		{kind: postgresDB, what: "single-digit major", status: exists, change: fields{"engineVersion": `"9.6"`}, field: "spec.engineVersion", words: "engineVersion cannot go back to an older major version"},
		{kind: postgresDB, what: "a refused growth taken back", status: small, change: fields{"storageGB": "60"}},
		{kind: postgresDB, what: "taken back below what there is", status: small, change: fields{"storageGB": "40"}, field: "spec.storageGB", words: "storageGB can grow but never shrink once the instance exists"},
		{kind: postgresDB, what: "a newer major taken back", status: small, before: fields{"engineVersion": `"15.1"`}, change: fields{"engineVersion": `"14"`}},
		{kind: postgresDB, what: "a major taken back too far", status: small, before: fields{"engineVersion": `"15.1"`}, change: fields{"engineVersion": `"13"`}, field: "spec.engineVersion", words: "engineVersion cannot go back to an older major version"},
		{kind: postgresDB, what: "older major before there is an instance", change: fields{"engineVersion": `"13"`}},
		{kind: postgresDB, what: "newer major", status: exists, change: fields{"engineVersion": `"15"`}},
		{kind: postgresDB, what: "another minor", status: exists, change: fields{"engineVersion": `"14"`}},
		{kind: postgresDB, what: "no version", status: exists, change: fields{"engineVersion": "latest"}, field: "spec.engineVersion", words: "engineVersion is a PostgreSQL version like '14' or '14.1'"},
		{kind: postgresDB, what: "another class", status: exists, change: fields{"instanceClass": "4C8G"}},
		{kind: postgresDB, what: "another policy and protection", status: exists, change: fields{"deletionPolicy": "Retain", "deletionProtection": "true"}},
		{kind: postgresDB, what: "another subnet", change: fields{"subnetID": "subnet-2"}, field: "spec.subnetID", words: "subnetID is immutable"},
		{kind: postgresDB, what: "another region", before: fields{"region": "ap-guangzhou"}, change: fields{"region": "ap-shanghai"}, field: "spec.region", words: "region is immutable"},
		{kind: postgresDB, what: "region added", change: fields{"region": "ap-shanghai"}, field: "spec.region", words: "region is immutable"},
		{kind: postgresDB, what: "region taken away", before: fields{"region": "ap-guangzhou"}, change: fields{"region": ""}, field: "spec.region", words: "region is immutable"},
		{kind: postgresDB, what: "another zone", before: fields{"zone": "ap-guangzhou-6"}, change: fields{"zone": "ap-guangzhou-7"}, field: "spec.zone", words: "zone is immutable"},
		{kind: postgresDB, what: "VPC added", change: fields{"vpcID": "vpc-1"}, field: "spec.vpcID", words: "vpcID is immutable"},
		{kind: postgresDB, what: "another site", before: fields{"site": "edge-01"}, change: fields{"site": "edge-02"}, field: "spec.site", words: "site is immutable"},
		{kind: postgresDB, what: "another way to pay", change: fields{"chargeType": "Prepaid"}, field: "spec.chargeType", words: "chargeType is immutable"},
		{kind: postgresDB, what: "another admin", change: fields{"adminUser": "root"}, field: "spec.adminUser", words: "adminUser is immutable"},
		{kind: postgresDB, what: "admin back to its default", before: fields{"adminUser": "owner"}, change: fields{"adminUser": ""}, field: "spec.adminUser", words: "adminUser is immutable"},
		{kind: postgresDB, what: "another Secret", change: fields{"connectionSecretName": "orders"}, field: "spec.connectionSecretName", words: "connectionSecretName is immutable"},
		{kind: postgresDB, what: "adopt later", change: fields{"instanceID": "postgres-2"}, field: "spec.instanceID", words: "instanceID is immutable"},
		{kind: myApp, what: "site added", change: fields{"site": "edge-02"}, field: "spec.site", words: "site is immutable"},
		{kind: myApp, what: "another site", before: fields{"site": "edge-01"}, change: fields{"site": "edge-02"}, field: "spec.site", words: "site is immutable"},
		{kind: myApp, what: "all that may change", change: myApp.full.with(fields{"site": ""})},
	} {
		t.Run(c.kind.name+"/"+c.what, func(t *testing.T) {
			before := c.kind.minimal.with(c.before)
			created(t, c.kind, "changing", before)
			if c.status != "" {
				withStatus(t, c.kind, "changing", c.status)
			}
			changed := c.kind.manifest("changing", before.with(c.change))
			if c.field == "" {
				accepted(t, changed, "apply", "-f", "-")
				return
			}
			refused(t, []string{c.field, c.words}, changed, "apply", "-f", "-")
		})
	}
}
