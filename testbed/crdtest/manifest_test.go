package crdtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fields are the spec's fields as YAML, by name. One that is "" is left out.
type fields map[string]string

// kind is how to write an object of one kind.
type kind struct {
	apiVersion, name, resource string
	minimal, full              fields
}

var postgresDB = kind{
	apiVersion: "database.example.com/v1", name: "PostgresDB", resource: "pgdb",
	minimal: fields{"engineVersion": `"14.1"`, "instanceClass": "2C4G", "storageGB": "100", "subnetID": "subnet-1a2b3c4d"},
	full: fields{
		"engineVersion": `"14"`, "instanceClass": "64C512G", "storageGB": "32000", "subnetID": "subnet-1a2b3c4d",
		"region": "ap-guangzhou", "zone": "ap-guangzhou-6", "vpcID": "vpc-1a2b3c4d", "site": "edge-01",
		"chargeType": "Prepaid", "deletionPolicy": "Delete", "deletionProtection": "true", "adminUser": "_Owner9",
		"connectionSecretName": "orders.db", "securityGroupIDs": "[sg-1a2b3c4d, sg-2a2b3c4d]",
		"tags": `{team: orders, "cost centre": "4711", empty: ""}`, "instanceID": "postgres-1a2b3c4d",
		"maintenanceWindow": `"23:45-00:15"`,
	},
}

var myApp = kind{
	apiVersion: "example.com/v1", name: "MyApp", resource: "mapp",
	minimal: fields{"image": "nginx", "port": "80"},
	full: fields{
		"replicas": "0", "image": "registry.example.com:5000/team/app:v1.2_3@sha256:" + strings.Repeat("a", 64), "port": "65535",
		"command": "[/bin/app]", "args": `[--verbose, ""]`,
		"ports":    `[{name: mqtt, port: 1883}, {name: dns, port: 53, targetPort: 1053, protocol: UDP}, {name: dns-tcp, port: 53, targetPort: 1053}]`,
		"probe":    `{path: /healthz, port: http, liveness: true, startupSeconds: 300, periodSeconds: 5, timeoutSeconds: 1, failureThreshold: 1}`,
		"env":      `[{name: A, value: "1"}, {name: "dotted.name-x"}, {name: _B, value: ""}, {name: S, valueFrom: {secretKeyRef: {name: db, key: uri}}}, {name: C, valueFrom: {configMapKeyRef: {name: a.b, key: x_y, optional: true}}}]`,
		"envFrom":  `[{secretRef: {name: db}}, {prefix: CM_, configMapRef: {name: more, optional: true}}]`,
		"volumes":  `[{name: data, mountPath: /data, persistentVolumeClaim: {claimName: data}}, {name: tmp, mountPath: /tmp, emptyDir: {medium: Memory, sizeLimit: 64Mi}}, {name: tls, mountPath: /etc/tls, secret: {name: tls}}, {name: more, mountPath: /etc/more/x.conf, subPath: x.conf, configMap: {name: more}}, {name: tty, mountPath: /dev/ttyUSB0, hostPath: {path: /dev/ttyUSB0, type: CharDevice}}]`,
		"strategy": `{type: RollingUpdate, maxSurge: 0, maxUnavailable: 1}`, "progressDeadlineSeconds": "60",
		"securityContext":    `{runAsNonRoot: false, runAsUser: 0, runAsGroup: 0, fsGroup: 0, allowPrivilegeEscalation: true, readOnlyRootFilesystem: true, seccompProfile: Unconfined, capabilities: {add: [NET_BIND_SERVICE, CHOWN], dropAll: false}}`,
		"serviceAccountName": "dashboard", "hostNetwork": "true",
		"tolerations":     `[{operator: Exists}, {key: example.com/dedicated, value: edge, effect: NoSchedule}, {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]`,
		"config":          `{app.conf: "a = 1\n", _x-y: ""}`,
		"resources":       `{requests: {cpu: 1, memory: 4294967296, example.com/gpu: "1"}, limits: {cpu: 1500m, memory: 1.5Gi, ephemeral-storage: 1e9}}`,
		"serviceType":     "None",
		"nodeSelector":    `{kubernetes.io/arch: arm64, disk: ssd, empty: ""}`,
		"imagePullPolicy": "Always", "imagePullSecrets": "[{name: registry.a}, {name: b}]", "site": "edge-01",
	},
}

// with is the fields changed as told.
func (f fields) with(change fields) fields {
	changed := maps.Clone(f)
	maps.Copy(changed, change)
	return changed
}

// manifest is an object of this kind.
func (k kind) manifest(name string, spec fields) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\nmetadata: {name: %s}\nspec:\n", k.apiVersion, k.name, name)
	for _, field := range slices.Sorted(maps.Keys(spec)) {
		if spec[field] != "" {
			fmt.Fprintf(&b, "  %s: %s\n", field, spec[field])
		}
	}
	return b.String()
}
