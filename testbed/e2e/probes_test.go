package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"example.com/mote/cloud/standin"
	"example.com/mote/testbed/bed"
)

// anyPort lets mote choose where it listens.
var anyPort = []string{"--listen-address", "127.0.0.1:0"}

// listens is where a mote says that it listens, or "".
func listens(p *bed.Process) string {
	for l := range strings.Lines(p.Output()) {
		var line struct{ Msg, Address string }
		if json.Unmarshal([]byte(l), &line) == nil && line.Msg == "listening" {
			return line.Address
		}
	}
	return ""
}

// probe asks a mote for a path.
func (s *site) probe(p *bed.Process, path string) (code int, body string, err error) {
	s.t.Helper()
	at := listens(p)
	if at == "" {
		return 0, "", errors.New("it does not say where it listens")
	}
	r, err := http.Get("http://" + at + path)
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return r.StatusCode, string(b), err
}

// answers waits until a path is answered with a code, and with all the words.
func (s *site) answers(p *bed.Process, path string, code int, words ...string) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("%s answers %s with %d %q", p.Name, path, code, words), func() error {
		got, body, err := s.probe(p, path)
		if err != nil {
			return err
		}
		if got != code {
			return fmt.Errorf("%d %s", got, body)
		}
		return says(body, words...)
	})
}

// metrics is what a mote tells at present.
type metrics map[string]*dto.MetricFamily

func (s *site) scrape(p *bed.Process) metrics {
	s.t.Helper()
	code, body, err := s.probe(p, "/metrics")
	if err != nil || code != http.StatusOK {
		s.t.Fatalf("%s: %d %v", p.Name, code, err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(body))
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", p.Name, err, body)
	}
	return families
}

// value is a counter, a gauge, or how many a histogram counted; -1 when there is
// no such series. Labels are names and values in turn.
func (m metrics) value(name string, labels ...string) float64 {
	for _, series := range m[name].GetMetric() {
		matches := true
		for i := 0; i < len(labels); i += 2 {
			matches = matches && slices.ContainsFunc(series.Label, func(l *dto.LabelPair) bool {
				return l.GetName() == labels[i] && l.GetValue() == labels[i+1]
			})
		}
		switch {
		case !matches:
		case series.Counter != nil:
			return series.Counter.GetValue()
		case series.Gauge != nil:
			return series.Gauge.GetValue()
		case series.Histogram != nil:
			return float64(series.Histogram.GetSampleCount())
		}
	}
	return -1
}

// TestProbes: a mote that works says so, in words that a strict parser takes.
func TestProbes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.start(anyPort...)
	s.answers(p, "/healthz", 200, "ok")
	s.answers(p, "/readyz", 200, "ok")
	s.answers(p, "/readyz?verbose", 200, "[+]shutdown ok", "[+]PostgresDB/postgresdbs ok", "[+]MyApp/myapps ok",
		"[+]MyApp/deployments ok", "readyz check passed")
	s.answers(p, "/healthz?verbose", 200, "[+]PostgresDB/turns ok", "[+]MyApp/queue ok", "[+]MyApp/services ok")
	s.answers(p, "/debug/pprof/", 404)
	s.apply(database("remarkable-db", nil), app("remarkable-app", nil))
	s.runs(databases, "remarkable-db")
	s.runs(apps, "remarkable-app")

	m := s.scrape(p)
	checkMetrics(t, s, m)
	for _, c := range []struct {
		least  float64
		name   string
		labels []string
	}{
		{1, "workqueue_adds_total", []string{"name", "MyApp"}},
		{1, "workqueue_queue_duration_seconds", []string{"name", "MyApp"}},
		{1, "workqueue_work_duration_seconds", []string{"name", "PostgresDB"}},
		{0, "workqueue_depth", []string{"name", "PostgresDB"}},
		{0, "workqueue_retries_total", []string{"name", "PostgresDB"}},
		{0, "workqueue_unfinished_work_seconds", []string{"name", "PostgresDB"}},
		{0, "workqueue_longest_running_processor_seconds", []string{"name", "PostgresDB"}},
		{1, "controller_runtime_reconcile_total", []string{"controller", "MyApp", "result", "success"}},
		{0, "controller_runtime_reconcile_errors_total", []string{"controller", "PostgresDB"}},
		{0, "controller_runtime_reconcile_panics_total", []string{"controller", "PostgresDB"}},
		{1, "controller_runtime_reconcile_time_seconds", []string{"controller", "PostgresDB"}},
		{0, "controller_runtime_active_workers", []string{"controller", "PostgresDB"}},
		{1, "controller_runtime_max_concurrent_reconciles", []string{"controller", "PostgresDB"}},
		{1, "leader_election_master_status", []string{"name", "mote"}},
		{1, "rest_client_requests_total", []string{"code", "200", "method", "PATCH"}},
		{1, "rest_client_request_duration_seconds", []string{"verb", "GET"}},
		{1, "go_goroutines", nil},
		{1, "go_info", nil},
		{1 << 20, "go_memstats_heap_alloc_bytes", nil},
		{1 << 20, "process_resident_memory_bytes", nil},
		{0.01, "process_cpu_seconds_total", nil},
		{1.7e9, "process_start_time_seconds", nil},
		{1, "mote_build_info", nil},
		{1, "mote_objects", []string{"kind", "PostgresDB", "phase", "Running"}},
		{0, "mote_status_pruned", []string{"kind", "PostgresDB"}},
		{0, "mote_drift_total", []string{"kind", "MyApp"}},
		{0, "mote_objects_drifted", []string{"kind", "PostgresDB"}},
		{0, "mote_purchase_intents_open", []string{"outcome", "unknown"}},
		{1, "mote_watch_lists_total", []string{"kind", "MyApp", "resource", "configmaps"}},
		{1, "mote_watch_streams_total", []string{"kind", "PostgresDB", "resource", "postgresdbs"}},
		{1.7e9, "mote_watch_last_event_timestamp_seconds", []string{"kind", "PostgresDB"}},
		{0, "mote_watch_trouble", []string{"kind", "MyApp", "resource", "myapps", "reason", "Forbidden"}},
		{1, "mote_cloud_requests_total", []string{"action", "CreateInstances", "region", "ap-guangzhou", "class", "OK"}},
		{1, "mote_cloud_request_duration_seconds", []string{"action", "CreateInstances"}},
		{1, "mote_cloud_region_reachable", []string{"region", "ap-guangzhou"}},
		{1, "mote_purchases_total", []string{"outcome", "made"}},
	} {
		if got := m.value(c.name, c.labels...); got < c.least {
			t.Errorf("%s%v is %v, at least %v wanted", c.name, c.labels, got, c.least)
		}
	}
	for _, x := range m["mote_watch_trouble"].GetMetric() {
		if x.Gauge.GetValue() != 0 {
			t.Errorf("trouble: %v", x)
		}
	}

	// Who does not lead is ready to.
	standby := s.start(anyPort...)
	s.logged(standby, "waiting to lead")
	s.answers(standby, "/readyz", 200, "ok")
	s.answers(standby, "/healthz", 200, "ok")
	if got := s.scrape(standby).value("leader_election_master_status"); got != 0 {
		t.Errorf("the standby says of its leading: %v", got)
	}
}

// checkMetrics: each family is described, named as is usual, and names no object.
func checkMetrics(t *testing.T, s *site, m metrics) {
	t.Helper()
	series := 0
	for name, f := range m {
		if f.GetHelp() == "" || f.Type == nil || f.GetType() == dto.MetricType_UNTYPED {
			t.Errorf("%s has no HELP or no TYPE", name)
		}
		if counter := f.GetType() == dto.MetricType_COUNTER; counter != strings.HasSuffix(name, "_total") {
			t.Errorf("%s is a %s", name, f.GetType())
		}
		seen := map[string]bool{}
		for _, x := range f.Metric {
			series++
			labels := ""
			for _, l := range x.Label {
				labels += fmt.Sprintf("%s=%q,", l.GetName(), l.GetValue())
			}
			if seen[labels] {
				t.Errorf("%s{%s} is there twice", name, labels)
			}
			seen[labels] = true
			if strings.Contains(labels, "remarkable") || strings.Contains(labels, s.ns) {
				t.Errorf("%s{%s} names an object", name, labels)
			}
		}
	}
	if series > 400 {
		t.Errorf("%d series", series)
	}
	t.Logf("%d families, %d series", len(m), series)
}

// TestNotReadyWhileStopping: who is asked to stop says so first, and is alive
// until its work has come to an end.
func TestNotReadyWhileStopping(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fault(standin.Fault{Action: "CreateInstances", Kind: standin.Hang, After: true})
	p := s.start(append(anyPort, "--lease-duration", "60s", "--grace-period", "15s", "--cloud-timeout", "10m")...)
	s.apply(database("db", nil))
	s.in("CreateInstances", true)
	s.answers(p, "/readyz", 200, "ok")
	p.Signal(syscall.SIGTERM)
	s.answers(p, "/readyz", 503, "[-]shutdown failed: the process was asked to stop", "readyz check failed")
	s.answers(p, "/healthz", 200, "ok")
	s.stop(p) // its exit code has to be 0
	s.heal()
	if _, _, err := s.probe(p, "/healthz"); err == nil {
		t.Error("somebody listens after the end")
	}
}

// TestNotReadyWithoutALease: who can neither lead nor find out who does is not ready, and
// alive; it goes on by itself.
func TestNotReadyWithoutALease(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	nowhere := s.ns + "-nowhere"
	p := s.startWith(nil, append(append(s.brisk(), anyPort...), "--lease-namespace", nowhere, "--region", "ap-guangzhou")...)
	s.answers(p, "/readyz", 503, "[-]lease failed since", "the lease's namespace does not exist", "readyz check failed")
	s.answers(p, "/healthz", 200, "ok")
	s.makeNamespace(nowhere)
	s.answers(p, "/readyz?verbose", 200, "[+]lease ok", "[+]MyApp/myapps ok")
}

// TestListenAddressTaken: it is said before anything is begun.
func TestListenAddressTaken(t *testing.T) {
	t.Parallel()
	s := newSiteWithoutCloud(t)
	p := s.start(anyPort...)
	s.answers(p, "/healthz", 200, "ok")
	address := listens(p)
	out, complaint, code := mote(t, nil, "run", "--listen-address", address)
	if code != 2 || out != "" || strings.Count(complaint, "\n") != 1 {
		t.Errorf("exit code %d\n%s%s", code, out, complaint)
	}
	if err := says(complaint, "--listen-address", address, "address already in use"); err != nil {
		t.Error(err)
	}
}
