package myapp

import (
	"example.com/mote/crd/examplev1"
)

// Paces of probes, in seconds, for what an app leaves out. A timeout of one
// second, the API server's default, fails on a busy small board.
const (
	probePeriod   = 10
	probeTimeout  = 5
	probeFailures = 3
	probeStartup  = 120
)

// probesFor are a container's probes by field: readiness, by a connection unless
// the app says otherwise; liveness where it is asked for, and then a start-up
// probe that holds it back.
func probesFor(app *examplev1.MyApp) map[string]any {
	p := app.Spec.Probe
	if p == nil {
		p = &examplev1.Probe{}
	}
	port := p.Port
	for _, o := range portsOf(app) {
		if port == "" && o.protocol == protocolTCP {
			port = o.name
		}
	}
	if port == "" || (p.Path == "" && p.TCP != nil && !*p.TCP) {
		return nil
	}
	period := orDefault(p.PeriodSeconds, probePeriod)
	probe := func(failures int64) map[string]any {
		out := map[string]any{
			"periodSeconds": period, "timeoutSeconds": orDefault(p.TimeoutSeconds, probeTimeout), "failureThreshold": failures,
		}
		if p.Path != "" {
			out["httpGet"] = map[string]any{"path": p.Path, "port": port, "scheme": "HTTP"}
		} else {
			out["tcpSocket"] = map[string]any{"port": port}
		}
		return out
	}
	failures := orDefault(p.FailureThreshold, probeFailures)
	out := map[string]any{"readinessProbe": probe(failures)}
	if p.Liveness {
		startup := orDefault(p.StartupSeconds, probeStartup)
		out["livenessProbe"], out["startupProbe"] = probe(failures), probe((startup+period-1)/period)
	}
	return out
}

func orDefault(given int32, otherwise int64) int64 {
	if given == 0 {
		return otherwise
	}
	return int64(given)
}
