package myapp

import (
	"maps"
	"slices"

	"example.com/mote/crd/examplev1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// port is one port of an app: the Service's number, and the container's.
type port struct {
	name, protocol string
	number, target int64
}

// portsOf are an app's ports, the simple one first.
func portsOf(app *examplev1.MyApp) []port {
	var out []port
	if n := int64(app.Spec.Port); n != 0 {
		out = append(out, port{portName, protocolTCP, n, n})
	}
	for _, p := range app.Spec.Ports {
		q := port{p.Name, p.Protocol, int64(p.Port), int64(p.TargetPort)}
		if q.protocol == "" {
			q.protocol = protocolTCP
		}
		if q.target == 0 {
			q.target = q.number
		}
		out = append(out, q)
	}
	return out
}

const protocolTCP = "TCP"

func containerPorts(app *examplev1.MyApp) []any {
	var out []any
	for _, p := range portsOf(app) {
		c := map[string]any{"name": p.name, "containerPort": p.target, "protocol": p.protocol}
		if app.Spec.HostNetwork {
			c["hostPort"] = p.target
		}
		out = append(out, c)
	}
	return out
}

// servicePorts lead to the container's ports by name: while pods roll to another
// number, each pod's own is found.
func servicePorts(app *examplev1.MyApp) []any {
	var out []any
	for _, p := range portsOf(app) {
		out = append(out, map[string]any{"name": p.name, "port": p.number, "protocol": p.protocol, "targetPort": p.name})
	}
	return out
}

// leading is a Service's manifest that leads to all pods of an app while they roll.
// By name, a port is found in pods that have it under that name; but pods of an
// earlier template may have it under another. As long as there may be such pods, it
// is found by its number, which is the same in all of them. A number that the
// Service has from then, and that is not wanted any more, is no such case.
func leading(manifest map[string]any, live *unstructured.Unstructured, ports []port) map[string]any {
	have, _ := at(live.Object, "spec")["ports"].([]any)
	spec := maps.Clone(at(manifest, "spec"))
	list := slices.Clone(spec["ports"].([]any))
	for i, w := range list {
		w := maps.Clone(w.(map[string]any))
		l, _ := findByKey(have, w, []string{"port", "protocol"}).(map[string]any)
		name, byName := l["targetPort"].(string)
		if l != nil && (byName && name != w["targetPort"] || !byName && sameScalar(l["targetPort"], ports[i].target)) {
			w["targetPort"] = ports[i].target
		}
		list[i] = w
	}
	out := maps.Clone(manifest)
	spec["ports"] = list
	out["spec"] = spec
	return out
}
