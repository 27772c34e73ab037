package myapp

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/mote/crd/examplev1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestContains(t *testing.T) {
	for name, c := range map[string]struct {
		live, want string
		contains   bool
	}{
		"equal":                       {`{"a":"x"}`, `{"a":"x"}`, true},
		"more is live":                {`{"a":"x","b":1}`, `{"a":"x"}`, true},
		"something is missing":        {`{"b":1}`, `{"a":"x"}`, false},
		"something else":              {`{"a":"y"}`, `{"a":"x"}`, false},
		"nested":                      {`{"a":{"b":{"c":true,"d":1}}}`, `{"a":{"b":{"c":true}}}`, true},
		"nested differs":              {`{"a":{"b":{"c":false}}}`, `{"a":{"b":{"c":true}}}`, false},
		"false is not absent":         {`{}`, `{"a":false}`, false},
		"zero is not absent":          {`{}`, `{"replicas":0}`, false},
		"null is nothing":             {`{"a":null}`, `{"a":{"b":1}}`, false},
		"another type":                {`{"a":"1"}`, `{"a":1}`, false},
		"map instead of text":         {`{"a":{"b":"x"}}`, `{"a":"x"}`, false},
		"text instead of map":         {`{"a":"x"}`, `{"a":{"b":"x"}}`, false},
		"whole numbers by value":      {`{"a":3.0}`, `{"a":3}`, true},
		"other numbers":               {`{"a":3.5}`, `{"a":3}`, false},
		"quantity spelt otherwise":    {`{"requests":{"cpu":"500m","memory":"1Gi"}}`, `{"requests":{"cpu":"0.5","memory":"1024Mi"}}`, true},
		"quantity as a number":        {`{"limits":{"cpu":"2"}}`, `{"limits":{"cpu":2}}`, true},
		"another quantity":            {`{"requests":{"cpu":"501m"}}`, `{"requests":{"cpu":"0.5"}}`, false},
		"no quantity at all":          {`{"requests":{"cpu":"much"}}`, `{"requests":{"cpu":"0.5"}}`, false},
		"quantities elsewhere":        {`{"data":{"cpu":"500m"}}`, `{"data":{"cpu":"0.5"}}`, false},
		"keyed list in another order": {`{"env":[{"name":"b","value":"2"},{"name":"a","value":"1"}]}`, `{"env":[{"name":"a","value":"1"},{"name":"b","value":"2"}]}`, true},
		"keyed list with a sidecar":   {`{"containers":[{"name":"proxy"},{"name":"app","image":"x","tty":true}]}`, `{"containers":[{"name":"app","image":"x"}]}`, true},
		"keyed list lacks one":        {`{"volumes":[{"name":"a"}]}`, `{"volumes":[{"name":"a"},{"name":"b"}]}`, false},
		"keyed element differs":       {`{"volumeMounts":[{"mountPath":"/x","name":"a"}]}`, `{"volumeMounts":[{"mountPath":"/x","name":"b"}]}`, false},
		"port of a container":         {`{"ports":[{"containerPort":81,"protocol":"TCP"},{"containerPort":80,"protocol":"TCP","name":"http"}]}`, `{"ports":[{"containerPort":80,"protocol":"TCP","name":"http"}]}`, true},
		"port of a Service":           {`{"ports":[{"port":80,"protocol":"UDP"},{"port":80,"protocol":"TCP","nodePort":30080}]}`, `{"ports":[{"port":80,"protocol":"TCP"}]}`, true},
		"port of another protocol":    {`{"ports":[{"port":80,"protocol":"UDP"}]}`, `{"ports":[{"port":80,"protocol":"TCP"}]}`, false},
		"plain list in another order": {`{"args":["b","a"]}`, `{"args":["a","b"]}`, false},
		"plain list is longer":        {`{"args":["a","b"]}`, `{"args":["a"]}`, false},
		"plain list":                  {`{"args":["a","b"]}`, `{"args":["a","b"]}`, true},
		"list instead of map":         {`{"a":[]}`, `{"a":{}}`, false},
		"map instead of list":         {`{"env":{}}`, `{"env":[]}`, false},
		"strange elements":            {`{"env":["x",null]}`, `{"env":[{"name":"a"}]}`, false},
		"empty variable left out":     {`{"env":[{"name":"a"}]}`, `{"env":[{"name":"a","value":""}]}`, true},
		"empty variable was set":      {`{"env":[{"name":"a","value":"x"}]}`, `{"env":[{"name":"a","value":""}]}`, false},
		"variable left out":           {`{"env":[{"name":"a"}]}`, `{"env":[{"name":"a","value":"x"}]}`, false},
		"empty file left out":         {`{"data":{}}`, `{"data":{"value":""}}`, false},
		"selector has more":           {`{"selector":{"a":"x","b":"y"}}`, `{"selector":{"a":"x"}}`, false},
		"matchLabels has more":        {`{"selector":{"matchLabels":{"a":"x","b":"y"}}}`, `{"selector":{"matchLabels":{"a":"x"}}}`, false},
		"nodeSelector has more":       {`{"nodeSelector":{"a":"x","b":"y"}}`, `{"nodeSelector":{"a":"x"}}`, false},
		"labels have more":            {`{"labels":{"a":"x","b":"y"}}`, `{"labels":{"a":"x"}}`, true},
		"another owner as well":       {`{"ownerReferences":[{"uid":"2"},{"uid":"1","controller":true}]}`, `{"ownerReferences":[{"uid":"1","controller":true}]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := contains(parse(t, c.live), parse(t, c.want)); got != c.contains {
				t.Errorf("contains(%s, %s) = %v", c.live, c.want, got)
			}
		})
	}
	if contains(nil, map[string]any{}) {
		t.Error("what is not there contains nothing, not even nothing")
	}
}

func parse(t *testing.T, s string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// FuzzContains: whatever the spec, a child as an API server keeps it contains
// what was applied, also after others added to it; and it does not once any
// value of it is changed.
func FuzzContains(f *testing.F) {
	f.Add("nginx", "", "0.5", int32(0), uint64(1))
	f.Add("a:b", "x\r\n\x00", "1e3", int32(3), uint64(2))
	f.Add("", "value", "128974848000m", int32(-1), uint64(3))
	f.Add("img", "\xff", "100u", int32(1<<30), uint64(4))
	f.Fuzz(func(t *testing.T, image, value, amount string, n int32, seed uint64) {
		q, err := resource.ParseQuantity(amount)
		if err != nil {
			q = resource.MustParse("0.0001")
		}
		app := newApp(tricky, referring, func(a *examplev1.MyApp) {
			a.Spec.Image, a.Spec.Replicas, a.Spec.Port = image, &n, n
			a.Spec.Env = append(a.Spec.Env, examplev1.EnvVar{Name: "FUZZ", Value: value})
			a.Spec.Config["fuzz"] = examplev1.ConfigValue(value)
			a.Spec.NodeSelector["fuzz"] = examplev1.LabelValue(value)
			a.Spec.Resources.Requests["cpu"] = q
		})
		random := rand.New(rand.NewPCG(seed, seed))
		for r, manifest := range wanted(app) {
			if manifest == nil { // no Service without ports
				continue
			}
			// JSON has no room for text that is not UTF-8: a server never saw it.
			manifest = copyOf(t, manifest)
			live := normalised(copyOf(t, manifest))
			if !contains(live, manifest) {
				t.Errorf("%s: what was applied is not found in what became of it", kinds[r])
			}
			disturb(random, live, "")
			if !contains(live, manifest) {
				t.Errorf("%s: what was applied is not found among what others added", kinds[r])
			}
			if again := normalised(applied(copyOf(t, live), manifest, copyOf(t, manifest))); !contains(again, manifest) {
				t.Errorf("%s: applied twice, and still not found", kinds[r])
			}
			leaves := leavesOf(manifest, nil)
			change := leaves[random.IntN(len(leaves))]
			change()
			if contains(live, manifest) {
				t.Errorf("%s: a changed value goes unnoticed", kinds[r])
			}
		}
	})
}

// disturb adds what others may add, and reorders what has no order.
func disturb(random *rand.Rand, v any, field string) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			disturb(random, e, k)
			if list, ok := e.([]any); ok && len(mergeKeys[k]) > 0 {
				list = append(list, map[string]any{"name": "others", "uid": "others", "mountPath": "/others", "port": int64(9)})
				random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				v[k] = list
			}
		}
		if !wholeMaps[field] {
			v[fmt.Sprintf("others%d", random.IntN(1000))] = "7"
		}
	case []any:
		for _, e := range v {
			disturb(random, e, field)
		}
	}
}

// leavesOf are the ways to change one plain value each.
func leavesOf(v any, set func(any)) (changes []func()) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			changes = append(changes, leavesOf(e, func(n any) { v[k] = n })...)
		}
	case []any:
		for i, e := range v {
			changes = append(changes, leavesOf(e, func(n any) { v[i] = n })...)
		}
	case string:
		changes = append(changes, func() { set(v + "~") })
	case bool:
		changes = append(changes, func() { set(!v) })
	case int64:
		changes = append(changes, func() { set(v + 1) })
	}
	return changes
}
