package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/k3s"
)

var now = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// healthy is a world in which nothing stands in the way.
func healthy() Observed {
	kind := func(name string) Kind {
		return Kind{Resource: name, Served: true, Status: true, Scale: true, WantsScale: true, SchemaHash: "1a", Wants: "1a", Selected: 2, All: 2}
	}
	return Observed{
		Region: "ap-guangzhou", Credential: "Secret mote-system/mote-credentials", Memory: Memory{Limit: 64 << 20},
		Cluster:  Cluster{Host: "https://k3s:6443", Version: "v1.37.2"},
		Kinds:    []Kind{kind("postgresdbs"), kind("myapps")},
		Rights:   []Right{{Rule: k3s.Rule{Resource: "pods", Verbs: []string{"list"}, Why: "why"}}},
		Lease:    Lease{Name: "mote-system/mote", There: true, Holder: "pod-1", Since: now.Add(-time.Hour), Renewed: now.Add(-20 * time.Second), Lasts: time.Minute, Now: now},
		Security: Security{Namespace: "mote-system", There: true, Enforced: "restricted"},
		Clocks:   []Clock{{"the API server", 0, true}, {"the cloud", time.Second, true}},
		Regions:  []Region{{Name: "ap-guangzhou"}},
		Subnets:  []Subnet{{Region: "ap-guangzhou", ID: "subnet-1", Zone: "ap-guangzhou-6", VPC: "vpc-1", By: "shop/orders"}},
	}
}

func TestHealthy(t *testing.T) {
	all := Judge(healthy())
	for _, f := range all {
		if f.Level != OK || f.Fix != "" || f.Message == "" {
			t.Errorf("%+v", f)
		}
	}
	if !Passed(all) || len(all) < 13 {
		t.Errorf("%d findings", len(all))
	}
}

// Each trouble makes one line of its check, of the right level, that says what and what helps.
func TestTroubles(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Observed)
		level  Level
		check  string
		words  []string
		fix    string
	}{
		"unknown variable": {func(o *Observed) { o.Unknown = []string{"MOTE_SIET"} }, Warning, "environment", []string{"MOTE_SIET"}, "--help"},
		"no region":        {func(o *Observed) { o.Region = "" }, Warning, "region", []string{"has to name its own"}, "--region"},
		"no region, and it is needed": {func(o *Observed) { o.Region, o.Kinds[0].NoRegion = "", 3 }, Error, "region",
			[]string{"3 objects name none"}, "--region"},
		"small memory":     {func(o *Observed) { o.Memory.Limit = 16 << 20 }, Error, "memory", []string{"16 MiB"}, "64Mi"},
		"memory not known": {func(o *Observed) { o.Memory = Memory{Trouble: "no /proc"} }, Unknown, "memory", []string{"no /proc"}, ""},
		"no memory limit":  {func(o *Observed) { o.Memory = Memory{} }, OK, "memory", []string{"no limit"}, ""},
		"no cluster":       {func(o *Observed) { o.Cluster.Trouble = "connection refused" }, Error, "cluster", []string{"https://k3s:6443", "connection refused"}, "k3s runs"},
		"not let in":       {func(o *Observed) { o.Cluster.Trouble, o.Cluster.Refused = "HTTP 401", true }, Error, "cluster", []string{"does not accept"}, "ServiceAccount's token"},
		"no CRD":           {func(o *Observed) { o.Kinds[1].Served = false }, Error, "kind myapps", []string{"missing"}, "mote crds"},
		"no status":        {func(o *Observed) { o.Kinds[1].Status = false }, Error, "kind myapps", []string{"status subresource"}, "mote crds"},
		"no scale":         {func(o *Observed) { o.Kinds[1].Scale = false }, Error, "kind myapps", []string{"scale subresource"}, "mote crds"},
		"kind not asked":   {func(o *Observed) { o.Kinds[0].Trouble = "HTTP 503" }, Unknown, "kind postgresdbs", []string{"503"}, ""},
		"schema not read":  {func(o *Observed) { o.Kinds[0].SchemaTrouble = "HTTP 503" }, Unknown, "schema of postgresdbs", []string{"503"}, ""},
		"older CRD":        {func(o *Observed) { o.Kinds[0].Difference.Missing = []string{"spec.b", "spec.a"} }, Error, "schema of postgresdbs", []string{"drops spec.a, spec.b"}, "mote crds"},
		"newer CRD":        {func(o *Observed) { o.Kinds[0].Difference.More = []string{"spec.z"} }, Warning, "schema of postgresdbs", []string{"newer", "spec.z"}, "that version"},
		"other rules":      {func(o *Observed) { o.Kinds[0].Difference.Changed = []string{"spec.site"} }, Warning, "schema of postgresdbs", []string{"others for spec.site"}, "mote crds"},
		"not selectable":   {func(o *Observed) { o.Kinds[0].Difference.Selectable = []string{"spec.site"} }, Error, "schema of postgresdbs", []string{"selected by spec.site"}, "1.31"},
		"selects nothing":  {func(o *Observed) { o.Kinds[0].Selected = 0 }, Warning, "selection of postgresdbs", []string{"none of the 2"}, "--site"},
		"selector refused": {func(o *Observed) { o.Kinds[0].SelectTrouble = "HTTP 400: field label not supported" }, Error, "selection of postgresdbs", []string{"not supported"}, "spec.site"},
		"list refused":     {func(o *Observed) { o.Kinds[0].ListTrouble = "HTTP 403" }, Unknown, "selection of postgresdbs", []string{"403"}, ""},
		"nothing there":    {func(o *Observed) { o.Kinds[0].Selected, o.Kinds[0].All = 0, 0 }, OK, "selection of postgresdbs", []string{"no objects yet"}, ""},
		"of other sites":   {func(o *Observed) { o.Kinds[0].All, o.Kinds[0].Elsewhere = 6, map[string]int{"": 1, "edge-2": 3} }, OK, "selection of postgresdbs", []string{"2 of 6", "1 of no site, 3 of site edge-2"}, ""},
		"very many":        {func(o *Observed) { o.Kinds[0].Capped = 1000 }, OK, "selection of postgresdbs", []string{"of the first 1000"}, ""},
		"right missing":    {func(o *Observed) { o.Rights[0].Denied = []string{"list"} }, Error, "rights", []string{"may not list pods in all namespaces (why)"}, "mote manifests"},
		"named right missing": {func(o *Observed) {
			o.Rights[0] = Right{Rule: k3s.Rule{Namespace: "n", Group: "g", Resource: "r", Names: []string{"x"}, Why: "w"}, Denied: []string{"get", "patch"}}
		}, Error, "rights", []string{"may not get, patch r.g x in namespace n (w)"}, "mote manifests"},
		"right not asked":         {func(o *Observed) { o.Rights[0].Trouble = "HTTP 500" }, Unknown, "rights", []string{"500"}, ""},
		"no Lease used":           {func(o *Observed) { o.Lease = Lease{} }, OK, "lease", []string{"nothing else may serve"}, ""},
		"no Lease yet":            {func(o *Observed) { o.Lease.There = false }, OK, "lease mote-system/mote", []string{"not there yet"}, ""},
		"Lease released":          {func(o *Observed) { o.Lease.Holder = "" }, OK, "lease mote-system/mote", []string{"nobody"}, ""},
		"Lease stale":             {func(o *Observed) { o.Lease.Renewed = now.Add(-3 * time.Minute) }, Warning, "lease mote-system/mote", []string{"pod-1", "2030-01-01T11:57:00Z", "dead or cut off"}, "kubectl logs"},
		"Lease never renewed":     {func(o *Observed) { o.Lease.Renewed = time.Time{} }, Warning, "lease mote-system/mote", []string{"an unknown time"}, "kubectl logs"},
		"Lease not read":          {func(o *Observed) { o.Lease.Trouble = "HTTP 403" }, Unknown, "lease mote-system/mote", []string{"403"}, ""},
		"no namespace":            {func(o *Observed) { o.Security.There = false }, Warning, "pod security", []string{"no namespace mote-system"}, "mote manifests"},
		"no level":                {func(o *Observed) { o.Security.Enforced = "" }, Warning, "pod security", []string{"enforces no level"}, "kubectl label"},
		"no level in kube-system": {func(o *Observed) { o.Security = Security{Namespace: "kube-system", There: true} }, OK, "pod security", []string{"no level"}, ""},
		"level not read":          {func(o *Observed) { o.Security.Trouble = "may not" }, Unknown, "pod security", []string{"may not"}, ""},
		"no keys":                 {func(o *Observed) { o.KeyTrouble = "there is no Secret" }, Error, "credentials", []string{"there is no Secret"}, "secret-id"},
		"no region known":         {func(o *Observed) { o.Regions = nil }, Unknown, "cloud", []string{"no region"}, "--region"},
		"cloud away":              {func(o *Observed) { o.Regions[0] = Region{Name: "r", Trouble: "no route", Network: true} }, Error, "cloud in r", []string{"cannot be reached", "no route"}, "HTTPS_PROXY"},
		"bad keys": {func(o *Observed) {
			o.Regions[0] = Region{Name: "r", Trouble: "x", Class: "Denied", Code: "AuthFailure.SignatureFailure"}
		}, Error, "cloud in r", []string{"x"}, "secret-key"},
		"keys of little power": {func(o *Observed) {
			o.Regions[0] = Region{Name: "r", Trouble: "x", Class: "Denied", Code: "UnauthorizedOperation"}
		}, Error, "cloud in r", []string{"x"}, "vpc:DescribeSubnets"},
		"clock refused": {func(o *Observed) {
			o.Regions[0] = Region{Name: "r", Trouble: "x", Class: "Denied", Code: "AuthFailure.SignatureExpire"}
		}, Error, "cloud in r", []string{"x"}, "clock"},
		"no such region":   {func(o *Observed) { o.Regions[0] = Region{Name: "r", Trouble: "x", Class: "Refused"} }, Error, "cloud in r", []string{"x"}, "region exists"},
		"throttled":        {func(o *Observed) { o.Regions[0] = Region{Name: "r", Trouble: "x", Class: "Throttled"} }, Warning, "cloud in r", []string{"x"}, "again"},
		"cloud in trouble": {func(o *Observed) { o.Regions[0] = Region{Name: "r", Trouble: "x", Class: "Ambiguous"} }, Warning, "cloud in r", []string{"x"}, "again"},
		"no such subnet":   {func(o *Observed) { o.Subnets[0].Trouble, o.Subnets[0].Class = "x", "Refused" }, Error, "subnet subnet-1", []string{"shop/orders names it"}, "spec.subnetID"},
		"subnet, wrong key": {func(o *Observed) {
			o.Regions[0] = Region{Name: "ap-guangzhou", Trouble: "x", Class: "Denied", Code: "AuthFailure.SignatureFailure"}
			o.Subnets[0].Trouble, o.Subnets[0].Class = "x", "Denied"
		}, Unknown, "subnet subnet-1", []string{"because of cloud in ap-guangzhou"}, ""},
		"subnet, wrong region": {func(o *Observed) {
			o.Regions[0] = Region{Name: "ap-guangzhou", Trouble: "x", Class: "Refused", Code: "UnsupportedRegion"}
			o.Subnets[0].Trouble, o.Subnets[0].Class = "x", "Refused"
		}, Unknown, "subnet subnet-1", []string{"because of cloud in ap-guangzhou"}, ""},
		"no right at all": {func(o *Observed) {
			r := Right{Rule: k3s.Rule{Resource: "pods", Verbs: []string{"list", "get"}}, Denied: []string{"list", "get"}}
			o.Rights = []Right{r, r, r}
		}, Error, "rights", []string{"none of the 6"}, "mote manifests"},
		"subnet not shown":   {func(o *Observed) { o.Subnets[0].Trouble, o.Subnets[0].Class = "x", "Denied" }, Error, "subnet subnet-1", []string{"x"}, "vpc:DescribeSubnets"},
		"subnet not asked":   {func(o *Observed) { o.Subnets[0].Trouble, o.Subnets[0].Class = "x", "Ambiguous" }, Unknown, "subnet subnet-1", []string{"x"}, ""},
		"clock slow":         {func(o *Observed) { o.Clocks[1].Ahead = 6 * time.Minute }, Error, "clock of the cloud", []string{"6m0s ahead of ours"}, "set this node's clock"},
		"clock fast":         {func(o *Observed) { o.Clocks[1].Ahead = -5 * time.Minute }, Error, "clock of the cloud", []string{"5m0s behind ours"}, "set this node's clock"},
		"clock a little off": {func(o *Observed) { o.Clocks[0].Ahead = 40 * time.Second }, Warning, "clock of the API server", []string{"40s ahead"}, "set this node's clock"},
		"clock hardly off":   {func(o *Observed) { o.Clocks[0].Ahead = 20 * time.Second }, OK, "clock of the API server", []string{"20s ahead"}, ""},
		"no clock":           {func(o *Observed) { o.Clocks[0].Known = false }, Unknown, "clock of the API server", []string{"did not tell"}, ""},
	} {
		o := healthy()
		c.change(&o)
		all := Judge(o)
		var hit []Finding
		for _, f := range all {
			if f.Check == c.check {
				hit = append(hit, f)
			}
		}
		if len(hit) != 1 || hit[0].Level != c.level || !strings.Contains(hit[0].Fix, c.fix) || (c.fix == "") != (hit[0].Fix == "") {
			t.Errorf("%s: %+v; want one %s of %s, with %q", name, hit, c.level, c.check, c.fix)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(hit[0].Message, w) {
				t.Errorf("%s: %q does not say %q", name, hit[0].Message, w)
			}
		}
		if region := strings.HasPrefix(name, "subnet, wrong"); Passed(all) != (c.level != Error && !region) {
			t.Errorf("%s: passed is %t", name, Passed(all))
		}
	}
}

// What depends on something that is in trouble is not reported as if it were seen.
func TestUnreachableHidesNothing(t *testing.T) {
	o := healthy()
	o.Cluster.Trouble, o.KeyTrouble = "no route", "none"
	o.Kinds, o.Rights, o.Regions, o.Subnets = nil, nil, nil, nil
	levels := map[string]Level{}
	for _, f := range Judge(o) {
		levels[f.Check] = f.Level
	}
	if levels["kinds, rights, lease"] != Unknown || levels["cloud"] != Unknown || levels["rights"] != "" || levels["pod security"] != "" {
		t.Errorf("%v", levels)
	}
}

func TestPrinted(t *testing.T) {
	all := []Finding{{"a", OK, "well", ""}, {"longer", Error, "two\nlines", "do\nit"}}
	var text, data bytes.Buffer
	Text(&text, all)
	if want := "ok       a       well\nerror    longer  two lines -> do it\n"; text.String() != want {
		t.Errorf("%q, want %q", text.String(), want)
	}
	if err := JSON(&data, all); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Passed   bool
		Findings []Finding
	}
	if err := json.Unmarshal(data.Bytes(), &back); err != nil || back.Passed || len(back.Findings) != 2 || back.Findings[1] != all[1] {
		t.Errorf("%v %+v", err, back)
	}
}

func TestSome(t *testing.T) {
	if got := some(strings.Split("h g f e d c b a", " ")); got != "a, b, c, d, e, f and 2 more" {
		t.Error(got)
	}
}

// What helps against missing rights is told once.
func TestRightsToldOnce(t *testing.T) {
	o := healthy()
	denied := Right{Rule: k3s.Rule{Resource: "pods", Verbs: []string{"list", "get"}, Why: "why"}, Denied: []string{"list"}}
	o.Rights = append(o.Rights, denied, denied, denied)
	var fixes []string
	for _, f := range o.rights() {
		fixes = append(fixes, f.Fix)
	}
	if !slices.Equal(fixes, []string{fixRights, "", ""}) {
		t.Errorf("%q", fixes)
	}
}

// Codes of our own stand not before their own words; the cloud's do, to be looked up.
func TestCloudWords(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&cloud.Error{Action: "A", Region: "r", Code: "mote.NotSent", Message: "the request was not sent: no route"}, "A in r: the request was not sent: no route"},
		{&cloud.Error{Action: "A", Region: "r", Code: "AuthFailure", Message: "no", RequestID: "7"}, "A in r: AuthFailure: no (request 7)"},
		{errors.New("other"), "other"},
	} {
		if got := words(c.err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
