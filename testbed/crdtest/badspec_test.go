package crdtest

import (
	"strings"
	"testing"
)

// Each bad spec is refused at the door, with the field and a reason that a
// person can act upon.
func TestBadSpecsAreRefused(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		kind   kind
		what   string
		name   string // of the object; "" takes one that is fine
		change fields // against the minimal spec
		field  string // that the message names
		words  string // that the message holds
	}{
		{kind: postgresDB, what: "no storage", change: fields{"storageGB": ""}, field: "spec.storageGB", words: "Required value"},
		{kind: postgresDB, what: "no subnet", change: fields{"subnetID": ""}, field: "spec.subnetID", words: "Required value"},
		{kind: postgresDB, what: "no version", change: fields{"engineVersion": ""}, field: "spec.engineVersion", words: "Required value"},
		{kind: postgresDB, what: "no class", change: fields{"instanceClass": ""}, field: "spec.instanceClass", words: "Required value"},
		{kind: postgresDB, what: "storage between steps", change: fields{"storageGB": "15"}, field: "spec.storageGB", words: "storageGB is 10 to 32000 in steps of 10"},
		{kind: postgresDB, what: "no storage at all", change: fields{"storageGB": "0"}, field: "spec.storageGB", words: "storageGB is 10 to 32000 in steps of 10"},
		{kind: postgresDB, what: "negative storage", change: fields{"storageGB": "-10"}, field: "spec.storageGB", words: "storageGB is 10 to 32000 in steps of 10"},
		{kind: postgresDB, what: "too much storage", change: fields{"storageGB": "32010"}, field: "spec.storageGB", words: "storageGB is 10 to 32000 in steps of 10"},
		{kind: postgresDB, what: "storage beyond 32 bits", change: fields{"storageGB": "4294967300"}, field: "spec.storageGB", words: "storageGB is 10 to 32000 in steps of 10"},
		{kind: postgresDB, what: "storage as text", change: fields{"storageGB": `"100"`}, field: "spec.storageGB", words: `must be of type integer: "string"`},
		{kind: postgresDB, what: "version without quotes", change: fields{"engineVersion": "14.1"}, field: "spec.engineVersion", words: `must be of type string: "number"`},
		{kind: postgresDB, what: "version with a v", change: fields{"engineVersion": "v14.1"}, field: "spec.engineVersion", words: "engineVersion is a PostgreSQL version like '14' or '14.1', in quotes"},
		{kind: postgresDB, what: "version of three parts", change: fields{"engineVersion": "14.1.2"}, field: "spec.engineVersion", words: "engineVersion is a PostgreSQL version like '14' or '14.1', in quotes"},
		{kind: postgresDB, what: "class in lower case", change: fields{"instanceClass": "2c4g"}, field: "spec.instanceClass", words: "instanceClass is cores and GiB of memory like '2C4G'"},
		{kind: postgresDB, what: "class of the cloud's own words", change: fields{"instanceClass": "pg.it.small2"}, field: "spec.instanceClass", words: "instanceClass is cores and GiB of memory like '2C4G'"},
		{kind: postgresDB, what: "VPC in place of the subnet", change: fields{"subnetID": "vpc-1a2b3c4d"}, field: "spec.subnetID", words: "subnetID looks like 'subnet-1a2b3c4d'"},
		{kind: postgresDB, what: "subnet in place of the VPC", change: fields{"vpcID": "subnet-1a2b3c4d"}, field: "spec.vpcID", words: "vpcID looks like 'vpc-1a2b3c4d'"},
		{kind: postgresDB, what: "region by its name", change: fields{"region": "Guangzhou"}, field: "spec.region", words: "region looks like 'ap-guangzhou'"},
		{kind: postgresDB, what: "region in place of the zone", change: fields{"zone": "ap-guangzhou"}, field: "spec.zone", words: "zone looks like 'ap-guangzhou-6'"},
		{kind: postgresDB, what: "zone of another region", change: fields{"region": "ap-shanghai", "zone": "ap-guangzhou-6"}, field: "spec.zone", words: "zone is not in region"},
		{kind: postgresDB, what: "site in upper case", change: fields{"site": "Edge_01"}, field: "spec.site", words: "site is lower-case letters, digits and '-', like 'edge-01'"},
		{kind: postgresDB, what: "site too long", change: fields{"site": long(64)}, field: "spec.site", words: "may not be more than 63"},
		{kind: postgresDB, what: "charge type of the cloud's own words", change: fields{"chargeType": "POSTPAID_BY_HOUR"}, field: "spec.chargeType", words: `supported values: "PostpaidByHour", "Prepaid"`},
		{kind: postgresDB, what: "policy unknown", change: fields{"deletionPolicy": "Keep"}, field: "spec.deletionPolicy", words: `supported values: "Isolate", "Delete", "Retain"`},
		{kind: postgresDB, what: "admin is postgres", change: fields{"adminUser": "postgres"}, field: "spec.adminUser", words: "adminUser is 1 to 16 letters, digits and '_'"},
		{kind: postgresDB, what: "admin of a reserved prefix", change: fields{"adminUser": "pg_admin"}, field: "spec.adminUser", words: "adminUser is 1 to 16 letters, digits and '_'"},
		{kind: postgresDB, what: "admin starts with a digit", change: fields{"adminUser": "1st"}, field: "spec.adminUser", words: "adminUser is 1 to 16 letters, digits and '_'"},
		{kind: postgresDB, what: "admin too long", change: fields{"adminUser": long(17)}, field: "spec.adminUser", words: "may not be more than 16"},
		{kind: postgresDB, what: "Secret's name in upper case", change: fields{"connectionSecretName": "Orders"}, field: "spec.connectionSecretName", words: "connectionSecretName is a Secret's name"},
		{kind: postgresDB, what: "security group of another kind", change: fields{"securityGroupIDs": "[subnet-1a2b3c4d]"}, field: "spec.securityGroupIDs", words: "each of securityGroupIDs looks like 'sg-1a2b3c4d'"},
		{kind: postgresDB, what: "security group twice", change: fields{"securityGroupIDs": "[sg-1, sg-1]"}, field: "spec.securityGroupIDs[1]", words: "Duplicate value"},
		{kind: postgresDB, what: "too many security groups", change: fields{"securityGroupIDs": "[sg-1, sg-2, sg-3, sg-4, sg-5, sg-6]"}, field: "spec.securityGroupIDs", words: "must have at most 5 items"},
		{kind: postgresDB, what: "tag of Mote's own", change: fields{"tags": `{mote-uid: "1"}`}, field: "spec.tags", words: "does not start with 'mote-' or 'tencent'"},
		{kind: postgresDB, what: "tag too long", change: fields{"tags": "{team: " + long(256) + "}"}, field: "spec.tags.team", words: "may not be more than 255"},
		{kind: postgresDB, what: "instance of another kind", change: fields{"instanceID": "cdb-1a2b3c4d"}, field: "spec.instanceID", words: "instanceID looks like 'postgres-1a2b3c4d'"},
		{kind: postgresDB, what: "field misspelt", change: fields{"storageGb": "100"}, field: "spec.storageGb", words: "unknown field"},
		{kind: postgresDB, what: "name too long", name: long(53), field: "metadata.name", words: "metadata.name is at most 52 characters long"},

		{kind: myApp, what: "no image", change: fields{"image": ""}, field: "spec.image", words: "Required value"},
		{kind: myApp, what: "no port", change: fields{"port": ""}, field: "spec.port", words: "Required value"},
		{kind: myApp, what: "empty image", change: fields{"image": `""`}, field: "spec.image", words: "image is an image reference like 'nginx:1.27-alpine'"},
		{kind: myApp, what: "image with a space", change: fields{"image": `"nginx :1.27"`}, field: "spec.image", words: "no spaces"},
		{kind: myApp, what: "image with a scheme", change: fields{"image": "https://example.com/nginx"}, field: "spec.image", words: "no 'https://'"},
		{kind: myApp, what: "image whose tag was lost", change: fields{"image": `"nginx:"`}, field: "spec.image", words: "no ':' at its end"},
		{kind: myApp, what: "port 0", change: fields{"port": "0"}, field: "spec.port", words: "port is 1 to 65535"},
		{kind: myApp, what: "port too high", change: fields{"port": "65536"}, field: "spec.port", words: "port is 1 to 65535"},
		{kind: myApp, what: "port by name", change: fields{"port": "http"}, field: "spec.port", words: `must be of type integer: "string"`},
		{kind: myApp, what: "negative replicas", change: fields{"replicas": "-1"}, field: "spec.replicas", words: "replicas is 0 to 1000"},
		{kind: myApp, what: "too many replicas", change: fields{"replicas": "1001"}, field: "spec.replicas", words: "replicas is 0 to 1000"},
		{kind: myApp, what: "variable twice", change: fields{"env": "[{name: A}, {name: A}]"}, field: "spec.env[1]", words: "Duplicate value"},
		{kind: myApp, what: "variable starts with a digit", change: fields{"env": "[{name: 1A}]"}, field: "spec.env[0].name", words: "not starting with a digit"},
		{kind: myApp, what: "variable's value without quotes", change: fields{"env": "[{name: A, value: 1}]"}, field: "spec.env[0].value", words: `must be of type string: "integer"`},
		{kind: myApp, what: "config file with a path", change: fields{"config": "{etc/app.conf: x}"}, field: "spec.config", words: "a key of config is a file name"},
		{kind: myApp, what: "config file hidden from mounts", change: fields{"config": "{..data: x}"}, field: "spec.config", words: "a key of config is a file name"},
		{kind: myApp, what: "config too large", change: fields{"config": "{a: " + long(250_000) + ", b: " + long(250_000) + ", c: " + long(250_000) + ", d: " + long(250_001) + "}"}, field: "spec.config", words: "config is at most 1000000 characters in all"},
		{kind: myApp, what: "resource misspelt", change: fields{"resources": "{requests: {mem: 64Mi}}"}, field: "spec.resources.requests", words: "requests are of cpu, memory, ephemeral-storage"},
		{kind: myApp, what: "amount misspelt", change: fields{"resources": "{limits: {memory: 64MB}}"}, field: "spec.resources.limits", words: "limits are amounts like 1, '100m' or '64Mi'"},
		{kind: myApp, what: "negative amount", change: fields{"resources": "{limits: {cpu: -1}}"}, field: "spec.resources.limits", words: "not negative"},
		{kind: myApp, what: "service type unknown", change: fields{"serviceType": "Ingress"}, field: "spec.serviceType", words: `supported values: "ClusterIP", "NodePort", "LoadBalancer", "None"`},
		{kind: myApp, what: "pull policy unknown", change: fields{"imagePullPolicy": "Sometimes"}, field: "spec.imagePullPolicy", words: `supported values: "Always", "IfNotPresent", "Never"`},
		{kind: myApp, what: "pull secret without a name", change: fields{"imagePullSecrets": "[{}]"}, field: "spec.imagePullSecrets[0].name", words: "Required value"},
		{kind: myApp, what: "node label with a space", change: fields{"nodeSelector": `{disk: "very fast"}`}, field: "spec.nodeSelector[disk]", words: "a label's value is letters, digits"},
		{kind: myApp, what: "node label's key", change: fields{"nodeSelector": `{"a b": c}`}, field: "spec.nodeSelector", words: "a key of nodeSelector is a label like 'kubernetes.io/arch'"},
		{kind: myApp, what: "site with a dot", change: fields{"site": "edge.01"}, field: "spec.site", words: "site is lower-case letters, digits and '-', like 'edge-01'"},
		{kind: myApp, what: "name starts with a digit", name: "1st", field: "metadata.name", words: "metadata.name is also the Service's name"},
	} {
		t.Run(c.kind.name+"/"+c.what, func(t *testing.T) {
			if c.name == "" {
				c.name = "bad"
			}
			refused(t, []string{c.field, c.words}, c.kind.manifest(c.name, c.kind.minimal.with(c.change)), "create", "-f", "-")
		})
	}
}
