package myapp

import (
	"encoding/json"
	"testing"

	"example.com/mote/crd/examplev1"
)

func TestProbes(t *testing.T) {
	udp := []examplev1.Port{{Name: "dns", Port: 53, Protocol: "UDP"}}
	const tcp = `{"readinessProbe":{"failureThreshold":3,"periodSeconds":10,"tcpSocket":{"port":"http"},"timeoutSeconds":5}}`
	for name, c := range map[string]struct {
		port  int32
		ports []examplev1.Port
		probe *examplev1.Probe
		want  string
	}{
		"by default":         {80, nil, nil, tcp},
		"nothing to ask":     {0, nil, nil, `null`},
		"UDP alone":          {0, udp, nil, `null`},
		"the first TCP port": {0, append(udp, examplev1.Port{Name: "admin", Port: 9}), nil, `{"readinessProbe":{"failureThreshold":3,"periodSeconds":10,"tcpSocket":{"port":"admin"},"timeoutSeconds":5}}`},
		"none is wanted":     {80, nil, &examplev1.Probe{TCP: ptr(false)}, `null`},
		"tcp is said":        {80, nil, &examplev1.Probe{TCP: ptr(true)}, tcp},
		"a path": {80, udp, &examplev1.Probe{Path: "/ready", TCP: ptr(false), PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 9},
			`{"readinessProbe":{"failureThreshold":9,"httpGet":{"path":"/ready","port":"http","scheme":"HTTP"},"periodSeconds":2,"timeoutSeconds":1}}`},
		"liveness": {80, nil, &examplev1.Probe{Liveness: true, Port: "http", StartupSeconds: 61}, `{` +
			`"livenessProbe":{"failureThreshold":3,"periodSeconds":10,"tcpSocket":{"port":"http"},"timeoutSeconds":5},` +
			`"readinessProbe":{"failureThreshold":3,"periodSeconds":10,"tcpSocket":{"port":"http"},"timeoutSeconds":5},` +
			`"startupProbe":{"failureThreshold":7,"periodSeconds":10,"tcpSocket":{"port":"http"},"timeoutSeconds":5}}`},
	} {
		app := newApp(func(a *examplev1.MyApp) { a.Spec.Port, a.Spec.Ports, a.Spec.Probe = c.port, c.ports, c.probe })
		if got, err := json.Marshal(probesFor(app)); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, c.want)
		}
	}
}
