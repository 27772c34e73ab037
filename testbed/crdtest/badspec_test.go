package crdtest

import (
	"strings"
	"testing"
)

// Each bad spec is refused at the door, with the field and a reason that a
// person can act upon.
func TestBadSpecsAreRefused(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	digest := strings.Repeat("0a", 32)
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
		{kind: postgresDB, what: "window without minutes", change: fields{"maintenanceWindow": `"2-4"`}, field: "spec.maintenanceWindow", words: "two times of day like '02:00-04:00'"},
		{kind: postgresDB, what: "window at an hour that is none", change: fields{"maintenanceWindow": `"22:00-24:00"`}, field: "spec.maintenanceWindow", words: "two times of day like '02:00-04:00'"},
		{kind: postgresDB, what: "window that is too short", change: fields{"maintenanceWindow": `"23:50-00:10"`}, field: "spec.maintenanceWindow", words: "30 minutes or longer"},
		{kind: postgresDB, what: "window of no length", change: fields{"maintenanceWindow": `"02:00-02:00"`}, field: "spec.maintenanceWindow", words: "30 minutes or longer"},
		{kind: postgresDB, what: "instance of another kind", change: fields{"instanceID": "cdb-1a2b3c4d"}, field: "spec.instanceID", words: "instanceID looks like 'postgres-1a2b3c4d'"},
		{kind: postgresDB, what: "field misspelt", change: fields{"storageGb": "100"}, field: "spec.storageGb", words: "unknown field"},
		{kind: postgresDB, what: "name too long", name: long(53), field: "metadata.name", words: "metadata.name is at most 52 characters long"},

		{kind: myApp, what: "no image", change: fields{"image": ""}, field: "spec.image", words: "Required value"},
		{kind: myApp, what: "no port", change: fields{"port": ""}, field: "spec.port", words: "port is missing: give port, or ports, or 'serviceType: None'"},
		{kind: myApp, what: "empty image", change: fields{"image": `""`}, field: "spec.image", words: "image is an image reference like 'nginx:1.27-alpine'"},
		{kind: myApp, what: "image with a space", change: fields{"image": `"nginx :1.27"`}, field: "spec.image", words: "no spaces"},
		{kind: myApp, what: "image with a scheme", change: fields{"image": "https://example.com/nginx"}, field: "spec.image", words: "no 'https://'"},
		{kind: myApp, what: "image whose tag was lost", change: fields{"image": `"nginx:"`}, field: "spec.image", words: "no ':' at its end"},
		{kind: myApp, what: "image with an empty tag before its digest", change: fields{"image": `"nginx:@sha256:` + digest + `"`}, field: "spec.image", words: "no ':' at its end"},
		{kind: myApp, what: "image that ends with a slash", change: fields{"image": "ghcr.io/team/"}, field: "spec.image", words: "image is an image reference like 'nginx:1.27-alpine'"},
		{kind: myApp, what: "image whose template was not filled in", change: fields{"image": `"{{ .Values.image }}"`}, field: "spec.image", words: "image is an image reference like 'nginx:1.27-alpine'"},
		{kind: myApp, what: "image in capitals", change: fields{"image": "Nginx"}, field: "spec.image", words: "a repository is lower-case, like 'ghcr.io/team/app'"},
		{kind: myApp, what: "image of a team in capitals", change: fields{"image": "localhost:5000/Team/app:1"}, field: "spec.image", words: "a repository is lower-case"},
		{kind: myApp, what: "image with two tags", change: fields{"image": "app:1:2"}, field: "spec.image", words: "a tag is 1 to 128 letters"},
		{kind: myApp, what: "image whose tag starts with a dash", change: fields{"image": "app:-1"}, field: "spec.image", words: "not starting with '.' or '-'"},
		{kind: myApp, what: "image whose tag is too long", change: fields{"image": "app:" + long(129)}, field: "spec.image", words: "a tag is 1 to 128 letters"},
		{kind: myApp, what: "image whose digest was cut off", change: fields{"image": "app@sha256:" + digest[1:]}, field: "spec.image", words: "a digest is 'sha256:' and 64 digits"},
		{kind: myApp, what: "image whose digest is in capitals", change: fields{"image": "app:1@sha256:" + strings.ToUpper(digest)}, field: "spec.image", words: "a digest is 'sha256:' and 64 digits"},
		{kind: myApp, what: "image whose digest has no algorithm", change: fields{"image": "app@" + digest}, field: "spec.image", words: "a digest is 'sha256:' and 64 digits"},
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
		{kind: myApp, what: "port's name too long", change: fields{"ports": "[{name: " + long(16) + ", port: 1}]"}, field: "spec.ports[0].name", words: "may not be more than 15"},
		{kind: myApp, what: "port's name in upper case", change: fields{"ports": "[{name: MQTT, port: 1}]"}, field: "spec.ports[0].name", words: "a port's name is up to 15 lower-case letters"},
		{kind: myApp, what: "port without a number", change: fields{"ports": "[{name: mqtt}]"}, field: "spec.ports[0].port", words: "Required value"},
		{kind: myApp, what: "port of a strange protocol", change: fields{"ports": "[{name: x, port: 1, protocol: HTTP}]"}, field: "spec.ports[0].protocol", words: `supported values: "TCP", "UDP"`},
		{kind: myApp, what: "port twice", change: fields{"ports": "[{name: a, port: 1}, {name: b, port: 1}]"}, field: "spec.ports", words: "each port number is there once for each protocol"},
		{kind: myApp, what: "port twice, said and meant", change: fields{"ports": "[{name: a, port: 1, protocol: TCP}, {name: b, port: 1}]"}, field: "spec.ports", words: "each port number is there once for each protocol"},
		{kind: myApp, what: "target port twice", change: fields{"ports": "[{name: a, port: 1, targetPort: 9}, {name: b, port: 2, targetPort: 9}]"}, field: "spec.ports", words: "each targetPort is there once for each protocol"},
		{kind: myApp, what: "port that is port", change: fields{"ports": "[{name: web, port: 8080, targetPort: 80}]"}, field: "spec.ports", words: "port is itself a port named 'http'"},
		{kind: myApp, what: "port named as port", change: fields{"ports": "[{name: http, port: 8080}]"}, field: "spec.ports", words: "port is itself a port named 'http'"},
		{kind: myApp, what: "target port out of range", change: fields{"ports": "[{name: a, port: 1, targetPort: 70000}]"}, field: "spec.ports[0].targetPort", words: "targetPort is 1 to 65535"},
		{kind: myApp, what: "probe of two sorts", change: fields{"probe": "{path: /, tcp: true}"}, field: "spec.probe", words: "probe has path or tcp, not both"},
		{kind: myApp, what: "probe of a relative path", change: fields{"probe": "{path: healthz}"}, field: "spec.probe.path", words: "path starts with '/'"},
		{kind: myApp, what: "probe of no port", change: fields{"probe": "{path: /, port: web}"}, field: "spec.probe.port", words: "probe.port is the name of one of ports that is TCP"},
		{kind: myApp, what: "probe of a UDP port", change: fields{"ports": "[{name: dns, port: 53, protocol: UDP}]", "probe": "{tcp: true, port: dns}"}, field: "spec.probe.port", words: "probe.port is the name of one of ports that is TCP"},
		{kind: myApp, what: "probe without ports", change: fields{"port": "", "serviceType": "None", "probe": "{path: /}"}, field: "spec.probe", words: "probe needs a TCP port"},
		{kind: myApp, what: "probe of a long start but no liveness", change: fields{"probe": "{path: /, startupSeconds: 600}"}, field: "spec.probe", words: "startupSeconds is for a probe with 'liveness: true'"},
		{kind: myApp, what: "probe each zero seconds", change: fields{"probe": "{path: /, periodSeconds: 0}"}, field: "spec.probe.periodSeconds", words: "periodSeconds is 1 to 3600"},
		{kind: myApp, what: "command as one text", change: fields{"command": "/bin/sh -c true"}, field: "spec.command", words: `must be of type array: "string"`},
		{kind: myApp, what: "number among the args", change: fields{"args": "[--port, 80]"}, field: "spec.args[1]", words: `must be of type string: "integer"`},
		{kind: myApp, what: "variable of two sources", change: fields{"env": "[{name: A, value: x, valueFrom: {secretKeyRef: {name: s, key: k}}}]"}, field: "spec.env[0]", words: "a variable has value or valueFrom, not both"},
		{kind: myApp, what: "variable from nowhere", change: fields{"env": "[{name: A, valueFrom: {}}]"}, field: "spec.env[0].valueFrom", words: "valueFrom has one of secretKeyRef and configMapKeyRef"},
		{kind: myApp, what: "variable from a Secret without a key", change: fields{"env": "[{name: A, valueFrom: {secretKeyRef: {name: s}}}]"}, field: "spec.env[0].valueFrom.secretKeyRef.key", words: "Required value"},
		{kind: myApp, what: "Secret's name in upper case", change: fields{"env": "[{name: A, valueFrom: {secretKeyRef: {name: S, key: k}}}]"}, field: "spec.env[0].valueFrom.secretKeyRef.name", words: "an object's name is lower-case letters"},
		{kind: myApp, what: "variables from two", change: fields{"envFrom": "[{secretRef: {name: s}, configMapRef: {name: c}}]"}, field: "spec.envFrom[0]", words: "each of envFrom has one of secretRef and configMapRef"},
		{kind: myApp, what: "volume of two sorts", change: fields{"volumes": "[{name: a, mountPath: /a, emptyDir: {}, secret: {name: s}}]"}, field: "spec.volumes[0]", words: "a volume has one of configMap, secret, emptyDir"},
		{kind: myApp, what: "volume of nothing", change: fields{"volumes": "[{name: a, mountPath: /a}]"}, field: "spec.volumes[0]", words: "a volume has one of configMap, secret, emptyDir"},
		{kind: myApp, what: "volume nowhere", change: fields{"volumes": "[{name: a, emptyDir: {}}]"}, field: "spec.volumes[0].mountPath", words: "Required value"},
		{kind: myApp, what: "volume at a relative path", change: fields{"volumes": "[{name: a, mountPath: data, emptyDir: {}}]"}, field: "spec.volumes[0].mountPath", words: "mountPath is an absolute path like '/data'"},
		{kind: myApp, what: "volumes at one place", change: fields{"volumes": "[{name: a, mountPath: /a, emptyDir: {}}, {name: b, mountPath: /a, emptyDir: {}}]"}, field: "spec.volumes", words: "each mountPath is there once"},
		{kind: myApp, what: "volume where config is", change: fields{"config": "{a: b}", "volumes": "[{name: a, mountPath: /etc/config, emptyDir: {}}]"}, field: "spec.volumes", words: "config is mounted at /etc/config"},
		{kind: myApp, what: "volume of Mote's own name", change: fields{"volumes": "[{name: mote-config, mountPath: /a, emptyDir: {}}]"}, field: "spec.volumes[0].name", words: "not starting with 'mote-'"},
		{kind: myApp, what: "node's path with a way out", change: fields{"volumes": "[{name: a, mountPath: /a, hostPath: {path: /data/../etc}}]"}, field: "spec.volumes[0].hostPath.path", words: "path is an absolute path of the node"},
		{kind: myApp, what: "size misspelt", change: fields{"volumes": "[{name: a, mountPath: /a, emptyDir: {sizeLimit: 64MB}}]"}, field: "spec.volumes[0].emptyDir.sizeLimit", words: "sizeLimit is an amount like '64Mi'"},
		{kind: myApp, what: "capability of a node's master", change: fields{"securityContext": "{capabilities: {add: [SYS_ADMIN]}}"}, field: "spec.securityContext.capabilities.add[0]", words: `Unsupported value: "SYS_ADMIN"`},
		{kind: myApp, what: "root that is not said to be meant", change: fields{"securityContext": "{runAsUser: 0}"}, field: "spec.securityContext", words: "runAsUser 0 is root: it needs 'runAsNonRoot: false'"},
		{kind: myApp, what: "privileged", change: fields{"securityContext": "{privileged: true}"}, field: "spec.securityContext.privileged", words: "unknown field"},
		{kind: myApp, what: "strategy that moves nothing", change: fields{"strategy": "{maxSurge: 0, maxUnavailable: 0}"}, field: "spec.strategy", words: "maxSurge and maxUnavailable are not both 0"},
		{kind: myApp, what: "surge of Recreate", change: fields{"strategy": "{type: Recreate, maxSurge: 1}"}, field: "spec.strategy", words: "maxSurge and maxUnavailable are for RollingUpdate"},
		{kind: myApp, what: "deadline of a second", change: fields{"progressDeadlineSeconds": "1"}, field: "spec.progressDeadlineSeconds", words: "progressDeadlineSeconds is 10 to 86400"},
		{kind: myApp, what: "toleration of a value that exists", change: fields{"tolerations": "[{key: a, operator: Exists, value: b}]"}, field: "spec.tolerations[0]", words: "has no value"},
		{kind: myApp, what: "toleration of nothing", change: fields{"tolerations": "[{value: b}]"}, field: "spec.tolerations[0]", words: "a toleration without a key has 'operator: Exists'"},
		{kind: myApp, what: "toleration for a time without NoExecute", change: fields{"tolerations": "[{key: a, value: b, tolerationSeconds: 1}]"}, field: "spec.tolerations[0]", words: "tolerationSeconds is for 'effect: NoExecute'"},
		{kind: myApp, what: "account's name with a space", change: fields{"serviceAccountName": `"a b"`}, field: "spec.serviceAccountName", words: "an object's name is lower-case letters"},
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
