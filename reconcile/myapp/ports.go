package myapp

import (
	"example.com/mote/crd/examplev1"
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
